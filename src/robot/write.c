/* The model: YAML that a person can read and go on with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "robot/robot.h"

/* As short as it can be without losing anything. */
static void number(FILE *file, double value) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0 : value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, file);
}

static void list(FILE *file, int count, const double *values) {
  fputc('[', file);
  for (int i = 0; i < count; i++) {
    if (i > 0) fputs(", ", file);
    number(file, values[i]);
  }
  fputc(']', file);
}

static void quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', file);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
  }
  fputc('"', file);
}

static bool is_zero(const double v[3]) {
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static bool is_body(const trm_robot *robot, int index) {
  return robot->bodies[index].fixed_to == index;
}

static const char *label_of(const trm_robot *robot, int body) {
  return body == TRM_ROBOT_WORLD ? "ground" : robot->bodies[body].label;
}

/* The name in the robot's file, where the model has another. */
static void write_name(FILE *file, const char *label, const char *name) {
  if (strcmp(label, name) == 0) return;
  fputs("  # ", file);
  quoted(file, name);
}

static void write_orientation(FILE *file, const trm_robot_pose *pose) {
  double axes[3][3], q[4];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) axes[k][i] = pose->R[i][k];
  trm_quaternion_of(axes, q);
  if (is_zero(q + 1)) return;
  fputs("    orientation: {quaternion: ", file);
  list(file, 4, q);
  fputs("}\n", file);
}

/* Frames that are parts of a body. A short name could be a measure of it. */
static void write_points(const trm_robot *robot, FILE *file, int root) {
  bool begun = false;
  for (int i = 0; i < robot->body_count; i++) {
    const trm_robot_body *part = &robot->bodies[i];
    if (part->fixed_to != root || i == root || part->filler) continue;
    trm_robot_pose relative = root == TRM_ROBOT_WORLD
                                  ? part->pose
                                  : trm_robot_relative(&robot->bodies[root].pose, &part->pose);
    fprintf(file, "%sat_%s: ", begun ? ", " : "", part->label);
    list(file, 3, relative.x);
    begun = true;
  }
}

static bool has_points(const trm_robot *robot, int root) {
  for (int i = 0; i < robot->body_count; i++)
    if (robot->bodies[i].fixed_to == root && i != root && !robot->bodies[i].filler) return true;
  return false;
}

static void write_body(const trm_robot *robot, const char *meshes, FILE *file, int index) {
  const trm_robot_body *body = &robot->bodies[index];
  const double *I = body->own.inertia;
  fprintf(file, "  %s:", body->label);
  write_name(file, body->label, body->name);
  fputs("\n    mass: ", file);
  number(file, body->own.mass);
  fputs("\n    inertia: ", file);
  list(file, is_zero(I + 3) ? 3 : 6, I);
  fputc('\n', file);
  if (!is_zero(body->own.com)) {
    fputs("    com: ", file);
    list(file, 3, body->own.com);
    fputc('\n', file);
  }
  fputs("    position: ", file);
  list(file, 3, body->pose.x);
  fputc('\n', file);
  write_orientation(file, &body->pose);
  if (body->gravity != 1) {
    double g[3];
    for (int k = 0; k < 3; k++) g[k] = body->gravity * robot->gravity[k];
    fputs("    gravity: ", file);
    list(file, 3, g);
    fputc('\n', file);
  }
  if (has_points(robot, index)) {
    fputs("    points: {", file);
    write_points(robot, file, index);
    fputs("}\n", file);
  }
  if (meshes && body->mesh.count > 0)
    fprintf(file, "    shape: {mesh: \"%s/%s.stl\"}\n", meshes, body->label);
}

static bool one_freedom(const trm_robot_joint *joint) {
  return joint->type == TRM_ROBOT_REVOLUTE || joint->type == TRM_ROBOT_PRISMATIC;
}

static void write_joint(const trm_robot *robot, FILE *file, const trm_robot_joint *joint) {
  static const char *const types[] = {"", "rigid", "revolute", "prismatic", "spherical", "planar"};
  bool rigid = joint->type == TRM_ROBOT_FIXED;
  if (joint->type == TRM_ROBOT_FREE || (rigid && !joint->closes)) return;
  fprintf(file, "  %s: {type: %s, connect: [%s, %s]", joint->label, types[joint->type],
          label_of(robot, joint->parent), label_of(robot, joint->child));
  fputs(", at: ", file);
  list(file, 3, joint->anchor);
  if (!rigid && joint->type != TRM_ROBOT_SPHERICAL) {
    fputs(", axis: ", file);
    list(file, 3, joint->axis);
  }
  fputc('}', file);
  write_name(file, joint->label, joint->name);
  fputc('\n', file);
}

static const char *freedom(const trm_robot_joint *joint) {
  return joint->type == TRM_ROBOT_REVOLUTE ? "angle" : "displacement";
}

