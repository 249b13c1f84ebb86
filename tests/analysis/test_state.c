/* The state of a simulation: saved and restored bit by bit, set, differentiated, advanced. */
#include <stdlib.h>
#include <string.h>

#include "../run.h"

static trm_simulation *create(const trm_model *model, const trm_settings *settings) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_simulation *sim = trm_simulation_create(model, settings, diagnostics, NULL);
  assert_non_null(sim);
  trm_diagnostics_destroy(diagnostics);
  return sim;
}

/* A method may find no further: then it does so in both. */
static void go(trm_simulation *sim, int steps) {
  for (int i = 0; i < steps && trm_simulation_step(sim, NULL) == TRM_OK; i++) continue;
}

static double *state_of(const trm_simulation *sim) {
  int size = trm_simulation_state_size(sim);
  double *state = malloc((size_t)(size + 1) * sizeof *state);
  assert_non_null(state);
  trm_simulation_get_state(sim, &state[size], state);
  return state;
}

/* All bytes that are saved, as the next steps depend on them. */
static void *bytes_of(const trm_simulation *sim, size_t *size) {
  *size = trm_simulation_save(sim, NULL, 0);
  assert_true(*size > 0);
  void *bytes = malloc(*size);
  assert_non_null(bytes);
  assert_int_equal(trm_simulation_save(sim, bytes, *size), *size);
  return bytes;
}

static int differences;

static void check_same(const trm_simulation *a, const trm_simulation *b, const char *what) {
  double *x = state_of(a), *y = state_of(b);
  size_t size = (size_t)(trm_simulation_state_size(a) + 1) * sizeof *x;
  if (memcmp(x, y, size) != 0) {
    print_error("%s: the states differ\n", what);
    differences++;
  }
  free(x);
  free(y);
}

/* A controller and a lag on a four-bar: what is saved has their states. */
static const char with_states[] =
    "trammel: 1\nname: states\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n  a: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {E: [0.5, 0]}}\n"
    "  b: {mass: 1, inertia: 0.1, position: [1.5, 0], points: {E: [-0.5, 0]}}\n"
    "joints:\n  A: {type: revolute, connect: [ground, a], at: [0, 0]}\n"
    "  B: {type: revolute, connect: [a.E, b.E]}\n"
    "variables: {error: \"0.3 - A.angle\"}\n"
    "states:\n  sum: {initial: 0, rate: error}\n"
    "  torque: {initial: \"a.x\", rate: \"(30*error - A.rate + 5*sum - torque)*20\"}\n"
    "  held: {initial: 4}\n"
    "forces: {motor: {type: actuator, of: A, value: torque}}\n"
    "simulate: {duration: 2}\n";

/* A braked wheel: the states of its tire go with the rest. */
static const char with_a_tire[] =
    "trammel: 1\nname: tire\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  car: {mass: 400, inertia: [50, 60, 70], position: [0, 0, 0.5], velocity: [6, 0, "
    "0]}\n"
    "  wheel: {mass: 20, inertia: [0.6, 1.1, 0.6], position: [0, 0, 0.33], velocity: [6, 0, 0],\n"
    "    angular-velocity: [0, 18, 0]}\n"
    "joints:\n  up: {type: parallel, connect: [ground, car], axes: [[0, 0, 1], [0, 0, 1]]}\n"
    "  hub: {type: revolute, connect: [car, wheel], at: [0, 0, 0.33], axis: [0, 1, 0]}\n"
    "forces:\n  tire: {type: tire, wheel: wheel, axis: [0.05, 1, 0], file: "
    "models/vehicle/sedan.tir, side: right}\n"
    "  brake: {type: actuator, of: hub, value: \"-800*tanh(hub.rate)\"}\n"
    "simulate: {duration: 2}\n";

/* Events every few steps, that change states and forces; what has happened is saved, too. */
static const char with_events[] =
    "trammel: 1\nname: events\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies: {bob: {mass: 1, inertia: 0, position: [1, 0]}}\n"
    "joints: {rod: {type: distance, connect: [ground, bob]}}\n"
    "states: {z: {initial: 0, rate: 7 + bob.x}, gear: {initial: 1}, sum: {initial: 0, rate: "
    "gear}}\n"
    "events:\n  tick: {when: z - 0.02, direction: rising, set: {z: 0, gear: -gear, sum: sum + z}}\n"
    "  below: {when: bob.x, set: {gear: \"gear + tick.count\"}}\n"
    "forces: {F: {type: force, point: bob, value: [gear*(1 + tick.count/100), 0]}}\n"
    "simulate: {duration: 2}\n";

