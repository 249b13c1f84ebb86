/* The linear problems of radau5 against differences of the rates: what was multiplied by
 * 1 − γ ∂f/∂y, γ complex, or by A⁻¹ − h ∂f/∂y of three states, is found again. */
#include <stdlib.h>

#include "../run.h"
#include "analysis/simulation.h"
#include "integrator/radau5.h"

typedef struct bench {
  trm_model *model;
  trm_simulation *sim;
  trm_dynamics *d;
  int size;
  double *memory;
} bench;

static bench set_up(const char *path, const char *coordinates) {
  bench b = {.model = run_load(path)};
  trm_settings settings = *trm_model_settings(b.model);
  settings.coordinates = coordinates;
  b.sim = trm_simulation_create(b.model, &settings, NULL, NULL);
  assert_non_null(b.sim);
  for (int i = 0; i < 10; i++) assert_int_equal(trm_simulation_step(b.sim, NULL), TRM_OK);
  b.d = &b.sim->engine->dynamics;
  b.size = b.d->size;
  b.memory = calloc((size_t)(20 * b.size), sizeof(double));
  return b;
}

static void tear_down(bench *b) {
  free(b->memory);
  trm_simulation_destroy(b->sim);
  trm_model_destroy(b->model);
}

static double scatter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state / 2147483648.0 - 1;
}

/* to = ∂f/∂y x at y */
static void differentiate(const bench *b, const double *y, const double *x, double *to) {
  const double step = 1e-6;
  double *at = b->memory + 18 * b->size, *low = at + b->size;
  for (int i = 0; i < b->size; i++) at[i] = y[i] - step * x[i];
  assert_true(trm_dynamics_rates(b->d, b->sim->engine->t, at, low));
  for (int i = 0; i < b->size; i++) at[i] = y[i] + step * x[i];
  assert_true(trm_dynamics_rates(b->d, b->sim->engine->t, at, to));
  for (int i = 0; i < b->size; i++) to[i] = (to[i] - low[i]) / (2 * step);
}

static double complex_error(const char *path) {
  const double gamma[2] = {1e-3, -2e-3};
  bench b = set_up(path, "natural");
  double *y = b.memory, *x[2] = {y + b.size, y + 2 * b.size},
         *J[2] = {y + 3 * b.size, y + 4 * b.size}, worst = 0;
  unsigned seed = 1;
  memcpy(y, b.sim->engine->y, (size_t)b.size * sizeof *y);
  trm_saddle *saddle = trm_saddle_create(b.sim->engine->arena, b.d);
  assert_true(saddle && trm_saddle_create_complex(saddle, b.sim->engine->arena));
  for (int i = 0; i < 2 * b.d->n; i++) x[0][i] = scatter(&seed), x[1][i] = scatter(&seed);
  for (int part = 0; part < 2; part++) differentiate(&b, y, x[part], J[part]);
  assert_true(trm_dynamics_rates(b.d, b.sim->engine->t, y, b.memory + 5 * b.size));
  trm_saddle_begin(saddle);
  assert_true(trm_saddle_linearize(saddle) && trm_saddle_factor_complex(saddle, gamma));
  for (int i = 0; i < 2 * b.d->n; i++) {
    double re = J[0][i], im = J[1][i];
    J[0][i] = x[0][i] - gamma[0] * re + gamma[1] * im;
    J[1][i] = x[1][i] - gamma[0] * im - gamma[1] * re;
  }
  trm_saddle_solve_complex(saddle, J[0], J[1]);
  for (int i = 0; i < 2 * b.d->n; i++)
    worst = larger(worst, larger(fabs(J[0][i] - x[0][i]), fabs(J[1][i] - x[1][i])));
  tear_down(&b);
  return worst;
}

/* Three states apart by the motion of 1/100 s; `whole`: with the multipliers, though dense. */
static double stages_error(const char *path, bool sparse, bool whole) {
  const double h = 1e-2;
  bench b = set_up(path, "natural");
  trm_radau_table table = trm_radau_coefficients();
  trm_radau_stages stages = {0};
  double *y[3], *x[3], *r[3], *rates = b.memory + 9 * b.size, worst = 0;
  unsigned seed = 1;
  assert_true(trm_radau_stages_create(&stages, b.sim->engine->arena, b.d,
                                      sparse ? TRM_LINEAR_SPARSE : TRM_LINEAR_DENSE));
  if (whole) stages.reduced = NULL;
  for (int s = 0; s < 3; s++) {
    y[s] = b.memory + s * b.size;
    x[s] = y[s] + 3 * b.size;
    r[s] = x[s] + 3 * b.size;
    for (int i = 0; i < b.size; i++)
      y[s][i] = b.sim->engine->y[i] + s * h / 2 * b.sim->engine->ydot[i];
    for (int i = 0; i < 2 * b.d->n; i++) x[s][i] = scatter(&seed);
    differentiate(&b, y[s], x[s], r[s]);
    assert_true(trm_dynamics_rates(b.d, b.sim->engine->t, y[s], rates));
    assert_true(trm_slopes_find(&stages.at[s], b.d->system, stages.tangent[s]));
  }
  assert_true(trm_radau_stages_factor(&stages, &table, h));
  assert_true(stages.is_reduced == (!sparse && !whole));
  for (int i = 0; i < 2 * b.d->n; i++)
    for (int s = 0; s < 3; s++) {
      const double *row = table.inverse_A[s];
      r[s][i] = (row[0] * x[0][i] + row[1] * x[1][i] + row[2] * x[2][i]) / h - r[s][i];
    }
  trm_radau_stages_solve(&stages, &table, h, r);
  for (int i = 0; i < 2 * b.d->n; i++)
    for (int s = 0; s < 3; s++) worst = larger(worst, fabs(r[s][i] - x[s][i]));
  tear_down(&b);
  return worst;
}

static const char *const models[] = {"models/four_bar_diagonal_spring.yaml",
                                     "models/flyball_governor.yaml"};
static const double most[] = {1e-8, 1e-4}; /* stiff: differences lose digits */

static void complex_problem(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double error = complex_error(models[k]);
    print_message("%s: %.1e\n", models[k], error);
    assert_true(error <= most[k]);
  }
}

static void stages_problem(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    double error = stages_error(models[k / 3], k % 3 == 1, k % 3 == 2);
    print_message("%s: %.1e\n", models[k / 3], error);
    assert_true(error <= most[k / 3]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(complex_problem),
      cmocka_unit_test(stages_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
