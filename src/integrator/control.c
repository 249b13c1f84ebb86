/* Variable steps: how long the next one is, by the error of the last, and what lies within it.
 *
 * Where a formula changes its piece (sign, step, if, …) the step ends there and the next one starts
 * afresh. */
#include <float.h>
#include <string.h>

#include "integrator/integrator.h"

double trm_weight(const trm_integrator *in, const trm_dynamics *d, int i, double value) {
  if (i < 2 * d->n) return 1 / (in->atol * d->unit[i % d->n] + in->rtol * fabs(value));
  return 1 / (in->atol * d->energy_unit + in->rtol * fmax(fabs(value), d->max_kinetic));
}

/* Of q and v. */
static double error_norm(const trm_integrator *in, const trm_dynamics *d, const double *e,
                         const double *y0, const double *y1) {
  double sum = 0;
  for (int i = 0; i < 2 * d->n; i++) {
    double part = e[i] * trm_weight(in, d, i, fmax(fabs(y0[i]), fabs(y1[i])));
    sum += part * part;
  }
  return sqrt(sum / (2 * d->n));
}

/* Of z: each entry counts like all of q and v. */
static double largest_other(const trm_integrator *in, const trm_dynamics *d, const double *e,
                            const double *y) {
  double largest = 0;
  for (int i = 2 * d->n; i < d->size; i++) {
    double part = fabs(e[i]) * trm_weight(in, d, i, y[i]);
    if (!(part <= largest)) largest = part;
  }
  return largest;
}

double trm_step_error(trm_integrator *in, trm_dynamics *d, const double *y) {
  double whole = sqrt(in->rtol) * error_norm(in, d, in->estimate, y, in->trial);
  trm_dynamics_tangent(d, in->estimate);
  trm_dynamics_tangent(d, in->estimate + d->n);
  double free = error_norm(in, d, in->estimate, y, in->trial);
  double other = largest_other(in, d, in->estimate, y);
  return whole + free + other < INFINITY ? fmax(whole, fmax(free, other)) : INFINITY;
}

/* A first step from the size of the rates (after Hairer). */
static double first_step(const trm_integrator *in, const trm_dynamics *d, const double *y,
                         const double *ydot) {
  double size = error_norm(in, d, y, y, y);
  double rate = error_norm(in, d, ydot, y, y);
  double h = size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
  return fmin(h, 1e-3);
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
  if (in->ferried) return trm_integrator_complete(in->ferry, d);
  if (!in->complete && in->control) in->complete = in->control->complete(in, d);
  return in->complete || !in->control;
}

