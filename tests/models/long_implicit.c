/* What issue-sized runs of the implicit methods must show: energy over 1000 s, 100 s through
 * singular positions, the stiff governor to five digits. */
#include "../run.h"

static const char *const methods[] = {"trapezoidal", "generalized-alpha", "three-field"};

static trm_results *run(const trm_model *model, const char *integrator, double radius, double step,
                        double duration, trm_summary *summary) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.step = step;
  settings.duration = duration;
  settings.output_step = duration / 100;
  settings.spectral_radius = radius;
  return run_model(model, &settings, summary);
}

/* Mean energy error over the last tenth of the run less that of the first. */
static double trend(const trm_results *results) {
  int column = trm_results_find(results, "energy.error"), rows = trm_results_rows(results);
  double first = 0, last = 0;
  for (int i = 0; i < rows / 10; i++) {
    first += trm_results_get(results, i, column);
    last += trm_results_get(results, rows - 1 - i, column);
  }
  return (last - first) / (rows / 10);
}

static void thousand_seconds(void **state) {
  (void)state;
  static const double most[] = {10, 0.3, 1e-6};
  trm_model *model = run_load("models/pendulum_sphere.yaml");
  for (int i = 0; i < 3; i++) {
    trm_summary summary;
    trm_results *results = run(model, methods[i], 0.95, 1e-2, 1000, &summary);
    print_message("%-18s energy off by %.2e J, trend %.2e J, violation %.1e\n", methods[i],
                  summary.max_energy_error, trend(results), summary.max_position_violation);
    assert_true(summary.max_energy_error <= most[i]);
    assert_true(summary.max_position_violation <= 1e-10);
    if (i == 2) assert_true(fabs(trend(results)) <= 1e-7);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* The posts stay parallel: the mechanism stays on its branch, whatever the phase error. */
static void hundred_seconds(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      trm_summary summary;
      trm_results *results = run(model, methods[i], 0.8, k ? 1e-3 : 1e-2, 100, &summary);
      int first = trm_results_find(results, "post1.angle");
      int third = trm_results_find(results, "post3.angle");
      double apart = 0;
      for (int r = 0; r < trm_results_rows(results); r++)
        apart = fmax(apart,
                     fabs(trm_results_get(results, r, first) - trm_results_get(results, r, third)));
      print_message("%-18s h = %g: posts apart by %.1e, energy %.1e J\n", methods[i],
                    k ? 1e-3 : 1e-2, apart, summary.max_energy_error);
      assert_true(apart < 0.05);
      assert_true(summary.max_position_violation <= 1e-10);
      if (i == 2) assert_true(summary.max_energy_error <= 1e-5);
      trm_results_destroy(results);
    }
  trm_model_destroy(model);
}

/* s(10) and s'(10) to five digits; RK4 is unstable at these steps. */
static void governor(void **state) {
  (void)state;
  static const double steps[] = {4e-4, 4e-4, 5e-4};
  trm_model *model = run_load("models/flyball_governor.yaml");
  trm_results *reference = run_reference("models/reference/flyball_governor.csv");
  int last = trm_results_rows(reference) - 1;
  for (int i = 0; i < 3; i++) {
    trm_summary summary;
    trm_results *results = run(model, methods[i], 0.95, steps[i], 10, &summary);
    int end = trm_results_rows(results) - 1;
    double off[2];
    for (int k = 0; k < 2; k++) {
      const char *name = k ? "slider.vz" : "slider.z";
      double expected = trm_results_get(reference, last, trm_results_find(reference, name));
      off[k] = fabs(trm_results_get(results, end, trm_results_find(results, name)) - expected);
      assert_true(off[k] <= 1e-5);
    }
    print_message(
        "%-18s %ld steps, %ld iterations, %ld Jacobians, %.3f s: s off by %.1e, s' %.1e\n",
        methods[i], summary.steps, summary.newton_iterations, summary.jacobians,
        summary.cpu_seconds, off[0], off[1]);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thousand_seconds),
      cmocka_unit_test(hundred_seconds),
      cmocka_unit_test(governor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
