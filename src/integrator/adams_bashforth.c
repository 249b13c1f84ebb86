/* Adams-Bashforth methods of order two to six, started by a Runge-Kutta method of at least their
 * order. */
#include <string.h>

#include "integrator/integrator.h"
#include "math/double2.h"

enum { MAX_STEPS = 6 };

const double *trm_adams_bashforth_weights(int steps) {
  static const double weights[][MAX_STEPS] = {
      {3 / 2.0, -1 / 2.0},
      {23 / 12.0, -16 / 12.0, 5 / 12.0},
      {55 / 24.0, -59 / 24.0, 37 / 24.0, -9 / 24.0},
      {1901 / 720.0, -2774 / 720.0, 2616 / 720.0, -1274 / 720.0, 251 / 720.0},
      {4277 / 1440.0, -7923 / 1440.0, 9982 / 1440.0, -7298 / 1440.0, 2877 / 1440.0, -475 / 1440.0},
  };
  return weights[steps - 2];
}

/* The oldest buffer becomes the newest. */
static void remember(trm_integrator *in, const double *ydot) {
  int last = in->type->steps - 2;
  double *oldest = in->history[last];
  memmove(in->history + 1, in->history, (size_t)last * sizeof(double *));
  in->history[0] = oldest;
  memcpy(oldest, ydot, (size_t)in->size * sizeof(double));
  if (in->known <= last) in->known++;
}

/* A multistep method remembers rates for steps: near a singular position those of a state that is
 * still off the constraints would spoil them all. So the correction is not spread over the step. */
static bool correct_at_once(trm_integrator *in, trm_dynamics *dynamics, double t) {
  trm_axpy(in->size, 1, in->correction, in->trial);
  return trm_dynamics_rates(dynamics, t, in->trial, in->k);
}

/* sum += Σ weight[j] rates[j]; in one pass, as the compiler knows the number of terms */
TRM_INLINE void add_rates(int terms, int size, const double *weight, const double *const *rates,
                          double *sum) {
  for (int k = 0; k + 1 < size; k += 2) {
    trm_double2 pair = *(trm_double2 *)(sum + k);
#pragma GCC unroll 6
    for (int j = 0; j < terms; j++) pair += weight[j] * *(const trm_double2 *)(rates[j] + k);
    *(trm_double2 *)(sum + k) = pair;
  }
  for (int j = 0; j < terms && size % 2; j++) sum[size - 1] += weight[j] * rates[j][size - 1];
}

/* trial += h Σ weights[j] of the last rates */
static void extrapolate(trm_integrator *in, double h, const double *ydot) {
  int steps = in->type->steps;
  const double *rates[MAX_STEPS] = {ydot};
  double weight[MAX_STEPS] = {h * in->weights[0]};
  for (int j = 1; j < steps; j++) {
    rates[j] = in->history[j - 1];
    weight[j] = h * in->weights[j];
  }
  if (steps == MAX_STEPS)
    add_rates(MAX_STEPS, in->size, weight, rates, in->trial);
  else
    add_rates(steps, in->size, weight, rates, in->trial);
}

bool trm_adams_bashforth_step(trm_integrator *in, trm_dynamics *dynamics, double t, double *end,
                              double h, const double *y, const double *ydot) {
  if (in->known < in->type->steps - 1) {
    if (!trm_runge_kutta_step(in, dynamics, t, end, h, y, ydot)) return false;
  } else {
    memcpy(in->trial, y, (size_t)in->size * sizeof(double));
    if (in->correction) {
      if (!correct_at_once(in, dynamics, t)) return false;
      ydot = in->k;
    }
    extrapolate(in, h, ydot);
    if (!trm_dynamics_correct(dynamics, *end, in->trial, in->rates)) return false;
  }
  remember(in, ydot);
  return true;
}
