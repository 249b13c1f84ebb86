/* Equality constraints and actuators of MJCF. */
#include <string.h>

#include "robot/mjcf.h"

static int body_named(trm_mjcf *m, const trm_xml *at, const char *attribute) {
  const char *name = trm_xml_get(at, attribute);
  if (!name || strcmp(name, "world") == 0) return TRM_ROBOT_WORLD;
  int body = trm_robot_find_body(m->robot, name);
  if (body < 0) trm_robot_error(m->robot, at, "%s: there is no body '%s'", attribute, name);
  return body;
}

static trm_robot_pose pose_of(const trm_robot *robot, int body) {
  return body < 0 ? trm_robot_identity() : robot->bodies[body].pose;
}

static bool given_pose(trm_mjcf *m, const trm_xml *at) {
  double v[7];
  return trm_mjcf_vector(m, at, "relpose", 7, v) &&
         (v[3] != 0 || v[4] != 0 || v[5] != 0 || v[6] != 0);
}

/* A point of the first stays at the second, or all of it. */
static void read_closure(trm_mjcf *m, const trm_xml *at, bool weld) {
  const char *name = trm_mjcf_name(m, at, &m->equalities);
  double anchor[3] = {0, 0, 0};
  if (trm_xml_get(at, "site1") || given_pose(m, at)) {
    trm_robot_note(m->robot, at, "%s '%s' (of sites, or with a relpose) is not taken over",
                   at->name, name);
    return;
  }
  int first = body_named(m, at, "body1"), second = body_named(m, at, "body2");
  if (first < -1 || second < -1) return;
  trm_mjcf_vector(m, at, "anchor", 3, anchor);
  trm_robot_pose pose = pose_of(m->robot, first);
  trm_robot_joint *joint = trm_robot_add_joint(m->robot, name, at);
  if (!joint) return;
  joint->type = weld ? TRM_ROBOT_FIXED : TRM_ROBOT_SPHERICAL;
  joint->closes = true;
  joint->parent = second;
  joint->child = first;
  trm_robot_point(&pose, anchor, joint->anchor);
}

static bool has_one_freedom(const trm_robot *robot, int joint) {
  return joint >= 0 && (robot->joints[joint].type == TRM_ROBOT_REVOLUTE ||
                        robot->joints[joint].type == TRM_ROBOT_PRISMATIC);
}

static void read_joint_coupling(trm_mjcf *m, const trm_xml *at) {
  const char *name = trm_mjcf_name(m, at, &m->equalities), *other = trm_xml_get(at, "joint2");
  const char *text = trm_mjcf_get(m, at, "polycoef");
  double coefficients[5] = {0, 1, 0, 0, 0};
  if (text) trm_xml_numbers(text, 5, coefficients);
  int second = trm_robot_find_joint(m->robot, trm_xml_get(at, "joint1"));
  int first = other ? trm_robot_find_joint(m->robot, other) : -1;
  if (!has_one_freedom(m->robot, second) || (other && !has_one_freedom(m->robot, first))) {
    trm_robot_note(m->robot, at, "joint coupling '%s': a joint of it is not there", name);
    return;
  }
  if (coefficients[2] != 0 || coefficients[3] != 0 || coefficients[4] != 0) {
    trm_robot_note(m->robot, at, "joint coupling '%s' is a polynomial: not taken over", name);
    return;
  }
  trm_robot_coupling *coupling = trm_robot_add_coupling(m->robot, name, at);
  if (!coupling) return;
  coupling->first = first;
  coupling->second = second;
  coupling->offset = coefficients[0];
  coupling->ratio = first < 0 ? 0 : coefficients[1];
}

void trm_mjcf_equalities(trm_mjcf *m, const trm_xml *section) {
  for (const trm_xml *e = section->first; e && !m->robot->no_memory; e = e->next) {
    bool off = trm_mjcf_is(m, e, "active", "false");
    if (!off && (strcmp(e->name, "connect") == 0 || strcmp(e->name, "weld") == 0))
      read_closure(m, e, strcmp(e->name, "weld") == 0);
    else if (!off && strcmp(e->name, "joint") == 0)
      read_joint_coupling(m, e);
    else
      trm_robot_note(m->robot, e, "equality %s '%s' is not taken over%s", e->name,
                     trm_mjcf_name(m, e, &m->equalities), off ? ": it is not active" : "");
  }
}

/* Gain and bias of the actuator's force over its length (gear × freedom). */
static bool read_law(trm_mjcf *m, const trm_xml *e, double *gain, double bias[3]) {
  const char *kind = e->name;
  memset(bias, 0, 3 * sizeof *bias);
  *gain = 1;
  if (strcmp(kind, "motor") == 0) return true;
  if (strcmp(kind, "position") == 0) {
    *gain = trm_mjcf_number(m, e, "kp", 1);
    bias[1] = -*gain;
    bias[2] = -trm_mjcf_number(m, e, "kv", 0);
    return !trm_mjcf_get(m, e, "dampratio") && trm_mjcf_number(m, e, "timeconst", 0) == 0;
  }
  if (strcmp(kind, "velocity") == 0) {
    *gain = trm_mjcf_number(m, e, "kv", 1);
    bias[2] = -*gain;
    return true;
  }
  if (strcmp(kind, "general") != 0) return false;
  const char *gains = trm_mjcf_get(m, e, "gainprm"), *biases = trm_mjcf_get(m, e, "biasprm");
  const char *dynamics = trm_mjcf_get(m, e, "dyntype"), *type = trm_mjcf_get(m, e, "biastype");
  const char *gain_type = trm_mjcf_get(m, e, "gaintype");
  if (gains) trm_xml_numbers(gains, 1, gain);
  bool affine = type && strcmp(type, "affine") == 0;
  if (biases && affine) trm_xml_numbers(biases, 3, bias);
  return (!dynamics || strcmp(dynamics, "none") == 0) &&
         (!type || affine || strcmp(type, "none") == 0) &&
         (!gain_type || strcmp(gain_type, "fixed") == 0);
}

static void read_actuator(trm_mjcf *m, const trm_xml *e) {
  const char *name = trm_mjcf_name(m, e, &m->actuators), *text = trm_mjcf_get(m, e, "gear");
  double gear = 1, gain, bias[3];
  int joint = trm_robot_find_joint(m->robot, trm_xml_get(e, "joint"));
  if (!has_one_freedom(m->robot, joint) || !read_law(m, e, &gain, bias)) {
    trm_robot_note(m->robot, e, "actuator %s '%s' is not taken over: %s", e->name, name,
                   has_one_freedom(m->robot, joint) ? "it has a law of another kind"
                                                    : "it acts on no hinge or slide");
    return;
  }
  if (trm_mjcf_get(m, e, "ctrlrange") || trm_mjcf_get(m, e, "forcerange"))
    trm_robot_note(m->robot, e, "actuator '%s': its ranges are not taken over", name);
  if (text) trm_xml_numbers(text, 1, &gear);
  trm_robot_actuator *actuator = trm_robot_add_actuator(m->robot, name, e);
  if (!actuator) return;
  actuator->joint = joint;
  actuator->gain = gear * gain;
  /* the file counts the freedom from its ref */
  actuator->bias[0] = gear * (bias[0] + bias[1] * gear * m->robot->joints[joint].offset);
  actuator->bias[1] = gear * gear * bias[1];
  actuator->bias[2] = gear * gear * bias[2];
}

void trm_mjcf_actuators(trm_mjcf *m, const trm_xml *section) {
  for (const trm_xml *e = section->first; e && !m->robot->no_memory; e = e->next)
    read_actuator(m, e);
}
