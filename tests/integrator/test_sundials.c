/* CVODE's BDF and Adams methods, and IDA: errors follow the tolerance, constraints hold, jumps are
 * met, and what cannot be done is said. */
#include "pushed.h"
#include "sundials.h"

/* Against elliptic functions, in every formulation. */
static void error_follows_the_tolerance(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  trm_results *reference = run_reference("models/reference/pendulum.csv");
  for (int k = 0; k < SUNDIALS_METHODS * RUN_FORMULATIONS; k += RUN_STRIDE) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      double rtol = fine ? 1e-9 : 1e-6;
      trm_settings settings =
          sundials_settings(model, sundials_methods[k % SUNDIALS_METHODS], rtol);
      settings.coordinates = run_formulations[k / SUNDIALS_METHODS];
      settings.output_step = 0.1;
      trm_summary summary;
      trm_results *results = run_model(model, &settings, &summary);
      error[fine] = run_difference(results, reference, 10);
      assert_true(summary.max_position_violation <= 1e-11);
      assert_true(summary.max_velocity_violation <= 1e-12);
      trm_results_destroy(results);
    }
    print_message("%s, %s: %.1e, %.1e\n", sundials_methods[k % SUNDIALS_METHODS],
                  run_formulations[k / SUNDIALS_METHODS], error[0], error[1]);
    assert_true(error[0] <= 1e-2 && error[1] <= 5e-5 && error[1] < error[0] / 50);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* IFToMM A03, the published end state: 4 digits of the angles, 3 of the velocities. */
static void andrews(void **state) {
  (void)state;
  for (int k = 1; k < SUNDIALS_METHODS; k++) {
    double error[2];
    trm_summary summary;
    sundials_andrews(sundials_methods[k], 1e-8, error, &summary);
    assert_true(error[0] <= 5e-5 && error[1] <= 5e-4);
  }
}

/* The table that SUNDIALS publishes with its example. */
static void slider_crank(void **state) {
  (void)state;
  static const struct {
    double t, q, x, p, unit[3];
  } table[] = {{1, 1.3154, 1.0015, -0.50497, {1e-4, 1e-4, 1e-5}},
               {2, 0.57904, 1.3803, -0.27715, {1e-5, 1e-4, 1e-5}},
               {3, -0.44711, 1.4272, 0.21790, {1e-5, 1e-4, 1e-5}},
               {5, -1.4300, 0.93903, 0.51790, {1e-4, 1e-5, 1e-5}},
               {8, 0.64422, 1.3536, -0.30500, {1e-5, 1e-4, 1e-5}},
               {10, 1.2757, 1.0236, -0.49881, {1e-4, 1e-4, 1e-5}}};
  trm_model *model = run_load("models/slider_crank_sundials.yaml");
  for (int k = 0; k < SUNDIALS_METHODS; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-9);
    trm_results *results = run_model(model, &settings, NULL);
    int q = trm_results_find(results, "q"), x = trm_results_find(results, "x"),
        p = trm_results_find(results, "p");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
      int row = (int)table[i].t;
      assert_near(trm_results_get(results, row, 0), table[i].t, 1e-12);
      assert_near(trm_results_get(results, row, q), table[i].q, table[i].unit[0]);
      assert_near(trm_results_get(results, row, x), table[i].x, table[i].unit[1]);
      assert_near(trm_results_get(results, row, p), table[i].p, table[i].unit[2]);
    }
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* Through the singular positions on the right branch: the exact reduction has the tip. Of five
 * tolerances one may have a step that ends where round-off decides. */
