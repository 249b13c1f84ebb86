/* Explicit Runge-Kutta methods. */
#include <string.h>

#include "integrator/integrator.h"

const trm_tableau trm_euler = {1, 1, (const double[]){0}, (const double[]){1}, (const double[]){0}};

const trm_tableau trm_rk4 = {4, 4,
                             (const double[]){0, 0, 0, 0,   /**/
                                              0.5, 0, 0, 0, /**/
                                              0, 0.5, 0, 0, /**/
                                              0, 0, 1, 0},
                             (const double[]){1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0},
                             (const double[]){0, 0.5, 0.5, 1}};

/* Butcher (1964), seven stages: six do not suffice for order six */
const trm_tableau trm_rk6 = {
    6, 7, (const double[]){0,         0,         0,         0,         0,       0,          0, /**/
                           1 / 3.0,   0,         0,         0,         0,       0,          0, /**/
                           0,         2 / 3.0,   0,         0,         0,       0,          0, /**/
                           1 / 12.0,  1 / 3.0,   -1 / 12.0, 0,         0,       0,          0, /**/
                           -1 / 16.0, 9 / 8.0,   -3 / 16.0, -3 / 8.0,  0,       0,          0, /**/
                           0,         9 / 8.0,   -3 / 8.0,  -3 / 4.0,  1 / 2.0, 0,          0, /**/
                           9 / 44.0,  -9 / 11.0, 63 / 44.0, 18 / 11.0, 0,       -16 / 11.0, 0},
    (const double[]){11 / 120.0, 0, 27 / 40.0, 27 / 40.0, -4 / 15.0, -4 / 15.0, 11 / 120.0},
    (const double[]){0, 1 / 3.0, 2 / 3.0, 1 / 3.0, 1 / 2.0, 1 / 2.0, 1}};

void trm_combine(trm_integrator *in, int stages, const double *weights, double h, const double *y,
                 const double *ydot) {
  memcpy(in->trial, y, (size_t)in->size * sizeof(double));
  for (int j = 0; j < stages; j++)
    if (weights[j] != 0)
      trm_axpy(in->size, h * weights[j], j ? in->k + (ptrdiff_t)j * in->size : ydot, in->trial);
  double part = 0; /* of the step */
  for (int j = 0; j < stages; j++) part += weights[j];
  if (in->correction) trm_axpy(in->size, part, in->correction, in->trial);
}

bool trm_stages(trm_integrator *in, trm_dynamics *dynamics, double t, double h, const double *y,
                const double *ydot) {
  const trm_tableau *rk = in->type->tableau;
  for (int s = 1; s < rk->stages; s++) {
    trm_combine(in, s, rk->a + s * rk->stages, h, y, ydot);
    if (!trm_dynamics_rates(dynamics, t + rk->c[s] * h, in->trial, in->k + (ptrdiff_t)s * in->size))
      return false;
  }
  return true;
}

bool trm_runge_kutta_step(trm_integrator *in, trm_dynamics *dynamics, double t, double *end,
                          double h, const double *y, const double *ydot) {
  const trm_tableau *rk = in->type->tableau;
  if (!trm_stages(in, dynamics, t, h, y, ydot)) return false;
  trm_combine(in, rk->stages, rk->b, h, y, ydot);
  return trm_dynamics_correct(dynamics, *end, in->trial, in->rates);
}
