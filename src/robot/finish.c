/* From what a file says to what can move: fixed parts are joined, masses made possible. */
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "robot/robot.h"

/* Of the mass behind it: too little to be seen in the motion. */
static const double little = 1e-12;

#define POINT 1e-16 /* m²: moments beside the mass of a body of 10 nm */

static double mass_of(const trm_robot_mass *own) {
  return own->mass;
}

static double moment_of(const trm_robot_mass *own) {
  return own->inertia[0] + own->inertia[1] + own->inertia[2];
}

/* Of each body and all that hangs on it. */
static double *sums_behind(trm_robot *robot, double of(const trm_robot_mass *)) {
  double *behind = TRM_NEW(robot->arena, double, robot->body_count + 1);
  int *parents = TRM_NEW(robot->arena, int, robot->body_count + 1);
  if (!behind || !parents) {
    robot->no_memory = true;
    return NULL;
  }
  for (int i = 0; i < robot->body_count; i++) parents[i] = TRM_ROBOT_WORLD;
  for (int i = 0; i < robot->joint_count; i++)
    if (!robot->joints[i].closes) parents[robot->joints[i].child] = robot->joints[i].parent;
  for (int i = 0; i < robot->body_count; i++)
    for (int b = i; b != TRM_ROBOT_WORLD; b = parents[b]) behind[b] += of(&robot->bodies[i].own);
  return behind;
}

static bool closes_a_loop(const trm_robot *robot, int body) {
  for (int i = 0; i < robot->joint_count; i++)
    if (robot->joints[i].closes &&
        (robot->joints[i].child == body || robot->joints[i].parent == body))
      return true;
  return false;
}

/* What has no mass behind it cannot move by itself. */
static void fix_massless_ends(trm_robot *robot, const double *masses, const double *moments) {
  for (int i = 0; i < robot->joint_count; i++) {
    trm_robot_joint *joint = &robot->joints[i];
    if (joint->closes || joint->type == TRM_ROBOT_FIXED) continue;
    if (masses[joint->child] > 0 || moments[joint->child] > 0) continue;
    if (closes_a_loop(robot, joint->child)) continue;
    trm_robot_note(robot, joint->at, "joint '%s': nothing behind it has a mass; it is kept fixed",
                   joint->name);
    joint->type = TRM_ROBOT_FIXED;
  }
}

static int root_of(const trm_robot *robot, int body) {
  while (body != TRM_ROBOT_WORLD && robot->bodies[body].fixed_to != body)
    body = robot->bodies[body].fixed_to;
  return body;
}

/* Moments that stand for none, where a format does not allow that or a program left round-off: they
 * would be lost in the digits of what the mass makes. */
static bool take_for_point(trm_robot *robot, trm_robot_body *body) {
  double moments = 0;
  for (int k = 0; k < 6; k++) moments += fabs(body->own.inertia[k]);
  if (!(moments > 0 && moments < POINT * body->own.mass)) return false;
  memset(body->own.inertia, 0, sizeof body->own.inertia);
  trm_robot_note(robot, body->at, "body '%s' is smaller than %g m: it becomes a point with a mass",
                 body->name, sqrt(POINT));
  return true;
}

static void check_mass(trm_robot *robot, trm_robot_body *body) {
  trm_robot_mass *own = &body->own;
  if (own->mass < 0)
    trm_robot_error(robot, body->at, "body '%s': mass is %g, it must not be negative", body->name,
                    own->mass);
  if (trm_robot_mass_possible(own) || take_for_point(robot, body)) return;
  if (robot->balance) {
    trm_robot_note(robot, body->at,
                   "body '%s': no body has its inertia; each principal moment is now their mean",
                   body->name);
    trm_robot_mass_balance(own);
    return;
  }
  trm_robot_note(robot, body->at,
                 "body '%s': no body has its inertia (a principal moment is negative or larger "
                 "than the sum of the others): mend it, or import with --balance-inertia",
                 body->name);
}

/* Massless ones between joints get a mass that does not matter beside the mass behind them. The
 * inertia that a file gives them stays. */
