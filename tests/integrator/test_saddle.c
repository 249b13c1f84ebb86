/* Newton's matrix of a BDF step against differences of the rates: (1 − γ ∂f/∂y) x, solved for, is x
 * again. */
#include <stdlib.h>

#include "../run.h"
#include "analysis/simulation.h"
#include "integrator/saddle.h"

/* The largest error over all directions, after some motion. */
static double inverse_error(const char *path, const char *coordinates) {
  const double gamma = 1e-3, step = 1e-6;
  trm_model *model = run_load(path);
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = coordinates;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  for (int i = 0; i < 10; i++) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  trm_dynamics *d = &sim->engine->dynamics;
  int size = d->size;
  trm_saddle *saddle = trm_saddle_create(sim->engine->arena, d);
  assert_non_null(saddle);
  double *y = calloc((size_t)(4 * size), sizeof *y), *high = y + size, *low = high + size,
         *b = low + size;
  memcpy(y, sim->engine->y, (size_t)size * sizeof *y);
  assert_true(trm_dynamics_rates(d, sim->engine->t, y, high));
  trm_saddle_begin(saddle);
  assert_true(trm_saddle_linearize(saddle) && trm_saddle_factor(saddle, gamma));
  double worst = 0;
  for (int i = 0; i < 2 * d->n; i++) {
    double kept = y[i];
    y[i] = kept + step;
    assert_true(trm_dynamics_rates(d, sim->engine->t, y, high));
    y[i] = kept - step;
    assert_true(trm_dynamics_rates(d, sim->engine->t, y, low));
    y[i] = kept;
    for (int k = 0; k < size; k++) b[k] = (k == i) - gamma * (high[k] - low[k]) / (2 * step);
    trm_saddle_solve(saddle, b);
    for (int k = 0; k < 2 * d->n; k++) worst = larger(worst, fabs(b[k] - (k == i)));
  }
  free(y);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  return worst;
}

/* Quadratic constraints have no third derivative, so that nothing is left out. */
static void natural_coordinates_are_exact(void **state) {
  (void)state;
  assert_true(inverse_error("models/four_bar.yaml", "natural") <= 1e-8);
  assert_true(inverse_error("models/four_bar_diagonal_spring.yaml", "cartesian") <= 1e-7);
  assert_true(inverse_error("models/flyball_governor.yaml", "natural") <= 2e-5);
}

/* What is left out there is of third order in γ and small. */
static void others_are_close(void **state) {
  (void)state;
  assert_true(inverse_error("models/four_bar.yaml", "angle") <= 1e-3);
  assert_true(inverse_error("models/flyball_governor.yaml", "euler-parameters") <= 0.03);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(natural_coordinates_are_exact),
      cmocka_unit_test(others_are_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
