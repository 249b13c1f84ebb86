/* Planar models run in space: the same motion, column by column. */
#define _XOPEN_SOURCE 700
#include "../model/load.h"

#include "../run.h"

static trm_model *load(const char *path, trm_space space) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_as(path, NULL, space, diagnostics, NULL);
  if (!model) run_print(diagnostics);
  trm_diagnostics_destroy(diagnostics);
  assert_non_null(model);
  return model;
}

static trm_results *run_in(const char *path, trm_space space, double duration) {
  trm_model *model = load(path, space);
  trm_settings settings = *trm_model_settings(model);
  settings.duration = duration;
  settings.output_step = duration / 10;
  trm_results *results = run_model(model, &settings, NULL);
  trm_model_destroy(model);
  return results;
}

/* Violations are round-off in both; all else must agree, relative to 1 or what is larger. */
static void expect_same(const char *path, double duration, const char *except) {
  trm_results *plane = run_in(path, TRM_PLANAR, duration);
  trm_results *space = run_in(path, TRM_SPATIAL, duration);
  assert_int_equal(trm_results_rows(plane), trm_results_rows(space));
  for (int k = 0; k < trm_results_columns(plane); k++) {
    const char *name = trm_results_name(plane, k);
    int other = trm_results_find(space, name);
    if (strncmp(name, "constraint.", 11) == 0) continue;
    if (other < 0 && except && strstr(name, except)) continue;
    if (other < 0) print_error("%s: no column %s\n", path, name);
    assert_true(other >= 0);
    for (int i = 0; i < trm_results_rows(plane); i++) {
      double expected = trm_results_get(plane, i, k), found = trm_results_get(space, i, other);
      double bound = 1e-9 * larger(1, fabs(expected));
      if (!(fabs(found - expected) <= bound)) print_error("%s: %s\n", path, name);
      assert_near(found, expected, bound);
    }
  }
  trm_results_destroy(plane);
  trm_results_destroy(space);
}

static void shipped_models(void **state) {
  (void)state;
  expect_same("models/pendulum.yaml", 1, NULL);
  expect_same("models/double_inverted_pendulum.yaml", 0.5, NULL);
  expect_same("models/slider_crank.yaml", 0.2, NULL);
  expect_same("models/n_four_bar.yaml", 0.2, NULL);
  expect_same("models/driven_four_bar.yaml", 0.2, NULL);
  expect_same("models/gears.yaml", 0.2, NULL);
}

/* What rolls in space has no freedoms; its reaction is the same. */
static void a_rolling_wheel(void **state) {
  (void)state;
  expect_same("models/rolling_wheel.yaml", 0.5, "contact.");
  /* what slips across the plane is redundant: the freedoms are those of the plane */
  for (int space = TRM_PLANAR; space <= TRM_SPATIAL; space++) {
    trm_model *model = load("models/rolling_wheel.yaml", (trm_space)space);
    trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
    assert_int_equal(trm_simulation_inspect(sim).degrees_of_freedom, 2);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
  }
}

static void relations_between_planar_angles(void **state) {
  (void)state;
  const char *path = scratch_path("m.yaml");
  static const char text[] =
      "trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
      "bodies:\n"
      "  a: {mass: 1, inertia: 0.1, angle: 3*pi, points: {A: [-0.5, 0]}}\n"
      "  b: {mass: 2, inertia: 0.2, position: [1, 0], angle: 0.3, points: {B: [0.5, 0.1]}}\n"
      "  c: {mass: 1, inertia: 0.1, position: [2, 0]}\n"
      "joints:\n"
      "  s: {type: roller, connect: [ground, a.A], axis: x}\n"
      "  g: {type: coordinate, sum: {a.angle: 1, b.angle: -1}, value: 3*pi - 0.3}\n"
      "  d: {type: driver, of: c.angle, value: 9*t^2}\n"
      "  l: {type: point-on-line, connect: [b, c], axis: [1, 0]}\n"
      "forces:\n"
      "  k: {type: torsion-spring-damper, connect: [ground, a], stiffness: 3, damping: 0.1}\n"
      "  f: {type: force, point: b.B, value: [1, 2*b.omega], frame: body}\n"
      "  e: {type: spring-damper, connect: [a, c], stiffness: 20}\n"
      "simulate: {step: 1e-3}\n"
      "outputs: [a, b, c, s, g, d, l, k, e, energy.total, momentum]\n";
  write_bytes(path, text, strlen(text));
  expect_same(path, 1, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_models),
      cmocka_unit_test(a_rolling_wheel),
      cmocka_unit_test(relations_between_planar_angles),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
