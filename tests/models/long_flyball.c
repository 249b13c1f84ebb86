/* The flyball governor of paper 004, example 4, IFToMM A05, all ten seconds: stiff, by explicit
 * methods at a step that resolves it. */
#include "space_run.h"

static void ten_seconds(void **state) {
  (void)state;
  trm_model *model = run_load("models/flyball_governor.yaml");
  trm_results *reference = run_reference("models/reference/flyball_governor.csv");
  for (int c = 0; c < SPACE_FORMULATIONS; c++) {
    trm_settings settings = space_settings(model, c);
    settings.step = 5e-5;
    trm_summary summary;
    trm_results *results = space_run(model, &settings, &summary);
    int last = trm_results_rows(results) - 1;
    print_message("  s(10) = %.12f, s'(10) = %.12f, off by %.1e at most\n",
                  space_value(results, last, "slider.z"), space_value(results, last, "slider.vz"),
                  run_difference(results, reference, 10));
    assert_near(space_value(results, last, "slider.z"), 0.619622917061, 1e-8);
    assert_near(space_value(results, last, "slider.vz"), -0.747603354164333, 1e-8);
    assert_true(run_difference(results, reference, 10) <= 1e-8);
    assert_true(summary.max_energy_error <= 1e-7);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ten_seconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
