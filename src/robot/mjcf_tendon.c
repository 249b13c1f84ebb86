/* Tendons of MJCF: sums of freedoms, and straight paths from site to site. */
#include <string.h>

#include "math/vector.h"
#include "robot/mjcf.h"

int trm_mjcf_site(trm_mjcf *m, const char *name) {
  for (int i = 0; name && i < m->robot->site_count; i++) {
    if (strcmp(m->robot->sites[i].name, name) != 0) continue;
    m->robot->sites[i].used = true;
    return i;
  }
  return -1;
}

int trm_mjcf_tendon(const trm_mjcf *m, const char *name) {
  for (int i = 0; name && i < m->robot->tendon_count; i++)
    if (strcmp(m->robot->tendons[i].name, name) == 0) return i;
  return -1;
}

/* A reason why it is not taken over, or NULL. */
static const char *read_sum(trm_mjcf *m, const trm_xml *at, trm_robot_tendon *tendon,
                            double *rest) {
  for (const trm_xml *e = trm_xml_child(at, "joint"); e; e = trm_xml_sibling(e, "joint")) {
    int joint = trm_robot_find_joint(m->robot, trm_xml_get(e, "joint"));
    if (!trm_mjcf_one_freedom(m->robot, joint)) return "a joint of it is no hinge or slide";
    double factor = trm_mjcf_number(m, e, "coef", 1);
    const trm_robot_joint *found = &m->robot->joints[joint];
    trm_robot_add_term(m->robot, &tendon->sum, joint, factor);
    tendon->offset += factor * found->offset;
    *rest += factor * (found->offset + found->rest);
  }
  return NULL;
}

static void add_segment(trm_mjcf *m, trm_robot_tendon *tendon, int from, int to, double factor) {
  trm_robot_segment *segment = trm_robot_add_segment(m->robot, tendon);
  const int ends[2] = {from, to};
  for (int k = 0; segment && k < 2; k++) {
    const trm_robot_site *site = &m->robot->sites[ends[k]];
    segment->bodies[k] = site->body;
    memcpy(segment->ends[k], site->pose.x, sizeof segment->ends[k]);
  }
  if (segment) segment->factor = factor;
}

static const char *read_path(trm_mjcf *m, const trm_xml *at, trm_robot_tendon *tendon,
                             double *rest) {
  double divisor = 1, along[3];
  int last = -1;
  for (const trm_xml *e = at->first; e; e = e->next) {
    if (strcmp(e->name, "pulley") == 0) {
      divisor = trm_mjcf_number(m, e, "divisor", 1);
      last = -1;
      if (!(divisor > 0)) return "a divisor of it is not positive";
      continue;
    }
    if (strcmp(e->name, "site") != 0) return "it goes around a geom";
    int site = trm_mjcf_site(m, trm_xml_get(e, "site"));
    if (site < 0) return "a site of it is not there";
    if (last >= 0) {
      add_segment(m, tendon, last, site, 1 / divisor);
      for (int k = 0; k < 3; k++)
        along[k] = m->robot->sites[site].pose.x[k] - m->robot->sites[last].pose.x[k];
      *rest += trm_norm(3, along) / divisor;
    }
    last = site;
  }
  return NULL;
}

static bool at_rest_as_written(const trm_robot *robot) {
  for (int i = 0; i < robot->joint_count; i++)
    if (robot->joints[i].rest != 0) return false;
  return true;
}

static const char *read_spring(trm_mjcf *m, const trm_xml *at, trm_robot_tendon *tendon,
                               double rest) {
  const char *text = trm_mjcf_get(m, at, "springlength");
  tendon->stiffness = trm_mjcf_number(m, at, "stiffness", 0);
  tendon->damping = trm_mjcf_number(m, at, "damping", 0);
  tendon->pulls = tendon->stiffness != 0 || tendon->damping != 0;
  tendon->rest[0] = tendon->rest[1] = -1;
  int given = text ? trm_xml_numbers(text, 2, tendon->rest) : 0;
  if (given == 1) tendon->rest[1] = tendon->rest[0];
  if (tendon->rest[0] != -1 || tendon->rest[1] != -1) return NULL;
  if (tendon->stiffness != 0 && tendon->segment_count > 0 && !at_rest_as_written(m->robot))
    return "its spring is relaxed where joints are at their springref";
  tendon->rest[0] = tendon->rest[1] = rest;
  return NULL;
}

static void read_tendon(trm_mjcf *m, const trm_xml *at) {
  trm_robot *robot = m->robot;
  const char *name = trm_mjcf_name(m, at, &m->tendons), *reason;
  trm_robot_tendon *tendon = trm_robot_add_tendon(robot, name, at);
  double rest = 0;
  if (!tendon) return;
  if (strcmp(at->name, "fixed") == 0)
    reason = read_sum(m, at, tendon, &rest);
  else
    reason =
        strcmp(at->name, "spatial") ? "it is of another kind" : read_path(m, at, tendon, &rest);
  if (!reason) reason = read_spring(m, at, tendon, rest);
  if (reason) {
    trm_robot_note(robot, at, "tendon '%s' is not taken over: %s", name, reason);
    robot->tendon_count--;
    return;
  }
  const char *limited = trm_mjcf_get(m, at, "limited");
  if (trm_mjcf_get(m, at, "range") && (!limited || strcmp(limited, "false") != 0))
    trm_robot_note(robot, at, "tendon '%s': limits are not taken over", name);
  if (trm_mjcf_number(m, at, "frictionloss", 0) != 0)
    trm_robot_note(robot, at, "tendon '%s': friction is not taken over", name);
  if (trm_mjcf_number(m, at, "armature", 0) != 0)
    trm_robot_note(robot, at, "tendon '%s': armature is not taken over", name);
}

void trm_mjcf_tendons(trm_mjcf *m, const trm_xml *section) {
  for (const trm_xml *e = section->first; e && !m->robot->no_memory; e = e->next) read_tendon(m, e);
}

void trm_mjcf_note_unused(trm_mjcf *m) {
  trm_robot *robot = m->robot;
  for (int i = 0; i < robot->site_count; i++)
    if (!robot->sites[i].used)
      trm_robot_note(robot, robot->sites[i].at, "site '%s' is not taken over",
                     robot->sites[i].name);
  for (int i = 0; i < robot->tendon_count; i++)
    if (!robot->tendons[i].pulls && !robot->tendons[i].coupled)
      trm_robot_note(robot, robot->tendons[i].at,
                     "tendon '%s' has no spring, damper, actuator or coupling: left out",
                     robot->tendons[i].name);
}
