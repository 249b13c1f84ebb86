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
enum { most_stages = 12 }; /* of dop853 */

typedef struct sum {
  const trm_integrator *in;
  int stages;
  const double *weights;
  double h, part; /* part: of the step */
  const double *y, *ydot;
  int begin, end; /* numbers of the state */
  double *to;
} sum;

/* One to four pairs: the sums stay in registers while all stages are added. */
TRM_INLINE void add_pairs(int pairs, int stages, const double *weights, const double *const *k,
                          int at, const double *from, double *to) {
  trm_double2 x[4];
  for (int p = 0; p < pairs; p++) x[p] = *(const trm_double2 *)(from + at + 2 * p);
  for (int j = 0; j < stages; j++)
    for (int p = 0; p < pairs; p++) x[p] += weights[j] * *(const trm_double2 *)(k[j] + at + 2 * p);
  for (int p = 0; p < pairs; p++) *(trm_double2 *)(to + at + 2 * p) = x[p];
}

static void combine_chunk(void *data, int part) {
  const sum *s = data;
  const trm_integrator *in = s->in;
  int begin = s->begin + part * chunk, count = s->end - begin < chunk ? s->end - begin : chunk;
  int stages = 0, i = 0;
  double *to = s->to + part * chunk, weights[most_stages];
  const double *from = s->y + begin, *k[most_stages];
  for (int j = 0; j < s->stages; j++) {
    if (s->weights[j] == 0) continue;
    k[stages] = (j ? in->k + (ptrdiff_t)j * in->size : s->ydot) + begin;
    weights[stages++] = s->h * s->weights[j];
  }
  if (stages == 1) {
    trm_pair_sum(count, weights[0], k[0], from, to);
    i = count;
  }
  for (; i + 7 < count; i += 8) add_pairs(4, stages, weights, k, i, from, to);
  for (; i + 1 < count; i += 2) add_pairs(1, stages, weights, k, i, from, to);
  if (i < count) {
    double last = from[i];
    for (int j = 0; j < stages; j++) last += weights[j] * k[j][i];
    to[i] = last;
  }
  if (in->correction) trm_pair_axpy(count, s->part, in->correction + begin, to);
}

static void combine(sum s) {
  int parts = (s.end - s.begin + chunk - 1) / chunk;
  for (int j = 0; s.in->correction && j < s.stages; j++) s.part += s.weights[j];
  trm_parallel(s.in->pool, parts, combine_chunk, &s);
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
