/* Bodies of MJCF: nested, with any number of joints each. */
#include <math.h>
#include <string.h>

#include "robot/mjcf.h"

static void read_inertial(trm_mjcf *m, const trm_xml *inertial, trm_robot_body *body) {
  trm_robot_mass mass = {.mass = trm_mjcf_number(m, inertial, "mass", 0)};
  trm_robot_pose pose = trm_mjcf_pose(m, inertial);
  if (!trm_mjcf_vector(m, inertial, "fullinertia", 6, mass.inertia))
    trm_mjcf_vector(m, inertial, "diaginertia", 3, mass.inertia);
  body->own = trm_robot_mass_in(&pose, &mass);
}

static void note_joint(trm_mjcf *m, const trm_xml *at, const trm_robot_joint *joint) {
  trm_robot *robot = m->robot;
  const char *limited = trm_mjcf_get(m, at, "limited");
  if (trm_mjcf_get(m, at, "range") && (!limited || strcmp(limited, "false") != 0))
    trm_robot_note(robot, at, "joint '%s': limits are not taken over", joint->name);
  if (trm_mjcf_number(m, at, "frictionloss", 0) != 0)
    trm_robot_note(robot, at, "joint '%s': friction is not taken over", joint->name);
  bool one = joint->type == TRM_ROBOT_REVOLUTE || joint->type == TRM_ROBOT_PRISMATIC;
  if (!one && joint->armature != 0)
    trm_robot_note(robot, at, "joint '%s': armature of a ball or free joint is not taken over",
                   joint->name);
  if (!one && joint->stiffness != 0)
    trm_robot_note(robot, at, "joint '%s': stiffness of a ball or free joint is not taken over",
                   joint->name);
  if (trm_mjcf_get(m, at, "springdamper"))
    trm_robot_note(robot, at, "joint '%s': springdamper is not taken over", joint->name);
}

static void add_joint(trm_mjcf *m, const trm_xml *at, const trm_robot_pose *frame, int parent,
                      int child) {
  const char *type = trm_mjcf_get(m, at, "type");
  trm_robot_joint *joint = trm_robot_add_joint(m->robot, trm_mjcf_name(m, at, &m->joints), at);
  double pos[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
  if (!joint) return;
  if (strcmp(at->name, "freejoint") == 0) type = "free";
  if (!type) type = "hinge";
  joint->type = strcmp(type, "hinge") == 0   ? TRM_ROBOT_REVOLUTE
                : strcmp(type, "slide") == 0 ? TRM_ROBOT_PRISMATIC
                : strcmp(type, "ball") == 0  ? TRM_ROBOT_SPHERICAL
                                             : TRM_ROBOT_FREE;
  if (joint->type == TRM_ROBOT_FREE && strcmp(type, "free") != 0)
    trm_robot_error(m->robot, at,
                    "joint '%s': its type must be hinge, slide, ball or free, not '%s'",
                    joint->name, type);
  joint->parent = parent;
  joint->child = child;
  trm_mjcf_vector(m, at, "pos", 3, pos);
  trm_mjcf_vector(m, at, "axis", 3, axis);
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!(length > 0)) trm_robot_error(m->robot, at, "joint '%s': its axis is zero", joint->name);
  for (int k = 0; k < 3 && length > 0; k++) axis[k] /= length;
  trm_robot_point(frame, pos, joint->anchor);
  trm_robot_turn(frame, axis, joint->axis);
  double unit = joint->type == TRM_ROBOT_REVOLUTE ? m->angle : 1;
  joint->damping = trm_mjcf_number(m, at, "damping", 0);
  joint->stiffness = trm_mjcf_number(m, at, "stiffness", 0);
  joint->armature = trm_mjcf_number(m, at, "armature", 0);
  joint->offset = unit * trm_mjcf_number(m, at, "ref", 0);
  joint->rest = unit * trm_mjcf_number(m, at, "springref", 0) - joint->offset;
  note_joint(m, at, joint);
}

static bool is_joint(const trm_xml *e) {
  return strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0;
}

/* All joints of a body, the first one next to its parent; between them stand bodies without mass.
 */
