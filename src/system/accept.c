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

/* |ω| over the fastest of a body's coordinates, at most: with Euler parameters |ω| = 2 |ṗ|, and
 * |ṗ| is at most √4 times its largest entry; with axes |ω|² = Σ ȧ²/2 gives √4.5, an angle 1. */
#define SPIN 4
/* Of the distance from a pole: two bodies turn, and d and e of an angle with each of them. */
#define SHARE 0.25

static void accept_bodies(void *data, int part) {
  trm_system *sys = data;
  const trm_motion *m = &sys->motion;
  trm_range r = trm_part_range(m->bodies, part);
  double far = 1;
  for (int b = r.begin; b < r.end; b++) {
    if (m->dim == 2 || sys->model->embedded)
      far = trm_smaller(far, trm_scalar_accept(&sys->body_angle[b], m));
    if (m->dim == 3) far = trm_smaller(far, trm_system_accept_orientation(sys, b));
  }
  sys->part_far[part] = far;
}

static void accept_joints(void *data, int part) {
  trm_system *sys = data;
  trm_range r = trm_part_range(sys->model->joint_count, part);
  double far = 1;
  for (int j = r.begin; j < r.end; j++)
    if (trm_joint_freedoms(sys->model->joints[j].type) & 1)
      far = trm_smaller(far, trm_scalar_accept(&sys->freedom[2 * j], &sys->motion));
  sys->part_far[part] = far;
}

static double in_parts(trm_system *sys, int items, trm_part *work) {
  int parts = trm_part_count(items);
  double far = 1;
  trm_parallel(sys->structure.pool, parts, work, sys);
  for (int i = 0; i < parts; i++) far = trm_smaller(far, sys->part_far[i]);
  return far;
}

/* Of force elements and of primitives that are no links. */
static double accept_others(trm_system *sys) {
  const trm_motion *m = &sys->motion;
  double far = 1;
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

void trm_mechanism_accept(trm_system *sys, double fastest) {
  for (int i = 0; i < sys->model->force_count; i++)
    if (sys->elements[i].rolling) trm_tire_accept(&sys->elements[i], sys->t);
  if (SPIN * fastest * fabs(sys->motion.since) < SHARE * sys->far) return;
  trm_system_complete_frames(sys);
  double bodies = in_parts(sys, sys->motion.bodies, accept_bodies);
  double joints = in_parts(sys, sys->model->joint_count, accept_joints);
  sys->far = trm_smaller(trm_smaller(bodies, joints), accept_others(sys));
  sys->accepted_t = sys->t;
  sys->motion.since = 0;
}
