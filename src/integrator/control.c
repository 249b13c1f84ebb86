/* Variable steps: how long the next one is, by the error of the last, and what lies within it.
 *
 * Where a formula changes its piece (sign, step, if, …) the step ends there and the next one starts
 * afresh. */
#include <float.h>
#include <string.h>

#include "integrator/integrator.h"
#include "math/extremes.h"

#define DIGITS 4 /* last ones of the energy, no error of the work */

double trm_error_weight(const trm_integrator *in, const trm_dynamics *d, int i, double value) {
  if (i == d->at.work) {
    double size = fmax(fabs(value), d->max_kinetic);
    return 1 / (in->atol * d->energy_unit + in->rtol * size + DIGITS * d->energy_digits);
  }
  if (trm_layout_is_unread(&d->at, i)) return 0;
  return 1 / (in->atol * d->unit[i % d->at.v] + in->rtol * fabs(value));
}

/* Of q and v. */
static double error_norm(const trm_integrator *in, const trm_dynamics *d, const double *e,
                         const double *y0, const double *y1) {
  double sum = 0;
  for (int half = 0; half < 2; half++)
    for (int k = 0; k < d->n; k++) {
      int i = half * d->at.v + k;
      double size = trm_larger(fabs(y0[i]), fabs(y1[i]));
      double part = e[i] * (1 / (in->atol * d->unit[k] + in->rtol * size));
      sum += part * part;
    }
  return sqrt(sum / (2 * d->n));
}

/* Of z and the work, up to `end`: each entry counts like all of q and v. */
static double largest_other(const trm_integrator *in, const trm_dynamics *d, const double *e,
                            const double *y, int end) {
  double largest = 0;
  for (int i = d->at.z; i < end; i++)
    largest = trm_larger(largest, fabs(e[i]) * trm_error_weight(in, d, i, y[i]));
  return largest;
}

double trm_step_error(trm_integrator *in, trm_dynamics *d, const double *y) {
  double whole = 0; /* less than what is free where nothing is constrained */
  if (d->system->m > 0) whole = sqrt(in->rtol) * error_norm(in, d, in->estimate, y, in->trial);
  trm_dynamics_tangent(d, in->estimate);
  trm_dynamics_tangent(d, in->estimate + d->at.v);
  double free = error_norm(in, d, in->estimate, y, in->trial);
  double other = largest_other(in, d, in->estimate, y, d->size);
  return whole + free + other < INFINITY ? fmax(whole, fmax(free, other)) : INFINITY;
}

/* A first step from the size of the rates (after Hairer). */
static double first_step(const trm_integrator *in, const trm_dynamics *d, const double *y,
                         const double *ydot) {
  double size = error_norm(in, d, y, y, y);
  double rate = error_norm(in, d, ydot, y, y);
  rate = fmax(rate, largest_other(in, d, ydot, y, d->at.work));
  double h = 0.01 * size / rate; /* 0 or NaN where squares overflow */
  bool known = size >= 1e-5 && rate >= 1e-5 && h > 0;
  return known ? fmin(h, 1e-3) : 1e-6;
}

void trm_keep_cubic(trm_integrator *in, double t, double h, const double *y, const double *ydot) {
  double *r0 = in->dense, *r1 = r0 + in->size, *r2 = r1 + in->size, *r3 = r2 + in->size;
  in->from = t;
  in->length = h;
  in->complete = true;
  memset(r3 + in->size, 0, (size_t)(in->control->parts - 4) * (size_t)in->size * sizeof(double));
  for (int i = 0; i < in->size; i++) {
    r0[i] = y[i];
    r1[i] = in->trial[i] - y[i];
    r2[i] = h * ydot[i] - r1[i];
    r3[i] = r1[i] - h * in->rates[i] - r2[i];
  }
}

bool trm_integrator_complete(trm_integrator *in, trm_dynamics *d) {
  if (in->substituted) in = in->substitute;
  if (in->stiffness && in->stiffness->stiffly) in = in->stiffness->other;
  if (!in->complete && in->control) in->complete = in->control->complete(in, d);
  return in->complete || !in->control;
}

/* r0 + s (r1 + u (r2 + s (r3 + u (r4 + …)))), u = 1 − s */
void trm_integrator_interpolate(const trm_integrator *in, double t, double *y) {
  if (in->substituted) in = in->substitute;
  if (in->type->interpolate) {
    in->type->interpolate(in, t, y);
    return;
  }
  if (in->stiffness && in->stiffness->stiffly) in = in->stiffness->other;
  double s = in->length > 0 ? (t - in->from) / in->length : 0;
  int last = in->control->parts - 1;
  const double *r = in->dense + (ptrdiff_t)last * in->size;
  memcpy(y, r, (size_t)in->size * sizeof(double));
  while (last-- > 0) {
    double factor = last % 2 ? 1 - s : s;
    r -= in->size;
    for (int i = 0; i < in->size; i++) y[i] = r[i] + factor * y[i];
  }
}

