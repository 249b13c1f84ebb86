/* Equality constraints and actuators of MJCF. */
#include <string.h>

#include "robot/mjcf.h"

bool trm_mjcf_one_freedom(const trm_robot *robot, int joint) {
  return joint >= 0 && (robot->joints[joint].type == TRM_ROBOT_REVOLUTE ||
                        robot->joints[joint].type == TRM_ROBOT_PRISMATIC);
}

/* The change of one is a polynomial of the change of the other, or constant. NULL: it is of higher
 * order, or there is no memory. */
static trm_robot_coupling *add_coupling(trm_mjcf *m, const trm_xml *at, const char *name,
                                        double *ratio) {
  const char *text = trm_mjcf_get(m, at, "polycoef");
  double coefficients[5] = {0, 1, 0, 0, 0};
  if (text) trm_xml_numbers(text, 5, coefficients);
  if (coefficients[2] != 0 || coefficients[3] != 0 || coefficients[4] != 0) {
    trm_robot_note(m->robot, at, "%s coupling '%s' is not taken over: it is a polynomial", at->name,
                   name);
    return NULL;
  }
  trm_robot_coupling *coupling = trm_robot_add_coupling(m->robot, name, at);
  if (!coupling) return NULL;
  coupling->value = coefficients[0];
  *ratio = coefficients[1];
  return coupling;
}

static void couple_joints(trm_mjcf *m, const trm_xml *at, const char *name) {
  const char *other = trm_xml_get(at, "joint2");
  int second = trm_robot_find_joint(m->robot, trm_xml_get(at, "joint1"));
  int first = other ? trm_robot_find_joint(m->robot, other) : -1;
  double ratio;
  if (!trm_mjcf_one_freedom(m->robot, second) ||
      (other && !trm_mjcf_one_freedom(m->robot, first))) {
    trm_robot_note(m->robot, at,
                   "joint coupling '%s' is not taken over: a joint of it is not there", name);
    return;
  }
  trm_robot_coupling *coupling = add_coupling(m, at, name, &ratio);
  if (!coupling) return;
  trm_robot_add_term(m->robot, &coupling->sum, second, 1);
  if (other) trm_robot_add_term(m->robot, &coupling->sum, first, -ratio);
}

static void couple_tendons(trm_mjcf *m, const trm_xml *at, const char *name) {
  const char *other = trm_xml_get(at, "tendon2");
  const int tendons[2] = {trm_mjcf_tendon(m, trm_xml_get(at, "tendon1")),
                          trm_mjcf_tendon(m, other)};
  int count = other ? 2 : 1;
  double factors[2] = {1, 0};
  for (int k = 0; k < count; k++) {
    if (tendons[k] >= 0 && m->robot->tendons[tendons[k]].segment_count == 0) continue;
    trm_robot_note(m->robot, at, "tendon coupling '%s' is not taken over: %s", name,
                   tendons[k] < 0 ? "a tendon of it is not there" : "it is of lengths of paths");
    return;
  }
  trm_robot_coupling *coupling = add_coupling(m, at, name, &factors[1]);
  if (!coupling) return;
  factors[1] = -factors[1];
  for (int k = 0; k < count; k++) {
    trm_robot_tendon *tendon = &m->robot->tendons[tendons[k]];
    tendon->coupled = true;
    for (int i = 0; i < tendon->sum.term_count; i++)
      trm_robot_add_term(m->robot, &coupling->sum, tendon->sum.terms[i].joint,
                         factors[k] * tendon->sum.terms[i].factor);
  }
}

void trm_mjcf_equalities(trm_mjcf *m, const trm_xml *section) {
  for (const trm_xml *e = section->first; e && !m->robot->no_memory; e = e->next) {
    const char *name = trm_mjcf_name(m, e, &m->equalities);
    bool off = trm_mjcf_is(m, e, "active", "false");
    if (!off && (strcmp(e->name, "connect") == 0 || strcmp(e->name, "weld") == 0))
      trm_mjcf_closure(m, e, name, strcmp(e->name, "weld") == 0);
    else if (!off && strcmp(e->name, "joint") == 0)
      couple_joints(m, e, name);
    else if (!off && strcmp(e->name, "tendon") == 0)
      couple_tendons(m, e, name);
    else
      trm_robot_note(m->robot, e, "equality %s '%s' is not taken over%s", e->name, name,
                     off ? ": it is not active" : "");
  }
}

static void lag_behind(trm_robot_actuator *a, double lag) {
  a->lag = lag;
  if (lag > 0) a->activation = TRM_ROBOT_LAGGING;
}