static const char *rate(const trm_robot_joint *joint) {
  return joint->type == TRM_ROBOT_REVOLUTE ? "rate" : "speed";
}

static void write_coupling(const trm_robot *robot, FILE *file, const trm_robot_coupling *c) {
  const trm_robot_joint *second = &robot->joints[c->second];
  const trm_robot_joint *first = c->first >= 0 ? &robot->joints[c->first] : NULL;
  if (first && c->ratio != 0 && c->offset == 0) {
    fprintf(file, "  %s: {type: gear, joints: [%s, %s], ratio: ", c->label, first->label,
            second->label);
    number(file, c->ratio);
    fputs("}\n", file);
    return;
  }
  fprintf(file, "  %s: {type: coordinate, sum: {%s.%s: 1", c->label, second->label,
          freedom(second));
  if (first && c->ratio != 0) {
    fprintf(file, ", %s.%s: ", first->label, freedom(first));
    number(file, -c->ratio);
  }
  fputs("}, value: ", file);
  number(file, c->offset);
  fputs("}\n", file);
}

static void write_rotor_gear(FILE *file, const trm_robot_joint *joint) {
  fprintf(file, "  %s_rotor_gear: {type: gear, joints: [%s, %s_rotor], ratio: 1}\n", joint->label,
          joint->label, joint->label);
}

static bool has_rotor(const trm_robot_joint *joint) {
  return one_freedom(joint) && joint->armature > 0;
}

static void write_damper(FILE *file, const trm_robot_joint *joint, const char *of, const char *than,
                         const char *end) {
  static const char *const components[] = {"wx", "wy", "wz"};
  fprintf(file, "  %s_%s: {type: torque, body: %s, value: [", joint->label, end, of);
  for (int k = 0; k < 3; k++) {
    fputs(k > 0 ? ", " : "", file);
    number(file, -joint->damping);
    if (strcmp(than, "ground") == 0)
      fprintf(file, "*%s.%s", of, components[k]);
    else
      fprintf(file, "*(%s.%s - %s.%s)", of, components[k], than, components[k]);
  }
  fputs("]}\n", file);
}

/* Damping of all directions at once. */
static void write_free_damping(const trm_robot *robot, FILE *file, const trm_robot_joint *joint) {
  const char *first = label_of(robot, joint->parent), *second = label_of(robot, joint->child);
  if (joint->type == TRM_ROBOT_SPHERICAL || joint->type == TRM_ROBOT_FREE)
    write_damper(file, joint, second, first, "passive");
  if (joint->type == TRM_ROBOT_SPHERICAL && joint->parent != TRM_ROBOT_WORLD)
    write_damper(file, joint, first, second, "reaction");
  if (joint->type != TRM_ROBOT_FREE) return;
  fprintf(file, "  %s_reaction: {type: force, point: %s, value: [", joint->label, second);
  for (int k = 0; k < 3; k++) {
    fputs(k > 0 ? ", " : "", file);
    number(file, -joint->damping);
    fprintf(file, "*%s.v%c", second, "xyz"[k]);
  }
  fputs("]}\n", file);
}

static void write_passive(const trm_robot *robot, FILE *file, const trm_robot_joint *joint) {
  if (joint->damping == 0 && joint->stiffness == 0) return;
  if (!one_freedom(joint)) {
    if (joint->damping != 0) write_free_damping(robot, file, joint);
    return;
  }
  fprintf(file, "  %s_passive: {type: actuator, of: %s, value: ", joint->label, joint->label);
  if (joint->damping != 0) {
    number(file, -joint->damping);
    fprintf(file, "*%s.%s", joint->label, rate(joint));
  }
  if (joint->stiffness != 0) {
    bool alone = joint->damping == 0;
    if (!alone) fputs(" - ", file);
    number(file, alone ? -joint->stiffness : joint->stiffness);
    fprintf(file, "*(%s.%s - (", joint->label, freedom(joint));
    number(file, joint->rest);
    fputs("))", file);
  }
  fputs("}\n", file);
}

static void write_actuator(const trm_robot *robot, FILE *file, const trm_robot_actuator *a) {
  const trm_robot_joint *joint = &robot->joints[a->joint];
  fprintf(file, "  %s_effort: {type: actuator, of: %s, value: ", a->label, joint->label);
  number(file, a->gain);
  fprintf(file, "*%s", a->label);
  if (a->bias[0] != 0) {
    fputs(" + (", file);
    number(file, a->bias[0]);
    fputc(')', file);
  }
  if (a->bias[1] != 0) {
    fputs(" + (", file);
    number(file, a->bias[1]);
    fprintf(file, ")*%s.%s", joint->label, freedom(joint));
  }
  if (a->bias[2] != 0) {
    fputs(" + (", file);
    number(file, a->bias[2]);
    fprintf(file, ")*%s.%s", joint->label, rate(joint));
  }
  fputs("}\n", file);
}