typedef struct trial {
  double h;
  double error; /* infinite where it could not be evaluated */
  bool evaluated;
  bool decided;   /* a rank had to be */
  bool regular;   /* its end */
  double taken;   /* from velocities, of what may be, since the last regular position */
  double way;     /* from its end to a change of piece; 0: there is none */
  double planned; /* how long it was to be before that was known */
} trial;

static bool attempt(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                    const double *ydot) {
  if (h > 0) return in->control->attempt(in, d, t, h, y, ydot);
  memcpy(in->trial, y, (size_t)in->size * sizeof(double));
  memcpy(in->rates, ydot, (size_t)in->size * sizeof(double));
  return true;
}

#define TRIES    8
#define SHORTEST (16 * DBL_EPSILON) /* of the time */
#define BEFORE   0.999              /* of the way to a change */
#define FORGET   0.99               /* of usual steps, a step */

/* A trial step that ends just before a formula changes its piece, so that all its stages are on
 * one. The interpolant that shows the change has stages on both, so the way from there is asked of
 * a step that has not. What is nearer than motion stays straight is gone to straight: a step so
 * short would leave the round-off of positions over its length in velocities. A change at the very
 * start is left to the error control, and so is all of a step behind a bend: a quantity that is
 * zero but for round-off changes its sign all the time. */
static bool try_to_change(trm_integrator *in, trm_dynamics *d, double t, trial *x, const double *y,
                          const double *ydot) {
  double good = 0, low;
  x->planned = x->h;
  x->way = 0;
  if (!attempt(in, d, t, x->h, y, ydot)) return false;
  if (!trm_system_has_branches(d->system) || in->ended_at_bend) return true;
  in->control->keep_dense(in, t, x->h, y, ydot);
  if (!trm_find_change(in, d, t, x->h, y, &low) || low == 0 ||
      trm_change_is_noise(in, d, t, x->h, y))
    return trm_dynamics_evaluate(d, t + x->h, in->trial, in->rates);
  unsigned long piece = trm_system_branch(d->system, t, y, y + d->at.v);
  double straight = TRM_STRAIGHT * in->longest;
  x->h = low <= straight ? 0 : low;
  for (int i = 0; i < TRIES; i++) {
    if (!attempt(in, d, t, x->h, y, ydot)) return false;
    if (trm_system_branch(d->system, t + x->h, in->trial, in->trial + d->at.v) != piece) {
      x->h = (good + x->h) / 2;
      continue;
    }
    double way = trm_time_to_change(in, d, t + x->h, x->planned - x->h);
    if (way <= straight) x->way = way;
    if (x->way > 0 || !isfinite(way)) break;
    good = x->h;
    x->h += BEFORE * way;
  }
  if (x->h <= straight && x->way < SHORTEST * fmax(fabs(t), 1e-6)) { /* it is at the very start */
    x->h = x->planned;
    x->way = 0;
  }
  return attempt(in, d, t, x->h, y, ydot);
}

static bool give_up(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                    double error) {
  for (int i = 0; i < d->at.work; i++) in->estimate[i] *= trm_error_weight(in, d, i, y[i]);
  trm_failure failure = {
      .what = "the error stays above the tolerance", .step = h, .advice = TRM_LOOSER};
  trm_failure_of(&failure, &d->at, in->estimate);
  failure.residual = error; /* with what the constraints take away */
  return trm_explain(d, t, y, in->rates, &failure);
}

/* Of implicit methods, which no stability bounds: the error, and how it has changed with the step
 * (Gustafsson, in Hairer & Wanner II, IV.8). */
static double predict_factor(trm_integrator *in, double h, double error) {
  double power = -1.0 / in->control->order, now = fmax(error, 1e-10);
  double plain = pow(now, power), trend = INFINITY;
  if (in->error > 0) trend = plain * h / in->before * pow(now / in->error, power);
  in->error = fmax(error, 1e-2);
  in->before = h;
  return fmin(5, fmax(0.2, 0.9 * fmin(plain, trend)));
}

/* PI control; after a change of piece there is no earlier error to go by. */
static double factor_after(trm_integrator *in, double h, double error) {
  if (in->control->predicts) return predict_factor(in, h, error);
  double now = fmax(error, 1e-10), before = in->error > 0 ? in->error : now;
  int order = in->control->order;
  in->error = now;
  return fmin(5, fmax(0.2, 0.9 * pow(now, -0.7 / order) * pow(before, 0.4 / order)));
}

#define ROUGH 1e-6 /* of the kinetic energy: what round-off of positions may take of it there */

/* Next to a singular position accelerations leave rows out that velocities still obey. The energy
 * that projecting these takes away is an error, of all steps there together. */
static double taken_away(const trm_integrator *in, trm_dynamics *d, const double *y) {
  if (d->system->m == 0 || !d->stabilizer->type->project) return 0;
  double unit = 1 / trm_error_weight(in, d, d->at.work, y[d->at.work]);
  double most = fmax(trm_allowed_crossing(in, d->system) * unit, ROUGH * d->max_kinetic);
  return trm_dynamics_square(d, d->stabilizer->dv) / 2 / most;
}

