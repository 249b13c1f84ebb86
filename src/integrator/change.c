/* Where a formula leaves its piece. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "integrator/integrator.h"

/* The piece a time `ahead` of t. */
typedef unsigned long look(trm_integrator *in, trm_dynamics *d, double t, double ahead);

/* By the interpolant of the last step. */
static unsigned long branch_at(trm_integrator *in, trm_dynamics *d, double t, double ahead) {
  trm_integrator_interpolate(in, t + ahead, in->estimate);
  return trm_system_branch(d->system, t + ahead, in->estimate, in->estimate + d->at.v);
}

/* Along the rates from trial. */
static unsigned long branch_along(trm_integrator *in, trm_dynamics *d, double t, double ahead) {
  double *state = in->behind_change; /* the estimate of the step is still wanted */
  for (int i = 0; i < in->size; i++) state[i] = in->trial[i] + ahead * in->rates[i];
  return trm_system_branch(d->system, t + ahead, state, state + d->at.v);
}

/* Between t, where the piece is `before`, and t + *high, where it is another; to a share of what is
 * ahead, and to round-off. Returns the last time of the piece. */
static double halve(trm_integrator *in, trm_dynamics *d, look *piece, double t,
                    unsigned long before, double share, double *high) {
  double low = 0, resolution = 8 * DBL_EPSILON * fmax(fabs(t), *high);
  while (*high - low > share * low + resolution) {
    double middle = (low + *high) / 2;
    *(piece(in, d, t, middle) == before ? &low : high) = middle;
  }
  return low;
}

bool trm_find_change(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                     double *at) {
  unsigned long before = trm_system_branch(d->system, t, y, y + d->at.v);
  if (branch_at(in, d, t, h) == before || !trm_integrator_complete(in, d)) return false;
  *at = halve(in, d, branch_at, t, before, 0, &h);
  return true;
}

double trm_way_to_change(trm_integrator *in, trm_dynamics *d, double t, double most) {
  unsigned long here = branch_along(in, d, t, 0);
  if (!(most > 0) || branch_along(in, d, t, most) == here) return INFINITY;
  halve(in, d, branch_along, t, here, 1e-3, &most);
  return most;
}

/* Of the accelerations, and of what forces alone would cause: less is what a bend of a formula
 * changes so near it, and round-off. */
#define BEND  1e-6
#define NOISE 1e-10

#define LITTLE                                                                                     \
  1e-3 /* of the tolerance: what a jump of a rate may change a state by in a usual step */

static bool states_jump(const trm_integrator *in, const trm_dynamics *d, const double *behind) {
  for (int i = d->at.z; i < d->at.work; i++) {
    double jump = fabs(behind[i] - in->rates[i]), size = fabs(behind[i]) + fabs(in->rates[i]);
    double change = jump * in->longest * trm_weight(in, d, i, in->trial[i]);
    if (jump > BEND * size && change > LITTLE) return true;
  }
  return false;
}

bool trm_jumps(trm_integrator *in, trm_dynamics *d, double t, double way) {
  double *state = in->behind_change, *behind = state + in->size + d->at.v;
  memcpy(state, in->trial, (size_t)in->size * sizeof(double));
  trm_axpy(in->size, way, in->rates, state);
  if (!trm_dynamics_evaluate(d, t + way, state, state + in->size)) return false;
  if (states_jump(in, d, state + in->size)) return true;
  double size = trm_dynamics_square(d, behind) + trm_dynamics_square(d, in->rates + d->at.v);
  trm_axpy(d->n, -1, in->rates + d->at.v, behind);
  double jump = trm_dynamics_square(d, behind);
  return jump > BEND * BEND * size + NOISE * NOISE * trm_dynamics_free(d);
}

bool trm_cross_change(trm_integrator *in, trm_dynamics *d, double t, double way, double near) {
  unsigned long before = branch_along(in, d, t, 0);
  bool jumps = trm_jumps(in, d, t, way);
  in->ended_at_bend = !jumps;
  in->restarts++;
  in->error = 0;
  trm_integrator_restart(in);
  trm_axpy(in->size, way, in->rates, in->trial);
  t += way;
  if (!trm_dynamics_correct(d, t, in->trial, in->rates)) return false;
  unsigned long here = branch_along(in, d, t, 0), next = branch_along(in, d, t, near);
  in->slides = jumps && here != before && next == before;
  if (!in->slides) return trm_dynamics_evaluate(d, t, in->trial, in->rates); /* as it was */
  const trm_piecewise *changes = trm_system_changes(d->system);
  d->system->place = trm_origin_place(d->system->model, changes->origin);
  snprintf(d->system->error, sizeof d->system->error,
           "t = %.9g: the formula of '%s' jumps, and from both sides it drives the motion back to "
           "the jump, where it would switch for ever, as dry friction written with sign(v) does "
           "when it comes to rest; a smooth law goes on: tanh(v/0.001) in place of sign(v)",
           t, changes->owner);
  return false;
}
