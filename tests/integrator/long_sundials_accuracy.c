/* CVODE and IDA at tight tolerances, on stiff mechanisms and over long times; figures are printed.
 */
#include "sundials.h"

static void andrews(void **state) {
  (void)state;
  for (int k = 1; k < SUNDIALS_METHODS; k++) {
    double error[2];
    trm_summary summary;
    sundials_andrews(sundials_methods[k], 1e-12, error, &summary);
    assert_true(error[0] <= 5e-8 && error[1] <= 5e-7);
  }
}

/* IFToMM A02 for 100 s: on its branch, at the accuracy of the tolerance. */
static void n_four_bar(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar_1000s.csv");
  for (int fine = 0; fine < 2; fine++) {
    trm_settings settings = sundials_settings(model, "bdf", fine ? 1e-12 : 1e-10);
    settings.duration = 100;
    settings.output_step = 0.1;
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    double error = run_difference(results, reference, 100);
    print_message("n_four_bar, bdf, 100 s: error %.1e, energy %.1e J, %ld steps, %.2f s\n", error,
                  summary.max_energy_error, summary.steps, summary.cpu_seconds);
    assert_true(error <= (fine ? 1e-4 : 1e-2));
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* The same at the tolerance that steps of 1e-2 and 1e-3 are good for: still on its branch. */
static void n_four_bar_coarse(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar_1000s.csv");
  for (int fine = 0; fine < 2; fine++) {
    trm_settings settings = sundials_settings(model, "bdf", fine ? 1e-8 : 1e-6);
    settings.step = fine ? 1e-3 : 1e-2;
    settings.duration = 100;
    settings.output_step = 0.1;
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    int first = trm_results_find(results, "post1.angle"),
        third = trm_results_find(results, "post3.angle");
    double apart = 0;
    for (int r = 0; r < trm_results_rows(results); r++)
      apart = larger(apart,
                     fabs(trm_results_get(results, r, first) - trm_results_get(results, r, third)));
    print_message("n_four_bar, bdf, h <= %g, 100 s: error %.1e, posts apart by %.1e\n",
                  settings.step, run_difference(results, reference, 100), apart);
    assert_true(apart <= 1e-6);
    assert_true(summary.max_position_violation <= 1e-10);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* IDA passes the singular positions, or stops and names them. */
static void ida_at_singular_positions(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar.csv");
  for (int k = 6; k <= 10; k++) {
    trm_settings settings = sundials_settings(model, "ida", pow(10, -k));
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_simulation *sim = trm_simulation_create(model, &settings, diagnostics, NULL);
    trm_results *results = trm_results_create();
    trm_status status = trm_simulation_run(sim, results, NULL, NULL, diagnostics);
    const char *message = trm_simulation_summary(sim)->message;
    print_message("n_four_bar, ida at 1e-%d: %s\n", k, message);
    if (status == TRM_OK)
      assert_true(run_difference(results, reference, 10) <= 3e4 * pow(10, -k));
    else
      assert_non_null(strstr(message, "the position is singular"));
    trm_results_destroy(results);
    trm_simulation_destroy(sim);
    trm_diagnostics_destroy(diagnostics);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* IFToMM A05: s(10) = 0.619622917061; 5 digits of s and of s′, at steps that RK4 cannot take. */
static void flyball_governor(void **state) {
  (void)state;
  trm_model *model = run_load("models/flyball_governor.yaml");
  trm_results *reference = run_reference("models/reference/flyball_governor.csv");
  int end = trm_results_rows(reference) - 1;
  double s = trm_results_get(reference, end, trm_results_find(reference, "slider.z"));
  double v = trm_results_get(reference, end, trm_results_find(reference, "slider.vz"));
  assert_near(s, 0.619622917061, 1e-9);
  for (int k = 1; k < SUNDIALS_METHODS; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-9);
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_simulation *sim = trm_simulation_create(model, &settings, diagnostics, NULL);
    trm_results *results = trm_results_create();
    assert_int_equal(trm_simulation_run(sim, results, NULL, NULL, diagnostics), TRM_OK);
    const trm_summary *summary = trm_simulation_summary(sim);
    int last = trm_results_rows(results) - 1;
    double ds = trm_results_get(results, last, trm_results_find(results, "slider.z")) - s;
    double dv = trm_results_get(results, last, trm_results_find(results, "slider.vz")) - v;
    print_message(
        "flyball_governor, %s: s %.1e, s' %.1e, %ld steps, %ld Jacobians, %ld iterations, "
        "%.2f s\n",
        sundials_methods[k], ds, dv, summary->steps, summary->jacobians, summary->newton_iterations,
        summary->cpu_seconds);
    assert_true(fabs(ds) <= 5e-6 && fabs(dv) <= 5e-6);
    assert_true(summary->step > 1e-3); /* the mean; RK4: 3e-4 */
    trm_results_destroy(results);
    trm_simulation_destroy(sim);
    trm_diagnostics_destroy(diagnostics);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Paper 004, example 1: what BDF loses falls with the tolerance, and the constraints hold. */
static void pendulum_sphere(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum_sphere.yaml");
  double before = INFINITY;
  for (int k = 4; k <= 8; k += 2) {
    trm_settings settings = sundials_settings(model, "bdf", pow(10, -k));
    settings.step = 1e-2;
    settings.duration = 1000;
    settings.output_step = 1;
    trm_summary summary;
    trm_results_destroy(run_model(model, &settings, &summary));
    print_message("pendulum_sphere, bdf at 1e-%d, h <= 1e-2, 1000 s: loss %.2e J in %ld steps\n", k,
                  summary.max_energy_error, summary.steps);
    assert_true(summary.max_position_violation <= 1e-10);
    assert_true(summary.max_energy_error < before / 4);
    before = summary.max_energy_error;
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(andrews),           cmocka_unit_test(n_four_bar),
      cmocka_unit_test(n_four_bar_coarse), cmocka_unit_test(ida_at_singular_positions),
      cmocka_unit_test(flyball_governor),  cmocka_unit_test(pendulum_sphere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
