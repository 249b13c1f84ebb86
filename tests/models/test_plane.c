/* The plane's benchmark problems against independent solutions, in every formulation and with every
 * solver: IFToMM A01–A03 and the slider-cranks of papers 002 and 003. */
#include "../run.h"

#define COMBINATIONS (RUN_FORMULATIONS * RUN_SOLVERS)

static trm_settings settings_of(const trm_model *model, int combination,
                                const char *stabilization) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = run_formulations[combination % RUN_FORMULATIONS];
  settings.solver = run_solvers[combination / RUN_FORMULATIONS];
  settings.stabilization = stabilization;
  return settings;
}

static double value_at(const trm_results *results, int row, const char *name) {
  int column = trm_results_find(results, name);
  if (column < 0) fail_msg("column %s is missing", name);
  return trm_results_get(results, row, column);
}

static double last_of(const trm_results *results, const char *name) {
  return value_at(results, trm_results_rows(results) - 1, name);
}

static void print_run(const char *name, const trm_settings *settings, double off,
                      const trm_summary *summary) {
  print_message("%-32s %-16s %-22s %-9s off %.1e  energy %.1e J  violations %.1e %.1e\n", name,
                settings->coordinates, settings->solver, settings->stabilization, off,
                summary->max_energy_error, summary->max_position_violation,
                summary->max_velocity_violation);
}

/* One run of a combination against the reference up to `end`. */
static trm_results *compare(const trm_model *model, const trm_settings *settings,
                            const trm_results *reference, double end, double tolerance,
                            trm_summary *summary) {
  trm_results *results = run_model(model, settings, summary);
  double off = run_difference(results, reference, end);
  print_run(trm_model_name(model), settings, off, summary);
  assert_true(off <= tolerance);
  return results;
}

static void agree_fully(const trm_results *results, const trm_results *reference) {
  trm_comparison *comparison = trm_compare_results(results, reference, NULL, NULL, NULL);
  assert_non_null(comparison);
  assert_int_equal(comparison->column_count, trm_results_columns(reference) - 1);
  for (int i = 0; i < comparison->column_count; i++) {
    assert_true(comparison->columns[i].icc_consistency.value >= 1 - 5e-7);
    assert_true(comparison->columns[i].icc_absolute_agreement.value >= 1 - 5e-7);
  }
  trm_comparison_destroy(comparison);
}

