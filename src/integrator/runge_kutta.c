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

/* y + h Σ weights[j] k[j] */
typedef struct sum {
  const trm_integrator *in;
  int stages; /* with a weight */
  double weight[most_stages];
  double part; /* of the step */
  const double *k[most_stages], *y;
  int begin, end; /* numbers of the state */
  double *to;
} sum;

/* One to four pairs: the sums stay in registers while all stages are added. */
TRM_INLINE void add_pairs(int pairs, const sum *s, int at, double *to) {
  trm_double2 x[4];
  for (int p = 0; p < pairs; p++) x[p] = *(const trm_double2 *)(s->y + at + 2 * p);
  for (int j = 0; j < s->stages; j++)
    for (int p = 0; p < pairs; p++)
      x[p] += s->weight[j] * *(const trm_double2 *)(s->k[j] + at + 2 * p);
  for (int p = 0; p < pairs; p++) *(trm_double2 *)(to + 2 * p) = x[p];
}

static void combine_chunk(void *data, int part) {
  const sum *s = data;
  int i = s->begin + part * chunk, end = s->end - i < chunk ? s->end : i + chunk, count = end - i;
  double *to = s->to + part * chunk;
  for (; end - i > 1; i += 8, to += 8) TRM_BY_PAIRS(add_pairs, (end - i) / 2, s, i, to)
  if (count % 2) {
    double last = s->y[end - 1];
    for (int j = 0; j < s->stages; j++) last += s->weight[j] * s->k[j][end - 1];
    s->to[end - 1 - s->begin] = last;
  }
  if (s->in->correction)
    trm_pair_axpy(count, s->part, s->in->correction + end - count, s->to + part * chunk);
}

/* j < stages; k[0] is ydot. Where the caller has it: a copy would wait for each of its numbers. */
static void list_terms(sum *s, const trm_integrator *in, int stages, const double *weights,
                       double h, const double *y, const double *ydot) {
  s->in = in;
  s->y = y;
  s->stages = 0;
  s->part = 0;
  for (int j = 0; j < stages; j++) {
    if (weights[j] == 0) continue;
    s->part += weights[j];
    s->k[s->stages] = j ? in->k + (ptrdiff_t)j * in->size : ydot;
    s->weight[s->stages++] = h * weights[j];
  }
}

static void combine(sum *s, int begin, int end, double *to) {
  s->begin = begin;
  s->end = end;
  s->to = to;
  trm_parallel(s->in->pool, (end - begin + chunk - 1) / chunk, combine_chunk, s);
}

static void combine_stages(trm_integrator *in, int stages, const double *weights, double h,
                           const double *y, const double *ydot) {
  sum s;
  list_terms(&s, in, stages, weights, h, y, ydot);
  combine(&s, 0, in->size, in->trial);
}

/* The velocities of a stage are its rates of q: they are put there at once. False: all of the
 * evaluation is needed. */
static bool evaluate(trm_integrator *in, trm_dynamics *dynamics, int stage, double t, double h,
                     const double *y, const double *ydot) {
  double *k = in->k + (ptrdiff_t)stage * in->size;
  int n = dynamics->at.v;
  if (!dynamics->within->stage) return false;
  sum s;
  list_terms(&s, in, stage, in->type->tableau->a + stage * in->type->tableau->stages, h, y, ydot);
  combine(&s, 0, n, in->trial);
  combine(&s, n, 2 * n, k);
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
