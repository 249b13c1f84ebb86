/* Mechanics that must not depend on how it is described: frames off the centre of mass, zero
 * inertias, work of forces, what is kept when a run fails. */
#include "../rail.h"

/* A physical pendulum: rod of length 2 about its end, described in a frame `shift` off the centre
 * of mass. */
static trm_model *physical_pendulum(double shift) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_set_gravity(model, (double[3]){0, -9.81, 0});
  trm_body_def body = trm_default_body();
  body.name = "rod";
  body.mass = 3;
  body.inertia[2] = 1;
  body.com[0] = shift;
  body.position[0] = 1 - shift;
  trm_model_add_body(model, &body);
  trm_model_add_point(model, "rod", "pivot", (double[3]){shift - 1, 0, 0});
  trm_model_add_point(model, "rod", "tip", (double[3]){shift + 1, 0, 0});
  trm_joint_def joint = trm_default_joint();
  joint.name = "pin";
  joint.connect[0] = "ground";
  joint.connect[1] = "rod.pivot";
  trm_model_add_joint(model, &joint);
  trm_model_add_output(model, "rod.tip");
  trm_model_add_output(model, "pin");
  trm_model_add_output(model, "energy");
  trm_model_add_output(model, "rod.alpha");
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

static trm_settings with(const char *coordinates, const char *solver) {
  trm_settings settings = trm_default_settings();
  settings.coordinates = coordinates;
  settings.solver = solver;
  settings.integrator = "rk6";
  settings.duration = 1;
  settings.output_step = 0.1;
  return settings;
}

static void the_body_frame_does_not_matter(void **state) {
  (void)state;
  trm_model *plain = physical_pendulum(0), *shifted = physical_pendulum(0.37);
  for (int c = 0; c < RUN_FORMULATIONS * RUN_SOLVERS; c++) {
    trm_settings settings =
        with(run_formulations[c % RUN_FORMULATIONS], run_solvers[c / RUN_FORMULATIONS]);
    trm_results *a = run_model(plain, &settings, NULL), *b = run_model(shifted, &settings, NULL);
    assert_true(run_difference(a, b, 1) <= 1e-11);
    /* by hand at the start: α = −mgl/(I + ml²), reaction = m(a + g) */
    double alpha = -3 * 9.81 / 4;
    assert_near(trm_results_get(b, 0, trm_results_find(b, "rod.alpha")), alpha, 1e-12);
    assert_near(trm_results_get(b, 0, trm_results_find(b, "pin.fy")), 3 * (alpha + 9.81), 1e-12);
    trm_results_destroy(a);
    trm_results_destroy(b);
  }
  trm_model_destroy(plain);
  trm_model_destroy(shifted);
}

/* A point mass on no joint: it falls, and its massless rotation stays at rest or goes on as it was.
 */
