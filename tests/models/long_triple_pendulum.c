/* Paper 001, Tables 1–3: 20 s with AB4 at h = 1e-3, all four combinations, by partition and by
 * direct correction. */
#include "../run.h"

static void violations_over_twenty_seconds(void **state) {
  (void)state;
  static const char *const coordinates[] = {"natural", "euler-parameters"};
  static const char *const solvers[] = {"augmented", "udwadia-kalaba-general"};
  static const char *const stabilizations[] = {"partition", "direct"};
  trm_model *model = run_load("models/triple_pendulum.yaml");
  trm_results *reference = run_reference("models/reference/triple_pendulum.csv");
  for (int c = 0; c < 8; c++) {
    trm_settings settings = *trm_model_settings(model);
    assert_near(settings.duration, 20, 0);
    settings.coordinates = coordinates[c % 2];
    settings.solver = solvers[c / 2 % 2];
    settings.stabilization = stabilizations[c / 4];
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    double at5 = run_difference(results, reference, 5),
           at20 = run_difference(results, reference, 20);
    print_message("%-16s %-22s %-9s violations %.1e %.1e  off %.1e at 5 s, %.1e at 20 s (chaos)\n",
                  settings.coordinates, settings.solver, settings.stabilization,
                  summary.max_position_violation, summary.max_velocity_violation, at5, at20);
    assert_true(summary.max_position_violation <= 1e-12);
    assert_true(summary.max_velocity_violation <= 1e-12);
    assert_true(at5 <= 1e-4);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(violations_over_twenty_seconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
