/* The original IFToMM A02: forty windows over 20 s through all their singular positions, to 1e-3 m
 * against the exact reduction, by one documented option. */
#include "../windows.h"

enum { windows = 40, seconds = 20 };

static void forty_windows(void **state) {
  (void)state;
  static const char *const overrides[] = {"N=40", NULL};
  trm_model *model = trm_model_load("models/n_four_bar.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = "dop853";
  settings.step = 100; /* as long as it sees fit */
  settings.rtol = 1e-8;
  settings.duration = seconds;
  settings.output_step = 1;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  assert_int_equal(trm_results_rows(results), seconds + 1);
  double worst = windows_error(windows, results, 1);
  print_message("40 windows, 20 s: %.1e m, %.1e J, %ld steps, %.2f s\n", worst,
                summary.max_energy_error, summary.steps, summary.cpu_seconds);
  assert_true(worst <= 1e-4);
  assert_true(summary.max_energy_error <= 1e-3);
  assert_true(summary.max_position_violation <= 1e-10);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forty_windows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
