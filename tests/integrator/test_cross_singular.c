/* Ten windows through their singular positions with steps kept short: every other length has a
 * stage where round-off decides. Without crossings the pairs lost up to 1 J there or never came
 * out. */
#define _POSIX_C_SOURCE 200809L
#include "../model/load.h"
#include "../windows.h"

enum { windows = 10, seconds = 2 };

static void passes(const trm_model *model, const char *integrator, double step) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.step = step;
  settings.rtol = 1e-8;
  settings.atol = 1e-11;
  settings.duration = seconds;
  settings.output_step = 0.5;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  assert_int_equal(trm_results_rows(results), 2 * seconds + 1);
  double worst = windows_error(windows, results, 0.5);
  print_message("%s, steps up to %g: %.1e m, %.1e J\n", integrator, step, worst,
                summary.max_energy_error);
  assert_true(worst <= 1e-6);
  assert_true(summary.max_energy_error <= 1e-5);
  trm_results_destroy(results);
}

static void any_length_passes(void **state) {
  (void)state;
  static const char *const overrides[] = {"N=10", NULL};
  static const double steps[] = {1e-2, 3e-3, 1.1e-3, 1e-3, 9e-4, 7e-4, 5e-4, 2e-4};
  trm_model *model = trm_model_load("models/n_four_bar.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    passes(model, "dop853", steps[i]);
    passes(model, "dopri5", steps[i]);
  }
  trm_model_destroy(model);
}

/* Those without a correction behind a crossing do not take any, and come through by themselves. */
static void every_correction_passes(void **state) {
  (void)state;
  static const char *const overrides[] = {"N=10", NULL};
  static const char *const corrections[] = {"partition", "embedded", "baumgarte"};
  trm_model *model = trm_model_load("models/n_four_bar.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  for (int i = 0; i < 3; i++) {
    trm_settings settings = *trm_model_settings(model);
    settings.stabilization = corrections[i];
    settings.integrator = "dop853";
    settings.rtol = 1e-7;
    settings.atol = 1e-10;
    settings.duration = 5;
    trm_summary summary;
    trm_results_destroy(run_model(model, &settings, &summary));
    print_message("%s: %.1e J\n", corrections[i], summary.max_energy_error);
    assert_true(summary.max_energy_error <= 1e-4);
  }
  trm_model_destroy(model);
}

