/* Figs. 6 and 7 of paper 003: 1000 s at h = 1e-2 in point coordinates, through some 1000 singular
 * positions. */
#include "../run.h"

/* by the reduced equation, to ten digits */
static const double x1 = -0.498993134686, y1 = 0.866605937861;

static void thousand_seconds(void **state) {
  (void)state;
  static const char *const stabilizations[] = {"direct", "embedded"};
  trm_model *model = run_load("models/point_double_four_bar.yaml");
  for (int k = 0; k < 2; k++) {
    trm_settings settings = *trm_model_settings(model);
    settings.step = 1e-2;
    settings.output_step = 10;
    settings.duration = 1000;
    settings.energy = "conserve";
    settings.stabilization = stabilizations[k];
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    int row = trm_results_rows(results) - 1;
    double off = hypot(trm_results_get(results, row, trm_results_find(results, "x1")) - x1,
                       trm_results_get(results, row, trm_results_find(results, "y1")) - y1);
    print_message("%s: violation %.1e, energy %.1e J, off by %.1e m\n", stabilizations[k],
                  summary.max_position_violation, summary.max_energy_error, off);
    assert_true(summary.max_position_violation <= (k ? 1e-8 : 1e-12));
    assert_true(summary.max_energy_error <= (k ? 2e-6 : 1e-9));
    assert_true(off <= 5e-4);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(thousand_seconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
