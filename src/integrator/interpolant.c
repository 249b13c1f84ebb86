/* A finer interpolant, of states that are reached by steps of their own.
 *
 * Where an eigenvalue limits the steps of an explicit pair, the result of a step may be right and
 * its interpolant, which has large weights, is not. The defect in the middle, h (f(u) − u'), shows
 * it. */
#include <string.h>

#include "integrator/integrator.h"

#define ROUGH 100 /* tolerances: a smooth motion has less, but for few steps */

/* Value and slope of the interpolant in the middle of the step. */
static void look_at_middle(const trm_integrator *in, double *y, double *slope) {
  int last = in->control->parts - 1;
  for (int i = 0; i < in->size; i++) {
    double value = in->dense[(ptrdiff_t)last * in->size + i], rise = 0;
    for (int part = last - 1; part >= 0; part--) {
      rise = rise / 2 + (part % 2 ? -value : value);
      value = in->dense[(ptrdiff_t)part * in->size + i] + value / 2;
    }
    y[i] = value;
    slope[i] = rise;
  }
}

/* In tolerances; false where the middle cannot be evaluated. */
static bool is_rough(trm_integrator *in, trm_dynamics *d) {
  double *y = in->spare, *slope = y + in->size, *rates = slope + in->size, sum = 0;
  look_at_middle(in, y, slope);
  if (!trm_dynamics_rates(d, in->from + in->length / 2, y, rates)) return false;
  for (int i = 0; i < d->at.work; i++) {
    double part = (in->length * rates[i] - slope[i]) * trm_error_weight(in, d, i, y[i]);
    sum += part * part;
  }
  return sum > ROUGH * ROUGH * 2 * d->n && sum < INFINITY;
}

/* From a state and its rates on, a third of the step to another. */
static bool go_a_third(trm_integrator *in, trm_dynamics *d, double t, const double *y,
                       const double *ydot, double *to, double *rates) {
  double *k = in->k, *trial = in->trial, *end_rates = in->rates, h = in->length / 3, end = t + h;
  const double *correction = in->correction; /* as small as the error */
  in->k = in->spare + 4 * (ptrdiff_t)in->size;
  in->trial = to;
  in->rates = rates;
  in->correction = NULL;
  bool good = trm_runge_kutta_step(in, d, t, &end, h, y, ydot);
  in->k = k;
  in->trial = trial;
  in->rates = end_rates;
  in->correction = correction;
  return good;
}

/* The parts behind the cubic c, s²u² w(s) with u = 1 − s: w from values y and rates f at s = 1/3
 * and 2/3, where s²u² = 4/81. */
static void pass_through(const trm_integrator *in, const double *const y[2],
                         const double *const f[2]) {
  double *r[8], h = in->length;
  for (int part = 0; part < 8; part++) r[part] = in->dense + (ptrdiff_t)part * in->size;
  for (int i = 0; i < in->size; i++) {
    double r0 = r[0][i], r1 = r[1][i], r2 = r[2][i], r3 = r[3][i];
    double w1 = 81 / 4.0 * (y[0][i] - (r0 + r1 / 3 + r2 * 2 / 9 + r3 * 2 / 27));
    double w2 = 81 / 4.0 * (y[1][i] - (r0 + r1 * 2 / 3 + r2 * 2 / 9 + r3 * 4 / 27));
    double slope1 = 81 / 4.0 * (h * f[0][i] - (r1 + r2 / 3 + r3 / 3)) - 3 * w1;
    double slope2 = 81 / 4.0 * (h * f[1][i] - (r1 - r2 / 3)) + 3 * w2;
    double start = 5 * w2 - 4 * w1 - (4 * slope1 + 2 * slope2) / 3;
    double end = 5 * w1 - 4 * w2 + (2 * slope1 + 4 * slope2) / 3;
    double rest1 = w1 - start - (end - start) / 3, rest2 = w2 - start - (end - start) * 2 / 3;
    r[4][i] = start;
    r[5][i] = end - start;
    r[7][i] = 27 / 2.0 * (rest2 - rest1);
    r[6][i] = 9 / 2.0 * rest1 - r[7][i] / 3;
  }
}

void trm_refine_interpolant(trm_integrator *in, trm_dynamics *d) {
  ptrdiff_t size = in->size;
  double *y[2] = {in->spare, in->spare + size}, *f[2] = {y[1] + size, y[1] + 2 * size};
  double third = in->length / 3;
  if (!is_rough(in, d)) return;
  if (go_a_third(in, d, in->from, in->dense, in->k, y[0], f[0]) &&
      go_a_third(in, d, in->from + third, y[0], f[0], y[1], f[1]))
    pass_through(in, (const double *const *)y, (const double *const *)f);
}