/* A01: ICC = 1.000000; energy to 1e-9 J, where paper 002 has 5e-5 J. */
static void pendulum(void **state) {
  (void)state;
  static const char *const stabilizations[] = {"direct", "partition"};
  trm_model *model = run_load("models/pendulum.yaml");
  trm_results *reference = run_reference("models/reference/pendulum.csv");
  for (int c = 0; c < 2 * COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c / 2, stabilizations[c % 2]);
    assert_string_equal(settings.integrator, "ab6");
    assert_near(settings.step, 1e-3, 0);
    trm_summary summary;
    trm_results *results = compare(model, &settings, reference, 10, 1e-9, &summary);
    agree_fully(results, reference);
    double E0 = value_at(results, 0, "energy.total");
    for (int i = 0; i < trm_results_rows(results); i++)
      assert_near(value_at(results, i, "energy.total"), E0, 1e-9);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* How far from the branch on which both rods make the same angle with the slider's line. */
static double off_branch(const trm_results *results) {
  double largest = 0;
  for (int i = 0; i < trm_results_rows(results); i++)
    largest = larger(largest,
                     fabs(value_at(results, i, "rod.angle") + value_at(results, i, "crank.angle")));
  return largest;
}

/* 002: twice a turn through a singular configuration. */
static void slider_crank_iftomm(void **state) {
  (void)state;
  trm_model *model = run_load("models/slider_crank_iftomm.yaml");
  trm_results *reference = run_reference("models/reference/slider_crank_iftomm.csv");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE)
    for (int part = 0; part < 2; part++) {
      trm_settings settings = settings_of(model, c, part ? "partition" : "direct");
      assert_string_equal(settings.integrator, "ab6");
      assert_near(settings.step, 1e-3, 0);
      trm_summary summary;
      double tolerance = part ? 1e-3 : 1e-6;
      trm_results *results = compare(model, &settings, reference, 10, tolerance, &summary);
      assert_true(off_branch(results) <= tolerance);
      assert_int_equal(summary.degrees_of_freedom, 1);
      trm_results_destroy(results);
    }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* 003 sec. 4.1. */
static void slider_crank_braun(void **state) {
  (void)state;
  trm_model *model = run_load("models/slider_crank_braun.yaml");
  trm_results *reference = run_reference("models/reference/slider_crank_braun.csv");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE)
    for (int part = 0; part < 2; part++) {
      trm_settings settings = settings_of(model, c, part ? "partition" : "direct");
      settings.duration = 10;
      trm_summary summary;
      double tolerance = part ? 1e-3 : 1e-5;
      trm_results *results = compare(model, &settings, reference, 10, tolerance, &summary);
      assert_true(off_branch(results) <= tolerance);
      trm_results_destroy(results);
    }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

typedef struct {
  const char *angle, *minus; /* the published unknown is the difference of two measures */
  double position, velocity;
} published;

/* Test Set for IVP Solvers, t = 0.03. */
static const published andrews_end[] = {
    {"K1", NULL, 15.81077119629904, 1139.920302151208},
    {"K2", "K1", -15.75637105984298, -1424.379294994111},
    {"K3", NULL, 0.04082224013073101, 11.03291221937134},
    {"K4", "K5", -0.5347301163226948, 19.29337464421385},
    {"K5", NULL, 0.5244099658805304, 0.5735699284790808},
    {"K6", "K7", 0.5347301163226948, -19.29337464421385},
    {"K7", NULL, 1.048080741042263, 0.3231791658026955},
};

static double unknown(const trm_results *results, int row, const published *p, const char *what) {
  char name[32];
  snprintf(name, sizeof name, "%s.%s", p->angle, what);
  double value = value_at(results, row, name);
  if (!p->minus) return value;
  snprintf(name, sizeof name, "%s.%s", p->minus, what);
  return value - value_at(results, row, name);
}

static void check_andrews(const trm_model *model, const trm_settings *settings) {
  trm_summary summary;
  trm_results *results = run_model(model, settings, &summary);
  int last = trm_results_rows(results) - 1;
  double angles = 0, velocities = 0;
  for (size_t i = 0; i < sizeof andrews_end / sizeof *andrews_end; i++) {
    const published *p = &andrews_end[i];
    angles = larger(angles, fabs(unknown(results, last, p, "angle") / p->position - 1));
    velocities = larger(velocities, fabs(unknown(results, last, p, "omega") / p->velocity - 1));
  }
  print_run("andrews", settings, angles, &summary);
  print_message("  %s, %ld steps: velocities %.1e (relative)\n", settings->integrator,
                summary.steps, velocities);
  assert_near(value_at(results, last, "t"), 0.03, 1e-15);
  assert_true(angles <= 1e-8);
  assert_true(velocities <= 1e-6);
  /* the start, published too: the others begin with no acceleration */
  assert_near(value_at(results, 0, "K1.alpha"), 14222.4439199541, 1e-6);
  assert_near(unknown(results, 0, &andrews_end[1], "alpha"), -10666.8329399656, 1e-6);
  assert_near(value_at(results, 0, "energy.potential"), 1.4357963991617, 1e-12);
  double work = 0.033 * (last_of(results, "K1.angle") - value_at(results, 0, "K1.angle"));
  assert_near(last_of(results, "energy.work"), work, 1e-8);
  assert_true(summary.max_energy_error <= 1e-8);
  trm_results_destroy(results);
}

/* A03: 8 digits in angles, 6 in velocities. */
static void andrews(void **state) {
  (void)state;
  trm_model *model = run_load("models/andrews.yaml");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c, "direct");
    check_andrews(model, &settings);
    settings.stabilization = "partition";
    check_andrews(model, &settings);
  }
  trm_settings settings = settings_of(model, 0, "direct");
  settings.integrator = "dopri5";
  settings.step = TRM_UNSET;
  settings.rtol = 1e-12;
  settings.atol = 1e-14;
  check_andrews(model, &settings);
  trm_model_destroy(model);
}

/* ((N + 1)/3 + N) θ'' = ((N + 1)/2 + N) g sin θ by RK4 in steps of `h`. */
static double post_angle(int n, double t) {
  double k = ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n) * 9.81, angle = 0, rate = 1;
  int steps = (int)ceil(t / 1e-4);
  for (int i = 0; i < steps; i++) {
    double h = t / steps, w1 = rate, a1 = k * sin(angle);
    double w2 = rate + h / 2 * a1, a2 = k * sin(angle + h / 2 * w1);
    double w3 = rate + h / 2 * a2, a3 = k * sin(angle + h / 2 * w2);
    double w4 = rate + h * a3, a4 = k * sin(angle + h * w3);
    angle += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return angle;
}

/* A02 with N = 2, 003 sec. 4.2: ten passages through singular configurations. */
static void n_four_bar(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar.csv");
  double end = post_angle(2, 10);
  assert_near(sin(end), 0.328458111541, 1e-11); /* the reduction itself, against the reference */
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE)
    for (int part = 0; part < 2; part++) {
      trm_settings settings = settings_of(model, c, part ? "partition" : "direct");
      trm_summary summary;
      double tolerance = part ? 1e-3 : 1e-7;
      trm_results *results = compare(model, &settings, reference, 10, tolerance, &summary);
      assert_near(last_of(results, "post1.B.x"), sin(end), tolerance);
      assert_near(last_of(results, "post1.B.y"), cos(end), tolerance);
      for (int i = 0; i < trm_results_rows(results); i++) { /* the branch: couplers do not turn */
        assert_near(value_at(results, i, "coupler1.angle"), 0, tolerance);
        assert_near(value_at(results, i, "post1.angle"), value_at(results, i, "post3.angle"),
                    tolerance);
      }
      assert_int_equal(summary.degrees_of_freedom, 1);
      trm_results_destroy(results);
    }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum),           cmocka_unit_test(slider_crank_iftomm),
      cmocka_unit_test(slider_crank_braun), cmocka_unit_test(andrews),
      cmocka_unit_test(n_four_bar),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