static void massless_rotations_stay_at_rest(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_set_gravity(model, (double[3]){0, -10, 0});
  trm_body_def body = trm_default_body();
  body.name = "ball";
  body.mass = 2;
  trm_model_add_body(model, &body);
  trm_model_add_output(model, "ball");
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  for (int c = 0; c < RUN_FORMULATIONS * RUN_SOLVERS; c++) {
    trm_settings settings =
        with(run_formulations[c % RUN_FORMULATIONS], run_solvers[c / RUN_FORMULATIONS]);
    trm_results *results = run_model(model, &settings, NULL);
    int last = trm_results_rows(results) - 1;
    assert_near(trm_results_get(results, last, trm_results_find(results, "ball.y")), -5, 1e-12);
    assert_near(trm_results_get(results, last, trm_results_find(results, "ball.angle")), 0, 1e-14);
    assert_near(trm_results_get(results, last, trm_results_find(results, "ball.alpha")), 0, 1e-13);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* A mass on rails pushed by F(t) against a damper: work = ½mv², and at the integrator's order. */
static trm_model *pushed_mass(void) {
  trm_model *model = rail_model("cart", 2, 0, 0);
  trm_model_add_point(model, "ground", "wall", (double[3]){-1, 0, 0});
  rail_push(model, "cart", "12*sin(3*t) - 0.8*cart.vx");
  trm_force_def damper = trm_default_force();
  damper.name = "damper";
  damper.type = TRM_FORCE_SPRING_DAMPER;
  damper.connect[0] = "ground.wall";
  damper.connect[1] = "cart";
  damper.damping = trm_number(0.4);
  trm_model_add_force(model, &damper);
  trm_model_add_output(model, "cart.vx");
  trm_model_add_output(model, "energy");
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

/* 2 v' + 1.2 v = 12 sin 3t: v = 6 (3 e^(−0.6 t) + 0.6 sin 3t − 3 cos 3t)/(0.36 + 9) */
static void work_is_integrated_beside_the_motion(void **state) {
  (void)state;
  trm_model *model = pushed_mass();
  double v = 6 * (3 * exp(-0.6) + 0.6 * sin(3) - 3 * cos(3)) / 9.36, errors[2];
  for (int c = 0; c < RUN_FORMULATIONS; c++)
    for (int half = 0; half < 2; half++) {
      trm_settings settings = with(run_formulations[c], "udwadia-kalaba");
      settings.integrator = "rk4";
      settings.step = half ? 0.025 : 0.05;
      trm_results *results = run_model(model, &settings, NULL);
      int last = trm_results_rows(results) - 1;
      assert_near(trm_results_get(results, last, trm_results_find(results, "cart.vx")), v, 1e-5);
      double work = trm_results_get(results, last, trm_results_find(results, "energy.work"));
      errors[half] = fabs(work - v * v);
      assert_near(trm_results_get(results, last, trm_results_find(results, "energy.potential")), 0,
                  1e-15);
      trm_results_destroy(results);
      if (half) assert_true(log2(errors[0] / errors[1]) > 3.6);
    }
  trm_model_destroy(model);
}

/* A driven rod: what its driver gives is counted as work. */
static void drivers_do_work(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_set_gravity(model, (double[3]){0, -9.81, 0});
  trm_body_def body = trm_default_body();
  body.name = "bob";
  body.mass = 2;
  body.inertia[2] = 0.3;
  body.position[0] = 1;
  trm_model_add_body(model, &body);
  trm_joint_def rod = trm_default_joint();
  rod.name = "rod";
  rod.type = TRM_JOINT_DISTANCE;
  rod.connect[0] = "ground";
  rod.connect[1] = "bob";
  rod.value = trm_formula("1 + 0.3*t^2");
  trm_model_add_joint(model, &rod);
  trm_model_add_output(model, "energy");
  trm_model_add_output(model, "bob");
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  for (int c = 0; c < RUN_FORMULATIONS; c++) {
    trm_settings settings = with(run_formulations[c], "udwadia-kalaba");
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    int last = trm_results_rows(results) - 1;
    double x = trm_results_get(results, last, trm_results_find(results, "bob.x"));
    double y = trm_results_get(results, last, trm_results_find(results, "bob.y"));
    assert_near(hypot(x, y), 1.3, 1e-12);
    assert_true(fabs(trm_results_get(results, last, trm_results_find(results, "energy.work"))) > 1);
    assert_true(summary.max_energy_error <= 1e-9);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* The rod shrinks to nothing at t = 0.5: the run stops there, says why, and keeps its rows. */
static void a_failure_keeps_what_was_computed(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def body = trm_default_body();
  body.name = "bob";
  body.mass = 2;
  body.inertia[2] = 0.3;
  body.position[0] = 1;
  trm_model_add_body(model, &body);
  trm_joint_def rod = trm_default_joint();
  rod.name = "rod";
  rod.type = TRM_JOINT_DISTANCE;
  rod.connect[0] = "ground";
  rod.connect[1] = "bob";
  rod.value = trm_formula("1 - 2*t");
  trm_model_add_joint(model, &rod);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  for (int c = 0; c < RUN_FORMULATIONS; c++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_settings settings = with(run_formulations[c], "udwadia-kalaba");
    trm_simulation *sim = trm_simulation_create(model, &settings, diagnostics, NULL);
    trm_results *results = trm_results_create();
    assert_int_equal(trm_simulation_run(sim, results, NULL, NULL, diagnostics), TRM_FAILED);
    const trm_summary *summary = trm_simulation_summary(sim);
    assert_string_equal(summary->status, "failed");
    assert_non_null(strstr(summary->message, "rod"));
    assert_non_null(strstr(summary->message, "t = 0."));
    assert_true(summary->time_reached > 0.45 && summary->time_reached < 0.5);
    int rows = trm_results_rows(results);
    assert_true(rows >= 5);
    assert_near(trm_results_get(results, rows - 1, 0), summary->time_reached, 0);
    for (int k = 0; k < trm_results_columns(results); k++)
      assert_true(isfinite(trm_results_get(results, rows - 1, k)));
    trm_results_destroy(results);
    trm_simulation_destroy(sim);
    trm_diagnostics_destroy(diagnostics);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_body_frame_does_not_matter),
      cmocka_unit_test(massless_rotations_stay_at_rest),
      cmocka_unit_test(work_is_integrated_beside_the_motion),
      cmocka_unit_test(drivers_do_work),
      cmocka_unit_test(a_failure_keeps_what_was_computed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