/* Whether anybody looks in between must not matter, wherever the rank was decided last. */
static void rows_do_not_change_the_motion(void **state) {
  (void)state;
  static const char *const overrides[] = {"N=10", NULL};
  trm_model *model = trm_model_load("models/n_four_bar_spatial.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  double end[2];
  for (int i = 0; i < 2; i++) {
    trm_settings settings = *trm_model_settings(model);
    settings.integrator = "dop853";
    settings.step = 7e-4;
    settings.rtol = 1e-6;
    settings.atol = 1e-9;
    settings.duration = 1;
    settings.output_step = i ? 5e-4 : 1;
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    int last = trm_results_rows(results) - 1;
    end[i] = trm_results_get(results, last, trm_results_find(results, "post1.B.x"));
    assert_true(summary.max_energy_error <= 1e-6);
    trm_results_destroy(results);
  }
  assert_true(end[0] == end[1]);
  trm_model_destroy(model);
}

/* A torque of a hundredth of a second on a bob at a light arm, whose pivots are small at any time:
 * no reason to cross it. By momentum, half a second later, it turns at A W sqrt(pi) / I. */
static const char pulse[] =
    "trammel: 1\n"
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {W: 0.01, A: 5, light: 1e-6}\n"
    "bodies:\n"
    "  arm: {mass: light, inertia: light/12, com: [0.5, 0], points: {B: [1, 0]}}\n"
    "  bob: {mass: 1, inertia: 0.5, position: [1, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute, connect: [ground, arm], at: [0, 0]}\n"
    "  elbow: {type: revolute, connect: [arm.B, bob]}\n"
    "forces:\n"
    "  kick: {type: torque, body: bob, value: A*exp(-((t - 1)/W)^2)}\n"
    "simulate: {duration: 1.5, step: 0.1, output-step: 1.5}\n"
    "outputs: [bob]\n";

static void a_pulse_is_not_passed_over(void **state) {
  (void)state;
  static const char *const integrators[] = {"dopri5", "dop853"};
  loaded file = load_good(pulse, NULL);
  for (int i = 0; i < 2; i++) {
    trm_settings settings = *trm_model_settings(file.model);
    settings.integrator = integrators[i];
    settings.rtol = 1e-8;
    settings.atol = 1e-11;
    trm_results *results = run_model(file.model, &settings, NULL);
    double omega = trm_results_get(results, 1, trm_results_find(results, "bob.omega"));
    assert_near(omega, 5 * 0.01 * sqrt(3.14159265358979) / 0.5, 1e-6);
    trm_results_destroy(results);
  }
  unload(&file);
}

/* Three parallel cranks whose lengths differ by 1e-8: the coupler does not turn, and without
 * gravity nothing changes the speed. In line with the coupler, at pi and 2 pi, two of them alone
 * may turn it: the motion as written, not the one that their last decimals ask for. */
static const char cranks[] =
    "trammel: 1\n"
    "space: planar\n"
    "gravity: [0, 0]\n"
    "ground: {points: {A: [0, 0], B: [1, 0], C: [2.3, 0]}}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, angle: 1, com: [0.35, 0], points: {T: [0.7, 0]}}\n"
    "  b: {mass: 2, inertia: 0.1, position: [1, 0], angle: 1, points: {T: [0.70000001, 0]}}\n"
    "  c: {mass: 1, inertia: 0.3, position: [2.3, 0], angle: 1, points: {T: [0.69999999, 0]}}\n"
    "  coupler: {mass: 1.5, inertia: 0.4, position: [0.37821161, 0.58902969], com: [1.1, 0.2],\n"
    "            points: {A: [0, 0], B: [1, 0], C: [2.3, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, connect: [ground.A, a]}\n"
    "  B: {type: revolute, connect: [ground.B, b]}\n"
    "  C: {type: revolute, connect: [ground.C, c]}\n"
    "  at_a: {type: revolute, connect: [a.T, coupler.A]}\n"
    "  at_b: {type: revolute, connect: [b.T, coupler.B]}\n"
    "  at_c: {type: revolute, connect: [c.T, coupler.C]}\n"
    "initial: {a.omega: 2}\n"
    "simulate: {duration: 3, output-step: 0.25}\n"
    "outputs: [a, coupler]\n";

static void few_decimals_pass(void **state) {
  (void)state;
  loaded file = load_good(cranks, NULL);
  for (int f = 0; f < RUN_FORMULATIONS; f++)
    for (int k = 0; k < RUN_SOLVERS; k++) {
      trm_settings settings = *trm_model_settings(file.model);
      settings.coordinates = run_formulations[f];
      settings.solver = run_solvers[k];
      settings.integrator = "dop853";
      trm_results *results = run_model(file.model, &settings, NULL);
      double crank = 0, coupler = 0;
      for (int row = 0; row < trm_results_rows(results); row++) {
        double at = trm_results_get(results, row, trm_results_find(results, "a.angle"));
        double turned = trm_results_get(results, row, trm_results_find(results, "coupler.angle"));
        crank = larger(crank, fabs(at - 1 - 2 * 0.25 * row));
        coupler = larger(coupler, fabs(turned));
      }
      print_message("%s, %s: %.1e and %.1e rad\n", run_formulations[f], run_solvers[k], crank,
                    coupler);
      assert_true(crank <= 1e-3); /* twice the root of 1e-8, for three seconds */
      assert_true(coupler <= 1e-3);
      trm_results_destroy(results);
    }
  unload(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_length_passes), cmocka_unit_test(every_correction_passes),
      cmocka_unit_test(rows_do_not_change_the_motion), cmocka_unit_test(a_pulse_is_not_passed_over),
      cmocka_unit_test(few_decimals_pass)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