static void try_step(trm_integrator *in, trm_dynamics *d, double t, trial *x, const double *y,
                     const double *ydot) {
  long decisions = trm_solver_count(d->solver).decisions;
  trm_solver_watch(d->solver);
  x->evaluated = try_to_change(in, d, t, x, y, ydot);
  x->error = 0;
  if (!x->evaluated)
    x->error = INFINITY;
  else if (x->h > 0)
    x->error = in->control->estimate(in, d, x->h, y, ydot);
  x->decided = trm_solver_count(d->solver).decisions > decisions;
  x->regular = trm_solver_is_regular(d->solver);
  bool lost = x->evaluated && x->h > 0 && !x->regular;
  double taken = lost ? taken_away(in, d, y) : 0;
  x->taken = lost ? in->taken + taken : 0;
  x->error = trm_larger(x->error, x->taken > 1 ? x->taken : taken);
}

/* last: it ends where it was to end. */
static bool accept(trm_integrator *in, trm_dynamics *d, double t, const trial *x, bool last,
                   double proposed, double *end, const double *y, const double *ydot) {
  double h = x->h;
  in->control->keep_dense(in, t, h, y, ydot);
  if (in->control->accept && h > 0) in->control->accept(in);
  double factor = factor_after(in, h, x->error);
  in->taken = x->taken;
  bool keeps = factor >= 1 && factor < in->control->steady; /* a factorization outlives it */
  bool cut = h != x->planned; /* by a change: the next step may be as long as this was to be */
  in->next = fmax(last || cut ? proposed : h, h) * (keeps || cut ? 1 : factor);
  in->ended_at_bend = cut;
  if (cut) in->error = 0; /* of a step that short it tells nothing about the next */
  if (!last || h != x->planned || x->way > 0) *end = t + h + x->way;
  return x->way == 0 || trm_cross_change(in, d, t + h, x->way, TRM_STRAIGHT * in->longest);
}

/* Over a singular position, which a step could not pass or has ended in. */
static bool cross_singular(trm_integrator *in, trm_dynamics *d, double t, const trial *x, double *h,
                           double *end, const double *y, const double *ydot) {
  double most = fmin(in->largest, *end - t);
  if (!trm_cross_singular(in, d, t, h, most, x->regular, y)) return false;
  in->next = in->length;
  in->taken = 0;
  trm_keep_cubic(in, t, *h, y, ydot);
  if (*h < *end - t) *end = t + *h;
  return true;
}

/* To a jump that a failed step may have met: it can end on the piece it has left. */
static double way_ahead(trm_integrator *in, trm_dynamics *d, double t, double most, const double *y,
                        const double *ydot) {
  if (!trm_system_has_branches(d->system)) return INFINITY;
  attempt(in, d, t, 0, y, ydot);
  double way = trm_time_to_change(in, d, t, most);
  return isfinite(way) && trm_rates_jump(in, d, t, way) ? way : INFINITY;
}

bool trm_variable_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double limit,
                       const double *y, const double *ydot) {
  (void)limit;
  double h = in->next > 0 ? in->next : first_step(in, d, y, ydot);
  int tries = 0;
  for (;;) {
    double proposed = h = fmin(h, in->largest);
    bool last = t + h * (1 + 1e-10) >= *end;
    if (last)
      h = *end - t;
    else if (t + 2 * h > *end)
      h = (*end - t) / 2; /* no crumb at the end */
    trial x = {.h = h};
    in->longest = fmax(FORGET * in->longest, h);
    try_step(in, d, t, &x, y, ydot);
    bool passed = x.error <= 1, lost = passed && !x.regular;
    /* the rows that are kept may become dependent on the way, where others would not */
    bool doubtful = !passed || lost || trm_solver_choice_was_poor(d->solver);
    if (doubtful && tries++ == 0 && trm_dynamics_has_redundant(d)) {
      if (trm_dynamics_choose_rows(d, t, y)) continue;
      if (passed) try_step(in, d, t, &x, y, ydot); /* what that left behind */
    }
    if (x.decided && (lost || !passed) && trm_can_cross_singular(in, d)) {
      double across = h;
      if (cross_singular(in, d, t, &x, &across, end, y, ydot)) return true;
      if (lost && across < TRM_LONGEST_CROSSING * x.h / 2) { /* from nearer it may do */
        h = x.h / 2;
        in->rejections++;
        continue;
      }
      try_step(in, d, t, &x, y, ydot); /* what it left behind */
    }
    if (x.error <= 1) return accept(in, d, t, &x, last, proposed, end, y, ydot);
    in->rejections++;
    double way = way_ahead(in, d, t, TRM_STRAIGHT * in->longest, y, ydot);
    if (isfinite(way)) {
      attempt(in, d, t, 0, y, ydot);
      trial across = {.way = way, .planned = x.h};
      return accept(in, d, t, &across, false, x.h, end, y, ydot);
    }
    double factor = fmax(0.2, 0.9 * pow(x.error, -1.0 / in->control->order));
    h = x.h * (isfinite(x.error) ? factor : 0.25);
    if (h < SHORTEST * fmax(fabs(t), 1e-6))
      return x.evaluated && give_up(in, d, t, h, y, x.error); /* or the system has said why */
  }
}