static trm_model *model_of(const char *file) {
  return strncmp(file, "trammel", 7) == 0 ? trm_model_load_text(file, NULL, NULL, NULL, NULL)
                                          : run_load(file);
}

static void check_exact(const char *file, const char *integrator, const char *key,
                        const char *value, int steps) {
  char what[200];
  snprintf(what, sizeof what, "%.40s %s %s=%s", file, integrator, key, value);
  trm_model *model = model_of(file);
  trm_settings settings = *trm_model_settings(model);
  assert_int_equal(trm_settings_set(&settings, "integrator", integrator, NULL), TRM_OK);
  if (strncmp(key, "sparse ", 7) == 0) {
    assert_int_equal(trm_settings_set(&settings, "linear", "sparse", NULL), TRM_OK);
    key += 7;
  }
  assert_int_equal(trm_settings_set(&settings, key, value, NULL), TRM_OK);
  if (trm_simulation_refusal(&settings)) {
    trm_model_destroy(model);
    return;
  }
  trm_simulation *whole = create(model, &settings), *part = create(model, &settings);
  go(whole, steps);
  size_t size;
  void *bytes = bytes_of(whole, &size);
  assert_int_equal(trm_simulation_restore(part, bytes, size, NULL), TRM_OK);
  check_same(whole, part, what);
  go(whole, steps);
  go(part, steps);
  check_same(whole, part, what);
  differences +=
      trm_simulation_summary(whole)->evaluations != trm_simulation_summary(part)->evaluations;
  free(bytes);
  trm_simulation_destroy(whole);
  trm_simulation_destroy(part);
  trm_model_destroy(model);
}

static const char *const models[] = {"models/four_bar.yaml",
                                     "models/bricard.yaml",
                                     "models/andrews.yaml",
                                     "models/n_four_bar.yaml",
                                     "models/flyball_governor.yaml",
                                     "models/scotch_yoke.yaml",
                                     with_states,
                                     with_a_tire,
                                     with_events};
static const char *const methods[] = {"rk4",
                                      "rk6",
                                      "euler",
                                      "ab2",
                                      "ab4",
                                      "ab6",
                                      "dopri5",
                                      "dop853",
                                      "trapezoidal",
                                      "radau5",
                                      "generalized-alpha",
                                      "three-field"};

/* Turns of yaw and roll: back where they were, and on from there. */
static void counted_turns_are_restored(void **state) {
  static const char text[] =
      "trammel: 1\nspace: spatial\n"
      "bodies: {b: {mass: 1, inertia: [1, 1, 1], angular-velocity: [0, 0, 5],\n"
      "             orientation: {euler: zyx, angles: [0, 0.3, -0.2]}}}\n"
      "simulate: {integrator: dop853, rtol: 1e-11, atol: 1e-13}\n";
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_text(text, "top.yaml", NULL, diagnostics, NULL);
  assert_non_null(model);
  trm_simulation *sim = create(model, trm_model_settings(model));
  int yaw = trm_simulation_find(sim, "b.yaw", NULL),
      roll = trm_simulation_find(sim, "b.roll", NULL);
  assert_true(yaw >= 0 && roll >= 0);
  assert_int_equal(trm_simulation_advance(sim, 3, NULL), TRM_OK);
  assert_near(trm_simulation_get(sim, yaw), 15, 1e-7);
  size_t size;
  void *bytes = bytes_of(sim, &size);
  assert_int_equal(trm_simulation_advance(sim, 7, NULL), TRM_OK);
  assert_near(trm_simulation_get(sim, yaw), 35, 1e-7);
  assert_int_equal(trm_simulation_restore(sim, bytes, size, NULL), TRM_OK);
  assert_near(trm_simulation_get(sim, yaw), 15, 1e-7);
  assert_int_equal(trm_simulation_advance(sim, 7, NULL), TRM_OK);
  assert_near(trm_simulation_get(sim, yaw), 35, 1e-7);
  assert_near(trm_simulation_get(sim, roll), -0.2, 1e-7);
  free(bytes);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

static void restored_runs_go_on_bit_by_bit(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof models / sizeof *models; m++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      check_exact(models[m], methods[i], "linear", "dense", 37);
      check_exact(models[m], methods[i], "linear", "sparse", 37);
      check_exact(models[m], methods[i], "solver", "augmented", 37);
      check_exact(models[m], methods[i], "stabilization", "partition", 37);
      check_exact(models[m], methods[i], "sparse stabilization", "partition", 37);
      check_exact(models[m], methods[i], "weighting", "none", 37);
      check_exact(models[m], methods[i], "energy", "conserve", 37);
      check_exact(models[m], methods[i], "stepping", "variable", 23);
    }
  assert_int_equal(differences, 0);
}

