/* Equality constraints of MJCF that close loops: connect and weld. */
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "robot/mjcf.h"

static const double closed = 1e-9; /* lengths and sines below are decimals of the file */

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

static bool given_pose(trm_mjcf *m, const trm_xml *at, trm_robot_pose *pose) {
  double v[7];
  if (!trm_mjcf_vector(m, at, "relpose", 7, v)) return false;
  if (v[3] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0) return false;
  memcpy(pose->x, v, sizeof pose->x);
  trm_robot_quaternion(v + 3, pose->R);
  return true;
}

/* Two frames that become one: of the first and of the second body. */
typedef struct closure {
  int bodies[2];
  trm_robot_pose frames[2]; /* in the world, as written */
} closure;

static bool read_ends(trm_mjcf *m, const trm_xml *at, bool weld, closure *c) {
  static const char *const sites[2] = {"site1", "site2"}, *const bodies[2] = {"body1", "body2"};
  bool by_sites = trm_xml_get(at, "site1") != NULL;
  for (int k = 0; k < 2; k++) {
    if (!by_sites) {
      c->bodies[k] = body_named(m, at, bodies[k]);
      if (c->bodies[k] < -1) return false;
      c->frames[k] = pose_of(m->robot, c->bodies[k]);
      continue;
    }
    int site = trm_mjcf_site(m, trm_xml_get(at, sites[k]));
    if (site < 0) {
      const char *name = trm_xml_get(at, sites[k]);
      trm_robot_error(m->robot, at, "%s: there is no site '%s'", sites[k], name ? name : "");
      return false;
    }
    c->bodies[k] = m->robot->sites[site].body;
    c->frames[k] = m->robot->sites[site].pose;
  }
  if (by_sites) return true;
  trm_robot_pose relative = trm_robot_identity(), anchor = relative;
  trm_mjcf_vector(m, at, "anchor", 3, anchor.x);
  if (weld && given_pose(m, at, &relative)) {
    c->frames[0] = trm_robot_compose(&c->frames[0], &relative);
    c->frames[1] = trm_robot_compose(&c->frames[1], &anchor);
    return true;
  }
  int owner = weld ? 1 : 0; /* of the anchor */
  c->frames[0] = c->frames[1] = trm_robot_compose(&c->frames[owner], &anchor);
  return true;
}

static bool fits(const closure *c) {
  double gap[3], off = 0;
  for (int i = 0; i < 3; i++) {
    gap[i] = c->frames[1].x[i] - c->frames[0].x[i];
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(c->frames[1].R[i][k] - c->frames[0].R[i][k]));
  }
  return trm_norm(3, gap) <= closed && off <= closed;
}

static int parent_of(const trm_robot *robot, int body, trm_robot_joint_type *type) {
  for (int i = 0; i < robot->joint_count; i++) {
    if (robot->joints[i].closes || robot->joints[i].child != body) continue;
    *type = robot->joints[i].type;
    return robot->joints[i].parent;
  }
  *type = TRM_ROBOT_FIXED;
  return TRM_ROBOT_WORLD;
}

static bool hangs_on(const trm_robot *robot, int body, int root) {
  trm_robot_joint_type type;
  while (body != TRM_ROBOT_WORLD && body != root) body = parent_of(robot, body, &type);
  return body == root && root != TRM_ROBOT_WORLD;
}

static void carry(const trm_robot_pose *motion, double point[3]) {
  double moved[3];
  trm_robot_point(motion, point, moved);
  memcpy(point, moved, sizeof moved);
}

static void set_gap(trm_robot_joint *joint, const double other[3]) {
  for (int k = 0; k < 3; k++) joint->gap[k] = other[k] - joint->anchor[k];
  if (trm_norm(3, joint->gap) <= closed) memset(joint->gap, 0, sizeof joint->gap);
}

