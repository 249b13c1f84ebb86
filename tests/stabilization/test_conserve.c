/* `conserve: MEASURE`: a conserved quantity named by the user is kept in place of the energy; and
 * the energy of driven mechanisms. */
#include "../run.h"

static trm_settings keeping(const trm_model *model, const char *stabilization,
                            const char *measure) {
  trm_settings settings = *trm_model_settings(model);
  settings.stabilization = stabilization;
  settings.integrator = "rk4";
  settings.step = 2e-2;
  settings.duration = 10;
  snprintf(settings.conserve, sizeof settings.conserve, "%s", measure);
  return settings;
}

/* Largest change of a measure over the run. */
static double largest_change(const trm_model *model, const trm_settings *settings,
                             const char *measure, double *violation) {
  trm_simulation *sim = trm_simulation_create(model, settings, NULL, NULL);
  assert_non_null(sim);
  int handle = trm_simulation_find(sim, measure, NULL);
  double start = trm_simulation_get(sim, handle), change = 0;
  for (int i = 0; i < 500; i++) {
    assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
    change = larger(change, fabs(trm_simulation_get(sim, handle) - start));
  }
  *violation = trm_simulation_summary(sim)->max_position_violation;
  trm_simulation_destroy(sim);
  return change;
}

/* lz of a spherical pendulum: to round-off with projections, far better than without when embedded;
 * the violations stay what they were. */
static void angular_momentum(void **state) {
  (void)state;
  static const char *const stabilizations[] = {"direct", "partition", "embedded"};
  trm_model *model = run_load("models/spherical_pendulum.yaml");
  for (int c = 0; c < 2 * 3; c++) {
    trm_settings free = keeping(model, stabilizations[c / 2], "");
    trm_settings kept = keeping(model, stabilizations[c / 2], "momentum.lz");
    free.coordinates = kept.coordinates = c % 2 ? "natural" : "euler-parameters";
    double violation[2];
    double before = largest_change(model, &free, "momentum.lz", &violation[0]);
    double after = largest_change(model, &kept, "momentum.lz", &violation[1]);
    print_message("%-9s %-16s lz changes by %.1e, kept: %.1e\n", free.stabilization,
                  free.coordinates, before, after);
    assert_true(before > 1e-8);
    if (c / 2 == 2) {
      assert_true(after <= before / 20);
      assert_true(violation[1] <= 1.5 * violation[0] && violation[0] <= 1.5 * violation[1]);
    } else {
      assert_true(after <= 1e-13);
      assert_true(violation[1] <= 1e-12);
    }
  }
  trm_model_destroy(model);
}

static double angle_off(const trm_model *model, const trm_settings *settings, double exact) {
  trm_simulation *sim = trm_simulation_create(model, settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
  double off = trm_simulation_get(sim, trm_simulation_find(sim, "b.angle", NULL)) - exact;
  trm_simulation_destroy(sim);
  return off;
}

/* Driven from the start, while what is free starts at rest: rk4 keeps its order four, or does
 * better. */
static void order_of_a_driven_body(void **state) {
  static const char text[] =
      "trammel: 1\nspace: planar\ngravity: [9, -42]\n"
      "ground: {points: {A: [0.017, -0.043], B: [-0.12, -0.047], C: [0.02, 0.015]}}\n"
      "bodies:\n"
      "  b: {mass: 268, inertia: 0.156, position: [0.09, -0.065], angle: 2.58, points: {P: [0.023, "
      "-0.0036], Q: [-0.0021, 0.0005], R: [0.0035, -0.03], S: [0.06, -0.018]}}\n"
      "joints:\n"
      "  J: {type: distance, connect: [ground.A, b.P]}\n"
      "  D: {type: driver, of: b.Q.x, value: \"0.0912 - 0.066*(exp(t/0.093) - 1)\"}\n"
      "forces:\n"
      "  F: {type: actuator, connect: [ground.B, b.R], value: -2180}\n"
      "  G: {type: spring-damper, connect: [ground.C, b.S], stiffness: 186000, damping: 2640, "
      "length: 0.058}\n"
      "simulate: {duration: 0.023, output-step: 0.023}\n";
  static const char *const stabilizations[] = {"none", "direct", "partition"};
  trm_model *model = trm_model_load_text(text, NULL, NULL, NULL, NULL);
  (void)state;
  assert_non_null(model);
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = "dop853";
  settings.rtol = settings.atol = 1e-13;
  double exact = angle_off(model, &settings, 0), off[2];
  settings.integrator = "rk4";
  settings.energy = "conserve";
  settings.coordinates = "natural";
  for (int s = 0; s < 3; s++) {
    settings.stabilization = stabilizations[s];
    for (int k = 0; k < 2; k++) {
      settings.step = k ? 1.15e-4 : 2.3e-4;
      off[k] = fabs(angle_off(model, &settings, exact));
    }
    print_message("%-9s %.2e, at half the step %.2e\n", stabilizations[s], off[0], off[1]);
    assert_true(off[1] <= off[0] / exp2(3.9)); /* partition has nearly order six here */
  }
  trm_model_destroy(model);
}

/* The energy may be named, too, and naming something turns the correction on. */
static void energy_by_its_name(void **state) {
  (void)state;
  trm_model *model = run_load("models/double_inverted_pendulum.yaml");
  trm_settings settings = keeping(model, "direct", "energy.total");
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim); /* the energy by its own name */
  assert_string_equal(trm_simulation_summary(sim)->energy, "conserve");
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

static void refuses(const trm_model *model, const char *measure, const char *why) {
  trm_settings settings = keeping(model, "direct", measure);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = TRM_OK;
  assert_null(trm_simulation_create(model, &settings, diagnostics, &status));
  assert_int_equal(status, TRM_BAD_USAGE);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 1);
  const char *message = trm_diagnostics_get(diagnostics, 0)->message;
  if (!strstr(message, why)) fail_msg("%s", message);
  trm_diagnostics_destroy(diagnostics);
}

static void what_cannot_be_kept(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  refuses(model, "momentum.lz", "not conserved here");
  refuses(model, "post1.B.vy", "not conserved here");
  refuses(model, "post1.x", "no velocity, rate or momentum");
  refuses(model, "base1.fx", "no velocity, rate or momentum");
  refuses(model, "momentum.lq", "unknown measure");
  refuses(model, "post9.vx", "unknown measure");
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angular_momentum),
      cmocka_unit_test(order_of_a_driven_body),
      cmocka_unit_test(energy_by_its_name),
      cmocka_unit_test(what_cannot_be_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
