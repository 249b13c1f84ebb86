/* Springs, dampers, tendons and actuators of the model, and the signals that they are made of. */
#include <math.h>
#include <string.h>

#include "robot/write.h"

static void write_damper(FILE *file, const trm_robot_joint *joint, const char *of, const char *than,
                         const char *end) {
  static const char *const components[] = {"wx", "wy", "wz"};
  fprintf(file, "  %s_%s: {type: torque, body: %s, value: [", joint->label, end, of);
  for (int k = 0; k < 3; k++) {
    fputs(k > 0 ? ", " : "", file);
    trm_robot_write_number(file, -joint->damping);
    if (strcmp(than, "ground") == 0)
      fprintf(file, "*%s.%s", of, components[k]);
    else
      fprintf(file, "*(%s.%s - %s.%s)", of, components[k], than, components[k]);
  }
  fputs("]}\n", file);
}

/* Damping of all directions at once. */
static void write_free_damping(const trm_robot *robot, FILE *file, const trm_robot_joint *joint) {
  const char *first = trm_robot_label_of(robot, joint->parent),
             *second = trm_robot_label_of(robot, joint->child);
  if (joint->type == TRM_ROBOT_SPHERICAL || joint->type == TRM_ROBOT_FREE)
    write_damper(file, joint, second, first, "passive");
  if (joint->type == TRM_ROBOT_SPHERICAL && joint->parent != TRM_ROBOT_WORLD)
    write_damper(file, joint, first, second, "reaction");
  if (joint->type != TRM_ROBOT_FREE) return;
  fprintf(file, "  %s_reaction: {type: force, point: %s, value: [", joint->label, second);
  for (int k = 0; k < 3; k++) {
    fputs(k > 0 ? ", " : "", file);
    trm_robot_write_number(file, -joint->damping);
    fprintf(file, "*%s.v%c", second, "xyz"[k]);
  }
  fputs("]}\n", file);
}

static void write_passive(const trm_robot *robot, FILE *file, const trm_robot_joint *joint) {
  if (joint->damping == 0 && joint->stiffness == 0) return;
  if (!trm_robot_one_freedom(joint)) {
    if (joint->damping != 0) write_free_damping(robot, file, joint);
    return;
  }
  fprintf(file, "  %s_passive: {type: actuator, of: %s, value: ", joint->label, joint->label);
  if (joint->damping != 0) {
    trm_robot_write_number(file, -joint->damping);
    fprintf(file, "*%s.%s", joint->label, trm_robot_rate(joint));
  }
  if (joint->stiffness != 0) {
    bool alone = joint->damping == 0;
    if (!alone) fputs(" - ", file);
    trm_robot_write_number(file, alone ? -joint->stiffness : joint->stiffness);
    fprintf(file, "*(%s.%s - (", joint->label, trm_robot_freedom(joint));
    trm_robot_write_number(file, joint->rest);
    fputs("))", file);
  }
  fputs("}\n", file);
}

/* Sums in formulas: sign and factor of what follows; false: it is zero, and there is none. */
static bool next_term(FILE *file, bool *begun, double factor) {
  if (factor == 0) return false;
  if (*begun)
    fputs(factor < 0 ? " - " : " + ", file);
  else if (factor == -1)
    fputc('-', file);
  double size = *begun ? fabs(factor) : factor;
  *begun = true;
  if (fabs(factor) == 1) return true;
  trm_robot_write_number(file, size);
  fputc('*', file);
  return true;
}

static void next_constant(FILE *file, bool *begun, double value) {
  if (value == 0) return;
  if (*begun) fputs(value < 0 ? " - " : " + ", file);
  trm_robot_write_number(file, *begun ? fabs(value) : value);
  *begun = true;
}

static void end_sum(FILE *file, bool begun) {
  if (!begun) fputc('0', file);
}

/* What an actuator does to its joint or tendon. */
static void write_law(const trm_robot *robot, FILE *file, const trm_robot_actuator *a) {
  const trm_robot_joint *joint = a->joint >= 0 ? &robot->joints[a->joint] : NULL;
  const char *of = joint ? joint->label : robot->tendons[a->tendon].label, *dot = joint ? "." : "_";
  bool begun = false;
  if (next_term(file, &begun, a->gain))
    fprintf(file, "%s%s", a->label, a->activation == TRM_ROBOT_DIRECT ? "" : "_activation");
  next_constant(file, &begun, a->bias[0]);
  if (next_term(file, &begun, a->bias[1]))
    fprintf(file, "%s%s%s", of, dot, joint ? trm_robot_freedom(joint) : "length");
  if (next_term(file, &begun, a->bias[2]))
    fprintf(file, "%s%s%s", of, dot, joint ? trm_robot_rate(joint) : "rate");
  end_sum(file, begun);
}

static void write_length(const trm_robot *robot, FILE *file, const trm_robot_tendon *t,
                         bool rates) {
  bool begun = false;
  fprintf(file, "  %s_%s: ", t->label, rates ? "rate" : "length");
  if (!rates) next_constant(file, &begun, t->offset);
  for (int i = 0; i < t->sum.term_count; i++) {
    const trm_robot_joint *joint = &robot->joints[t->sum.terms[i].joint];
    if (joint->type == TRM_ROBOT_FIXED) continue;
    if (next_term(file, &begun, t->sum.terms[i].factor))
      fprintf(file, "%s.%s", joint->label,
              rates ? trm_robot_rate(joint) : trm_robot_freedom(joint));
  }
  for (int i = 0; i < t->segment_count; i++)
    if (next_term(file, &begun, t->segments[i].factor))
      fprintf(file, "%s_pull%d.%s", t->label, i + 1, rates ? "rate" : "length");
  end_sum(file, begun);
  if (!rates) trm_robot_write_name(file, t->label, t->name);
  fputc('\n', file);
}