/* False: it is of another kind. */
static bool read_activation(trm_mjcf *m, const trm_xml *e, trm_robot_actuator *a) {
  const char *kind = trm_mjcf_get(m, e, "dyntype"), *text = trm_mjcf_get(m, e, "dynprm");
  double lag = 1;
  if (!kind || strcmp(kind, "none") == 0) return true;
  if (text) trm_xml_numbers(text, 1, &lag);
  if (strncmp(kind, "filter", 6) == 0) lag_behind(a, lag);
  if (strcmp(kind, "integrator") == 0) a->activation = TRM_ROBOT_INTEGRATED;
  return a->activation != TRM_ROBOT_DIRECT;
}

/* Gain and bias of the actuator's force over its length (gear × freedom). */
static bool read_law(trm_mjcf *m, const trm_xml *e, trm_robot_actuator *a) {
  const char *kind = e->name;
  double *gain = &a->gain, *bias = a->bias;
  *gain = 1;
  if (strcmp(kind, "motor") == 0) return true;
  if (strcmp(kind, "position") == 0) {
    *gain = trm_mjcf_number(m, e, "kp", 1);
    bias[1] = -*gain;
    bias[2] = -trm_mjcf_number(m, e, "kv", 0);
    lag_behind(a, trm_mjcf_number(m, e, "timeconst", 0));
    return !trm_mjcf_get(m, e, "dampratio");
  }
  if (strcmp(kind, "velocity") == 0) {
    *gain = trm_mjcf_number(m, e, "kv", 1);
    bias[2] = -*gain;
    return true;
  }
  if (strcmp(kind, "general") != 0) return false;
  const char *gains = trm_mjcf_get(m, e, "gainprm"), *biases = trm_mjcf_get(m, e, "biasprm");
  const char *type = trm_mjcf_get(m, e, "biastype");
  const char *gain_type = trm_mjcf_get(m, e, "gaintype");
  if (gains) trm_xml_numbers(gains, 1, gain);
  bool affine = type && strcmp(type, "affine") == 0;
  if (biases && affine) trm_xml_numbers(biases, 3, bias);
  return read_activation(m, e, a) && (!type || affine || strcmp(type, "none") == 0) &&
         (!gain_type || strcmp(gain_type, "fixed") == 0);
}

static const char *read_target(trm_mjcf *m, const trm_xml *e, trm_robot_actuator *a) {
  const char *tendon = trm_xml_get(e, "tendon"), *joint = trm_xml_get(e, "joint");
  a->tendon = trm_mjcf_tendon(m, tendon);
  if (tendon && a->tendon < 0) return "its tendon is not there";
  a->joint = tendon ? -1 : trm_robot_find_joint(m->robot, joint);
  if (!tendon && !trm_mjcf_one_freedom(m->robot, a->joint)) return "it acts on no hinge or slide";
  return NULL;
}

static void read_actuator(trm_mjcf *m, const trm_xml *e) {
  static const char *const ranges[] = {"ctrlrange", "forcerange", "actrange"};
  const char *name = trm_mjcf_name(m, e, &m->actuators), *text = trm_mjcf_get(m, e, "gear");
  trm_robot_actuator *a = trm_robot_add_actuator(m->robot, name, e);
  double gear = 1;
  if (!a) return;
  const char *reason = read_target(m, e, a);
  if (!reason && !read_law(m, e, a)) reason = "it has a law of another kind";
  if (reason) {
    m->robot->actuator_count--;
    trm_robot_note(m->robot, e, "actuator %s '%s' is not taken over: %s", e->name, name, reason);
    return;
  }
  bool ranged = false;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    ranged |= trm_mjcf_get(m, e, ranges[i]) != NULL;
  if (ranged) trm_robot_note(m->robot, e, "actuator '%s': its ranges are not taken over", name);
  if (text) trm_xml_numbers(text, 1, &gear);
  if (a->tendon >= 0) m->robot->tendons[a->tendon].pulls = true;
  /* the file counts a freedom from its ref; a tendon's length is the file's */
  double start = a->joint >= 0 ? m->robot->joints[a->joint].offset : 0;
  a->gain *= gear;
  a->bias[0] = gear * (a->bias[0] + a->bias[1] * gear * start);
  a->bias[1] = gear * (gear * a->bias[1]); /* 0 stays 0 */
  a->bias[2] = gear * (gear * a->bias[2]);
}

void trm_mjcf_actuators(trm_mjcf *m, const trm_xml *section) {
  for (const trm_xml *e = section->first; e && !m->robot->no_memory; e = e->next)
    read_actuator(m, e);
}