/* auto, before and after radau5 has taken over. */
static void restored_stiff_runs(void **state) {
  (void)state;
  static const char text[] = "trammel: 1\nname: stiff\nspace: planar\ngravity: [0, -9.81]\n"
                             "bodies: {b: {mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
                             "joints: {J: {type: revolute, connect: [ground, b], at: [0, 0]}}\n"
                             "forces: {d: {type: torsion-spring-damper, connect: [ground, b], "
                             "stiffness: 10, damping: 1e5}}\n"
                             "simulate: {duration: 50}\n";
  trm_model *model = trm_model_load_text(text, NULL, NULL, NULL, NULL);
  assert_non_null(model);
  trm_simulation *whole = create(model, NULL);
  for (int part = 0; part < 8; part++) {
    trm_simulation *other = create(model, NULL);
    size_t size;
    void *bytes = bytes_of(whole, &size);
    assert_int_equal(trm_simulation_restore(other, bytes, size, NULL), TRM_OK);
    go(whole, 20);
    go(other, 20);
    check_same(whole, other, "stiff");
    assert_int_equal(trm_simulation_restore(whole, bytes, size, NULL), TRM_OK); /* back */
    go(whole, 20);
    check_same(whole, other, "stiff, back");
    free(bytes);
    trm_simulation_destroy(other);
  }
  assert_non_null(strstr(trm_simulation_summary(whole)->message, "radau5 took over"));
  assert_int_equal(differences, 0);
  trm_simulation_destroy(whole);
  trm_model_destroy(model);
}

/* SUNDIALS starts afresh, to its tolerance. */
static void restored_sundials(void **state) {
  (void)state;
  static const char *const names[] = {"adams", "bdf", "ida"};
  for (int i = 0; i < 3; i++) {
    trm_model *model = run_load("models/four_bar.yaml");
    trm_settings settings = *trm_model_settings(model);
    trm_settings_set(&settings, "integrator", names[i], NULL);
    trm_settings_set(&settings, "rtol", "1e-8", NULL);
    trm_settings_set(&settings, "atol", "1e-11", NULL);
    trm_simulation *whole = create(model, &settings), *part = create(model, &settings);
    assert_int_equal(trm_simulation_advance(whole, 0.5, NULL), TRM_OK);
    size_t size;
    void *bytes = bytes_of(whole, &size);
    assert_int_equal(trm_simulation_restore(part, bytes, size, NULL), TRM_OK);
    assert_int_equal(trm_simulation_advance(whole, 1, NULL), TRM_OK);
    assert_int_equal(trm_simulation_advance(part, 1, NULL), TRM_OK);
    double *x = state_of(whole), *y = state_of(part);
    for (int k = 0; k <= trm_simulation_state_size(whole); k++) assert_near(x[k], y[k], 2e-4);
    free(x);
    free(y);
    free(bytes);
    trm_simulation_destroy(whole);
    trm_simulation_destroy(part);
    trm_model_destroy(model);
  }
}