static void fill(trm_robot *robot, trm_robot_body *body, double behind) {
  if (body->own.mass > 0) return;
  double mass = behind > 0 ? little * behind : little;
  robot->filled = true;
  body->own.mass = mass;
  if (!body->filler)
    trm_robot_note(robot, body->at, "body '%s' has no mass but moves: it gets %.3g", body->name,
                   mass);
}

static void join(trm_robot *robot, int index, int root) {
  trm_robot_body *part = &robot->bodies[index], *whole = &robot->bodies[root];
  trm_robot_pose relative = trm_robot_relative(&whole->pose, &part->pose);
  trm_robot_mass moved = trm_robot_mass_in(&relative, &part->own);
  if (part->own.mass > 0 && whole->gravity != part->gravity)
    trm_robot_note(robot, part->at,
                   "body '%s': its gravcomp is not taken over, it is a part of '%s'", part->name,
                   whole->name);
  trm_robot_mass_add(&whole->own, &moved);
  trm_robot_mesh_join(robot, &part->mesh, &relative, &whole->mesh);
}

/* Of a joint that is none: its coupling and its actuators. */
static bool lost(trm_robot *robot, int joint, const char *kind, const char *name,
                 const trm_xml *at) {
  if (joint < 0 || robot->joints[joint].type != TRM_ROBOT_FIXED) return false;
  trm_robot_note(robot, at, "%s '%s': its joint '%s' does not move", kind, name,
                 robot->joints[joint].name);
  return true;
}

static void drop_lost(trm_robot *robot) {
  int kept = 0;
  for (int i = 0; i < robot->coupling_count; i++) {
    trm_robot_coupling *c = &robot->couplings[i];
    bool any = false;
    for (int k = 0; k < c->sum.term_count && !any; k++)
      any = lost(robot, c->sum.terms[k].joint, "coupling", c->name, c->at);
    if (!any) robot->couplings[kept++] = *c;
  }
  robot->coupling_count = kept;
  kept = 0;
  for (int i = 0; i < robot->actuator_count; i++) {
    trm_robot_actuator *a = &robot->actuators[i];
    if (!lost(robot, a->joint, "actuator", a->name, a->at)) robot->actuators[kept++] = *a;
  }
  robot->actuator_count = kept;
}

/* What of a path lies within one body is a part of its length only. */
static void join_segments(trm_robot *robot, trm_robot_tendon *tendon) {
  int kept = 0;
  for (int i = 0; i < tendon->segment_count; i++) {
    trm_robot_segment s = tendon->segments[i];
    double along[3];
    for (int k = 0; k < 2; k++)
      if (s.bodies[k] != TRM_ROBOT_WORLD) s.bodies[k] = robot->bodies[s.bodies[k]].fixed_to;
    for (int k = 0; k < 3; k++) along[k] = s.ends[1][k] - s.ends[0][k];
    if (s.bodies[0] == s.bodies[1])
      tendon->offset += s.factor * trm_norm(3, along);
    else
      tendon->segments[kept++] = s;
  }
  tendon->segment_count = kept;
}

static void join_fixed(trm_robot *robot) {
  for (int i = 0; i < robot->joint_count; i++) {
    trm_robot_joint *joint = &robot->joints[i];
    if (!joint->closes && joint->type == TRM_ROBOT_FIXED)
      robot->bodies[joint->child].fixed_to = joint->parent;
  }
  for (int i = 0; i < robot->body_count; i++) {
    int root = root_of(robot, i);
    if (root != i && root != TRM_ROBOT_WORLD) join(robot, i, root);
    robot->bodies[i].fixed_to = root;
  }
  for (int i = 0; i < robot->joint_count; i++) {
    trm_robot_joint *joint = &robot->joints[i];
    if (joint->parent != TRM_ROBOT_WORLD) joint->parent = robot->bodies[joint->parent].fixed_to;
    if (joint->child != TRM_ROBOT_WORLD) joint->child = robot->bodies[joint->child].fixed_to;
    if (!joint->closes || joint->parent != joint->child) continue;
    trm_robot_note(robot, joint->at, "'%s' joins two parts of one body: left out", joint->name);
    joint->type = TRM_ROBOT_FREE;
  }
  for (int i = 0; i < robot->tendon_count; i++) join_segments(robot, &robot->tendons[i]);
}

