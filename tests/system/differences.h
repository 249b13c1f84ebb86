/* Tangents against differences of the equations of motion, entry by entry. */
#ifndef TRM_TESTS_SYSTEM_DIFFERENCES_H
#define TRM_TESTS_SYSTEM_DIFFERENCES_H

#include <string.h>

#include "../check.h"
#include "../sample.h"
#include "system/tangent.h"

/* A system at a state off its constraints, with any accelerations and multipliers. */
typedef struct equations {
  trm_arena *arena;
  trm_system *sys;
  trm_tangent *tangent;
  double t, *q, *v, *a, *lambda;
  double *slope; /* like Cq */
} equations;

static inline double *random_vector(trm_arena *arena, int n, unsigned *state) {
  double *x = TRM_NEW(arena, double, n + 1);
  for (int i = 0; i < n; i++) x[i] = sample_random(state);
  return x;
}

/* Of a block: a body's coordinates, or all of a generic system. */
static inline int width_of(const equations *e) {
  return e->sys->n / e->sys->structure.blocks;
}

static inline bool is_length(const equations *e, int k) {
  return k % width_of(e) < e->sys->motion.dim;
}

static inline equations equations_of(const trm_model *model, const trm_coordinates *co,
                                     bool keep_singular) {
  equations e = {.arena = trm_arena_create(), .t = 0.3};
  unsigned state = 5;
  e.sys = trm_system_create(model, co, keep_singular, NULL, 0, e.arena);
  assert_non_null(e.sys);
  e.tangent = trm_tangent_create(e.sys, e.arena);
  assert_non_null(e.tangent);
  e.q = random_vector(e.arena, e.tangent->n, &state);
  e.v = random_vector(e.arena, e.tangent->n, &state);
  e.a = random_vector(e.arena, e.tangent->n, &state);
  e.lambda = random_vector(e.arena, e.sys->m, &state);
  e.slope = TRM_NEW(e.arena, double, e.sys->structure.panel_value[e.sys->structure.blocks] + 1);
  double *written = TRM_NEW(e.arena, double, e.sys->n + 1);
  trm_system_written(e.sys, written);
  for (int i = 0; i < e.sys->n; i++)
    e.q[i] = written[i] + 0.05 * (is_length(&e, i) ? model->length : 1) * e.q[i];
  return e;
}

static inline void evaluate(equations *e, double *r, double *rate) {
  bool good = trm_system_position(e->sys, e->t, e->q) && trm_system_velocity(e->sys, e->v);
  if (!good) print_error("%s\n", e->sys->error);
  assert_true(good);
  trm_system_residual(e->sys, e->tangent, e->a, e->lambda, r);
  trm_system_velocity_residual(e->sys, e->v, rate);
}

/* Column k of ∂r/∂x and ∂(Cq v + Ct)/∂x, x one of q, v, a; extrapolated twice, error of order h⁶.
 */
static inline void differentiate(equations *e, double *x, int k, double h, double *r, double *rate,
                                 double *noise) {
  int n = e->tangent->n, m = e->sys->m;
  double *plus = TRM_NEW(e->arena, double, 2 * (n + m)), *minus = plus + n + m;
  static const double weight[3] = {1.0 / 45, -20.0 / 45, 64.0 / 45};
  double keep = x[k];
  for (int i = 0; i < n; i++) r[i] = noise[i] = 0;
  for (int i = 0; i < m; i++) rate[i] = 0;
  for (int level = 0; level < 3; level++, h /= 2) {
    x[k] = keep + h;
    evaluate(e, plus, plus + n);
    x[k] = keep - h;
    evaluate(e, minus, minus + n);
    for (int i = 0; i < n; i++) r[i] += weight[level] * (plus[i] - minus[i]) / (2 * h);
    for (int i = 0; i < n; i++) noise[i] = larger(noise[i], fabs(plus[i]) / h);
    for (int i = 0; i < m; i++) rate[i] += weight[level] * (plus[n + i] - minus[n + i]) / (2 * h);
  }
  x[k] = keep;
}

static inline double entry(const equations *e, const double *blocks, int row, int column) {
  for (int i = e->tangent->column_start[column]; i < e->tangent->column_start[column + 1]; i++)
    if (e->tangent->row[i] == row) return blocks[e->tangent->from[i]];
  return 0;
}

static inline double slope_of(const equations *e, int row, int column) {
  const trm_structure *s = &e->sys->structure;
  int nq = width_of(e), b = column / nq;
  for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
    if (s->panel_row[r] == row)
      return e->slope[s->panel_value[b] + (r - s->panel_start[b]) * nq + column % nq];
  return 0;
}

static inline void compare_column(const char *what, const char *name, double found, double expected,
                                  double noise, int row, int column) {
  double tolerance = 1e-8 * (1 + fabs(expected)) + 1e-14 * noise;
  if (fabs(found - expected) <= tolerance) return;
  print_error("%s, %s[%d, %d]: %.12g, expected %.12g within %g\n", name, what, row, column, found,
              expected, tolerance);
  fail();
}

/* Every entry of K, D, M and of the velocity equation's slope. */
static inline void check_tangent(equations *e, const char *name) {
  trm_system *sys = e->sys;
  int n = e->tangent->n, m = sys->m, nq = width_of(e);
  double *r = TRM_NEW(e->arena, double, 4 * (n + m)), *rate = r + n, *noise = rate + m;
  double *J = TRM_NEW(e->arena, double, e->tangent->nonzeros);
  evaluate(e, r, rate);
  assert_true(trm_system_tangent(sys, e->a, e->lambda, e->tangent));
  trm_system_jacobian_slope(sys, e->tangent, e->v, e->slope);
  trm_tangent_combine(e->tangent, 1, 0, 0, J);
  for (int k = 0; k < n; k++) {
    double h = is_length(e, k) ? 1e-3 * sys->model->length : 1e-3;
    differentiate(e, e->q, k, h, r, rate, noise);
    for (int i = 0; i < n; i++)
      compare_column("K", name, entry(e, e->tangent->K.value, i, k), r[i], noise[i], i, k);
    for (int i = 0; i < m && k < sys->n; i++)
      compare_column("slope", name, slope_of(e, i, k), rate[i], 0, i, k);
    differentiate(e, e->v, k, 0.1, r, rate, noise);
    for (int i = 0; i < n; i++)
      compare_column("D", name, entry(e, e->tangent->D.value, i, k), r[i], noise[i], i, k);
    differentiate(e, e->a, k, 1, r, rate, noise);
    for (int i = 0; i < n; i++) {
      compare_column("M", name, entry(e, J, i, k), r[i], noise[i], i, k);
      if (i / nq == k / nq) assert_true(entry(e, J, i, k) == e->tangent->M[(i * nq) + k % nq]);
    }
  }
}

static inline void forget(equations *e) {
  trm_arena_destroy(e->arena);
}

#endif
