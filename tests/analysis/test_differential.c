/* Derivatives along directions, against differences of order six of what they differentiate: rates
 * at any state, measures and events after the state was set. */
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

#include "../check.h"

static const double place[6] = {-3, -2, -1, 1, 2, 3};
static const double weight[6] = {-1 / 60.0, 9 / 60.0, -45 / 60.0, 45 / 60.0, -9 / 60.0, 1 / 60.0};

typedef struct subject {
  trm_simulation *sim;
  int states, inputs, events, measures;
  int input[8], handle[8];
  double t, *x, u[8];
  double tolerance;
} subject;

typedef struct point {
  double *rates, *values, *watched;
} point;

static point create_point(const subject *s) {
  point p = {calloc((size_t)s->states, sizeof(double)), calloc(8, sizeof(double)),
             calloc(8, sizeof(double))};
  assert_true(p.rates && p.values && p.watched);
  return p;
}

static void free_point(point *p) {
  free(p->rates);
  free(p->values);
  free(p->watched);
}

static void must(trm_status status, trm_diagnostics *diagnostics) {
  if (status == TRM_OK) return;
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
    print_error("%s\n", trm_diagnostics_get(diagnostics, i)->message);
  fail();
}

/* What the derivatives are of, a part of the change away. */
static void evaluate(subject *s, const trm_change *change, double part, trm_diagnostics *said,
                     point *p) {
  double *x = calloc((size_t)s->states, sizeof *x);
  assert_non_null(x);
  double t = s->t + part * change->time;
  for (int i = 0; i < s->states; i++)
    x[i] = s->x[i] + part * (change->state ? change->state[i] : 0);
  for (int i = 0; i < s->inputs; i++)
    trm_simulation_set_input(s->sim, s->input[i],
                             s->u[i] + part * (change->inputs ? change->inputs[i] : 0));
  must(trm_simulation_derivatives(s->sim, t, x, p->rates, said), said);
  must(trm_simulation_set_state(s->sim, t, x, said), said);
  for (int i = 0; i < s->measures; i++) p->values[i] = trm_simulation_get(s->sim, s->handle[i]);
  trm_simulation_watch(s->sim, p->watched);
  free(x);
}

static void compare(const char *what, int count, const double *found, const double *expected,
                    double tolerance) {
  double scale = 1;
  for (int i = 0; i < count; i++) scale = larger(scale, fabs(expected[i]));
  for (int i = 0; i < count; i++) {
    if (fabs(found[i] - expected[i]) <= tolerance * scale) continue;
    print_error("%s %d: %.12g, by differences %.12g\n", what, i, found[i], expected[i]);
    fail();
  }
}

static void check_along(subject *s, const trm_change *change, double step, const char *what) {
  trm_diagnostics *said = trm_diagnostics_create();
  point found = create_point(s), expected = create_point(s), side = create_point(s);
  trm_status status;
  must(trm_simulation_set_state(s->sim, s->t, s->x, said), said);
  for (int i = 0; i < s->inputs; i++) trm_simulation_set_input(s->sim, s->input[i], s->u[i]);
  trm_differential *d = trm_simulation_differentiate(s->sim, s->measures, s->handle, said, &status);
  must(status, said);
  must(trm_differential_along(d, change, found.rates, found.values, found.watched, said), said);
  trm_differential_destroy(d);
  for (int k = 0; k < 6; k++) {
    evaluate(s, change, step * place[k], said, &side);
    for (int i = 0; i < s->states; i++) expected.rates[i] += weight[k] / step * side.rates[i];
    for (int i = 0; i < s->measures; i++) expected.values[i] += weight[k] / step * side.values[i];
    for (int i = 0; i < s->events; i++) expected.watched[i] += weight[k] / step * side.watched[i];
  }
  print_message("  %s\n", what);
  compare("rate", s->states, found.rates, expected.rates, s->tolerance);
  compare("measure", s->measures, found.values, expected.values, s->tolerance);
  compare("event", s->events, found.watched, expected.watched, s->tolerance);
  free_point(&found);
  free_point(&expected);
  free_point(&side);
  trm_diagnostics_destroy(said);
}

static double draw(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)*seed / 2147483648.0 - 1;
}