static void add_joints(trm_mjcf *m, const trm_xml *element, int parent, int body) {
  int count = 0, from = parent;
  const trm_robot_pose frame = m->robot->bodies[body].pose;
  for (const trm_xml *e = element->first; e; e = e->next) count += is_joint(e);
  for (const trm_xml *e = element->first; e; e = e->next) {
    if (!is_joint(e)) continue;
    int to = body;
    if (--count > 0) {
      char name[240];
      snprintf(name, sizeof name, "%.200s_%d", m->robot->bodies[body].name, count);
      trm_robot_body *between =
          trm_robot_add_body(m->robot, trm_arena_string(m->robot->arena, name), e);
      if (!between || !between->name) return;
      between->pose = frame;
      between->filler = true;
      to = m->robot->body_count - 1;
    }
    add_joint(m, e, &frame, from, to);
    from = to;
  }
  if (from != parent || m->robot->no_memory) return;
  trm_robot_joint *fixed = trm_robot_add_joint(m->robot, m->robot->bodies[body].name, element);
  if (!fixed) return;
  fixed->type = TRM_ROBOT_FIXED;
  fixed->parent = parent;
  fixed->child = body;
}

static void read_body(trm_mjcf *m, const trm_xml *element, const trm_robot_pose *frame,
                      int parent) {
  trm_robot_pose own = trm_mjcf_pose(m, element);
  trm_robot_body *body =
      trm_robot_add_body(m->robot, trm_mjcf_name(m, element, &m->bodies), element);
  if (!body) return;
  int index = m->robot->body_count - 1;
  body->pose = trm_robot_compose(frame, &own);
  body->gravity = 1 - trm_mjcf_number(m, element, "gravcomp", 0);
  add_joints(m, element, parent, index);
  if (trm_mjcf_is(m, element, "mocap", "true"))
    trm_robot_note(m->robot, element, "body '%s': mocap is not taken over, it stands still",
                   m->robot->bodies[index].name);
  const trm_xml *inertial = trm_xml_child(element, "inertial");
  bool explicit_mass = inertial && m->inertia_from_geometry != 1;
  if (m->robot->no_memory) return;
  if (explicit_mass) read_inertial(m, inertial, &m->robot->bodies[index]);
  const trm_robot_pose here = trm_robot_identity();
  trm_mjcf_children(m, element, &here, index, !explicit_mass && m->inertia_from_geometry != 0);
  trm_robot_mass_bound(&m->robot->bodies[index].own, m->least_mass, m->least_inertia);
}

static bool touches(const trm_mjcf *m, const trm_xml *geom) {
  return trm_mjcf_number(m, geom, "contype", 1) != 0 ||
         trm_mjcf_number(m, geom, "conaffinity", 1) != 0;
}

static void read_site(trm_mjcf *m, const trm_xml *e, const trm_robot_pose *world, int body) {
  const char *name = trm_xml_get(e, "name");
  trm_robot_site *site = trm_robot_add_site(m->robot, name ? name : "", e);
  trm_robot_pose own = trm_mjcf_pose(m, e);
  if (!site) return;
  site->body = body;
  site->pose = trm_robot_compose(world, &own);
}

/* What stands in a body or a frame; `frame` is in the body. The world is body TRM_ROBOT_WORLD. */
void trm_mjcf_children(trm_mjcf *m, const trm_xml *element, const trm_robot_pose *frame, int body,
                       bool massive) {
  bool noted = false, drawn = false;
  for (const trm_xml *e = element->first; e && !m->robot->no_memory; e = e->next) {
    trm_robot_pose world =
        body == TRM_ROBOT_WORLD ? *frame : trm_robot_compose(&m->robot->bodies[body].pose, frame);
    if (strcmp(e->name, "body") == 0) {
      read_body(m, e, &world, body);
    } else if (strcmp(e->name, "geom") == 0) {
      if (!noted && touches(m, e))
        trm_robot_note(m->robot, e, "contact of the geoms of '%s' is not taken over",
                       body == TRM_ROBOT_WORLD ? "world" : m->robot->bodies[body].name);
      noted |= touches(m, e);
      if (body != TRM_ROBOT_WORLD)
        trm_mjcf_geometry(m, e, frame, body, massive);
      else if (!drawn)
        trm_robot_note(m->robot, e, "shapes of 'world' are not taken over");
      drawn = true;
    } else if (strcmp(e->name, "site") == 0 && !trm_xml_get(e, "fromto")) {
      read_site(m, e, &world, body);
    } else if (strcmp(e->name, "frame") == 0) {
      trm_robot_pose own = trm_mjcf_pose(m, e), inner = trm_robot_compose(frame, &own);
      trm_mjcf_children(m, e, &inner, body, massive);
    } else if (trm_mjcf_among("composite flexcomp plugin attach replicate", e->name)) {
      trm_robot_error(m->robot, e, "<%s> is not read", e->name);
    } else if (!trm_mjcf_among("inertial joint freejoint", e->name)) {
      trm_robot_note_dropped(m->robot, e, e->name, trm_xml_get(e, "name"));
    }
  }
}
