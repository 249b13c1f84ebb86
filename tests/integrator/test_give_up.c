/* Methods that cannot go on say when, how large a residual is left, and which joint or force is
 * behind it. */
#define _POSIX_C_SOURCE 200809L
#include "../model/load.h"
#include "../run.h"

static const char *const methods[] = {
    "adams",       "bdf",         "ida",         "dop853",
    "trapezoidal", "three-field", "trapezoidal", "generalized-alpha",
    "three-field"};
enum { METHODS = 9, FIXED = 6 }; /* from there on with fixed steps */

/* The message's parts; the run ends at `time` or up to `early` before it. */
static void expect(const trm_model *model, int method, double tolerance, double time, double early,
                   const char *const parts[2]) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = methods[method];
  settings.rtol = settings.atol = tolerance;
  if (run_is_implicit(methods[method]) && method < FIXED && method > 2)
    settings.stepping = "variable";
  if (method < FIXED) settings.step = TRM_UNSET;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_FAILED);
  const char *message = trm_simulation_summary(sim)->message;
  print_message("%-18s %s\n", methods[method], message);
  double t, residual;
  assert_int_equal(sscanf(message, "t = %lf", &t), 1);
  assert_true(t > time - early && t < time + 1e-6);
  const char *size = strstr(message, "residual ");
  if (!size) size = strstr(message, "violation ");
  assert_non_null(size);
  assert_int_equal(sscanf(strchr(size, ' '), "%lf", &residual), 1);
  assert_true(residual > 0 && isfinite(residual));
  for (int k = 0; k < 2; k++) assert_non_null(strstr(message, parts[k]));
  trm_simulation_destroy(sim);
}

/* 2 v' = 10 v³ from v = 1: v = (1 − 10 t)^(−1/2). */
static void a_force_without_bounds(void **state) {
  (void)state;
  loaded cart = load_good("trammel: 1\n"
                          "space: planar\n"
                          "bodies:\n"
                          "  cart: {mass: 2, inertia: 1, points: {A: [0, 0]}}\n"
                          "joints:\n"
                          "  rail: {type: prismatic, connect: [ground, cart.A], axis: [1, 0]}\n"
                          "forces:\n"
                          "  push: {type: force, point: cart.A, value: ['10*cart.vx^3', 0]}\n"
                          "initial: {cart.vx: 1}\n"
                          "simulate: {duration: 1, step: 1e-3}\n"
                          "outputs: [cart]\n",
                          NULL);
  for (int i = 0; i < METHODS; i++)
    expect(cart.model, i, 1e-6, 0.1, i < FIXED ? 2e-5 : 1e-3,
           (const char *const[]){"most of it in force 'push' on body 'cart'", "may help"});
  unload(&cart);
}

/* An arm of two links of 1 m is stretched: at 2 cos ½ + t = 2 it cannot follow any more. */
static void a_driver_out_of_reach(void **state) {
  (void)state;
  loaded arm =
      load_good("trammel: 1\n"
                "space: planar\n"
                "gravity: [0, -9.81]\n"
                "bodies:\n"
                "  upper: {mass: 1, inertia: 0.1, com: [0.5, 0], angle: 0.5, points: {A: [0, 0], "
                "B: [1, 0]}}\n"
                "  lower: {mass: 1, inertia: 0.1, com: [0.5, 0], position: [cos(0.5), sin(0.5)],\n"
                "          angle: -0.5, points: {A: [0, 0], B: [1, 0]}}\n"
                "joints:\n"
                "  shoulder: {type: revolute, connect: [ground, upper.A]}\n"
                "  elbow: {type: revolute, connect: [upper.B, lower.A]}\n"
                "  reach: {type: driver, of: lower.B.x, value: 2*cos(0.5) + t}\n"
                "  level: {type: driver, of: lower.B.y, value: 0}\n"
                "simulate: {duration: 1, step: 1e-3}\n"
                "outputs: [upper]\n",
                NULL);
  for (int i = 0; i < METHODS; i++)
    expect(arm.model, i, 1e-6, 2 - 2 * cos(0.5), 2e-6,
           (const char *const[]){"most of it in joint '", "joint 'reach' is out of reach"});
  unload(&arm);
}

/* Steps that stay within 1e-16 are found until the linkage nears its singular position. */
static void a_tolerance_out_of_reach(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  expect(model, 0, 1e-16, 10, 10,
         (const char *const[]){"beyond double precision", "most of it in joint '"});
  trm_model_destroy(model);
}

/* An arm at the angle 1 − t, and on it a slider that is kept at the height 1: x = cot(1 − t). */
static void a_slider_that_goes_to_infinity(void **state) {
  (void)state;
  loaded arm =
      load_good("trammel: 1\n"
                "space: planar\n"
                "bodies:\n"
                "  arm: {mass: 1, inertia: 0.1, angle: 1, points: {A: [0, 0]}}\n"
                "  slider: {mass: 1, inertia: 0.1, position: [1/tan(1), 1], angle: 1}\n"
                "joints:\n"
                "  pivot: {type: revolute, connect: [ground, arm.A]}\n"
                "  slot: {type: prismatic, connect: [arm, slider], axis: [cos(1), sin(1)]}\n"
                "  rail: {type: roller, connect: [ground, slider], at: [1/tan(1), 1], axis: x}\n"
                "  turn: {type: driver, of: pivot, value: -t}\n"
                "simulate: {duration: 2}\n"
                "outputs: [slider]\n",
                NULL);
  trm_settings settings = *trm_model_settings(arm.model);
  settings.rtol = 1e-12;
  settings.atol = 1e-14;
  trm_simulation *sim = trm_simulation_create(arm.model, &settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_FAILED);
  const char *message = trm_simulation_summary(sim)->message;
  print_message("%s\n", message);
  double t;
  assert_int_equal(sscanf(message, "t = %lf", &t), 1);
  assert_true(t > 1 - 2e-3 && t < 1);
  assert_non_null(strstr(message, "body 'slider': it goes to infinity"));
  trm_simulation_destroy(sim);
  unload(&arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_without_bounds), cmocka_unit_test(a_driver_out_of_reach),
      cmocka_unit_test(a_tolerance_out_of_reach), cmocka_unit_test(a_slider_that_goes_to_infinity)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
