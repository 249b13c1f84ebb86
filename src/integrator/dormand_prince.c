/* Dormand and Prince's fifth-order method with error control and dense output (Hairer, Nørsett,
 * Wanner: DOPRI5).
 *
 * Only the error tangent to the constraints is controlled: what is normal to them the stabilization
 * takes away. Where a formula changes its piece (sign, step, if, …) the step ends there and the
 * next one starts afresh. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "integrator/integrator.h"

#define STAGES 7

const trm_tableau trm_dopri5 = {
    5, 6, /* the seventh stage is the next step's first */
    (const double[]){0,
                     0,
                     0,
                     0,
                     0,
                     0, /**/
                     1 / 5.0,
                     0,
                     0,
                     0,
                     0,
                     0, /**/
                     3 / 40.0,
                     9 / 40.0,
                     0,
                     0,
                     0,
                     0, /**/
                     44 / 45.0,
                     -56 / 15.0,
                     32 / 9.0,
                     0,
                     0,
                     0, /**/
                     19372 / 6561.0,
                     -25360 / 2187.0,
                     64448 / 6561.0,
                     -212 / 729.0,
                     0,
                     0, /**/
                     9017 / 3168.0,
                     -355 / 33.0,
                     46732 / 5247.0,
                     49 / 176.0,
                     -5103 / 18656.0,
                     0},
    (const double[]){35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0},
    (const double[]){0, 1 / 5.0, 3 / 10.0, 4 / 5.0, 8 / 9.0, 1}};

static const double error_weights[STAGES] = {
    71 / 57600.0, 0, -71 / 16695.0, 71 / 1920.0, -17253 / 339200.0, 22 / 525.0, -1 / 40.0};
static const double dense_weights[STAGES] = {
    -12715105075 / 11282082432.0,  0,
    87487479700 / 32700410799.0,   -10690763975 / 1880347072.0,
    701980252875 / 199316789632.0, -1453857185 / 822651844.0,
    69997945 / 29380423.0};

/* The rates of stage s; the first and last live outside of k. */
static const double *stage(const trm_integrator *in, int s, const double *ydot) {
  if (s == 0) return ydot;
  return s == STAGES - 1 ? in->rates : in->k + (ptrdiff_t)s * in->size;
}

static double scaled_norm(const trm_integrator *in, int count, const double *e, const double *y0,
                          const double *y1) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    double scale = in->atol + in->rtol * fmax(fabs(y0[i]), fabs(y1[i]));
    sum += e[i] * e[i] / (scale * scale);
  }
  return sqrt(sum / count);
}

/* Of the work integral, against the largest kinetic energy. */
static double work_error(const trm_integrator *in, const trm_dynamics *d) {
  return fabs(in->estimate[2 * d->n]) / (in->atol + in->rtol * d->max_kinetic);
}

/* The error of the trial step, in units of the tolerance. What the stabilization takes away, and
 * the work integral, only need to be met to the root of it: all there is where drivers leave no
 * freedom.
 */
static double estimate(trm_integrator *in, trm_dynamics *d, double h, const double *y,
                       const double *ydot) {
  memset(in->estimate, 0, (size_t)in->size * sizeof(double));
  for (int s = 0; s < STAGES; s++)
    trm_axpy(in->size, h * error_weights[s], stage(in, s, ydot), in->estimate);
  double whole = sqrt(in->rtol) *
                 fmax(scaled_norm(in, 2 * d->n, in->estimate, y, in->trial), work_error(in, d));
  trm_dynamics_tangent(d, in->estimate);
  trm_dynamics_tangent(d, in->estimate + d->n);
  return fmax(whole, scaled_norm(in, 2 * d->n, in->estimate, y, in->trial));
}

/* A first step from the size of the rates (after Hairer). */
static double first_step(const trm_integrator *in, const trm_dynamics *d, const double *y,
                         const double *ydot) {
  double size = scaled_norm(in, 2 * d->n, y, y, y), rate = scaled_norm(in, 2 * d->n, ydot, y, y);
  double h = size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
  return fmin(h, 1e-3);
}

/* The interpolant of the step from y to trial, order four. */
static void keep_dense(trm_integrator *in, double t, double h, const double *y,
                       const double *ydot) {
  double *r0 = in->dense, *r1 = r0 + in->size, *r2 = r1 + in->size, *r3 = r2 + in->size,
         *r4 = r3 + in->size;
  in->from = t;
  in->length = h;
  memset(r4, 0, (size_t)in->size * sizeof(double));
  for (int s = 0; s < STAGES; s++) trm_axpy(in->size, h * dense_weights[s], stage(in, s, ydot), r4);
  for (int i = 0; i < in->size; i++) {
    r0[i] = y[i];
    r1[i] = in->trial[i] - y[i];
    r2[i] = h * ydot[i] - r1[i];
    r3[i] = r1[i] - h * in->rates[i] - r2[i];
  }
}