/* Directions across the constraints and along them, single inputs, the time. */
static void check_subject(subject *s, bool redundant) {
  unsigned seed = 7;
  double *x = calloc((size_t)s->states, sizeof *x), u[8] = {0};
  assert_non_null(x);
  for (int k = 0; k < 2 && !redundant; k++) {
    for (int i = 0; i < s->states; i++) x[i] = draw(&seed);
    check_along(s, &(trm_change){.state = x}, 1e-3, "a state anywhere");
  }
  /* two states on the constraints next to each other */
  trm_diagnostics *said = trm_diagnostics_create();
  for (int i = 0; i < s->states; i++) x[i] = s->x[i] + 1e-7 * draw(&seed);
  must(trm_simulation_set_state(s->sim, s->t, x, said), said);
  trm_simulation_get_state(s->sim, NULL, x);
  for (int i = 0; i < s->states; i++) x[i] = (x[i] - s->x[i]) / 1e-7;
  trm_diagnostics_destroy(said);
  check_along(s, &(trm_change){.state = x}, 1e-3, "a state on the constraints");
  check_along(s, &(trm_change){.time = 1}, 1e-3, "the time");
  for (int i = 0; i < s->inputs; i++) {
    memset(u, 0, sizeof u);
    u[i] = 1;
    check_along(s, &(trm_change){.inputs = u}, 1e-2, "an input");
    for (int k = 0; k < s->inputs; k++) u[k] = 1 + k;
    check_along(s, &(trm_change){.time = 2, .state = x, .inputs = u}, 1e-3, "all at once");
  }
  free(x);
}

static void check(trm_model *model, const char *const *measures, const char *const *settings,
                  double time, bool redundant) {
  trm_diagnostics *said = trm_diagnostics_create();
  trm_settings used = *trm_model_settings(model);
  used.tolerance = 1e-14;
  for (int i = 0; settings && settings[i]; i += 2)
    must(trm_settings_set(&used, settings[i], settings[i + 1], said), said);
  trm_status status;
  subject s = {.sim = trm_simulation_create(model, &used, said, &status)};
  must(status, said);
  must(trm_simulation_advance(s.sim, time, said), said);
  s.states = trm_simulation_state_size(s.sim);
  s.x = calloc((size_t)s.states, sizeof(double));
  assert_non_null(s.x);
  trm_simulation_get_state(s.sim, &s.t, s.x);
  must(trm_simulation_set_state(s.sim, s.t, s.x, said), said);
  trm_simulation_get_state(s.sim, &s.t, s.x);
  for (const char *name; (name = trm_model_input_name(model, s.inputs)); s.inputs++) {
    s.input[s.inputs] = trm_simulation_input(s.sim, name);
    s.u[s.inputs] = 0.3;
  }
  while (measures && measures[s.measures]) {
    s.handle[s.measures] = trm_simulation_find(s.sim, measures[s.measures], said);
    assert_true(s.handle[s.measures++] >= 0);
  }
  s.events = trm_model_event_count(model);
  /* of redundant joints the direction must lie on the constraints, and is known to 1e-7 itself */
  s.tolerance = redundant ? 1e-7 : 1e-9;
  check_subject(&s, redundant);
  free(s.x);
  trm_simulation_destroy(s.sim);
  trm_diagnostics_destroy(said);
}

