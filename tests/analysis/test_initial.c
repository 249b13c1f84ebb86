/* The initial state: assembled where it nearly closes, refused where it cannot, velocities as the
 * user wants them. */
#include "../run.h"

#define R 0.70710678118654752 /* cos 45° */

/* Two rods of 1 m: crank from the origin at 45°, rod back down to the x axis. */
static trm_model *slider_crank(double error, double rod_length) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  for (int i = 0; i < 2; i++) {
    trm_body_def body = trm_default_body();
    body.name = i ? "rod" : "crank";
    body.mass = 1;
    body.inertia[2] = 1.0 / 12;
    body.position[0] = (i ? 1.5 : 0.5) * R + error;
    body.position[1] = 0.5 * R;
    body.angle = (i ? -1 : 1) * 0.78539816339744831;
    trm_model_add_body(model, &body);
    double half = i ? rod_length / 2 : 0.5;
    trm_model_add_point(model, body.name, "A", (double[3]){-half, 0, 0});
    trm_model_add_point(model, body.name, "B", (double[3]){half, 0, 0});
  }
  const char *ends[3][3] = {
      {"A", "ground", "crank.A"}, {"B", "crank.B", "rod.A"}, {"slider", "ground", "rod.B"}};
  for (int i = 0; i < 3; i++) {
    trm_joint_def joint = trm_default_joint();
    joint.name = ends[i][0];
    joint.type = i < 2 ? TRM_JOINT_REVOLUTE : TRM_JOINT_POINT_ON_LINE;
    joint.connect[0] = ends[i][1];
    joint.connect[1] = ends[i][2];
    joint.axis_given = i == 2;
    joint.axis[0] = 1;
    trm_model_add_joint(model, &joint);
  }
  return model;
}

static bool says(const trm_diagnostics *diagnostics, const char *text) {
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
    if (strstr(trm_diagnostics_get(diagnostics, i)->message, text)) return true;
  run_print(diagnostics);
  return false;
}

static double get(trm_simulation *sim, const char *measure) {
  int handle = trm_simulation_find(sim, measure, NULL);
  assert_true(handle >= 0);
  return trm_simulation_get(sim, handle);
}

static trm_simulation *start(const trm_model *model, int formulation, trm_diagnostics *diagnostics,
                             trm_status *status) {
  trm_settings settings = trm_default_settings();
  settings.coordinates = run_formulations[formulation];
  return trm_simulation_create(model, &settings, diagnostics, status);
}

