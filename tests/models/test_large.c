/* Models that grow: the chain against its reduced equations, rows of windows through their singular
 * position with ranks decided where they are lost. */
#include "../run.h"

static trm_model *load(const char *path, const char *size, trm_space space) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  const char *const overrides[] = {size, NULL};
  trm_model *model = trm_model_load_as(path, overrides, space, diagnostics, NULL);
  if (!model) run_print(diagnostics);
  assert_non_null(model);
  trm_diagnostics_destroy(diagnostics);
  return model;
}

typedef void rates(const double *y, double *dy);

/* Runge-Kutta 4 with steps small enough for round-off */
static void integrate(rates *f, int size, double *y, double duration) {
  enum { steps = 20000 };
  double h = duration / steps, k[4][4], z[4];
  for (int s = 0; s < steps; s++) {
    const double part[] = {0, h / 2, h / 2, h};
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < size; i++) z[i] = y[i] + (stage ? part[stage] * k[stage - 1][i] : 0);
      f(z, k[stage]);
    }
    for (int i = 0; i < size; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static const double g = 9.81;

/* y = φ, φ': the physical pendulum, φ from the horizontal */
static void one_rod(const double *y, double *dy) {
  dy[0] = y[1];
  dy[1] = -1.5 * g * cos(y[0]);
}

/* y = φ₁, φ₂, φ₁', φ₂': Lagrange's equations of two rods */
static void two_rods(const double *y, double *dy) {
  double c = cos(y[0] - y[1]) / 2, s = sin(y[0] - y[1]) / 2;
  double a = 4 / 3.0, b = 1 / 3.0;
  double f1 = -s * y[3] * y[3] - 1.5 * g * cos(y[0]);
  double f2 = s * y[2] * y[2] - 0.5 * g * cos(y[1]);
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = (f1 * b - f2 * c) / (a * b - c * c);
  dy[3] = (f2 * a - f1 * c) / (a * b - c * c);
}

static void check_chain(const char *size, trm_space space, double phi) {
  trm_model *model = load("models/chain.yaml", size, space);
  trm_summary summary;
  trm_results *results = run_model(model, trm_model_settings(model), &summary);
  int row = trm_results_rows(results) - 1;
  assert_near(trm_results_get(results, row, trm_results_find(results, "rod1.B.x")), cos(phi), 1e-9);
  assert_near(trm_results_get(results, row, trm_results_find(results, "rod1.B.y")), sin(phi), 1e-9);
  assert_true(summary.max_energy_error < 1e-8);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

static void short_chains(void **state) {
  (void)state;
  double one[] = {0, 0}, two[] = {0, 0, 0, 0};
  integrate(one_rod, 2, one, 1);
  integrate(two_rods, 4, two, 1);
  const trm_space spaces[] = {TRM_PLANAR, TRM_SPATIAL};
  for (int k = 0; k < 2; k++) {
    check_chain("N=1", spaces[k], one[0]);
    check_chain("N=2", spaces[k], two[0]);
  }
}

/* All posts at one angle from the vertical, see the model. */
static double windows = 60;

static void all_windows(const double *y, double *dy) {
  dy[0] = y[1];
  dy[1] = ((windows + 1) / 2 + windows) / ((windows + 1) / 3 + windows) * g * sin(y[0]);
}

static void windows_pass_singular_position(void **state) {
  (void)state;
  double y[] = {0, 1};
  windows = 60;
  integrate(all_windows, 2, y, 1.5);
  assert_true(y[0] > 3.2); /* the posts have been down on one side and come to the other */
  trm_model *model = load("models/n_four_bar.yaml", "N=60", TRM_PLANAR);
  trm_settings settings = *trm_model_settings(model);
  settings.linear = "sparse";
  settings.duration = 1.5;
  settings.output_step = 1.5;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  double x = trm_results_get(results, 1, trm_results_find(results, "post1.B.x"));
  double z = trm_results_get(results, 1, trm_results_find(results, "post1.B.y"));
  print_message("60 windows: (%.9f, %.9f), exact (%.9f, %.9f), energy error %.1e J\n", x, z,
                sin(y[0]), cos(y[0]), summary.max_energy_error);
  assert_near(x, sin(y[0]), 1e-6);
  assert_near(z, cos(y[0]), 1e-6);
  assert_true(summary.max_energy_error < 1e-3);
  assert_int_equal(summary.degrees_of_freedom, 1);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

/* Three rows too many in each window, wherever it is; the motion is that of the plane. */
static void check_windows_in_space(int count, double duration, double close) {
  char size[16];
  double y[] = {0, 1};
  windows = count;
  integrate(all_windows, 2, y, duration);
  snprintf(size, sizeof size, "N=%d", count);
  trm_model *model = load("models/n_four_bar_spatial.yaml", size, TRM_SPATIAL);
  trm_settings settings = *trm_model_settings(model);
  settings.duration = settings.output_step = duration;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  assert_int_equal(summary.degrees_of_freedom, 1);
  assert_int_equal(summary.redundant_constraints, 3 * count);
  assert_near(trm_results_get(results, 1, trm_results_find(results, "post1.B.x")), sin(y[0]),
              close);
  assert_near(trm_results_get(results, 1, trm_results_find(results, "post1.B.y")), cos(y[0]),
              close);
  assert_true(summary.max_energy_error < 1e-5 * count);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

static void windows_in_space(void **state) {
  (void)state;
  check_windows_in_space(1000, 0.02, 1e-9);
  check_windows_in_space(150, 1, 1e-6); /* beyond a singular position */
}

/* Rods, sparse and dense: the same motion. */
static void check_dense_agrees(const char *size, const char *stabilization, double close) {
  static const char *const ways[] = {"dense", "sparse"};
  double tip[2];
  for (int k = 0; k < 2; k++) {
    trm_model *model = load("models/chain.yaml", size, TRM_PLANAR);
    trm_settings settings = *trm_model_settings(model);
    settings.linear = ways[k];
    settings.stabilization = stabilization;
    settings.duration = 0.1;
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    int last = trm_results_rows(results) - 1;
    tip[k] = trm_results_get(results, last, trm_results_find(results, "rod1.B.y"));
    trm_results_destroy(results);
    trm_model_destroy(model);
  }
  assert_true(fabs(tip[0]) > 1e-3);
  assert_near(tip[0], tip[1], close);
}

static void dense_agrees(void **state) {
  (void)state;
  check_dense_agrees("N=50", "direct", 1e-12);
  check_dense_agrees("N=20", "partition", 1e-10); /* other coordinates are moved */
}

/* Partitioning at the singular position, with dependent coordinates chosen sparsely. */
static void partition_passes_singular_position(void **state) {
  (void)state;
  trm_model *model = load("models/n_four_bar.yaml", "N=60", TRM_PLANAR);
  double y[] = {0, 1};
  windows = 60;
  integrate(all_windows, 2, y, 1.5);
  trm_settings settings = *trm_model_settings(model);
  settings.stabilization = "partition";
  settings.duration = settings.output_step = 1.5;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  assert_near(trm_results_get(results, 1, trm_results_find(results, "post1.B.x")), sin(y[0]), 1e-6);
  assert_true(summary.max_energy_error < 1e-3);
  assert_true(summary.max_position_violation < 1e-12);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

/* At rest all balls start with the wind, and a link carries what hangs below it; ordered by minimum
 * degree from about this size on. */
static void check_net(const char *size, int below) {
  trm_model *model = load("models/net.yaml", size, TRM_SPATIAL);
  trm_settings settings = *trm_model_settings(model);
  settings.duration = settings.output_step = 5e-3;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  assert_near(trm_results_get(results, 0, trm_results_find(results, "ball2_1.ay")), 3, 1e-9);
  assert_near(trm_results_get(results, 0, trm_results_find(results, "down2_1.fz")),
              below * 0.01 * 9.81, 1e-9);
  assert_near(trm_results_get(results, 0, trm_results_find(results, "across2_2.fx")), 0, 1e-9);
  /* y'' = 3 − T y/(m L) while the row below has moved as far */
  double t = 5e-3, y = 1.5 * t * t * (1 - below * 9.81 / 0.1 * t * t / 12);
  assert_near(trm_results_get(results, 1, trm_results_find(results, "ball2_1.y")), y, 1e-8);
  assert_true(summary.max_energy_error < 1e-10); /* of a kilojoule */
  trm_results_destroy(results);
  trm_model_destroy(model);
}

static void nets(void **state) {
  (void)state;
  check_net("N=4", 3);
  check_net("N=60", 59);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_chains),
      cmocka_unit_test(windows_pass_singular_position),
      cmocka_unit_test(windows_in_space),
      cmocka_unit_test(dense_agrees),
      cmocka_unit_test(nets),
      cmocka_unit_test(partition_passes_singular_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
