/* IFToMM A02 as it is posed: forty windows, twenty seconds, forty passages through singular
 * configurations. */
#include "../run.h"

static void forty_windows(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  const char *const overrides[] = {"N=40", NULL};
  trm_model *model = trm_model_load("models/n_four_bar.yaml", overrides, diagnostics, NULL);
  if (!model) run_print(diagnostics);
  assert_non_null(model);
  trm_settings settings = *trm_model_settings(model);
  settings.duration = 20;
  settings.output_step = 10;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  int x = trm_results_find(results, "post1.B.x"), y = trm_results_find(results, "post1.B.y");
  print_message("N = 40, 20 s: %d bodies, (%.9f, %.9f), energy error %.1e J, %.1f s\n",
                summary.bodies, trm_results_get(results, 2, x), trm_results_get(results, 2, y),
                summary.max_energy_error, summary.wall_seconds);
  assert_int_equal(summary.bodies, 81);
  assert_int_equal(summary.degrees_of_freedom, 1);
  /* the exact reduction, see the model */
  assert_near(trm_results_get(results, 1, x), 0.1805122267, 1e-3);
  assert_near(trm_results_get(results, 1, y), 0.9835727406, 1e-3);
  assert_near(trm_results_get(results, 2, x), 0.41090115, 1e-3);
  assert_near(trm_results_get(results, 2, y), 0.91167990, 1e-3);
  int coupler = trm_results_find(results, "coupler1.angle");
  assert_near(trm_results_get(results, 2, coupler), 0, 1e-3);
  trm_results_destroy(results);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forty_windows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