/* Both rods are 1 mm off in x: the least change moves them back together. */
static void slightly_off_is_assembled(void **state) {
  (void)state;
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_model *model = slider_crank(1e-3, 1);
    assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
    trm_simulation *sim = start(model, f, diagnostics, NULL);
    assert_non_null(sim);
    assert_true(says(diagnostics, "assembly moved body 'crank' by"));
    assert_int_equal(trm_diagnostics_errors(diagnostics), 0);
    trm_inspection inspection = trm_simulation_inspect(sim);
    assert_near(inspection.position_gap, 1e-3, 1e-9);
    assert_true(inspection.moved > 1e-4 && inspection.moved < 2e-3);
    assert_near(get(sim, "constraint.position"), 0, 1e-14);
    assert_near(get(sim, "crank.B.y"), get(sim, "rod.A.y"), 1e-14);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

/* A gap of 5 cm leaves a choice of second order: all formulations make the same one. */
static void formulations_assemble_alike(void **state) {
  (void)state;
  const char *const measures[] = {"crank.angle", "rod.angle", "rod.B.x", "A.angle"};
  double expected[4];
  trm_model *model = slider_crank(0.05, 1.03);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_simulation *sim = start(model, f, NULL, NULL);
    assert_non_null(sim);
    for (int k = 0; k < 4; k++) {
      double found = get(sim, measures[k]);
      if (f == 0) expected[k] = found;
      assert_near(found, expected[k], 1e-13);
    }
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* A rod of 0.2 m cannot reach the axis from a crank that a condition holds at 45°. */
static void impossible_is_refused(void **state) {
  (void)state;
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_model *model = slider_crank(0, 0.2);
    trm_joint_def tie = trm_default_joint();
    tie.name = "far";
    tie.type = TRM_JOINT_DISTANCE;
    tie.connect[0] = "ground";
    tie.connect[1] = "rod.B";
    tie.value = trm_number(5);
    trm_model_add_joint(model, &tie);
    assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
    trm_status status;
    assert_null(start(model, f, diagnostics, &status));
    assert_int_equal(status, TRM_BAD_MODEL);
    assert_true(says(diagnostics, "joint 'far' cannot close: its gap is"));
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

/* `initial: {rod.B.vx: -4}`: the crank follows with 2√2 rad/s (paper 002's start). */
static void conditions_are_met(void **state) {
  (void)state;
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_model *model = slider_crank(0, 1);
    trm_model_add_initial(model, "rod.B.vx", -4);
    assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
    trm_simulation *sim = start(model, f, NULL, NULL);
    assert_non_null(sim);
    assert_near(get(sim, "rod.B.vx"), -4, 1e-13);
    assert_near(get(sim, "crank.omega"), 2 * sqrt(2), 1e-13);
    assert_near(get(sim, "rod.omega"), -2 * sqrt(2), 1e-13);
    assert_near(get(sim, "constraint.velocity"), 0, 1e-13);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
  }
}

/* A position condition turns the mechanism to where the user wants it; freedoms still count from as
 * written. */
static void positions_are_met(void **state) {
  (void)state;
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_model *model = slider_crank(0, 1);
    trm_model_add_initial(model, "crank.angle", 1.0);
    trm_model_add_initial(model, "A.rate", 3);
    assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
    trm_simulation *sim = start(model, f, NULL, NULL);
    assert_non_null(sim);
    assert_near(get(sim, "crank.angle"), 1.0, 1e-13);
    assert_near(get(sim, "A.angle"), 1.0 - 0.78539816339744831, 1e-13);
    assert_near(get(sim, "rod.B.x"), 2 * cos(1.0), 1e-13);
    assert_near(get(sim, "crank.omega"), 3, 1e-13);
    assert_near(get(sim, "rod.B.vx"), -6 * sin(1.0), 1e-12);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
  }
}

static void contradictory_conditions_are_named(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = slider_crank(0, 1);
  trm_model_add_initial(model, "rod.B.vx", -4);
  trm_model_add_initial(model, "crank.omega", 1);
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
  trm_status status;
  assert_null(start(model, 0, diagnostics, &status));
  assert_int_equal(status, TRM_BAD_MODEL);
  assert_true(says(diagnostics, "'rod.B.vx'") || says(diagnostics, "'crank.omega'"));
  assert_true(says(diagnostics, "contradict"));
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

static trm_model *spinning(bool consistent) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def body = trm_default_body();
  body.name = "rod";
  body.mass = 3;
  body.inertia[2] = 1;
  body.position[0] = 1;
  body.angular_velocity_given = true;
  body.angular_velocity[2] = 2;
  body.velocity_given = !consistent;
  body.velocity[0] = 6;
  trm_model_add_body(model, &body);
  trm_joint_def joint = trm_default_joint();
  joint.name = "pin";
  joint.connect[0] = "ground";
  joint.connect[1] = "rod";
  joint.at_given = true;
  trm_model_add_joint(model, &joint);
  return model;
}

/* Only the spin is given: the centre of mass follows. */
static void what_is_not_given_follows(void **state) {
  (void)state;
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_model *model = spinning(true);
    assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
    trm_simulation *sim = start(model, f, diagnostics, NULL);
    assert_non_null(sim);
    assert_near(get(sim, "rod.omega"), 2, 1e-14);
    assert_near(get(sim, "rod.vy"), 2, 1e-14);
    assert_int_equal(trm_diagnostics_count(diagnostics), 0);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

/* vx = 6 and ω = 2 cannot both be: of m (v−v0)² + I (ω−ω0)² with v = (0, ω) the least is at (3 + 1)
 * ω = I ω0 = 2. */
static void contradictory_velocities_move_least(void **state) {
  (void)state;
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_model *model = spinning(false);
    assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
    trm_simulation *sim = start(model, f, diagnostics, NULL);
    assert_non_null(sim);
    assert_near(get(sim, "rod.omega"), 0.5, 1e-13);
    assert_near(get(sim, "rod.vx"), 0, 1e-13);
    assert_true(says(diagnostics, "velocity given for body 'rod' contradicts"));
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

/* The same, turned by half a radian first: the given velocity stays global, it does not turn along.
 * With v = ω (−sin φ, cos φ): (3 + 1) ω = I ω0 − 3·6 sin φ. */
static void given_velocities_do_not_turn_with_assembly(void **state) {
  (void)state;
  for (int f = 0; f < RUN_FORMULATIONS; f++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_model *model = spinning(false);
    trm_model_add_initial(model, "pin.angle", 0.5);
    assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
    trm_simulation *sim = start(model, f, diagnostics, NULL);
    assert_non_null(sim);
    assert_near(get(sim, "rod.omega"), (2 - 18 * sin(0.5)) / 4, 1e-13);
    assert_near(get(sim, "rod.vx"), -get(sim, "rod.omega") * sin(0.5), 1e-13);
    assert_true(says(diagnostics, "angular velocity by 3.66")); /* 2 − ω */
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

/* Angles count over turns, in conditions, too; the mechanism goes the whole way there. */
static void conditions_count_turns(void **state) {
  (void)state;
  const double angles[] = {4, -9, 12.5};
  for (int f = 0; f < RUN_FORMULATIONS; f++)
    for (int k = 0; k < 3; k++) {
      trm_diagnostics *diagnostics = trm_diagnostics_create();
      trm_model *model = spinning(true);
      trm_model_add_initial(model, "pin.angle", angles[k]);
      assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
      trm_simulation *sim = start(model, f, diagnostics, NULL);
      if (!sim) run_print(diagnostics);
      assert_non_null(sim);
      assert_near(get(sim, "pin.angle"), angles[k], 1e-12);
      assert_near(get(sim, "rod.angle"), angles[k], 1e-12);
      assert_near(get(sim, "rod.x"), cos(angles[k]), 1e-12);
      assert_near(get(sim, "rod.omega"), 2, 1e-12);
      trm_simulation_destroy(sim);
      trm_model_destroy(model);
      trm_diagnostics_destroy(diagnostics);
    }
}

/* A nut that is to stand some way up its screw has turned for it, d/pitch times. */
static void displacements_count_turns(void **state) {
  (void)state;
  const double pitch = -0.25, ways[] = {-0.49, 0.1, 1.33};
  for (int f = 0; f < RUN_FORMULATIONS; f += 2) /* natural, Euler parameters */
    for (int k = 0; k < 3; k++) {
      trm_diagnostics *diagnostics = trm_diagnostics_create();
      trm_model *model = trm_model_create(TRM_SPATIAL);
      trm_body_def body = trm_default_body();
      body.name = "nut";
      body.mass = 2;
      for (int i = 0; i < 3; i++) body.inertia[i] = 0.3 + 0.1 * i;
      body.position[2] = 0.4;
      trm_model_add_body(model, &body);
      trm_joint_def joint = trm_default_joint();
      joint.name = "thread";
      joint.type = TRM_JOINT_SCREW;
      joint.connect[0] = "ground";
      joint.connect[1] = "nut";
      joint.axis_given = true;
      joint.axis[2] = 1;
      joint.pitch = pitch;
      trm_model_add_joint(model, &joint);
      trm_model_add_initial(model, "thread.displacement", ways[k]);
      assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
      trm_simulation *sim = start(model, f, diagnostics, NULL);
      if (!sim) run_print(diagnostics);
      assert_non_null(sim);
      assert_near(get(sim, "thread.displacement"), ways[k], 1e-12);
      assert_near(get(sim, "thread.angle"), ways[k] / pitch * 6.283185307179586, 1e-10);
      trm_simulation_destroy(sim);
      trm_model_destroy(model);
      trm_diagnostics_destroy(diagnostics);
    }
}

/* A distance joint 7 too long is open by 7, although its residual ((8² − 1²)/2) is not. */
static void gaps_are_lengths(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = spinning(true);
  trm_joint_def tie = trm_default_joint();
  tie.name = "tie";
  tie.type = TRM_JOINT_DISTANCE;
  tie.connect[0] = "ground.far";
  tie.connect[1] = "rod";
  tie.value = trm_number(1);
  trm_model_add_point(model, "ground", "far", (double[3]){9, 0, 0});
  trm_model_add_joint(model, &tie);
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
  assert_null(start(model, 0, diagnostics, NULL));
  assert_true(says(diagnostics, "joint 'tie' cannot close: its gap is 7"));
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slightly_off_is_assembled),
      cmocka_unit_test(formulations_assemble_alike),
      cmocka_unit_test(impossible_is_refused),
      cmocka_unit_test(conditions_are_met),
      cmocka_unit_test(positions_are_met),
      cmocka_unit_test(contradictory_conditions_are_named),
      cmocka_unit_test(what_is_not_given_follows),
      cmocka_unit_test(contradictory_velocities_move_least),
      cmocka_unit_test(gaps_are_lengths),
      cmocka_unit_test(given_velocities_do_not_turn_with_assembly),
      cmocka_unit_test(conditions_count_turns),
      cmocka_unit_test(displacements_count_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
