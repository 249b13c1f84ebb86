/* The variable-step pairs: error follows the tolerance, rows come at the asked times, jumps of
 * forces are met exactly. */
#include "analysis/simulation.h"
#include "pushed.h"

static const struct method {
  const char *name;
  double least, most; /* order seen */
} methods[] = {{"dopri5", 4.3, 6}, {"dop853", 7, 11}};
enum { METHODS = sizeof methods / sizeof *methods };

static trm_results *run(const trm_model *model, const char *coordinates, const char *integrator,
                        double rtol, trm_summary *summary) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = coordinates;
  settings.integrator = integrator;
  settings.step = TRM_UNSET;
  settings.output_step = 0.1;
  settings.rtol = rtol;
  settings.atol = rtol * 1e-2;
  return run_model(model, &settings, summary);
}

/* Against elliptic functions: a thousandth of the tolerance gives a smaller error at more steps, in
 * proportion. */
static void error_follows(const struct method *method) {
  trm_model *model = run_load("models/pendulum.yaml");
  trm_results *reference = run_reference("models/reference/pendulum.csv");
  for (int c = 0; c < RUN_FORMULATIONS; c++) {
    double error[3];
    long steps[3];
    for (int k = 0; k < 3; k++) {
      trm_summary summary;
      double rtol = pow(10, -5 - 3 * k);
      trm_results *results = run(model, run_formulations[c], method->name, rtol, &summary);
      error[k] = run_difference(results, reference, 10);
      steps[k] = summary.steps;
      assert_true(summary.max_position_violation <= 1e-12);
      assert_true(error[k] <= 3000 * rtol);
      trm_results_destroy(results);
    }
    print_message("%-8s %-16s errors %.1e %.1e %.1e in %ld, %ld, %ld steps\n", method->name,
                  run_formulations[c], error[0], error[1], error[2], steps[0], steps[1], steps[2]);
    double order = log(error[1] / error[2]) / log((double)steps[2] / (double)steps[1]);
    assert_true(order > method->least && order < method->most);
    assert_true(error[1] < error[0] / 50);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

static void error_follows_the_tolerance(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) error_follows(&methods[m]);
}

/* Rows inside long steps satisfy the constraints and the motion as well as the steps themselves. */
static void rows_are_as_good(const char *integrator) {
  trm_model *model = run_load("models/four_bar.yaml");
  trm_results *reference = run_reference("models/reference/four_bar.csv");
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.step = TRM_UNSET;
  settings.output_step = 0.01;
  settings.rtol = 1e-9;
  settings.atol = 1e-11;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  assert_true(summary.steps < 250); /* half of the 500 rows */
  assert_int_equal(trm_results_rows(results), 501);
  assert_true(run_difference(results, reference, 5) <= 1e-7);
  int column = trm_results_find(results, "constraint.position");
  assert_true(column > 0);
  for (int i = 0; i < trm_results_rows(results); i++)
    assert_true(trm_results_get(results, i, column) <= 1e-12);
  trm_results_destroy(results);
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

static void dense_output_is_as_good(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) rows_are_as_good(methods[m].name);
}

static double end_of(const trm_model *model, const char *integrator, const char *column,
                     trm_summary *summary) {
  trm_settings settings = trm_default_settings();
  settings.integrator = integrator;
  settings.duration = 1;
  settings.output_step = 0.25;
  settings.rtol = 1e-10;
  settings.atol = 1e-12;
  trm_results *results = run_model(model, &settings, summary);
  double value =
      trm_results_get(results, trm_results_rows(results) - 1, trm_results_find(results, column));
  trm_results_destroy(results);
  return value;
}

/* F = 6 from t = 1/3 on: x = 1 + ½·3·(2/3)², exactly quadratic on both sides, so only the jump
 * could cost accuracy. */
static void a_jump_in_time_is_met(void **state) {
  (void)state;
  trm_model *model = pushed_cart("if(t < 1/3, 0, 6)");
  trm_summary summary;
  for (int m = 0; m < METHODS; m++) {
    const char *name = methods[m].name;
    assert_near(end_of(model, name, "cart.x", &summary), 1 + 1.5 * 4 / 9, 1e-12);
    assert_near(end_of(model, name, "cart.vx", &summary), 1 + 3 * 2 / 3.0, 1e-12);
    assert_true(summary.steps < 40);
  }
  trm_model_destroy(model);
}

/* A wall whose force jumps at contact: free until x = 0.2, then a spring with an offset. */
static void a_jump_in_the_state_is_met(void **state) {
  (void)state;
  trm_model *model = pushed_cart("if(cart.x < 0.2, 0, -8*(cart.x - 0.2) - 2)");
  trm_summary summary;
  /* from x = 0.2 at t = 0.2: x'' = −4 s − 1, s = x − 0.2: s = A sin 2τ + B (cos 2τ − 1), A = 1/2, B
   * = 1/4 */
  double tau = 0.8, expected = 2 * 0.5 * cos(2 * tau) - 2 * 0.25 * sin(2 * tau);
  double s = 0.5 * sin(2 * tau) + 0.25 * (cos(2 * tau) - 1);
  assert_true(s > 0);
  for (int m = 0; m < METHODS; m++) {
    assert_near(end_of(model, methods[m].name, "cart.vx", &summary), expected, 1e-9);
    assert_true(summary.steps < 120);
  }
  trm_model_destroy(model);
}

/* A pendulum on a body that two joints hold: its velocity is round-off, whose sign is no bend to
 * end a step at. */
static void round_off_has_no_bends(void **state) {
  static const char text[] =
      "trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
      "ground: {points: {O: [0.3, -0.4], P: [1.3, 0.7]}}\nbodies:\n"
      "  held: {mass: 1, inertia: 0.1, position: [0.3, -0.4], angle: 0.2, points: {B: [0.5, 0]}}\n"
      "  rod: {mass: 2, inertia: 0.2, position: [1.1, -0.2], angle: -0.4, points: {A: [-0.6, 0]}}\n"
      "joints:\n"
      "  J1: {type: revolute, connect: [ground.O, held]}\n"
      "  J2: {type: distance, connect: [ground.P, held.B]}\n"
      "  J3: {type: revolute, connect: [held.B, rod.A]}\n"
      "forces:\n"
      "  F: {type: force, point: rod, value: [\"3*abs(held.B.vy)\", 0]}\n"
      "simulate: {duration: 2, output-step: 0.1}\n";
  static const char *const all[] = {
      "dopri5", "dop853", "radau5", "trapezoidal", "generalized-alpha", "three-field"};
  trm_model *model = trm_model_load_text(text, NULL, NULL, NULL, NULL);
  (void)state;
  assert_non_null(model);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    trm_settings settings = *trm_model_settings(model);
    settings.integrator = all[i];
    if (i > 1) settings.stepping = "variable";
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
    assert_non_null(sim);
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
    const char *message = trm_simulation_summary(sim)->message;
    if (strstr(message, "bend")) fail_msg("%s: %s", all[i], message);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* Point masses on massless arms, whose spins nothing determines: stages off the constraints do not
 * hold them. Both formulations have the same motion, and need steps of the same kind. */
static void spins_of_point_masses(void **state) {
  static const char text[] =
      "trammel: 1\nspace: spatial\ngravity: [4.5, 6.2, 12.3]\nbodies:\n"
      "  b1: {mass: 1.57, inertia: [0, 0, 0, 0, 0, 0], position: [0.54, -0.1, 0.88]}\n"
      "  b2: {mass: 0.18, inertia: [0, 0, 0, 0, 0, 0], position: [1.02, -0.71, 1.31], points: {P: "
      "[-0.48, 0.61, -0.43]}}\n"
      "  b3: {mass: 0.42, inertia: [0, 0, 0, 0, 0, 0], position: [0.94, -0.64, 0.71], points: {P: "
      "[0.08, -0.07, 0.6]}}\n"
      "joints:\n"
      "  J1: {type: spherical, connect: [ground, b1], at: [-0.19, -0.25, 1.17]}\n"
      "  J2: {type: spherical, connect: [b1, b2.P]}\n"
      "  J3: {type: spherical, connect: [b2, b3.P]}\n"
      "initial: {b3.vx: -4.3}\nsimulate: {duration: 0.2, output-step: 0.1}\noutputs: [b3.x]\n";
  trm_model *model = trm_model_load_text(text, NULL, NULL, NULL, NULL);
  (void)state;
  assert_non_null(model);
  for (int m = 0; m < METHODS; m++) {
    long steps[2];
    for (int c = 0; c < 2; c++) {
      trm_summary summary;
      trm_results_destroy(
          run(model, c ? "euler-parameters" : "natural", methods[m].name, 1e-6, &summary));
      steps[c] = summary.steps;
    }
    print_message("%s: %ld steps in natural coordinates, %ld in Euler parameters\n",
                  methods[m].name, steps[0], steps[1]);
    assert_true(steps[0] <= 2 * steps[1]);
  }
  trm_model_destroy(model);
}

/* Dry friction that stops the motion cannot be stepped over for ever: it ends, at rest, or says
 * why. */
static void friction_ends(void **state) {
  (void)state;
  trm_model *model = pushed_cart("-4*tanh(cart.vx/1e-3)");
  trm_summary summary;
  for (int m = 0; m < METHODS; m++)
    assert_near(end_of(model, methods[m].name, "cart.vx", &summary), 0, 1e-4);
  trm_model_destroy(model);
}

/* Drivers leave no freedom whose error could ask for small steps: turns are counted all the same,
 * and the work of the drive balances the energy. */
static void driven_is_followed(const char *integrator) {
  trm_model *model = run_load("models/driven_four_bar.yaml");
  trm_settings settings = *trm_model_settings(model), small = settings;
  settings.integrator = integrator;
  settings.step = TRM_UNSET;
  small.integrator = "rk6";
  small.step = 1e-3;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  trm_results *expected = run_model(model, &small, NULL);
  int a = trm_results_find(results, "crank.angle"), row = trm_results_rows(results) - 1;
  assert_near(trm_results_get(results, row, a),
              trm_results_get(expected, trm_results_rows(expected) - 1, a), 1e-9);
  assert_true(summary.max_energy_error <= 1e-2);
  trm_results_destroy(results);
  trm_results_destroy(expected);
  trm_model_destroy(model);
}

static void driven_mechanisms_are_followed(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) driven_is_followed(methods[m].name);
}

/* An output step that does not divide the duration: the rows it asks for, and one at the end. */
static void rows_that_do_not_divide(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = "dop853";
  settings.step = TRM_UNSET;
  settings.duration = 2;
  settings.output_step = 0.003;
  trm_results *results = run_model(model, &settings, NULL);
  assert_int_equal(trm_results_rows(results), 668);
  assert_near(trm_results_get(results, 1, 0), 0.003, 1e-15);
  assert_near(trm_results_get(results, 666, 0), 1.998, 1e-12);
  assert_near(trm_results_get(results, 667, 0), 2, 1e-15);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

/* A few rejected steps are no news, and no banner over the report. */
static void rejections_are_nothing_to_tell(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = "auto";
  settings.step = TRM_UNSET;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
  assert_true(sim->integrator->rejections > 0);
  assert_string_equal(trm_simulation_summary(sim)->message, "");
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(driven_mechanisms_are_followed),
      cmocka_unit_test(error_follows_the_tolerance),
      cmocka_unit_test(dense_output_is_as_good),
      cmocka_unit_test(a_jump_in_time_is_met),
      cmocka_unit_test(a_jump_in_the_state_is_met),
      cmocka_unit_test(round_off_has_no_bends),
      cmocka_unit_test(spins_of_point_masses),
      cmocka_unit_test(rows_that_do_not_divide),
      cmocka_unit_test(rejections_are_nothing_to_tell),
      cmocka_unit_test(friction_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
