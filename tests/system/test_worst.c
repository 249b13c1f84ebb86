/* Who is named where something is no number: what has it, not whoever comes after. */
#include "../run.h"

#include "analysis/simulation.h"

/* Of every constraint of a model made NaN, the others being large: the message names its owner. */
static void expect(const char *path) {
  trm_model *model = run_load(path);
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = "angle"; /* rows of joints only */
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  trm_system *sys = sim->engine->system;
  for (int row = 0; row < sys->m; row++) {
    char name[100];
    for (int i = 0; i < sys->m; i++) sys->C[i] = i == row ? copysign(NAN, -1) : 1e3;
    trm_system_explain(sys, copysign(NAN, -1), sim->engine->y);
    trm_system_group_name(sys, trm_system_row_group(sys, row), name, sizeof name);
    assert_non_null(strstr(sys->error, name));
    assert_non_null(strstr(sys->error, "violation nan"));
  }
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

static void constraints(void **state) {
  (void)state;
  expect("models/four_bar.yaml");
  expect("models/point_double_four_bar.yaml");
}

static void errors_of_a_step(void **state) {
  (void)state;
  enum { N = 3 };
  for (int bad = 0; bad < 2 * N; bad++) {
    double relative[2 * N];
    const trm_layout at = trm_layout_of(N, 0);
    trm_failure failure = {0};
    for (int i = 0; i < 2 * N; i++) relative[i] = i == bad ? (double)NAN : i;
    trm_failure_of(&failure, &at, relative);
    assert_int_equal(failure.coordinate, bad % N);
    assert_true(isnan(failure.residual));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(constraints),
                                     cmocka_unit_test(errors_of_a_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
