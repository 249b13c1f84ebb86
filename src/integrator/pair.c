/* Embedded Runge-Kutta pairs: a step, its error and its interpolant from one set of stages. */
#include <string.h>

#include "integrator/integrator.h"
#include "math/double2.h"

static double *stage(const trm_integrator *in, int s) {
  return in->k + (ptrdiff_t)s * in->size;
}

/* x += h Σ weights[s] k[s] */
static void add_stages(const trm_integrator *in, int count, double h, const double *weights,
                       double *x) {
  for (int s = 0; s < count; s++)
    if (weights[s] != 0) trm_pair_axpy(in->size, h * weights[s], stage(in, s), x);
}

static bool attempt(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                    const double *ydot) {
  double end = t + h;
  memcpy(in->k, ydot, (size_t)in->size * sizeof(double));
  if (!trm_runge_kutta_step(in, d, t, &end, h, y, ydot)) return false;
  memcpy(stage(in, in->type->tableau->stages), in->rates, (size_t)in->size * sizeof(double));
  return true;
}

static double error_by(trm_integrator *in, trm_dynamics *d, const double *weights, double h,
                       const double *y) {
  memset(in->estimate, 0, (size_t)in->size * sizeof(double));
  add_stages(in, in->type->tableau->stages + 1, h, weights, in->estimate);
  return trm_step_error(in, d, y);
}

/* Of two estimates of different order Hairer's mean, of the order of the method itself. */
static double estimate(trm_integrator *in, trm_dynamics *d, double h, const double *y,
                       const double *ydot) {
  const trm_pair *pair = in->control->pair;
  double error = error_by(in, d, pair->error, h, y);
  (void)ydot;
  if (!pair->coarse || error == 0) return error;
  double coarse = error_by(in, d, pair->coarse, h, y);
  return error * error / sqrt(error * error + 0.01 * coarse * coarse);
}

static void add_dense(trm_integrator *in) {
  const trm_pair *pair = in->control->pair;
  int stages = pair->tableau->stages + 1 + pair->more;
  for (int i = 4; i < in->control->parts; i++)
    add_stages(in, stages, in->length, pair->dense + (ptrdiff_t)(i - 4) * stages,
               in->dense + (ptrdiff_t)i * in->size);
}

static void keep_dense(trm_integrator *in, double t, double h, const double *y,
                       const double *ydot) {
  trm_keep_cubic(in, t, h, y, ydot);
  in->complete = in->control->pair->more == 0;
  if (in->complete) add_dense(in);
}

/* The stages that only the interpolant needs, at the states without corrections: those are as small
 * as the error. */
static bool complete(trm_integrator *in, trm_dynamics *d) {
  const trm_pair *pair = in->control->pair;
  int known = pair->tableau->stages + 1, row = known + pair->more;
  for (int s = 0; s < pair->more; s++) {
    memcpy(in->estimate, in->dense, (size_t)in->size * sizeof(double));
    add_stages(in, known + s, in->length, pair->more_a + (ptrdiff_t)s * row, in->estimate);
    if (!trm_dynamics_rates(d, in->from + pair->more_c[s] * in->length, in->estimate,
                            stage(in, known + s)))
      return false;
  }
  add_dense(in);
  trm_refine_interpolant(in, d);
  return true;
}

const trm_control trm_dopri5_control = {.order = 5,
                                        .parts = 5,
                                        .pair = &trm_pair_dopri5,
                                        .attempt = attempt,
                                        .estimate = estimate,
                                        .keep_dense = keep_dense,
                                        .complete = complete};
const trm_control trm_dop853_control = {.order = 8,
                                        .parts = 8,
                                        .pair = &trm_pair_dop853,
                                        .attempt = attempt,
                                        .estimate = estimate,
                                        .keep_dense = keep_dense,
                                        .complete = complete};
