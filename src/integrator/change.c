/* Where a formula leaves its piece. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "integrator/integrator.h"
#include "integrator/search.h"
#include "math/extremes.h"

/* The piece a time `ahead` of t. */
typedef unsigned long branch_ahead(trm_integrator *in, trm_dynamics *d, double t, double ahead);

#define NEAR 1e-8 /* of a way that is short beside a step */

/* By the interpolant of the last step. */
static unsigned long branch_at(trm_integrator *in, trm_dynamics *d, double t, double ahead) {
  trm_integrator_interpolate(in, t + ahead, in->estimate);
  return trm_system_branch(d->system, t + ahead, in->estimate, in->estimate + d->at.v);
}

/* Along the rates from trial. */
static unsigned long branch_along(trm_integrator *in, trm_dynamics *d, double t, double ahead) {
  double *state = in->after_change; /* the estimate of the step is still wanted */
  for (int i = 0; i < in->size; i++) state[i] = in->trial[i] + ahead * in->rates[i];
  return trm_system_branch(d->system, t + ahead, state, state + d->at.v);
}

typedef struct motion {
  trm_integrator *in;
  trm_dynamics *d;
  branch_ahead *piece;
  double t;
  unsigned long before; /* the piece at t */
} motion;

static bool has_left(void *of, double *ahead, double *depth) {
  const motion *m = of;
  *depth = m->piece(m->in, m->d, m->t, *ahead) == m->before ? -INFINITY : INFINITY;
  return true;
}

/* Between t and a time `ahead`, where the piece is another; to a share of what is ahead, and to
 * round-off. */
static trm_bracket bracket_change(motion *m, double ahead, double share) {
  trm_bracket at = {0, ahead, -INFINITY, INFINITY, ahead};
  trm_search(&at, 8 * DBL_EPSILON * fmax(fabs(m->t), ahead), share, has_left, m);
  return at;
}

bool trm_find_change(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                     double *at) {
  unsigned long before = trm_system_branch(d->system, t, y, y + d->at.v);
  if (branch_at(in, d, t, h) == before || !trm_integrator_complete(in, d)) return false;
  *at = bracket_change(&(motion){in, d, branch_at, t, before}, h, 0).low;
  return true;
}

double trm_time_to_change(trm_integrator *in, trm_dynamics *d, double t, double most) {
  unsigned long here = branch_along(in, d, t, 0);
  if (!(most > 0) || branch_along(in, d, t, most) == here) return INFINITY;
  return bracket_change(&(motion){in, d, branch_along, t, here}, most, NEAR).high;
}

/* Of the accelerations, and of what forces alone would cause: less is what a bend of a formula
 * changes so near it, and round-off. */
#define BEND  1e-6
#define NOISE 1e-10

#define LITTLE                                                                                     \
  1e-3 /* of the tolerance: what a jump of a rate may change a state by in a usual step */

/* Rates a time `ahead` of trial, along its own. */
static bool rates_along(trm_integrator *in, trm_dynamics *d, double t, double ahead, double *out) {
  double *state = in->after_change;
  memcpy(state, in->trial, (size_t)in->size * sizeof(double));
  trm_axpy(in->size, ahead, in->rates, state);
  return trm_dynamics_evaluate(d, t + ahead, state, out);
}

/* Between two rates, as a multiple of what a bend or round-off may change. */
static double gap_between(trm_integrator *in, trm_dynamics *d, const double *a, const double *b) {
  double most = 0, *gap = in->after_change; /* its state is no longer wanted */
  for (int i = d->at.z; i < d->at.work; i++) {
    double jump = fabs(b[i] - a[i]), size = fabs(a[i]) + fabs(b[i]);
    double change = jump * in->longest * trm_error_weight(in, d, i, in->trial[i]);
    if (jump > 0) most = fmax(most, fmin(jump / (BEND * size), change / LITTLE));
  }
  a += d->at.v, b += d->at.v;
  for (int i = 0; i < d->n; i++) gap[i] = b[i] - a[i];
  double size = trm_dynamics_square(d, a) + trm_dynamics_square(d, b);
  double jump = trm_dynamics_square(d, gap);
  double bound = BEND * BEND * size + NOISE * NOISE * trm_dynamics_free(d);
  return jump > 0 ? fmax(most, sqrt(jump / bound)) : most;
}

bool trm_rates_jump(trm_integrator *in, trm_dynamics *d, double t, double way) {
  double *behind = in->after_change + in->size, *farther = behind + in->size;
  if (!rates_along(in, d, t, way, behind)) return false;
  double gap = gap_between(in, d, in->rates, behind);
  if (!(gap > 1) || !rates_along(in, d, t, 2 * way, farther)) return false;
  return gap_between(in, d, behind, farther) < gap / 2; /* else they only grow that fast */
}

#define ROUND_OFF 1e-13 /* of the span of a coordinate, and of the fastest so far and now */

/* A state as far beside another one as round-off may be, every entry by another part of it. */
static void find_beside(const trm_integrator *in, const trm_dynamics *d, const double *y,
                        double side, double *state) {
  double part = 0, rate = trm_largest_part(d->n, in->trial + d->at.v, d->per_span, d->max_rate);
  memcpy(state, y, (size_t)d->size * sizeof(double));
  for (int i = 0; i < d->n; i++) {
    part = fmod(part + 0.6180339887, 1);
    double off = side * ROUND_OFF * d->unit[i] * (part - 0.5);
    state[i] += off;
    state[d->at.v + i] += off * rate;
  }
}

static unsigned long branch_beside(trm_integrator *in, trm_dynamics *d, double t, const double *y,
                                   double side) {
  double *state = in->after_change;
  find_beside(in, d, y, side, state);
  return trm_system_branch(d->system, t, state, state + d->at.v);
}

/* Whether rates at the end of a step hang on its round-off. */
static bool is_rough(trm_integrator *in, trm_dynamics *d, double t) {
  double *state = in->after_change, *right = state + in->size, *left = right + in->size;
  find_beside(in, d, in->trial, 1, state);
  if (!trm_dynamics_evaluate(d, t, state, right)) return true;
  find_beside(in, d, in->trial, -1, state);
  return !trm_dynamics_evaluate(d, t, state, left) || gap_between(in, d, left, right) > 1;
}

bool trm_change_is_noise(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y) {
  unsigned long right = branch_beside(in, d, t, y, 1), left = branch_beside(in, d, t, y, -1);
  unsigned long right_end = branch_beside(in, d, t + h, in->trial, 1);
  unsigned long left_end = branch_beside(in, d, t + h, in->trial, -1);
  bool same = (right == right_end && left == left_end) || (right == left_end && left == right_end);
  return right != left && same && !is_rough(in, d, t + h);
}

bool trm_cross_change(trm_integrator *in, trm_dynamics *d, double t, double way, double near) {
  unsigned long before = branch_along(in, d, t, 0);
  bool jumps = trm_rates_jump(in, d, t, way);
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
  return trm_system_fail(
      d->system, t,
      "the formula of '%s' jumps, and from both sides it drives the motion back to the jump, where "
      "it would switch for ever, as dry friction written with sign(v) does when it comes to rest; "
      "a smooth law goes on: tanh(v/0.001) in place of sign(v)",
      changes->owner);
}
