/* Adams-Bashforth methods of order two to six, started by a Runge-Kutta method of at least their
 * order. */
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
  for (int j = last; j > 0; j--) in->history[j] = in->history[j - 1];
  in->history[0] = oldest;
  trm_pair_copy(in->size, ydot, oldest);
  if (in->known <= last) in->known++;
}

/* A multistep method remembers rates for steps: near a singular position those of a state that is
 * still off the constraints would spoil them all. So the correction is not spread over the step. */
static bool correct_at_once(trm_integrator *in, trm_dynamics *dynamics, double t, const double *y) {
  trm_pair_sum(in->size, 1, in->correction, y, in->trial);
  return trm_dynamics_rates(dynamics, t, in->trial, in->k);
}

/* sum = y + h Σ weights[j] rates of the last; in one pass, as the compiler knows how many */
TRM_INLINE void add_rates(int steps, const trm_integrator *in, double h, const double *y,
                          const double *ydot, double *restrict sum) {
  const double *rates[MAX_STEPS] = {NULL};
  double weight[MAX_STEPS] = {0};
  int size = in->size;
#pragma GCC unroll 6
  for (int j = 0; j < steps; j++) {
    rates[j] = j ? in->history[j - 1] : ydot;
    weight[j] = h * in->weights[j];
  }
  for (ptrdiff_t k = 0; k + 1 < size; k += 2) {
    trm_double2 pair = *(const trm_double2 *)(y + k);
#pragma GCC unroll 6
    for (int j = 0; j < steps; j++) pair += weight[j] * *(const trm_double2 *)(rates[j] + k);
    *(trm_double2 *)(sum + k) = pair;
  }
  if (size % 2 == 0) return;
  double last = y[size - 1];
#pragma GCC unroll 6
  for (int j = 0; j < steps; j++) last += weight[j] * rates[j][size - 1];
  sum[size - 1] = last;
}

static void extrapolate(trm_integrator *in, double h, const double *y, const double *ydot) {
  int steps = in->type->steps;
  if (steps == MAX_STEPS)
    add_rates(MAX_STEPS, in, h, y, ydot, in->trial);
  else
    add_rates(steps, in, h, y, ydot, in->trial);
}

bool trm_adams_bashforth_step(trm_integrator *in, trm_dynamics *dynamics, double t, double *end,
                              double h, const double *y, const double *ydot) {
  if (in->known < in->type->steps - 1) {
    if (!trm_runge_kutta_step(in, dynamics, t, end, h, y, ydot)) return false;
  } else {
    if (in->correction) {
      if (!correct_at_once(in, dynamics, t, y)) return false;
      y = in->trial;
      ydot = in->k;
    }
    extrapolate(in, h, y, ydot);
    if (!trm_dynamics_correct(dynamics, *end, in->trial, in->rates)) return false;
  }
  remember(in, ydot);
  return true;
}
