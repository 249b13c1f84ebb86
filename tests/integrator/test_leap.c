/* Ten windows through their singular positions with steps kept short: every other length has a
 * stage where round-off decides. Without leaps the pairs lost up to 1 J there or never came out. */
#include "../windows.h"

enum { windows = 10, seconds = 2 };

static void passes(const trm_model *model, const char *integrator, double step) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.step = step;
  settings.rtol = 1e-8;
  settings.atol = 1e-11;
  settings.duration = seconds;
  settings.output_step = 0.5;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  double y[2] = {0, 1}, worst = 0;
  int x = trm_results_find(results, "post1.B.x");
  for (int row = 1; row <= 2 * seconds; row++) {
    windows_swing(windows, y, 0.5);
    worst = fmax(worst, fabs(trm_results_get(results, row, x) - sin(y[0])));
  }
  print_message("%s, steps up to %g: %.1e m, %.1e J\n", integrator, step, worst,
                summary.max_energy_error);
  assert_true(y[0] > 2 * 3.14159265358979); /* once round, and over at least two of them */
  assert_true(worst <= 1e-6);
  assert_true(summary.max_energy_error <= 1e-5);
  trm_results_destroy(results);
}

static void any_length_passes(void **state) {
  (void)state;
  static const char *const overrides[] = {"N=10", NULL};
  static const double steps[] = {1e-2, 3e-3, 1.1e-3, 1e-3, 9e-4, 7e-4, 5e-4, 2e-4};
  trm_model *model = trm_model_load("models/n_four_bar.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    passes(model, "dop853", steps[i]);
    passes(model, "dopri5", steps[i]);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_length_passes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
