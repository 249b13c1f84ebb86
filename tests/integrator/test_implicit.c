/* The implicit methods on the examples of paper 004: order, energy, singular positions, redundancy,
 * stiffness, rolling; and what they say when they fail. */
#include "../run.h"

#define METHODS 3
static const char *const methods[METHODS] = {"trapezoidal", "generalized-alpha", "three-field"};

static trm_settings settings_of(const trm_model *model, const char *integrator, double step,
                                double duration) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.step = step;
  settings.duration = duration;
  settings.output_step = 0.1;
  settings.spectral_radius = 0.95;
  return settings;
}

/* The largest difference from the reference, and the summary. */
static double error_of(const trm_model *model, const trm_results *reference,
                       const trm_settings *settings, trm_summary *summary) {
  trm_results *results = run_model(model, settings, summary);
  double off = run_difference(results, reference, settings->duration);
  trm_results_destroy(results);
  return off;
}

/* Second order in every formulation, against the reference. */
static void second_order(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum_sphere.yaml");
  trm_results *reference = run_reference("models/reference/pendulum_sphere.csv");
  for (int i = 0; i < METHODS; i++)
    for (int c = 0; c < RUN_FORMULATIONS; c++) {
      trm_summary summary;
      trm_settings settings = settings_of(model, methods[i], 4e-3, 3);
      settings.coordinates = run_formulations[c];
      double coarse = error_of(model, reference, &settings, &summary);
      settings.step = 2e-3;
      double fine = error_of(model, reference, &settings, &summary);
      print_message("%-18s %-16s %.2e %.2e order %.2f\n", methods[i], run_formulations[c], coarse,
                    fine, log2(coarse / fine));
      assert_near(log2(coarse / fine), 2, 0.15);
      assert_true(fine < 3e-3);
      assert_true(summary.max_position_violation <= 1e-10);
      assert_true(summary.max_velocity_violation <= 1e-10);
      assert_true(summary.newton_iterations > 0 && summary.jacobians > 0);
      assert_true(summary.jacobians < summary.newton_iterations);
    }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* 100 s at h = 1e-2: three-field keeps the energy, generalized-α stays near it, the trapezoidal
 * rule loses it at third order. */
static void energy_of_the_pendulum(void **state) {
  (void)state;
  static const double most[METHODS] = {1, 0.3, 1e-6};
  trm_model *model = run_load("models/pendulum_sphere.yaml");
  for (int i = 0; i < METHODS; i++) {
    trm_summary summary;
    trm_settings settings = settings_of(model, methods[i], 1e-2, 100);
    trm_results_destroy(run_model(model, &settings, &summary));
    double loss = summary.energy_initial - summary.energy_final;
    print_message("%-18s energy off by %.2e J, lost %.2e J\n", methods[i], summary.max_energy_error,
                  loss);
    assert_true(summary.max_energy_error <= most[i]);
    assert_true(summary.max_position_violation <= 1e-10);
    if (i > 0) continue;
    settings.step = 5e-3;
    trm_results_destroy(run_model(model, &settings, &summary));
    double less = summary.energy_initial - summary.energy_final;
    assert_near(log2(loss / less), 3, 0.3);
  }
  trm_model_destroy(model);
}

/* Through three singular positions, on the right branch and of second order; the trapezoidal rule's
 * loss of energy is of third. */
static void singular_positions(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar.csv");
  for (int i = 0; i < METHODS; i++) {
    trm_summary summary;
    trm_settings settings = settings_of(model, methods[i], 5e-3, 3);
    double coarse = error_of(model, reference, &settings, &summary);
    settings.step = 2.5e-3;
    double fine = error_of(model, reference, &settings, &summary);
    print_message("%-18s %.2e %.2e order %.2f; energy %.1e J\n", methods[i], coarse, fine,
                  log2(coarse / fine), summary.max_energy_error);
    assert_true(fine < 1e-3); /* another branch is off by metres */
    assert_near(log2(coarse / fine), 2, i == 0 ? 0.2 : 0.05);
    assert_true(summary.max_position_violation <= 1e-10);
    if (i == 2) assert_true(summary.max_energy_error <= 1e-8);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* One redundant constraint throughout; dense and sparse factorizations give the same motion. */
static void redundant_constraints(void **state) {
  (void)state;
  trm_model *model = run_load("models/bricard.yaml");
  trm_results *reference = run_reference("models/reference/bricard.csv");
  for (int i = 0; i < METHODS; i++) {
    trm_summary summary;
    trm_settings settings = settings_of(model, methods[i], 1e-2, 2);
    settings.linear = "dense";
    double dense = error_of(model, reference, &settings, &summary);
    assert_true(summary.max_energy_error <= (i == 2 ? 1e-8 : 2e-3));
    assert_true(summary.max_position_violation <= 1e-10);
    assert_true(summary.max_velocity_violation <= 1e-10);
    assert_int_equal(summary.redundant_constraints, 1);
    settings.linear = "sparse";
    double sparse = error_of(model, reference, &settings, &summary);
    print_message("%-18s %.2e, energy %.1e J\n", methods[i], dense, summary.max_energy_error);
    assert_near(sparse, dense, 1e-7);
    assert_true(dense < 1e-3);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Dampers that decay at 8000 1/s: RK4 is unstable above 3e-4 s. */
static void stiff_governor(void **state) {
  (void)state;
  trm_model *model = run_load("models/flyball_governor.yaml");
  trm_results *reference = run_reference("models/reference/flyball_governor.csv");
  for (int i = 0; i < METHODS; i++) {
    trm_summary summary;
    trm_settings settings = settings_of(model, methods[i], 2e-3, 0.5);
    double coarse = error_of(model, reference, &settings, &summary);
    settings.step = 1e-3;
    double fine = error_of(model, reference, &settings, &summary);
    print_message("%-18s %.2e %.2e; %ld iterations, %ld Jacobians\n", methods[i], coarse, fine,
                  summary.newton_iterations, summary.jacobians);
    assert_near(log2(coarse / fine), 2, 0.3);
    assert_true(fine < 1e-4);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Velocity constraints that move: a circle, exactly known. The sphere spins at 170 rad/s: in a step
 * of 1e-3 s it turns by ten degrees. */
static void rolling(void **state) {
  (void)state;
  trm_model *model = run_load("models/rolling_sphere_turntable.yaml");
  trm_results *reference = run_reference("models/reference/rolling_sphere_turntable.csv");
  for (int i = 0; i < METHODS; i++) {
    trm_summary summary;
    trm_settings settings = settings_of(model, methods[i], 1e-3, 1);
    double coarse = error_of(model, reference, &settings, &summary);
    settings.step = 5e-4;
    double fine = error_of(model, reference, &settings, &summary);
    print_message("%-18s %.2e %.2e\n", methods[i], coarse, fine);
    assert_near(log2(coarse / fine), 2, 0.4);
    assert_true(fine < 1e-2);
    assert_true(summary.max_velocity_violation <= 1e-10);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Steps by the tolerance: a thousandth of it gives a hundredth of the error, rows at their times.
 */
static void variable_steps(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum_sphere.yaml");
  trm_results *reference = run_reference("models/reference/pendulum_sphere.csv");
  for (int i = 0; i < METHODS; i++) {
    double error[2];
    long steps[2];
    for (int k = 0; k < 2; k++) {
      trm_summary summary;
      trm_settings settings = settings_of(model, methods[i], TRM_UNSET, 10);
      settings.stepping = "variable";
      settings.rtol = k ? 1e-8 : 1e-5;
      settings.atol = settings.rtol;
      error[k] = error_of(model, reference, &settings, &summary);
      steps[k] = summary.steps;
    }
    print_message("%-18s %.1e in %ld steps, %.1e in %ld\n", methods[i], error[0], steps[0],
                  error[1], steps[1]);
    assert_near(log((double)steps[1] / (double)steps[0]) / log(10), 1, 0.15);
    assert_near(log10(error[0] / error[1]), 2, 0.4);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

static const char double_pendulum[] =
    "trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "ground: {points: {O: [0, 0]}}\nbodies:\n"
    "  b1: {mass: 1, inertia: 0.1, position: [0.3, -0.4], angle: 0.2, points: {A: [-0.4, 0.3], "
    "B: [0.5, 0]}}\n"
    "  b2: {mass: 2, inertia: 0.2, position: [1.1, -0.2], angle: -0.4, points: {A: [-0.6, 0]}}\n"
    "joints:\n"
    "  J1: {type: revolute, connect: [ground.O, b1.A]}\n"
    "  J2: {type: revolute, connect: [b1.B, b2.A]}\n"
    "forces:\n"
    "  F: {type: force, point: b2, value: [\"1e-300*abs(t - 0.50000000000002)\", 0]}\n"
    "simulate: {duration: 2, output-step: 0.1}\noutputs: [b1.omega, b2.omega]\n";

/* A bend 2e-14 s ahead: a step so short would leave the round-off of positions over its length in
 * the velocities. They change by less than 1e-12 on the way; an angular acceleration of 50 rad/s²
 * would be needed for more. */
static void a_bend_next_to_the_start(void **state) {
  static const char *const names[] = {"b1.omega", "b2.omega"};
  trm_model *model = trm_model_load_text(double_pendulum, NULL, NULL, NULL, NULL);
  (void)state;
  assert_non_null(model);
  for (int i = 0; i < METHODS; i++)
    for (int c = 0; c < RUN_FORMULATIONS; c++)
      for (int k = 0; k < 2; k++) {
        trm_settings settings = *trm_model_settings(model);
        settings.integrator = methods[i];
        settings.stepping = "variable";
        settings.coordinates = run_formulations[c];
        settings.stabilization = k ? "partition" : "direct";
        trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
        assert_non_null(sim);
        assert_int_equal(trm_simulation_advance(sim, 0.5, NULL), TRM_OK);
        double before[2];
        for (int b = 0; b < 2; b++)
          before[b] = trm_simulation_get(sim, trm_simulation_find(sim, names[b], NULL));
        assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
        assert_near(trm_simulation_time(sim), 0.50000000000002, 1e-14);
        for (int b = 0; b < 2; b++)
          assert_near(trm_simulation_get(sim, trm_simulation_find(sim, names[b], NULL)), before[b],
                      1e-12);
        trm_simulation_destroy(sim);
      }
  trm_model_destroy(model);
}

/* Positions are on the constraints, and a velocity is projected along the constraints' forces
 * whatever the stabilization: what is recorded hangs on it by round-off alone. */
static void partition_records_the_same(void **state) {
  trm_model *model = trm_model_load_text(double_pendulum, NULL, NULL, NULL, NULL);
  (void)state;
  assert_non_null(model);
  for (int i = 0; i < METHODS; i++) {
    trm_settings settings = settings_of(model, methods[i], 1e-2, 1);
    trm_results *direct = run_model(model, &settings, NULL);
    settings.stabilization = "partition";
    trm_results *partition = run_model(model, &settings, NULL);
    assert_near(run_difference(partition, direct, 1), 0, 1e-9);
    trm_results_destroy(direct);
    trm_results_destroy(partition);
  }
  trm_model_destroy(model);
}

static void expect_failure(const trm_model *model, const trm_settings *settings,
                           const char *const parts[3]) {
  trm_simulation *sim = trm_simulation_create(model, settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_FAILED);
  const trm_summary *summary = trm_simulation_summary(sim);
  print_message("%s\n", summary->message);
  for (int k = 0; k < 3; k++) assert_non_null(strstr(summary->message, parts[k]));
  assert_true(summary->time_reached < settings->duration);
  trm_simulation_destroy(sim);
}

/* 004 fig. 1h–i: without the constraints' inertia the step shrinks until the run ends. */
static void without_constraint_inertia(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum_sphere.yaml");
  trm_settings settings = settings_of(model, "three-field", 1e-2, 10);
  settings.constraint_inertia = "false";
  expect_failure(model, &settings, (const char *const[]){"t = 0.", "residual", "body 'bob'"});
  trm_model_destroy(model);
}

static void refused_combinations(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum_sphere.yaml");
  static const char *const cases[][3] = {{"three-field", "stabilization", "baumgarte"},
                                         {"trapezoidal", "stabilization", "embedded"},
                                         {"three-field", "energy", "conserve"},
                                         {"generalized-alpha", "energy", "conserve"},
                                         {"rk4", "stepping", "variable"}};
  for (int k = 0; k < 5; k++) {
    trm_settings settings = *trm_model_settings(model);
    trm_status status = TRM_OK;
    assert_int_equal(trm_settings_set(&settings, "integrator", cases[k][0], NULL), TRM_OK);
    assert_int_equal(trm_settings_set(&settings, cases[k][1], cases[k][2], NULL), TRM_OK);
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    assert_null(trm_simulation_create(model, &settings, diagnostics, &status));
    assert_int_equal(status, TRM_BAD_USAGE);
    assert_int_equal(trm_diagnostics_errors(diagnostics), 1);
    trm_diagnostics_destroy(diagnostics);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_order),
      cmocka_unit_test(energy_of_the_pendulum),
      cmocka_unit_test(singular_positions),
      cmocka_unit_test(redundant_constraints),
      cmocka_unit_test(stiff_governor),
      cmocka_unit_test(rolling),
      cmocka_unit_test(variable_steps),
      cmocka_unit_test(without_constraint_inertia),
      cmocka_unit_test(refused_combinations),
      cmocka_unit_test(a_bend_next_to_the_start),
      cmocka_unit_test(partition_records_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