static void other_states_are_refused(void **state) {
  (void)state;
  trm_model *model = run_load("models/four_bar.yaml"), *other = run_load("models/bricard.yaml");
  trm_simulation *a = create(model, NULL), *b = create(other, NULL);
  trm_settings settings = *trm_model_settings(model);
  trm_settings_set(&settings, "integrator", "ab4", NULL);
  trm_simulation *c = create(model, &settings);
  size_t size;
  char *bytes = bytes_of(a, &size);
  assert_int_equal(trm_simulation_restore(b, bytes, size, NULL), TRM_BAD_USAGE);
  assert_int_equal(trm_simulation_restore(c, bytes, size, NULL), TRM_BAD_USAGE);
  assert_int_equal(trm_simulation_restore(a, bytes, size - 1, NULL), TRM_BAD_USAGE);
  assert_int_equal(trm_simulation_restore(a, bytes, 10, NULL), TRM_BAD_USAGE);
  assert_int_equal(trm_simulation_restore(a, bytes, size, NULL), TRM_OK);
  /* a text that differs in a force which does not act at the start */
  static const char text[] = "trammel: 1\nname: a\nspace: planar\nparameters: {c: 1}\n"
                             "bodies: {b: {mass: 1, inertia: 1}}\n"
                             "forces: {d: {type: force, point: b, value: [\"-c*b.vx\", 0]}}\n";
  static const char *const overrides[] = {"c=2", NULL};
  trm_model *one = trm_model_load_text(text, NULL, NULL, NULL, NULL);
  trm_model *two = trm_model_load_text(text, NULL, overrides, NULL, NULL);
  trm_simulation *x = create(one, NULL), *y = create(two, NULL);
  size_t other_size;
  void *other_bytes = bytes_of(x, &other_size);
  assert_int_equal(trm_simulation_restore(y, other_bytes, other_size, NULL), TRM_BAD_USAGE);
  free(other_bytes);
  trm_simulation_destroy(x);
  trm_simulation_destroy(y);
  trm_model_destroy(one);
  trm_model_destroy(two);
  bytes[9] ^= 1;
  assert_int_equal(trm_simulation_restore(a, bytes, size, NULL), TRM_BAD_USAGE);
  free(bytes);
  trm_simulation_destroy(a);
  trm_simulation_destroy(b);
  trm_simulation_destroy(c);
  trm_model_destroy(model);
  trm_model_destroy(other);
}