static void singular_positions(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar.csv");
  for (int k = 0; k < 2; k++) { /* IDA is in long_sundials_accuracy.c */
    int good = 0;
    for (int i = 0; i < 5; i++) {
      trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-8 * pow(1.3, i - 2));
      trm_summary summary;
      trm_results *results = run_model(model, &settings, &summary);
      double error = run_difference(results, reference, 10);
      assert_true(error <= 0.1);
      assert_true(summary.max_position_violation <= 1e-11);
      good += error <= 1e-3;
      trm_results_destroy(results);
    }
    assert_true(good >= 4);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Redundant joints, in the plane and in space. */
static void redundant_constraints(void **state) {
  (void)state;
  static const char *const models[] = {"models/parallel_cranks.yaml", "models/bricard.yaml"};
  for (int k = 0; k < 2 * SUNDIALS_METHODS; k++) {
    trm_model *model = run_load(models[k % 2]);
    trm_settings settings = sundials_settings(model, sundials_methods[k / 2], 1e-8);
    settings.duration = 1;
    trm_summary summary;
    trm_results_destroy(run_model(model, &settings, &summary));
    assert_true(summary.redundant_constraints > 0);
    assert_true(summary.max_position_violation <= 1e-10);
    assert_true(summary.max_energy_error <= 1e-3);
    trm_model_destroy(model);
  }
}

/* Rolling is of velocity level: rows without a μ. */
static void rolling(void **state) {
  (void)state;
  trm_model *model = run_load("models/rolling_sphere_turntable.yaml");
  trm_results *reference = run_reference("models/reference/rolling_sphere_turntable.csv");
  for (int k = 1; k < SUNDIALS_METHODS; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-7);
    settings.duration = 3.5;
    trm_results *results = run_model(model, &settings, NULL);
    assert_true(run_difference(results, reference, 3.5) <= 5e-4);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Dense linear algebra takes the same steps. */
static void dense_is_the_same(void **state) {
  (void)state;
  trm_model *model = run_load("models/four_bar_diagonal_spring.yaml");
  for (int k = 1; k < SUNDIALS_METHODS; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-7);
    settings.output_step = 0.1;
    trm_results *sparse = run_model(model, &settings, NULL);
    settings.linear = "dense";
    trm_results *dense = run_model(model, &settings, NULL);
    assert_true(run_difference(dense, sparse, 10) <= 1e-5);
    trm_results_destroy(sparse);
    trm_results_destroy(dense);
  }
  trm_model_destroy(model);
}

/* F = 6 from t = 1/3 on: x = 1 + ½·3·(2/3)²; rows lie on both sides and at the very end. */
static void a_jump_is_met(void **state) {
  (void)state;
  trm_model *model = pushed_cart("if(t < 1/3, 0, 6)");
  for (int k = 0; k < SUNDIALS_METHODS; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-9);
    settings.duration = 1;
    settings.output_step = 0.125;
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    assert_int_equal(trm_results_rows(results), 9);
    for (int i = 0; i < 9; i++) {
      double t = 0.125 * i, late = larger(0, t - 1 / 3.0);
      assert_near(trm_results_get(results, i, 1), t + 1.5 * late * late, 1e-7);
    }
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* A force that ends the world at x = 1: the run stops there and says where and why, and nothing is
 * printed by others. */
static void a_pole_is_told(void **state) {
  (void)state;
  trm_model *model = pushed_cart("1/sqrt(1 - cart.x)");
  for (int k = 0; k < SUNDIALS_METHODS; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-6);
    settings.duration = 5;
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_simulation *sim = trm_simulation_create(model, &settings, diagnostics, NULL);
    assert_non_null(sim);
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, diagnostics), TRM_FAILED);
    const char *message = trm_simulation_summary(sim)->message;
    assert_true(strncmp(message, "t = 0.", 6) == 0);
    assert_true(trm_simulation_time(sim) > 0.5 && trm_simulation_time(sim) < 1);
    trm_simulation_destroy(sim);
    trm_diagnostics_destroy(diagnostics);
  }
  trm_model_destroy(model);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  static const char *const stabilizations[] = {"baumgarte", "embedded", "none"};
  for (int k = 0; k < SUNDIALS_METHODS * 3; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k % 3], 1e-6);
    settings.stabilization = stabilizations[k / 3];
    trm_status status;
    assert_null(trm_simulation_create(model, &settings, NULL, &status));
    assert_int_equal(status, TRM_BAD_USAGE);
  }
  for (int k = 0; k < SUNDIALS_METHODS; k++) {
    trm_settings settings = sundials_settings(model, sundials_methods[k], 1e-6);
    settings.energy = "conserve";
    trm_status status;
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, &status);
    assert_int_equal(status, k == 1 ? TRM_OK : TRM_BAD_USAGE);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* CVODE's projection also keeps the energy: only the first steps, from rest, cannot. */
static void bdf_conserves(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  trm_settings settings = sundials_settings(model, "bdf", 1e-6);
  trm_summary before, summary;
  trm_results_destroy(run_model(model, &settings, &before));
  settings.energy = "conserve";
  trm_results_destroy(run_model(model, &settings, &summary));
  assert_true(before.max_energy_error >= 1e-4 && summary.max_energy_error <= 1e-6);
  trm_model_destroy(model);
}

/* From rest the energy is a matter of positions: put right in the velocity at once, which is slow,
 * it would be an error beyond the tolerance, at steps of any length. */
static void bdf_conserves_from_rest(void **state) {
  (void)state;
  trm_model *model = run_load("models/andrews.yaml");
  for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2) {
    trm_settings settings = sundials_settings(model, "bdf", tolerance);
    trm_summary free, summary;
    trm_results_destroy(run_model(model, &settings, &free));
    settings.energy = "conserve";
    trm_results_destroy(run_model(model, &settings, &summary));
    print_message("andrews, rtol %g: energy off by %.1e (%.1e free) in %ld steps (%ld)\n",
                  tolerance, summary.max_energy_error, free.max_energy_error, summary.steps,
                  free.steps);
    assert_true(summary.max_energy_error <= 0.1 * free.max_energy_error);
    assert_true(summary.steps <= 3 * free.steps);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_follows_the_tolerance),
      cmocka_unit_test(andrews),
      cmocka_unit_test(slider_crank),
      cmocka_unit_test(singular_positions),
      cmocka_unit_test(redundant_constraints),
      cmocka_unit_test(rolling),
      cmocka_unit_test(dense_is_the_same),
      cmocka_unit_test(a_jump_is_met),
      cmocka_unit_test(a_pole_is_told),
      cmocka_unit_test(what_makes_no_sense_is_refused),
      cmocka_unit_test(bdf_conserves),
      cmocka_unit_test(bdf_conserves_from_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
