/* Dormand and Prince's fifth-order method with error control and dense output (Hairer, Nørsett,
 * Wanner: DOPRI5).
 *
 * Only the error tangent to the constraints is controlled: what is normal to them the stabilization
 * takes away. Where a formula changes its piece (sign, step, if, …) the step ends there and the
 * next one starts afresh. */
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

static double estimate(trm_integrator *in, trm_dynamics *d, double h, const double *y,
                       const double *ydot) {
  memset(in->estimate, 0, (size_t)in->size * sizeof(double));
  for (int s = 0; s < STAGES; s++)
    trm_axpy(in->size, h * error_weights[s], stage(in, s, ydot), in->estimate);
  return trm_step_error(in, d, y);
}

/* The interpolant of the step from y to trial, order four. */
static void keep_dense(trm_integrator *in, double t, double h, const double *y,
                       const double *ydot) {
  double *r4 = in->dense + (ptrdiff_t)4 * in->size;
  trm_keep_cubic(in, t, h, y, ydot);
  for (int s = 0; s < STAGES; s++) trm_axpy(in->size, h * dense_weights[s], stage(in, s, ydot), r4);
}

static bool try_step(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                     const double *ydot) {
  if (!trm_stages(in, d, t, h, y, ydot)) return false;
  trm_combine(in, trm_dopri5.stages, trm_dopri5.b, h, y, ydot);
  return trm_dynamics_correct(d, t + h, in->trial, in->rates);
}

const trm_control trm_dormand_prince_control = {
    .order = 5, .attempt = try_step, .estimate = estimate, .keep_dense = keep_dense};