static void check_file(const char *path, const char *const *measures, const char *const *settings,
                       double time, bool redundant) {
  char whole[1024];
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status;
  snprintf(whole, sizeof whole, "%s/models/%s", getenv("TRM_SOURCE_DIR"), path);
  trm_model *model = trm_model_load(whole, NULL, said, &status);
  must(status, said);
  print_message("%s\n", path);
  check(model, measures, settings, time, redundant);
  trm_model_destroy(model);
  trm_diagnostics_destroy(said);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void shipped(void **state) {
  (void)state;
  check_file(
      "four_bar.yaml",
      LIST("coupler.B.x", "coupler.B.vy", "A.fx", "energy.total", "energy.error", "energy.work"),
      NULL, 0.3, false);
  check_file("four_bar.yaml", LIST("coupler.B.x"), LIST("stabilization", "partition"), 0.3, false);
  check_file("four_bar.yaml", LIST("coupler.B.x"), LIST("stabilization", "baumgarte"), 0.3, false);
  check_file("four_bar.yaml", LIST("coupler.B.x", "A.f"), LIST("coordinates", "angle"), 0.3, false);
  check_file("heavy_top.yaml", NULL, LIST("coordinates", "natural"), 0.2, false);
  check_file("heavy_top.yaml", NULL, LIST("coordinates", "euler-parameters"), 0.2, false);
  check_file("driven_four_bar.yaml", NULL, NULL, 0.3, false);
  check_file("rolling_disc.yaml", NULL, NULL, 0.2, false);
  check_file("point_double_four_bar.yaml", NULL, NULL, 0.1, false);
  check_file("bricard.yaml", LIST("energy.total"), NULL, 0.2, true);
}

/* Inputs that push, steer a driver through a filter, feed a state; a length that changes with t. */
static const char controlled[] =
    "trammel: 1\nname: controlled\nspace: planar\ngravity: [0, -9.81]\n"
    "inputs: {push: 0.2, turn: \"0.1*sin(3*t)\"}\n"
    "states: {lag: {initial: 0.1, rate: \"(push - lag)/0.2 + 0.1*b.omega\"}}\n"
    "events: {low: {when: \"b.y + 0.3 + push\", set: {lag: 0}}}\n"
    "bodies:\n  a: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {E: [0.5, 0]}}\n"
    "  b: {mass: 1, inertia: 0.1, position: [1.5, 0], points: {E: [-0.5, 0]}}\n"
    "  c: {mass: 0.5, inertia: 0.1, position: [0, -1]}\n"
    "joints:\n  A: {type: revolute, connect: [ground, a], at: [0, 0]}\n"
    "  B: {type: revolute, connect: [a.E, b.E]}\n"
    "  swing: {type: distance, connect: [ground, c], length: \"1 + 0.1*sin(2*t)\"}\n"
    "  motor: {type: driver, of: A.angle, value: \"smooth(turn, 0.1)\"}\n"
    "forces:\n  f: {type: force, point: b, value: [\"push^2\", \"lag*t\"]}\n"
    "simulate: {duration: 2}\n"
    "outputs: [b.x, b.vy, B.f, low.count]\n";

static void signals(void **state) {
  (void)state;
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status;
  trm_model *model = trm_model_load_text(controlled, "controlled.yaml", NULL, said, &status);
  must(status, said);
  const char *const *measures = LIST("b.x", "b.vy", "B.f", "motor.effort", "c.ay", "lag'", "push");
  check(model, measures, NULL, 0.2, false);
  check(model, measures, LIST("coordinates", "natural", "stabilization", "embedded"), 0.2, false);
  trm_model_destroy(model);
  trm_diagnostics_destroy(said);
}

static void wrong_handles(void **state) {
  (void)state;
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status;
  trm_model *model = trm_model_load_text(controlled, "controlled.yaml", NULL, said, &status);
  trm_simulation *sim = trm_simulation_create(model, NULL, said, &status);
  const int handles[] = {5};
  assert_null(trm_simulation_differentiate(sim, 1, handles, said, &status));
  assert_int_equal(status, TRM_BAD_USAGE);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  trm_diagnostics_destroy(said);
}

static void not_finite(void **state) {
  (void)state;
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status;
  trm_model *model = trm_model_load_text(controlled, "controlled.yaml", NULL, said, &status);
  trm_simulation *sim = trm_simulation_create(model, NULL, said, &status);
  trm_differential *d = trm_simulation_differentiate(sim, 0, NULL, said, &status);
  assert_non_null(d);
  double *x = calloc((size_t)trm_simulation_state_size(sim), sizeof *x), u[8] = {NAN};
  assert_non_null(x);
  x[trm_simulation_state_size(sim) - 1] = INFINITY;
  const trm_change changes[] = {{.time = NAN}, {.state = x}, {.inputs = u}};
  for (int i = 0; i < 3; i++)
    assert_int_equal(trm_differential_along(d, &changes[i], NULL, NULL, NULL, said), TRM_BAD_USAGE);
  free(x);
  trm_differential_destroy(d);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  trm_diagnostics_destroy(said);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shipped), cmocka_unit_test(signals),
                                     cmocka_unit_test(wrong_handles), cmocka_unit_test(not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
