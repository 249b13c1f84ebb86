/* Fig. 4 of paper 003: accuracy against step, slider-crank over 100 s, beside plain RK4 on the
 * unconstrained equation (24). */
#include "space_run.h"

enum { STEPS = 7 };
static const double steps[STEPS] = {0.1, 0.05, 0.025, 0.0125, 0.01, 0.005, 0.0025};
static const double pi = 3.14159265358979323846, g = 9.81;

/* θ'' + 3/(5 − 3 cos 2θ) (sin 2θ θ'² + (g/l) cos θ) = 0, l = 1 */
static void equation_24(const double *constants, const double *y, double *dy) {
  (void)constants;
  dy[0] = y[1];
  dy[1] = -3 / (5 - 3 * cos(2 * y[0])) * (sin(2 * y[0]) * y[1] * y[1] + g * cos(y[0]));
}

/* ε = √(dx² + dy²), the larger one of the two centres of mass: x1, y1, x2, y2. */
static double distance(const trm_results *reference, int row, const double *at) {
  static const char *const names[] = {"crank.x", "crank.y", "rod.x", "rod.y"};
  double d[4];
  for (int i = 0; i < 4; i++) d[i] = at[i] - space_value(reference, row, names[i]);
  return larger(hypot(d[0], d[1]), hypot(d[2], d[3]));
}

static double plain_error(const trm_results *reference, double h) {
  double y[2] = {pi / 4, 0}, worst = 0;
  long between = lround((trm_results_get(reference, 1, 0) - trm_results_get(reference, 0, 0)) / h);
  for (int row = 0; row < trm_results_rows(reference); row++) {
    double x = cos(y[0]) / 2, z = sin(y[0]) / 2;
    worst = larger(worst, distance(reference, row, (double[]){x, z, 3 * x, z}));
    for (long k = 0; k < between; k++) space_rk4(equation_24, NULL, 2, h, y);
  }
  return worst;
}

static double engine_error(const trm_model *model, const trm_results *reference, const char *energy,
                           double h) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = "angle"; /* the paper's */
  settings.stabilization = "embedded";
  settings.integrator = "rk4";
  settings.energy = energy;
  settings.step = h;
  settings.output_step = trm_results_get(reference, 1, 0);
  trm_results *results = run_model(model, &settings, NULL);
  assert_int_equal(trm_results_rows(results), trm_results_rows(reference));
  double worst = 0;
  for (int row = 0; row < trm_results_rows(results); row++) {
    double at[] = {space_value(results, row, "crank.x"), space_value(results, row, "crank.y"),
                   space_value(results, row, "rod.x"), space_value(results, row, "rod.y")};
    worst = larger(worst, distance(reference, row, at));
  }
  trm_results_destroy(results);
  return worst;
}

static void accuracy_against_step(void **state) {
  (void)state;
  trm_model *model = run_load("models/slider_crank_braun.yaml");
  trm_results *reference = run_reference("models/reference/slider_crank_braun.csv");
  double plain[STEPS], conserve[STEPS], without[STEPS];
  for (int k = 0; k < STEPS; k++) {
    plain[k] = plain_error(reference, steps[k]);
    conserve[k] = engine_error(model, reference, "conserve", steps[k]);
    without[k] = engine_error(model, reference, "free", steps[k]);
    print_message("h = %-7g  eq. (24) %.1e  embedded %.1e  with energy %.1e\n", steps[k], plain[k],
                  without[k], conserve[k]);
    /* large steps gain much, no step loses */
    assert_true(conserve[k] < plain[k] / (steps[k] >= 0.01 ? 10 : 1));
  }
  /* from 0.01 to 0.0025; one halving alone also sees which output time is the worst */
  int from = STEPS - 3, to = STEPS - 1;
  double ratio = log(steps[from] / steps[to]);
  assert_near(log(conserve[from] / conserve[to]) / ratio, 4, 0.2);
  /* its energy drifts with h⁵, and over 100 s the phase follows that, as with eq. (24) */
  assert_near(log(without[from] / without[to]) / ratio, 5, 0.1);
  assert_near(log(plain[from] / plain[to]) / ratio, 5, 0.1);
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(accuracy_against_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
