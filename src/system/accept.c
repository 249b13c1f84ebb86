/* Turns and signs of quaternions, followed from one state to the next.
 *
 * A direction that is farther from its pole than it can have moved has come the short way. So turns
 * need not be counted at every accepted state, only where a body may have turned too far since. */
#include "base/parallel.h"
#include "coordinates/angle.h"
#include "force/bushing.h"
#include "force/element.h"
#include "math/extremes.h"
#include "system/link.h"
#include "system/mechanism.h"
#include "system/tree.h"

/* |ω| over the fastest of a body's coordinates, at most: with Euler parameters |ω| = 2 |ṗ|, and
 * |ṗ| is at most √4 times its largest entry; with axes |ω|² = Σ ȧ²/2 gives √4.5, an angle 1. */
#define SPIN 4
/* Of the distance from a pole: two bodies turn, and d and e of an angle with each of them. */
#define SHARE   0.25
#define NO_POLE 4 /* of what has none, so that it is followed over less than a radian */

static double accept_bodies(trm_system *sys, trm_range r, bool all) {
  const trm_motion *m = &sys->motion;
  (void)all;
  double far = NO_POLE;
  for (int b = r.begin; b < r.end; b++) {
    if (m->dim == 2 || sys->model->embedded)
      far = trm_smaller(far, trm_scalar_accept(&sys->body_angle[b], m));
    if (m->dim == 3) far = trm_smaller(far, trm_system_accept_orientation(sys, b));
  }
  return far;
}

/* all: also what the coordinates of a tree count by themselves. */
static double accept_joints(trm_system *sys, trm_range r, bool all) {
  double far = NO_POLE;
  for (int j = r.begin; j < r.end; j++) {
    bool held = trm_tree_holds(sys, j);
    if (!(trm_joint_freedoms(sys->model->joints[j].type) & 1) || (held && !all)) continue;
    double own = trm_scalar_accept(&sys->freedom[2 * j], &sys->motion);
    if (!held) far = trm_smaller(far, own);
  }
  return far;
}

typedef struct counting {
  trm_system *system;
  double (*accept)(trm_system *system, trm_range range, bool all);
  int items;
  bool all;
} counting;

static void accept_part(void *data, int part) {
  const counting *c = data;
  c->system->part_far[part] = c->accept(c->system, trm_part_range(c->items, part), c->all);
}

static double in_parts(counting c) {
  int parts = trm_part_count(c.items);
  double far = NO_POLE;
  trm_parallel(c.system->structure.pool, parts, accept_part, &c);
  for (int i = 0; i < parts; i++) far = trm_smaller(far, c.system->part_far[i]);
  return far;
}

/* Of force elements and of primitives that are no links. */
static double accept_others(trm_system *sys) {
  const trm_motion *m = &sys->motion;
  double far = NO_POLE;
  for (int i = 0; i < sys->model->force_count; i++) {
    trm_element *e = &sys->elements[i];
    if (e->scalar && sys->model->forces[i].joint < 0)
      far = trm_smaller(far, trm_scalar_accept(e->scalar, m));
    if (e->mount && !e->scalar) trm_bushing_accept(e, m);
  }
  for (int i = 0; i < sys->links->others; i++) {
    const trm_primitive *p = &sys->primitives[sys->links->other[i]];
    for (int k = 0; k < p->terms; k++) far = trm_smaller(far, trm_scalar_accept(p->term[k], m));
  }
  return far;
}

double trm_mechanism_turned(const trm_system *sys, double fastest) {
  return SPIN * fastest * fabs(sys->motion.since);
}

/* Up to the state before, turns were short: what the rates tell is the way of the last step. */
bool trm_mechanism_count_turns(trm_system *sys, double turned) {
  double last = sys->followed_t;
  bool all = !(turned < INFINITY); /* put there, by a search perhaps: tires have not run on it */
  for (int i = 0; i < sys->model->force_count && !all; i++)
    if (sys->elements[i].rolling) trm_tire_accept(&sys->elements[i], sys->t);
  sys->followed_t = sys->t;
  if (turned < SHARE * sys->far) return false;
  trm_system_complete_frames(sys);
  sys->motion.since = sys->t - last;
  double bodies = in_parts((counting){sys, accept_bodies, sys->motion.bodies, all});
  double joints = in_parts((counting){sys, accept_joints, sys->model->joint_count, all});
  sys->far = trm_smaller(trm_smaller(bodies, joints), accept_others(sys));
  sys->accepted_t = sys->t;
  sys->motion.since = 0;
  return true;
}

void trm_mechanism_accept(trm_system *sys, double fastest) {
  trm_mechanism_count_turns(sys, trm_mechanism_turned(sys, fastest));
}
