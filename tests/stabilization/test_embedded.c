/* Constraint and energy correction within the step, paper 003: long runs against exact solutions.
 */
#include "../run.h"

static trm_settings with(const trm_model *model, const char *coordinates, const char *stabilization,
                         const char *energy, double step) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = coordinates;
  settings.stabilization = stabilization;
  settings.energy = energy;
  settings.integrator = "rk4";
  settings.step = step;
  settings.output_step = 0.5;
  settings.tolerance = 1e-12;
  return settings;
}

/* Largest distance of the two centres of mass from the reference. */
static double trajectory(const trm_results *results, const trm_results *reference, double end) {
  static const char *const columns[] = {"crank.x", "crank.y", "rod.x", "rod.y"};
  double worst = 0;
  for (int i = 0; i < trm_results_rows(reference); i++) {
    if (trm_results_get(reference, i, 0) > end + 1e-9) break;
    for (int k = 0; k < 4; k++) {
      assert_near(trm_results_get(results, i, 0), trm_results_get(reference, i, 0), 1e-9);
      double a = trm_results_get(results, i, trm_results_find(results, columns[k]));
      double b = trm_results_get(reference, i, trm_results_find(reference, columns[k]));
      worst = larger(worst, fabs(a - b));
    }
  }
  return worst;
}

typedef struct {
  const char *coordinates;
  double step, violation, energy, trajectory; /* at most */
} bound;

/* Sec. 4.1, 100 s: Fig. 2 (h = 0.05) and Fig. 3 (h = 0.01). */
static void slider_crank(void **state) {
  (void)state;
  static const bound bounds[] = {{"angle", 0.05, 5e-5, 9e-3, 5e-3},
                                 {"natural", 0.05, 1e-4, 1.2e-2, 3e-2},
                                 {"angle", 0.01, 1.5e-8, 3.1e-6, 4e-7},
                                 {"natural", 0.01, 3e-8, 3.1e-6, 5e-5}};
  trm_model *model = run_load("models/slider_crank_braun.yaml");
  trm_results *reference = run_reference("models/reference/slider_crank_braun.csv");
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    const bound *b = &bounds[i];
    double violation[2];
    for (int conserve = 0; conserve < 2; conserve++) {
      trm_settings settings =
          with(model, b->coordinates, "embedded", conserve ? "conserve" : "free", b->step);
      trm_summary summary;
      trm_results *results = run_model(model, &settings, &summary);
      double off = trajectory(results, reference, 100);
      print_message("%-8s h = %g %-8s violation %.1e  energy %.1e J  trajectory %.1e m\n",
                    b->coordinates, b->step, settings.energy, summary.max_position_violation,
                    summary.max_energy_error, off);
      violation[conserve] = summary.max_position_violation;
      if (conserve) {
        assert_true(summary.max_position_violation <= b->violation);
        assert_true(summary.max_energy_error <= b->energy);
        assert_true(off <= b->trajectory);
      } else {
        assert_true(off > 10 * b->trajectory); /* without the energy correction it loses its way */
      }
      trm_results_destroy(results);
    }
    /* the energy correction is tangent: it does not disturb the constraints */
    assert_true(violation[1] <= 1.5 * violation[0] && violation[0] <= 1.5 * violation[1]);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Fig. 3: the energy error stays where it is over the last half. */
static void energy_has_no_trend(void **state) {
  (void)state;
  trm_model *model = run_load("models/slider_crank_braun.yaml");
  trm_settings settings = with(model, "angle", "embedded", "conserve", 0.01);
  settings.output_step = 0.01;
  trm_results *results = run_model(model, &settings, NULL);
  int column = trm_results_find(results, "energy.error");
  double mean[2] = {0, 0}, largest[2] = {0, 0};
  for (int i = 0; i < trm_results_rows(results); i++) {
    double t = trm_results_get(results, i, 0), error = trm_results_get(results, i, column);
    if (t < 50) continue;
    int half = t >= 75;
    mean[half] += error / 2500;
    largest[half] = larger(largest[half], fabs(error));
  }
  assert_true(largest[1] <= 1.1 * largest[0] && largest[0] <= 1.1 * largest[1]);
  assert_true(fabs(mean[1] - mean[0]) <= 0.01 * largest[0]);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

/* With direct correction and partitioning the energy is met to round-off. */
static void with_projections(void **state) {
  (void)state;
  static const char *const stabilizations[] = {"direct", "partition"};
  trm_model *model = run_load("models/slider_crank_braun.yaml");
  trm_results *reference = run_reference("models/reference/slider_crank_braun.csv");
  for (int c = 0; c < 2 * RUN_FORMULATIONS; c++) {
    trm_settings settings =
        with(model, run_formulations[c / 2], stabilizations[c % 2], "conserve", 0.01);
    settings.duration = 20;
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    assert_true(summary.max_energy_error <= 1e-9);
    assert_true(summary.max_position_violation <= 1e-12);
    assert_true(trajectory(results, reference, 20) <= 1e-4);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Every explicit integrator, redundant and singular constraints, dampers and springs. */
static void every_integrator(void **state) {
  (void)state;
  const char *integrators[32];
  int count = run_methods("integrator", integrators);
  trm_model *cranks = run_load("models/parallel_cranks.yaml");
  trm_model *damped = run_load("models/four_bar_diagonal_spring.yaml");
  for (int i = 0; i < count; i++) {
    if (run_is_implicit(integrators[i])) continue;
    trm_settings settings = with(cranks, "natural", "embedded", "conserve", 1e-3);
    settings.integrator = integrators[i];
    settings.duration = 2; /* singular at t = π/2 */
    trm_summary summary;
    trm_results *results = run_model(cranks, &settings, &summary);
    bool euler = strcmp(integrators[i], "euler") == 0;
    assert_true(summary.max_position_violation <= (euler ? 1e-5 : 1e-7));
    assert_true(summary.max_energy_error <= (euler ? 1e-2 : 1e-5));
    trm_results_destroy(results);
    settings = with(damped, "angle", "embedded", "conserve", 1e-3);
    settings.integrator = integrators[i];
    settings.duration = 1;
    results = run_model(damped, &settings, &summary);
    assert_true(summary.max_position_violation <= (euler ? 1e-4 : 1e-7));
    trm_results_destroy(results);
  }
  trm_model_destroy(cranks);
  trm_model_destroy(damped);
}

/* At rest nothing moves, and nothing is made to move: the summary tells that there was nothing to
 * act on. */
static void nothing_at_rest(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_set_gravity(model, (double[3]){0, -9.81, 0});
  trm_body_def body = trm_default_body();
  body.name = "bob";
  body.mass = 1;
  body.inertia[2] = 0.1;
  body.position[1] = -1;
  trm_model_add_body(model, &body);
  trm_joint_def pin = trm_default_joint();
  pin.name = "pin";
  pin.connect[0] = "ground";
  pin.connect[1] = "bob";
  pin.at_given = true;
  trm_model_add_joint(model, &pin);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  for (int c = 0; c < 2; c++) {
    trm_settings settings = trm_default_settings();
    settings.stabilization = c ? "direct" : "embedded";
    settings.energy = "conserve";
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
    assert_near(trm_simulation_get(sim, trm_simulation_find(sim, "bob.omega", NULL)), 0, 1e-14);
    assert_non_null(strstr(trm_simulation_summary(sim)->message, "energy could not be corrected"));
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slider_crank),     cmocka_unit_test(energy_has_no_trend),
      cmocka_unit_test(with_projections), cmocka_unit_test(every_integrator),
      cmocka_unit_test(nothing_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