/* All that acts along a tendon; it lengthens it. */
static void write_pull(const trm_robot *robot, FILE *file, int index) {
  const trm_robot_tendon *t = &robot->tendons[index];
  bool begun = false, slack = t->rest[0] != t->rest[1];
  fprintf(file, "  %s_pull: ", t->label);
  for (int k = slack ? 0 : 1; k < 2; k++) {
    if (!next_term(file, &begun, -t->stiffness)) continue;
    fprintf(file, "%s(%s_length - ", !slack ? "" : k == 0 ? "min" : "max", t->label);
    fputc('(', file);
    trm_robot_write_number(file, t->rest[k]);
    fputs(slack ? "), 0)" : "))", file);
  }
  if (next_term(file, &begun, -t->damping)) fprintf(file, "%s_rate", t->label);
  for (int i = 0; i < robot->actuator_count; i++) {
    if (robot->actuators[i].tendon != index) continue;
    fprintf(file, "%s%s_effort", begun ? " + " : "", robot->actuators[i].label);
    begun = true;
  }
  end_sum(file, begun);
  fputc('\n', file);
}

static void write_variables(const trm_robot *robot, FILE *file) {
  bool begun = false;
  for (int i = 0; i < robot->tendon_count; i++) {
    if (!robot->tendons[i].pulls) continue;
    trm_robot_write_section(file, "variables", &begun);
    write_length(robot, file, &robot->tendons[i], false);
    write_length(robot, file, &robot->tendons[i], true);
    write_pull(robot, file, i);
  }
  for (int i = 0; i < robot->actuator_count; i++) {
    const trm_robot_actuator *a = &robot->actuators[i];
    if (a->tendon < 0) continue;
    fprintf(file, "  %s_effort: ", a->label);
    write_law(robot, file, a);
    fputc('\n', file);
  }
}

static void write_states(const trm_robot *robot, FILE *file) {
  bool begun = false;
  for (int i = 0; i < robot->actuator_count; i++) {
    const trm_robot_actuator *a = &robot->actuators[i];
    if (a->activation == TRM_ROBOT_DIRECT) continue;
    trm_robot_write_section(file, "states", &begun);
    fprintf(file, "  %s_activation: {initial: 0, rate: ", a->label);
    if (a->activation == TRM_ROBOT_INTEGRATED) {
      fprintf(file, "%s}\n", a->label);
      continue;
    }
    fprintf(file, "(%s - %s_activation)/", a->label, a->label);
    trm_robot_write_number(file, a->lag);
    fputs("}\n", file);
  }
}

void trm_robot_write_signals(const trm_robot *robot, FILE *file) {
  bool begun = false;
  for (int i = 0; i < robot->actuator_count; i++) {
    const trm_robot_actuator *a = &robot->actuators[i];
    trm_robot_write_section(file, "inputs", &begun);
    fprintf(file, "  %s: 0", a->label);
    trm_robot_write_name(file, a->label, a->name);
    fputc('\n', file);
  }
  write_variables(robot, file);
  write_states(robot, file);
}

static void write_share(FILE *file, double factor, const char *tendon) {
  bool begun = false;
  if (next_term(file, &begun, factor)) fprintf(file, "%s_pull", tendon);
  end_sum(file, begun);
  fputs("}\n", file);
}

static void write_tendon(const trm_robot *robot, FILE *file, const trm_robot_tendon *t) {
  for (int i = 0; i < t->sum.term_count; i++) {
    const trm_robot_joint *joint = &robot->joints[t->sum.terms[i].joint];
    if (joint->type == TRM_ROBOT_FIXED) continue;
    fprintf(file, "  %s_pull%d: {type: actuator, of: %s, value: ", t->label, i + 1, joint->label);
    write_share(file, t->sum.terms[i].factor, t->label);
  }
  for (int i = 0; i < t->segment_count; i++) {
    const trm_robot_segment *s = &t->segments[i];
    fprintf(file, "  %s_pull%d: {type: actuator, connect: [%s, %s], at: [", t->label, i + 1,
            trm_robot_label_of(robot, s->bodies[0]), trm_robot_label_of(robot, s->bodies[1]));
    trm_robot_write_list(file, 3, s->ends[0]);
    fputs(", ", file);
    trm_robot_write_list(file, 3, s->ends[1]);
    fputs("], value: ", file);
    write_share(file, s->factor, t->label);
  }
}

void trm_robot_write_forces(const trm_robot *robot, FILE *file) {
  bool begun = false;
  for (int i = 0; i < robot->joint_count; i++) {
    const trm_robot_joint *joint = &robot->joints[i];
    bool any = joint->damping != 0 || (joint->stiffness != 0 && trm_robot_one_freedom(joint));
    if (!any || joint->type == TRM_ROBOT_FIXED || joint->type == TRM_ROBOT_PLANAR) continue;
    trm_robot_write_section(file, "forces", &begun);
    write_passive(robot, file, joint);
  }
  for (int i = 0; i < robot->tendon_count; i++) {
    if (!robot->tendons[i].pulls) continue;
    trm_robot_write_section(file, "forces", &begun);
    write_tendon(robot, file, &robot->tendons[i]);
  }
  for (int i = 0; i < robot->actuator_count; i++) {
    const trm_robot_actuator *a = &robot->actuators[i];
    if (a->joint < 0) continue;
    trm_robot_write_section(file, "forces", &begun);
    fprintf(file, "  %s_effort: {type: actuator, of: %s, value: ", a->label,
            robot->joints[a->joint].label);
    write_law(robot, file, a);
    fputs("}\n", file);
  }
}
