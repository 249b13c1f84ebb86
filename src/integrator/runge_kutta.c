/* Explicit Runge-Kutta methods. */
#include "base/parallel.h"
#include "integrator/integrator.h"
#include "math/double2.h"

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

/* Numbers that stay in the cache while all stages are added. */
enum { chunk = 1024 };

typedef struct sum {
  const trm_integrator *in;
  int stages;
  const double *weights;
  double h, part; /* part: of the step */
  const double *y, *ydot;
  int begin, end; /* numbers of the state */
  double *to;
} sum;

static void combine_chunk(void *data, int at) {
  const sum *s = data;
  const trm_integrator *in = s->in;
  int begin = s->begin + at * chunk, count = s->end - begin < chunk ? s->end - begin : chunk;
  double *to = s->to + at * chunk;
  const double *from = s->y + begin;
  for (int j = 0; j < s->stages; j++) {
    const double *k = j ? in->k + (ptrdiff_t)j * in->size : s->ydot;
    if (s->weights[j] == 0) continue;
    trm_pair_sum(count, s->h * s->weights[j], k + begin, from, to);
    from = to;
  }
  if (in->correction) trm_pair_axpy(count, s->part, in->correction + begin, to);
}

static void combine(sum s) {
  for (int j = 0; j < s.stages; j++) s.part += s.weights[j];
  trm_parallel(s.in->pool, (s.end - s.begin + chunk - 1) / chunk, combine_chunk, &s);
}

/* trial = y + h Σ weights[j] k[j], j < stages; k[0] is ydot */
static void combine_stages(trm_integrator *in, int stages, const double *weights, double h,
                           const double *y, const double *ydot) {
  combine((sum){in, stages, weights, h, 0, y, ydot, 0, in->size, in->trial});
}

/* The velocities of a stage are its rates of q: they are put there at once. False: all of the
 * evaluation is needed. */
static bool evaluate(trm_integrator *in, trm_dynamics *dynamics, int stage, double t, double h,
                     const double *y, const double *ydot) {
  const double *weights = in->type->tableau->a + stage * in->type->tableau->stages;
  double *k = in->k + (ptrdiff_t)stage * in->size;
  int n = dynamics->at.v;
  if (!dynamics->within->stage) return false;
  combine((sum){in, stage, weights, h, 0, y, ydot, 0, n, in->trial});
  combine((sum){in, stage, weights, h, 0, y, ydot, n, 2 * n, k});
  return trm_dynamics_stage(dynamics, t, in->trial, k);
}

/* All stages but the first into k. */
static bool find_stages(trm_integrator *in, trm_dynamics *dynamics, double t, double h,
                        const double *y, const double *ydot) {
  const trm_tableau *rk = in->type->tableau;
  for (int s = 1; s < rk->stages; s++) {
    double now = t + rk->c[s] * h;
    if (evaluate(in, dynamics, s, now, h, y, ydot)) continue;
    combine_stages(in, s, rk->a + s * rk->stages, h, y, ydot);
    if (!trm_dynamics_rates(dynamics, now, in->trial, in->k + (ptrdiff_t)s * in->size))
      return false;
  }
  return true;
}

bool trm_runge_kutta_step(trm_integrator *in, trm_dynamics *dynamics, double t, double *end,
                          double h, const double *y, const double *ydot) {
  const trm_tableau *rk = in->type->tableau;
  bool nearby = rk->c[rk->stages - 1] == 1; /* the last stage was at the same time */
  if (!find_stages(in, dynamics, t, h, y, ydot)) return false;
  combine_stages(in, rk->stages, rk->b, h, y, ydot);
  return trm_dynamics_end_step(dynamics, *end, in->trial, in->rates, nearby);
}
