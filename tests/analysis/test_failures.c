/* Runs that cannot go on say why and when, and keep what they have. */
#include "../rail.h"

/* A body that moves along x with 1 m/s, starting at x = −1, and one force on it. */
static trm_model *glider(const trm_force_def *force) {
  trm_model *model = rail_model("body", 1, -1, 1);
  trm_model_add_force(model, force);
  trm_model_add_output(model, "body.x");
  trm_settings settings = trm_default_settings();
  settings.duration = 2;
  settings.step = 1.0 / 64; /* exact in binary: t = 1 is met */
  trm_model_set_settings(model, &settings);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

/* Runs in every formulation; expects `message` (NULL: no failure) and rows up to `end` at least. */
static void expect(const trm_force_def *force, const char *message, double end) {
  trm_model *model = glider(force);
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = run_formulations[f];
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_simulation *sim = trm_simulation_create(model, &settings, diagnostics, NULL);
    assert_non_null(sim);
    trm_results *results = trm_results_create();
    trm_status status = trm_simulation_run(sim, results, NULL, NULL, diagnostics);
    assert_int_equal(status, message ? TRM_FAILED : TRM_OK);
    const trm_summary *summary = trm_simulation_summary(sim);
    assert_string_equal(summary->status, message ? "failed" : "completed");
    if (message && !strstr(summary->message, message))
      fail_msg("'%s' is not in '%s'", message, summary->message);
    int last = trm_results_rows(results) - 1;
    assert_near(trm_results_get(results, last, 0), end, 2.0 / 64);
    for (int i = 0; i <= last; i++) assert_true(isfinite(trm_results_get(results, i, 1)));
    trm_results_destroy(results);
    trm_simulation_destroy(sim);
    trm_diagnostics_destroy(diagnostics);
  }
  trm_model_destroy(model);
}

static trm_force_def force_of(trm_force_type type) {
  trm_force_def force = trm_default_force();
  force.name = "push";
  force.type = type;
  force.connect[0] = "body";
  return force;
}

static void formulas_out_of_their_domain(void **state) {
  (void)state;
  const char *const formulas[] = {"1/(1 - t)", "sqrt(1 - t)", "table(t, 0, 0, 0.5, 0, 1, 0)"};
  for (int i = 0; i < 3; i++) {
    trm_force_def force =
        force_of(TRM_FORCE_FORCE); /* across the rail: the motion is not changed */
    force.value[0] = trm_number(0);
    force.value[1] = trm_formula(formulas[i]);
    expect(&force,
           i < 2 ? "force 'push': its value is not a finite number"
                 : "is outside the table, which goes from 0 to 1",
           1);
  }
  trm_force_def torque = force_of(TRM_FORCE_TORQUE);
  torque.value[2] = trm_formula("log(-body.x)");
  expect(&torque, "force 'push': its value is not a finite number", 1);
  trm_force_def coil = force_of(TRM_FORCE_TORSION_SPRING_DAMPER);
  coil.connect[1] = "ground";
  coil.stiffness = trm_formula("sqrt(1 - t)");
  expect(&coil, "force 'push': its value is not a finite number", 1);
  trm_force_def motor = force_of(TRM_FORCE_ACTUATOR);
  motor.connect[0] = NULL;
  motor.of = "rail";
  motor.value[0] = trm_formula("0*sqrt(1 - t)");
  expect(&motor, "force 'push': its value is not a finite number", 1);
}

/* A spring whose ends meet at the start: no direction, unless it has no length either. */
static void springs_without_a_direction(void **state) {
  (void)state;
  trm_force_def spring = force_of(TRM_FORCE_SPRING_DAMPER);
  spring.connect[1] = "ground";
  spring.at_given = true; /* both ends at the origin, as written */
  spring.stiffness = trm_number(3);
  spring.free = trm_number(0);
  expect(&spring, NULL, 2);
  spring.free = trm_number(0.5);
  trm_model *model = glider(&spring);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status;
  assert_null(trm_simulation_create(model, NULL, diagnostics, &status));
  assert_int_equal(status, TRM_BAD_MODEL);
  const char *message = trm_diagnostics_get(diagnostics, 0)->message;
  assert_non_null(strstr(message, "t = 0: force 'push': its ends coincide"));
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

/* A stiff spring and a long step: the constraints hold, but the motion is wrong. */
static void energy_tells(void **state) {
  (void)state;
  trm_force_def spring = force_of(TRM_FORCE_SPRING_DAMPER);
  spring.connect[1] = "ground";
  spring.stiffness = trm_number(1000);
  trm_model *model = glider(&spring);
  trm_settings settings = *trm_model_settings(model);
  for (int k = 0; k < 2; k++) {
    settings.step = k ? 1e-3 : 1.0 / 16; /* ωh = 2 and 0.03 */
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
    const trm_summary *summary = trm_simulation_summary(sim);
    double off = summary->max_energy_error; /* of 0.5 J */
    assert_true(k ? off <= 0.01 : off > 0.01);
    assert_string_equal(summary->status, k ? "completed" : "doubtful");
    assert_true(!strstr(summary->message, "force 'push'") == (k == 1));
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_out_of_their_domain),
      cmocka_unit_test(springs_without_a_direction),
      cmocka_unit_test(energy_tells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