/* r0 + s (r1 + u (r2 + s (r3 + u (r4 + …)))), u = 1 − s */
void trm_integrator_interpolate(const trm_integrator *in, double t, double *y) {
  if (in->type->interpolate) {
    in->type->interpolate(in, t, y);
    return;
  }
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

/* A trial step that ends just before a formula changes its piece, so that all its stages are on
 * one; *across is then how far the change is from its end. A change at the very start (chatter) is
 * left to the error control. */
static bool try_to_change(trm_integrator *in, trm_dynamics *d, double t, double *h, const double *y,
                          const double *ydot, double *across) {
  double low, high;
  *across = 0;
  if (!in->control->attempt(in, d, t, *h, y, ydot)) return false;
  if (!trm_system_has_branches(d->system)) return true;
  in->control->keep_dense(in, t, *h, y, ydot);
  bool changes = trm_find_change(in, d, t, *h, y, &low, &high);
  if (!changes || low == 0) return trm_dynamics_evaluate(d, t + *h, in->trial, in->rates);
  *h = low;
  *across = high - low;
  return in->control->attempt(in, d, t, *h, y, ydot);
}

/* Over the change, on to the new piece: there the next step starts afresh. */
static bool move_across(trm_integrator *in, trm_dynamics *d, double t, double across) {
  in->restarts++;
  in->error = 0;
  trm_integrator_restart(in);
  trm_axpy(in->size, across, in->rates, in->trial);
  return trm_dynamics_correct(d, t + across, in->trial, in->rates);
}

static bool give_up(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                    double error) {
  for (int i = 0; i < 2 * d->n; i++) in->estimate[i] *= trm_weight(in, d, i, y[i]);
  trm_failure failure = {
      .what = "the error stays above the tolerance", .step = h, .advice = TRM_LOOSER};
  trm_failure_of(&failure, d->n, in->estimate);
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

/* PI control; after a change of piece there is no earlier error to lean on. */
static double factor_after(trm_integrator *in, double h, double error) {
  if (in->control->predicts) return predict_factor(in, h, error);
  double now = fmax(error, 1e-10), before = in->error > 0 ? in->error : now;
  int order = in->control->order;
  in->error = now;
  return fmin(5, fmax(0.2, 0.9 * pow(now, -0.7 / order) * pow(before, 0.4 / order)));
}

typedef struct trial {
  double h, across; /* see try_to_change */
  double error;     /* infinite where it could not be evaluated */
  bool evaluated;
  bool decided; /* a rank had to be */
} trial;

static void try_step(trm_integrator *in, trm_dynamics *d, double t, trial *x, const double *y,
                     const double *ydot) {
  long decisions = trm_solver_count(d->solver).decisions;
  x->evaluated = try_to_change(in, d, t, &x->h, y, ydot, &x->across);
  x->error = x->evaluated ? in->control->estimate(in, d, x->h, y, ydot) : INFINITY;
  x->decided = trm_solver_count(d->solver).decisions > decisions;
}

/* last: it ends where it was to end. */
static bool accept(trm_integrator *in, trm_dynamics *d, double t, const trial *x, bool last,
                   double proposed, double *end, const double *y, const double *ydot) {
  double h = x->h;
  in->control->keep_dense(in, t, h, y, ydot);
  if (in->control->accept) in->control->accept(in);
  double factor = factor_after(in, h, x->error);
  bool keeps = factor >= 1 && factor < in->control->steady; /* a factorization outlives it */
  in->next = fmax(last ? proposed : h, h) * (keeps ? 1 : factor);
  if (!last || x->across > 0) *end = t + h + x->across;
  return x->across > 0 ? move_across(in, d, t + h, x->across) : true;
}

/* Over a singular position, which a step could not pass or has ended in. */
static bool leap(trm_integrator *in, trm_dynamics *d, double t, double h, double *end,
                 const double *y, const double *ydot) {
  double most = fmin(in->largest, *end - t);
  if (!trm_leap(in, d, t, &h, most, y)) return false;
  in->next = in->length;
  trm_keep_cubic(in, t, h, y, ydot);
  if (h < *end - t) *end = t + h;
  return true;
}

bool trm_variable_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double limit,
                       const double *y, const double *ydot) {
  (void)limit;
  double h = in->next > 0 ? in->next : first_step(in, d, y, ydot);
  for (;;) {
    double proposed = h = fmin(h, in->largest);
    bool last = t + h * (1 + 1e-10) >= *end;
    if (last)
      h = *end - t;
    else if (t + 2 * h > *end)
      h = (*end - t) / 2; /* no crumb at the end */
    trial x = {.h = h};
    try_step(in, d, t, &x, y, ydot);
    bool lost = x.error <= 1 && !trm_solver_is_sound(d->solver);
    if (x.decided && (lost || x.error > 1) && trm_can_leap(in, d)) {
      if (leap(in, d, t, h, end, y, ydot)) return true;
      try_step(in, d, t, &x, y, ydot); /* what it left behind */
    }
    if (x.error <= 1) return accept(in, d, t, &x, last, proposed, end, y, ydot);
    in->rejections++;
    double factor = fmax(0.2, 0.9 * pow(x.error, -1.0 / in->control->order));
    h = x.h * (isfinite(x.error) ? factor : 0.25);
    if (h < 16 * DBL_EPSILON * fmax(fabs(t), 1e-6))
      return x.evaluated && give_up(in, d, t, h, y, x.error); /* or the system has said why */
  }
}
