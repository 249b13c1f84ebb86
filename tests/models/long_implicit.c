/* Long runs of the implicit methods: energy over 1000 s, hundreds of singular positions, order at
 * small steps, redundancy, rolling, the stiff governor to five digits. */
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
    if (i > 0) continue;
    double lost = summary.energy_initial - summary.energy_final;
    trm_results_destroy(run(model, methods[i], 0.95, 5e-3, 1000, &summary));
    double less = summary.energy_initial - summary.energy_final;
    print_message("%-18s lost %.2f J, %.2f J with half the step: order %.2f\n", methods[i], lost,
                  less, log2(lost / less));
    assert_near(log2(lost / less), 3, 0.3);
  }
  trm_model_destroy(model);
}

/* How far the posts are from parallel: on its branch the mechanism keeps them so, whatever the
 * phase error. */
static double apart(const trm_results *results) {
  int first = trm_results_find(results, "post1.angle"),
      third = trm_results_find(results, "post3.angle");
  double most = 0;
  for (int r = 0; r < trm_results_rows(results); r++)
    most =
        larger(most, fabs(trm_results_get(results, r, first) - trm_results_get(results, r, third)));
  return most;
}

/* A hundred singular positions; the tip against the exact reduction, of second order. */
static void hundred_seconds(void **state) {
  (void)state;
  static const struct {
    const char *method;
    double radius, energy; /* at h = 1e-2 */
    double low, high;      /* order: damping is of third order, and after 100 s may be most */
  } rows[] = {{"generalized-alpha", 0.8, 0.2, 1.7, 3.05},
              {"generalized-alpha", 0.95, 0.2, 1.95, 2.05},
              {"three-field", 0.95, 1e-5, 1.95, 2.05},
              {"trapezoidal", 0.95, 0.3, 1, 3}};
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar_1000s.csv");
  for (int i = 0; i < 4; i++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      trm_summary summary;
      trm_results *results =
          run(model, rows[i].method, rows[i].radius, k ? 1e-3 : 1e-2, 100, &summary);
      off[k] = run_difference(results, reference, 100);
      print_message("%-18s %.2f h = %g: off by %.1e, posts apart by %.1e, energy %.1e J\n",
                    rows[i].method, rows[i].radius, k ? 1e-3 : 1e-2, off[k], apart(results),
                    summary.max_energy_error);
      assert_true(apart(results) <= 1e-9);
      assert_true(summary.max_position_violation <= 1e-10);
      assert_true(summary.max_energy_error <= rows[i].energy);
      trm_results_destroy(results);
    }
    double order = log10(off[0] / off[1]);
    assert_true(order > rows[i].low && order < rows[i].high);
    assert_true(off[1] <= 1e-2);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Small steps, too: what Newton's iteration leaves does not add up, nor does it matter how close to
 * a singular position a step ends. The trapezoidal rule also has an error of third order. */
static void second_order(void **state) {
  (void)state;
  static const char *const names[] = {"generalized-alpha", "three-field", "trapezoidal"};
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar.csv");
  for (int i = 0; i < 3; i++) {
    double before = 0;
    for (int k = 0; k < 4; k++) {
      trm_results *results = run(model, names[i], 0.95, 2e-3 / (1 << k), 10, NULL);
      double off = run_difference(results, reference, 10);
      print_message("%-18s h = %g: off by %.3e, order %.2f\n", names[i], 2e-3 / (1 << k), off,
                    k ? log2(before / off) : 0);
      if (k) assert_near(log2(before / off), 2, i < 2 ? 0.05 : 0.25);
      before = off;
      trm_results_destroy(results);
    }
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* A thousand singular positions with steps that end as close to them as chance will have it. */
static void any_step(void **state) {
  (void)state;
  static const double most[] = {1.5, 0.3, 1e-5};
  trm_model *model = run_load("models/n_four_bar.yaml");
  for (int i = 0; i < 3 * 4; i++) {
    trm_summary summary;
    double step = 9.7e-3 + 1.7e-4 * (i / 3);
    trm_results *results = run(model, methods[i % 3], 0.95, step, step * 1e5, &summary);
    print_message("%-18s h = %g: posts apart by %.1e, energy %.1e J\n", methods[i % 3], step,
                  apart(results), summary.max_energy_error);
    assert_true(apart(results) <= 1e-9);
    assert_true(summary.max_energy_error <= most[i % 3]);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* Ten seconds of a redundant mechanism, and the whole of the rolling sphere's. */
static void whole_models(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double step, duration, error;
  } rows[] = {{"bricard", 1e-2, 10, 2e-3}, {"rolling_sphere_turntable", 5e-4, 3.5, 1e-2}};
  for (int k = 0; k < 2; k++) {
    char path[100];
    snprintf(path, sizeof path, "models/%s.yaml", rows[k].name);
    trm_model *model = run_load(path);
    snprintf(path, sizeof path, "models/reference/%s.csv", rows[k].name);
    trm_results *reference = run_reference(path);
    for (int i = 0; i < 3; i++) {
      trm_settings settings = *trm_model_settings(model);
      settings.integrator = methods[i];
      settings.step = rows[k].step;
      settings.duration = rows[k].duration;
      settings.output_step = 0.1;
      settings.spectral_radius = 0.95;
      trm_summary summary;
      trm_results *results = run_model(model, &settings, &summary);
      double off = run_difference(results, reference, rows[k].duration);
      print_message("%-24s %-18s off by %.1e, energy %.1e J, violations %.1e %.1e\n", rows[k].name,
                    methods[i], off, summary.max_energy_error, summary.max_position_violation,
                    summary.max_velocity_violation);
      assert_true(off <= rows[k].error);
      assert_true(summary.max_position_violation <= 1e-10);
      assert_true(summary.max_velocity_violation <= 1e-10);
      if (k == 0) assert_true(summary.max_energy_error <= (i == 2 ? 1e-9 : 2e-3));
      trm_results_destroy(results);
    }
    trm_results_destroy(reference);
    trm_model_destroy(model);
  }
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
      cmocka_unit_test(thousand_seconds), cmocka_unit_test(hundred_seconds),
      cmocka_unit_test(second_order),     cmocka_unit_test(any_step),
      cmocka_unit_test(whole_models),     cmocka_unit_test(governor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