static void write_input(FILE *file, const trm_robot_actuator *a) {
  fprintf(file, "  %s: 0", a->label);
  write_name(file, a->label, a->name);
  fputc('\n', file);
}

static void write_head(const trm_robot *robot, FILE *file) {
  const char *slash = strrchr(robot->file, '/');
  fprintf(file, "# Imported from %s (%s).\n", slash ? slash + 1 : robot->file, robot->kind);
  if (robot->note_count > 0) fputs("# What is not as it is there:\n", file);
  for (int i = 0; i < robot->note_count; i++) fprintf(file, "#   %s\n", robot->notes[i]);
  fputs("trammel: 1\nname: ", file);
  quoted(file, robot->name);
  fputs("\nspace: spatial\ngravity: ", file);
  list(file, 3, robot->gravity);
  fputc('\n', file);
}

static void write_ground(const trm_robot *robot, const char *meshes, FILE *file) {
  bool points = has_points(robot, TRM_ROBOT_WORLD), shape = false;
  for (int i = 0; i < robot->body_count; i++)
    shape |= robot->bodies[i].fixed_to == TRM_ROBOT_WORLD && robot->bodies[i].mesh.count > 0;
  if (!points && !shape) return;
  fputs("ground:\n", file);
  if (points) {
    fputs("  points: {", file);
    write_points(robot, file, TRM_ROBOT_WORLD);
    fputs("}\n", file);
  }
  if (meshes && shape) fprintf(file, "  shape: {mesh: \"%s/ground.stl\"}\n", meshes);
}

static void section(FILE *file, const char *name, bool *begun) {
  if (!*begun) fprintf(file, "%s:\n", name);
  *begun = true;
}

static void write_joints(const trm_robot *robot, FILE *file) {
  bool begun = false;
  for (int i = 0; i < robot->joint_count; i++) {
    const trm_robot_joint *joint = &robot->joints[i];
    if (joint->type == TRM_ROBOT_FREE || (joint->type == TRM_ROBOT_FIXED && !joint->closes))
      continue;
    section(file, "joints", &begun);
    write_joint(robot, file, joint);
  }
  for (int i = 0; i < robot->coupling_count; i++) write_coupling(robot, file, &robot->couplings[i]);
  for (int i = 0; i < robot->joint_count; i++)
    if (has_rotor(&robot->joints[i])) write_rotor_gear(file, &robot->joints[i]);
}

static void write_forces(const trm_robot *robot, FILE *file) {
  bool begun = false;
  for (int i = 0; i < robot->joint_count; i++) {
    const trm_robot_joint *joint = &robot->joints[i];
    bool any = joint->damping != 0 || (joint->stiffness != 0 && one_freedom(joint));
    if (!any || joint->type == TRM_ROBOT_FIXED || joint->type == TRM_ROBOT_PLANAR) continue;
    section(file, "forces", &begun);
    write_passive(robot, file, joint);
  }
  for (int i = 0; i < robot->actuator_count; i++) {
    section(file, "forces", &begun);
    write_actuator(robot, file, &robot->actuators[i]);
  }
}

static bool has_loops(const trm_robot *robot) {
  for (int i = 0; i < robot->joint_count; i++)
    if (robot->joints[i].closes && robot->joints[i].type != TRM_ROBOT_FREE) return true;
  return false;
}

void trm_robot_write(const trm_robot *robot, const char *meshes, FILE *file) {
  bool begun = false;
  write_head(robot, file);
  write_ground(robot, meshes, file);
  fputs("bodies:\n", file);
  for (int i = 0; i < robot->body_count; i++)
    if (is_body(robot, i)) write_body(robot, meshes, file, i);
  for (int i = 0; i < robot->joint_count; i++) {
    if (!has_rotor(&robot->joints[i])) continue;
    section(file, "shafts", &begun);
    fprintf(file, "  %s_rotor: {inertia: ", robot->joints[i].label);
    number(file, robot->joints[i].armature);
    fputs("}\n", file);
  }
  write_joints(robot, file);
  if (robot->actuator_count > 0) fputs("inputs:\n", file);
  for (int i = 0; i < robot->actuator_count; i++) write_input(file, &robot->actuators[i]);
  write_forces(robot, file);
  /* where masses are almost none, most methods lose digits; a tree divides by all that hangs on a
   * joint, and M + CᵀC is regular */
  fprintf(file, "simulate: {duration: 1%s}\n",
          !robot->filled     ? ""
          : has_loops(robot) ? ", solver: udwadia-kalaba-general"
                             : ", coordinates: relative");
}