static bool finite(int count, const double *values) {
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

static bool sum_is_finite(const trm_robot_sum *sum) {
  for (int i = 0; i < sum->term_count; i++)
    if (!isfinite(sum->terms[i].factor)) return false;
  return true;
}

static bool tendon_is_finite(const trm_robot_tendon *t) {
  const double values[] = {t->offset, t->stiffness, t->damping, t->rest[0], t->rest[1]};
  for (int i = 0; i < t->segment_count; i++)
    if (!finite(6, t->segments[i].ends[0]) || !isfinite(t->segments[i].factor)) return false;
  return finite(5, values) && sum_is_finite(&t->sum);
}

/* Numbers of a file are finite; what is made of them may not be. */
static void check_sizes(trm_robot *robot) {
  static const char message[] = "%s '%s': its numbers are too large to reckon with";
  for (int i = 0; i < robot->body_count; i++) {
    const trm_robot_body *b = &robot->bodies[i];
    if (!isfinite(b->own.mass) || !finite(3, b->own.com) || !finite(6, b->own.inertia) ||
        !finite(3, b->pose.x) || !finite(9, b->pose.R[0]))
      trm_robot_error(robot, b->at, message, "body", b->name);
  }
  for (int i = 0; i < robot->joint_count; i++) {
    const trm_robot_joint *j = &robot->joints[i];
    const double values[] = {j->damping, j->stiffness, j->rest, j->armature, j->offset};
    bool axial = j->type == TRM_ROBOT_REVOLUTE || j->type == TRM_ROBOT_PRISMATIC ||
                 j->type == TRM_ROBOT_PLANAR;
    bool vanished =
        axial && !(trm_norm(3, j->axis) > 0.5); /* its length was one beyond all numbers */
    if (vanished || !finite(3, j->anchor) || !finite(3, j->axis) || !finite(3, j->gap) ||
        !finite(5, values))
      trm_robot_error(robot, j->at, message, "joint", j->name);
  }
  for (int i = 0; i < robot->coupling_count; i++)
    if (!isfinite(robot->couplings[i].value) || !sum_is_finite(&robot->couplings[i].sum))
      trm_robot_error(robot, robot->couplings[i].at, message, "coupling", robot->couplings[i].name);
  for (int i = 0; i < robot->tendon_count; i++)
    if (!tendon_is_finite(&robot->tendons[i]))
      trm_robot_error(robot, robot->tendons[i].at, message, "tendon", robot->tendons[i].name);
  for (int i = 0; i < robot->actuator_count; i++) {
    const trm_robot_actuator *a = &robot->actuators[i];
    if (!isfinite(a->gain) || !finite(3, a->bias) || !isfinite(a->lag))
      trm_robot_error(robot, a->at, message, "actuator", a->name);
  }
}

void trm_robot_finish(trm_robot *robot) {
  double *masses = sums_behind(robot, mass_of), *moments = sums_behind(robot, moment_of);
  if (!masses || !moments) return;
  for (int i = 0; i < robot->body_count; i++) check_mass(robot, &robot->bodies[i]);
  fix_massless_ends(robot, masses, moments);
  join_fixed(robot);
  drop_lost(robot);
  for (int i = 0; i < robot->joint_count; i++) /* what a slide has to move besides */
    if (robot->joints[i].type == TRM_ROBOT_PRISMATIC)
      masses[robot->joints[i].child] += robot->joints[i].armature;
  for (int i = 0; i < robot->body_count; i++)
    if (robot->bodies[i].fixed_to == i) {
      take_for_point(robot, &robot->bodies[i]);
      fill(robot, &robot->bodies[i], masses[i]);
    }
  check_sizes(robot);
}