/* All that hangs on a free body goes with it. */
static void move_free(trm_robot *robot, int root, const trm_robot_pose *motion) {
  for (int i = 0; i < robot->joint_count; i++) {
    trm_robot_joint *joint = &robot->joints[i];
    bool first = hangs_on(robot, joint->parent, root), second = hangs_on(robot, joint->child, root);
    double other[3], axis[3];
    for (int k = 0; k < 3; k++) other[k] = joint->anchor[k] + joint->gap[k];
    if (joint->closes ? first : second) carry(motion, joint->anchor);
    if (second) carry(motion, other);
    if (joint->closes) set_gap(joint, other);
    trm_robot_turn(motion, joint->axis, axis);
    if (second && !joint->closes) memcpy(joint->axis, axis, sizeof axis);
  }
  for (int i = 0; i < robot->tendon_count; i++)
    for (int s = 0; s < robot->tendons[i].segment_count; s++)
      for (int k = 0; k < 2; k++) {
        trm_robot_segment *segment = &robot->tendons[i].segments[s];
        if (hangs_on(robot, segment->bodies[k], root)) carry(motion, segment->ends[k]);
      }
  for (int i = 0; i < robot->site_count; i++)
    if (hangs_on(robot, robot->sites[i].body, root))
      robot->sites[i].pose = trm_robot_compose(motion, &robot->sites[i].pose);
  for (int i = 0; i < robot->body_count; i++)
    if (hangs_on(robot, i, root))
      robot->bodies[i].pose = trm_robot_compose(motion, &robot->bodies[i].pose);
}

static bool welded(const trm_robot *robot, int root) {
  for (int i = 0; i < robot->joint_count; i++)
    if (robot->joints[i].closes && robot->joints[i].type == TRM_ROBOT_FIXED &&
        (hangs_on(robot, robot->joints[i].parent, root) ||
         hangs_on(robot, robot->joints[i].child, root)))
      return true;
  return false;
}

/* A weld keeps what is written: a free body is written where the weld holds it. */
static bool bring_together(trm_mjcf *m, const trm_xml *at, const char *name, closure *c) {
  for (int k = 1; k >= 0; k--) {
    int body = c->bodies[k];
    trm_robot_joint_type type;
    if (body == TRM_ROBOT_WORLD || hangs_on(m->robot, c->bodies[1 - k], body)) continue;
    if (parent_of(m->robot, body, &type) != TRM_ROBOT_WORLD || type != TRM_ROBOT_FREE ||
        welded(m->robot, body))
      continue;
    const trm_robot_pose origin = trm_robot_identity();
    trm_robot_pose back = trm_robot_relative(&c->frames[k], &origin);
    trm_robot_pose motion = trm_robot_compose(&c->frames[1 - k], &back);
    trm_robot_note(m->robot, at, "body '%s' is written where weld '%s' holds it",
                   m->robot->bodies[body].name, name);
    move_free(m->robot, body, &motion);
    c->frames[k] = c->frames[1 - k];
    return true;
  }
  trm_robot_note(m->robot, at,
                 "weld '%s' is not taken over: the file begins elsewhere than where it holds, and "
                 "neither body is free to go there",
                 name);
  return false;
}

static void add_closure(trm_mjcf *m, const trm_xml *at, const char *name, bool weld,
                        const closure *c) {
  trm_robot_joint *joint = trm_robot_add_joint(m->robot, name, at);
  if (!joint) return;
  joint->type = weld ? TRM_ROBOT_FIXED : TRM_ROBOT_SPHERICAL;
  joint->closes = true;
  joint->parent = c->bodies[1];
  joint->child = c->bodies[0];
  memcpy(joint->anchor, c->frames[1].x, sizeof joint->anchor);
  if (!weld) set_gap(joint, c->frames[0].x);
}

void trm_mjcf_closure(trm_mjcf *m, const trm_xml *at, const char *name, bool weld) {
  closure c;
  if (!read_ends(m, at, weld, &c)) return;
  if (!weld || fits(&c) || bring_together(m, at, name, &c)) add_closure(m, at, name, weld, &c);
}