void trm_integrator_interpolate(const trm_integrator *in, double t, double *y) {
  double s = in->length > 0 ? (t - in->from) / in->length : 0, u = 1 - s;
  const double *r = in->dense;
  int n = in->size;
  for (int i = 0; i < n; i++)
    y[i] = r[i] + s * (r[n + i] + u * (r[2 * n + i] + s * (r[3 * n + i] + u * r[4 * n + i])));
}

static unsigned long branch_at(const trm_integrator *in, trm_dynamics *d, double t) {
  trm_integrator_interpolate(in, t, in->estimate);
  return trm_system_branch(d->system, t, in->estimate, in->estimate + d->n);
}

/* Brackets the place within the step where a formula first leaves its piece; false where none does.
 */
static bool find_change(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                        double *low, double *high) {
  unsigned long before = trm_system_branch(d->system, t, y, y + d->n);
  *low = 0;
  *high = h;
  if (branch_at(in, d, t + h) == before) return false;
  double resolution = 8 * DBL_EPSILON * fmax(fabs(t), h);
  while (*high - *low > resolution) {
    double middle = (*low + *high) / 2;
    if (branch_at(in, d, t + middle) == before)
      *low = middle;
    else
      *high = middle;
  }
  return true;
}

static bool try_step(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                     const double *ydot) {
  if (!trm_stages(in, d, t, h, y, ydot)) return false;
  trm_combine(in, trm_dopri5.stages, trm_dopri5.b, h, y, ydot);
  return trm_dynamics_correct(d, t + h, in->trial, in->rates);
}

/* A trial step that ends just before a formula changes its piece, so that all its stages are on
 * one; *across is then how far the change is from its end. A change at the very start (chatter) is
 * left to the error control. */
static bool try_to_change(trm_integrator *in, trm_dynamics *d, double t, double *h, const double *y,
                          const double *ydot, double *across) {
  double low, high;
  *across = 0;
  if (!try_step(in, d, t, *h, y, ydot)) return false;
  if (!trm_system_has_branches(d->system)) return true;
  keep_dense(in, t, *h, y, ydot);
  bool changes = find_change(in, d, t, *h, y, &low, &high);
  if (changes && low > 0) {
    *h = low;
    *across = high - low;
  }
  return try_step(in, d, t, *h, y, ydot);
}

/* Over the change, on to the new piece: there the next step starts afresh. */
static bool move_across(trm_integrator *in, trm_dynamics *d, double t, double across) {
  in->restarts++;
  in->error = 0;
  trm_axpy(in->size, across, in->rates, in->trial);
  return trm_dynamics_correct(d, t + across, in->trial, in->rates);
}

static bool give_up(trm_dynamics *d, double t, bool evaluated) {
  if (!evaluated) return false; /* the system has said why */
  snprintf(d->system->error, sizeof d->system->error,
           "t = %.9g: the step has become too small for the tolerance; "
           "a looser rtol or atol may help, or a force is not smooth",
           t);
  return false;
}

/* PI control; after a change of piece there is no earlier error to lean on. */
static double factor_after(trm_integrator *in, double error) {
  double now = fmax(error, 1e-10), before = in->error > 0 ? in->error : now;
  in->error = now;
  return fmin(5, fmax(0.2, 0.9 * pow(now, -0.7 / 5) * pow(before, 0.4 / 5)));
}

bool trm_dormand_prince_step(trm_integrator *in, trm_dynamics *d, double t, double *end,
                             double limit, const double *y, const double *ydot) {
  (void)limit;
  double h = in->next > 0 ? in->next : first_step(in, d, y, ydot), across;
  for (;;) {
    double proposed = h = fmin(h, in->largest);
    bool last = t + h * (1 + 1e-10) >= *end;
    if (last)
      h = *end - t;
    else if (t + 2 * h > *end)
      h = (*end - t) / 2; /* no crumb at the end */
    bool evaluated = try_to_change(in, d, t, &h, y, ydot, &across);
    double error = evaluated ? estimate(in, d, h, y, ydot) : INFINITY;
    if (error <= 1) {
      keep_dense(in, t, h, y, ydot);
      in->next = fmax(last ? proposed : h, h) * factor_after(in, error);
      if (!last || across > 0) *end = t + h + across;
      return across > 0 ? move_across(in, d, t + h, across) : true;
    }
    in->rejections++;
    h *= isfinite(error) ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.25;
    if (h < 16 * DBL_EPSILON * fmax(fabs(t), 1e-6)) return give_up(d, t, evaluated);
  }
}
