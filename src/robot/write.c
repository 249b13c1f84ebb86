/* The model: YAML that a person can read and go on with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "robot/write.h"

/* As short as it can be without losing anything. */
void trm_robot_write_number(FILE *file, double value) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0 : value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, file);
}

void trm_robot_write_list(FILE *file, int count, const double *values) {
  fputc('[', file);
  for (int i = 0; i < count; i++) {
    if (i > 0) fputs(", ", file);
    trm_robot_write_number(file, values[i]);
  }
  fputc(']', file);
}

static void quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', file);
    fputc(trm_robot_printable(*text), file);
  }
  fputc('"', file);
}

static bool is_zero(const double v[3]) {
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static bool is_body(const trm_robot *robot, int index) {
  return robot->bodies[index].fixed_to == index;
}

const char *trm_robot_label_of(const trm_robot *robot, int body) {
  return body == TRM_ROBOT_WORLD ? "ground" : robot->bodies[body].label;
}

/* The name in the robot's file, where the model has another. */
void trm_robot_write_name(FILE *file, const char *label, const char *name) {
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
  trm_robot_write_list(file, 4, q);
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
    trm_robot_write_list(file, 3, relative.x);
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
  trm_robot_write_name(file, body->label, body->name);
  fputs("\n    mass: ", file);
  trm_robot_write_number(file, body->own.mass);
  fputs("\n    inertia: ", file);
  trm_robot_write_list(file, is_zero(I + 3) ? 3 : 6, I);
  fputc('\n', file);
  if (!is_zero(body->own.com)) {
    fputs("    com: ", file);
    trm_robot_write_list(file, 3, body->own.com);
    fputc('\n', file);
  }
  fputs("    position: ", file);
  trm_robot_write_list(file, 3, body->pose.x);
  fputc('\n', file);
  write_orientation(file, &body->pose);
  if (body->gravity != 1) {
    double g[3];
    for (int k = 0; k < 3; k++) g[k] = body->gravity * robot->gravity[k];
    fputs("    gravity: ", file);
    trm_robot_write_list(file, 3, g);
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

bool trm_robot_one_freedom(const trm_robot_joint *joint) {
  return joint->type == TRM_ROBOT_REVOLUTE || joint->type == TRM_ROBOT_PRISMATIC;
}

const char *trm_robot_freedom(const trm_robot_joint *joint) {
  return joint->type == TRM_ROBOT_REVOLUTE ? "angle" : "displacement";
}

const char *trm_robot_rate(const trm_robot_joint *joint) {
  return joint->type == TRM_ROBOT_REVOLUTE ? "rate" : "speed";
}

static void write_joint(const trm_robot *robot, FILE *file, const trm_robot_joint *joint) {
  static const char *const types[] = {"", "rigid", "revolute", "prismatic", "spherical", "planar"};
  bool rigid = joint->type == TRM_ROBOT_FIXED;
  if (joint->type == TRM_ROBOT_FREE || (rigid && !joint->closes)) return;
  fprintf(file, "  %s: {type: %s, connect: [%s, %s]", joint->label, types[joint->type],
          trm_robot_label_of(robot, joint->parent), trm_robot_label_of(robot, joint->child));
  double other[3];
  for (int k = 0; k < 3; k++) other[k] = joint->anchor[k] + joint->gap[k];
  fputs(is_zero(joint->gap) ? ", at: " : ", at: [", file);
  trm_robot_write_list(file, 3, joint->anchor);
  if (!is_zero(joint->gap)) {
    fputs(", ", file);
    trm_robot_write_list(file, 3, other);
    fputc(']', file);
  }
  if (!rigid && joint->type != TRM_ROBOT_SPHERICAL) {
    fputs(", axis: ", file);
    trm_robot_write_list(file, 3, joint->axis);
  }
  fputc('}', file);
  trm_robot_write_name(file, joint->label, joint->name);
  fputc('\n', file);
}

static void write_coupling(const trm_robot *robot, FILE *file, const trm_robot_coupling *c) {
  const trm_robot_term *terms[2];
  int count = 0;
  for (int i = 0; i < c->sum.term_count; i++)
    if (c->sum.terms[i].factor != 0 && count++ < 2) terms[count - 1] = &c->sum.terms[i];
  if (count == 0) return;
  fprintf(file, "  %s: {type: ", c->label);
  if (count == 2 && c->value == 0) {
    fprintf(file, "gear, joints: [%s, %s], ratio: ", robot->joints[terms[1]->joint].label,
            robot->joints[terms[0]->joint].label);
    trm_robot_write_number(file, -terms[1]->factor / terms[0]->factor);
  } else {
    fputs("coordinate, sum: {", file);
    for (int i = 0, begun = 0; i < c->sum.term_count; i++) {
      const trm_robot_joint *joint = &robot->joints[c->sum.terms[i].joint];
      if (c->sum.terms[i].factor == 0) continue;
      fprintf(file, "%s%s.%s: ", begun++ ? ", " : "", joint->label, trm_robot_freedom(joint));
      trm_robot_write_number(file, c->sum.terms[i].factor);
    }
    fputs("}, value: ", file);
    trm_robot_write_number(file, c->value);
  }
  fputc('}', file);
  trm_robot_write_name(file, c->label, c->name);
  fputc('\n', file);
}

static void write_rotor_gear(FILE *file, const trm_robot_joint *joint) {
  fprintf(file, "  %s_rotor_gear: {type: gear, joints: [%s, %s_rotor], ratio: 1}\n", joint->label,
          joint->label, joint->label);
}

static bool has_rotor(const trm_robot_joint *joint) {
  return trm_robot_one_freedom(joint) && joint->armature > 0;
}

static void write_head(const trm_robot *robot, FILE *file) {
  const char *slash = strrchr(robot->file, '/');
  fprintf(file, "# Imported from %s (%s).\n", slash ? slash + 1 : robot->file, robot->kind);
  if (robot->note_count > 0) fputs("# What is not as it is there:\n", file);
  for (int i = 0; i < robot->note_count; i++) fprintf(file, "#   %s\n", robot->notes[i]);
  fputs("trammel: 1\nname: ", file);
  quoted(file, robot->name);
  fputs(robot->si ? "\nunits: SI" : "", file);
  fputs("\nspace: spatial\ngravity: ", file);
  trm_robot_write_list(file, 3, robot->gravity);
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

void trm_robot_write_section(FILE *file, const char *name, bool *begun) {
  if (!*begun) fprintf(file, "%s:\n", name);
  *begun = true;
}

static void write_joints(const trm_robot *robot, FILE *file) {
  bool begun = false;
  for (int i = 0; i < robot->joint_count; i++) {
    const trm_robot_joint *joint = &robot->joints[i];
    if (joint->type == TRM_ROBOT_FREE || (joint->type == TRM_ROBOT_FIXED && !joint->closes))
      continue;
    trm_robot_write_section(file, "joints", &begun);
    write_joint(robot, file, joint);
  }
  for (int i = 0; i < robot->coupling_count; i++) write_coupling(robot, file, &robot->couplings[i]);
  for (int i = 0; i < robot->joint_count; i++)
    if (has_rotor(&robot->joints[i])) write_rotor_gear(file, &robot->joints[i]);
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
    trm_robot_write_section(file, "shafts", &begun);
    fprintf(file, "  %s_rotor: {inertia: ", robot->joints[i].label);
    trm_robot_write_number(file, robot->joints[i].armature);
    fputs("}\n", file);
  }
  write_joints(robot, file);
  trm_robot_write_signals(robot, file);
  trm_robot_write_forces(robot, file);
  /* where masses are almost none, most methods lose digits; a tree divides by all that hangs on a
   * joint, and M + CᵀC is regular */
  fprintf(file, "simulate: {duration: 1%s}\n",
          !robot->filled     ? ""
          : has_loops(robot) ? ", solver: udwadia-kalaba-general"
                             : ", coordinates: relative");
}