/* ẏ against differences of states a short time apart; and a state that is set is the one got. */
static void check_state(trm_model *model) {
  assert_non_null(model);
  trm_simulation *sim = create(model, NULL);
  int size = trm_simulation_state_size(sim);
  assert_int_equal(trm_simulation_advance(sim, 0.3, NULL), TRM_OK);
  assert_near(trm_simulation_time(sim), 0.3, 0);
  double *before = state_of(sim), *rates = malloc((size_t)size * sizeof *rates), h = 1e-4;
  assert_int_equal(trm_simulation_advance(sim, 0.3 + h, NULL), TRM_OK);
  double *middle = state_of(sim);
  assert_int_equal(trm_simulation_derivatives(sim, 0.3 + h, middle, rates, NULL), TRM_OK);
  assert_int_equal(trm_simulation_advance(sim, 0.3 + 2 * h, NULL), TRM_OK);
  double *after = state_of(sim);
  for (int i = 0; i < size; i++)
    assert_near((after[i] - before[i]) / (2 * h), rates[i], 1e-4 * (1 + fabs(rates[i])));
  assert_int_equal(trm_simulation_set_state(sim, 0.3, before, NULL), TRM_OK);
  double *again = state_of(sim);
  for (int i = 0; i <= size; i++) assert_near(again[i], before[i], 1e-13);
  assert_int_equal(trm_simulation_advance(sim, 0.3 + 2 * h, NULL), TRM_OK);
  double *there = state_of(sim);
  for (int i = 0; i <= size; i++) assert_near(there[i], after[i], 1e-9);
  assert_int_equal(trm_simulation_derivatives(sim, NAN, before, rates, NULL), TRM_BAD_USAGE);
  assert_int_equal(trm_simulation_set_state(sim, INFINITY, before, NULL), TRM_BAD_USAGE);
  for (int i = 0; i < size; i++) {
    double kept = before[i];
    before[i] = i % 2 ? INFINITY : NAN;
    assert_int_equal(trm_simulation_derivatives(sim, 0.3, before, rates, NULL), TRM_BAD_USAGE);
    assert_int_equal(trm_simulation_set_state(sim, 0.3, before, NULL), TRM_BAD_USAGE);
    before[i] = kept;
  }
  assert_near(trm_simulation_time(sim), 0.3 + 2 * h, 0);
  assert_int_equal(trm_simulation_advance(sim, 0.1, NULL), TRM_BAD_USAGE);
  check_same(sim, sim, "itself");
  free(before), free(middle), free(after), free(again), free(there), free(rates);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

static void derivatives_and_states(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) check_state(model_of(i ? with_states : "models/four_bar.yaml"));
  trm_model *model = model_of(with_states);
  trm_simulation *sim = create(model, NULL);
  double *start = state_of(sim);
  int size = trm_simulation_state_size(sim); /* (q, v, z): states in the file's order, the work */
  assert_int_equal(size, 2 * trm_simulation_inspect(sim).coordinates + 4);
  const double z[] = {0, 0.5, 4, 0};
  for (int i = 0; i < 4; i++) assert_near(start[size - 4 + i], z[i], 0);
  free(start);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

/* A pendulum whose length is a parameter: small swings take 2π √(l/g). */
static void parameters_change(void **state) {
  (void)state;
  static const char text[] = "trammel: 1\nname: pendulum\nspace: planar\ngravity: [0, "
                             "-9.81]\nparameters: {l: 1, g: 9.81}\n"
                             "bodies: {b: {mass: 1, inertia: 0, position: [0, -l], angle: 0}}\n"
                             "joints: {J: {type: revolute, connect: [ground, b], at: [0, 0]}}\n"
                             "initial: {J.angle: 1e-4}\nsimulate: {duration: 10}\n";
  trm_model *model = trm_model_load_text(text, "pendulum.yaml", NULL, NULL, NULL);
  assert_non_null(model);
  trm_simulation *sim = create(model, NULL);
  int angle = trm_simulation_find(sim, "J.angle", NULL);
  for (int i = 0; i < 3; i++) {
    double l = 0.5 + i;
    assert_int_equal(trm_simulation_set_parameter(sim, "l", l, NULL), TRM_OK);
    assert_near(trm_simulation_time(sim), 0, 0);
    assert_int_equal(trm_simulation_advance(sim, 1.3, NULL), TRM_OK);
    assert_near(trm_simulation_get(sim, angle), 1e-4 * cos(1.3 * sqrt(9.81 / l)), 1e-12);
  }
  assert_int_equal(trm_simulation_set_parameter(sim, "k", 1, NULL), TRM_BAD_USAGE);
  assert_int_equal(trm_simulation_set_parameter(sim, "l", NAN, NULL), TRM_BAD_USAGE);
  assert_near(trm_simulation_time(sim), 1.3, 0); /* all stays as it was */
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = TRM_OK;
  assert_null(trm_model_load_text("bodies: [", "bad.yaml", NULL, diagnostics, &status));
  assert_int_equal(status, TRM_BAD_MODEL);
  assert_string_equal(trm_diagnostics_get(diagnostics, 0)->file, "bad.yaml");
  assert_null(trm_model_load_text(NULL, NULL, NULL, NULL, &status));
  assert_int_equal(status, TRM_BAD_USAGE);
  trm_diagnostics_destroy(diagnostics);
}

/* A top that nothing slows down: ψ = 7 t, counted from where it is first asked for. */
static void yaw_is_counted_for_who_asks(void **state) {
  (void)state;
  static const char text[] =
      "trammel: 1\nname: top\nspace: spatial\n"
      "bodies: {top: {mass: 1, inertia: [1, 1, 1], angular-velocity: [0, 0, 7]}}\n"
      "outputs: [energy.total]\nsimulate: {duration: 9}\n";
  trm_model *model = trm_model_load_text(text, NULL, NULL, NULL, NULL);
  assert_non_null(model);
  const double turn = 6.283185307179586;
  for (int late = 0; late < 2; late++) {
    trm_simulation *sim = create(model, trm_model_settings(model));
    if (late) assert_int_equal(trm_simulation_advance(sim, 1, NULL), TRM_OK);
    int yaw = trm_simulation_find(sim, "top.yaw", NULL);
    assert_near(trm_simulation_get(sim, yaw), late ? 7 - turn : 0, 1e-8);
    assert_int_equal(trm_simulation_advance(sim, 6, NULL), TRM_OK);
    assert_near(trm_simulation_get(sim, yaw), 42 - late * turn, 1e-7);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counted_turns_are_restored),
      cmocka_unit_test(restored_runs_go_on_bit_by_bit),
      cmocka_unit_test(restored_stiff_runs),
      cmocka_unit_test(restored_sundials),
      cmocka_unit_test(other_states_are_refused),
      cmocka_unit_test(derivatives_and_states),
      cmocka_unit_test(parameters_change),
      cmocka_unit_test(yaw_is_counted_for_who_asks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
