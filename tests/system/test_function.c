/* A function in place of an input: the same model with a formula, in explicit and implicit methods,
 * linearized, with another parameter. */
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

#include "../check.h"

#define BEFORE                                                                                     \
  "trammel: 1\nname: controlled\nspace: planar\ngravity: [0, -9.81]\nparameters: {m: 1}\n"         \
  "states: {sum: {initial: 0, rate: error}}\n"
#define AFTER                                                                                      \
  "bodies:\n  a: {mass: m, inertia: 0.1, position: [0.5, 0], points: {E: [0.5, 0]}}\n"             \
  "  b: {mass: 1, inertia: 0.1, position: [1.5, 0], points: {E: [-0.5, 0]}}\n"                     \
  "joints:\n  A: {type: revolute, connect: [ground, a], at: [0, 0]}\n"                             \
  "  B: {type: revolute, connect: [a.E, b.E]}\n"                                                   \
  "forces: {motor: {type: actuator, of: A, value: u}}\nsimulate: {duration: 0.5}\n"

static const char by_formula[] = BEFORE
    "inputs: {w: 0}\n"
    "variables: {error: \"0.2 - A.angle\", u: \"w + 40*error - 3*A.rate + 5*sum + sin(9*t) - "
    "2*error^3\"}\n" AFTER;
static const char by_function[] =
    BEFORE "variables: {error: \"0.2 - A.angle\"}\n"
           "inputs: {w: 0, u: {of: [error, A.rate, sum, w], value: 7}}\n" AFTER;

typedef struct gains {
  double p;
  int calls;
  bool exact;
} gains;

static double control(void *context, double t, const double *x, double *gradient) {
  gains *g = context;
  g->calls++;
  if (gradient && g->exact) {
    const double slopes[] = {g->p - 6 * x[0] * x[0], -3, 5, 1};
    memcpy(gradient, slopes, sizeof slopes);
  }
  return x[3] + g->p * x[0] - 3 * x[1] + 5 * x[2] + sin(9 * t) - 2 * x[0] * x[0] * x[0];
}

static trm_model *load(const char *text) {
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status;
  trm_model *model = trm_model_load_text(text, "model.yaml", NULL, said, &status);
  for (int i = 0; i < trm_diagnostics_count(said); i++)
    print_error("%s\n", trm_diagnostics_get(said, i)->message);
  assert_int_equal(status, TRM_OK);
  trm_diagnostics_destroy(said);
  return model;
}

static double run(const trm_model *model, const char *integrator, double mass) {
  trm_diagnostics *said = trm_diagnostics_create();
  trm_settings settings = *trm_model_settings(model);
  trm_status status;
  assert_int_equal(trm_settings_set(&settings, "integrator", integrator, said), TRM_OK);
  settings.rtol = 1e-10;
  settings.atol = 1e-12;
  trm_simulation *sim = trm_simulation_create(model, &settings, said, &status);
  assert_int_equal(status, TRM_OK);
  int angle = trm_simulation_find(sim, "B.angle", said);
  if (mass != 1) assert_int_equal(trm_simulation_set_parameter(sim, "m", mass, said), TRM_OK);
  assert_int_equal(trm_simulation_advance(sim, 0.5, said), TRM_OK);
  double value = trm_simulation_get(sim, angle);
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(said);
  return value;
}

static void same_motion(void **state) {
  (void)state;
  trm_model *formula = load(by_formula), *function = load(by_function);
  gains g = {.p = 40};
  assert_int_equal(trm_model_input_arguments(function, 1), 4);
  assert_int_equal(trm_model_input_arguments(function, 0), 0);
  assert_int_equal(trm_model_set_input_function(function, "u", control, &g, NULL), TRM_OK);
  const char *const integrators[] = {"dop853", "radau5", "bdf"};
  for (int i = 0; i < 3; i++)
    for (double mass = 1; mass <= 2; mass++) {
      double expected = run(formula, integrators[i], mass);
      for (int exact = 0; exact < 2; exact++) {
        g.exact = exact;
        assert_near(run(function, integrators[i], mass), expected, 1e-8);
      }
    }
  assert_true(g.calls > 1000);
  /* the formula again */
  assert_int_equal(trm_model_set_input_function(function, "u", NULL, NULL, NULL), TRM_OK);
  assert_true(fabs(run(function, "dop853", 1) - run(formula, "dop853", 1)) > 0.01);
  trm_model_destroy(formula);
  trm_model_destroy(function);
}

static trm_linear_model *linearize(const trm_model *model) {
  trm_diagnostics *said = trm_diagnostics_create();
  trm_linear_options options = trm_default_linear_options();
  const char *inputs[] = {"w", NULL};
  options.inputs = inputs;
  trm_simulation *sim = trm_simulation_create(model, NULL, said, NULL);
  assert_int_equal(trm_simulation_advance(sim, 0.1, said), TRM_OK);
  trm_linear_model *linear = trm_simulation_linearize(sim, &options, said, NULL);
  assert_non_null(linear);
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(said);
  return linear;
}

/* The feedback is a part of A, and B goes through the function. */
static void same_linear_model(void **state) {
  (void)state;
  trm_model *formula = load(by_formula), *function = load(by_function);
  gains g = {.p = 40};
  assert_int_equal(trm_model_set_input_function(function, "u", control, &g, NULL), TRM_OK);
  for (int exact = 0; exact < 2; exact++) {
    g.exact = exact;
    trm_linear_model *a = linearize(formula), *b = linearize(function);
    int n = a->state_count;
    assert_int_equal(b->state_count, n);
    for (int i = 0; i < n * n; i++) assert_near(b->A[i], a->A[i], 1e-6 * (1 + fabs(a->A[i])));
    for (int i = 0; i < n; i++) assert_near(b->B[i], a->B[i], 1e-6 * (1 + fabs(a->B[i])));
    trm_linear_model_destroy(a);
    trm_linear_model_destroy(b);
  }
  trm_model_destroy(formula);
  trm_model_destroy(function);
}

static double nowhere(void *context, double t, const double *x, double *gradient) {
  (void)context, (void)x, (void)gradient;
  return t > 0.05 ? NAN : 0;
}

static void refusals(void **state) {
  (void)state;
  trm_diagnostics *said = trm_diagnostics_create();
  trm_model *model = load(by_function);
  trm_status status;
  assert_int_equal(trm_model_set_input_function(model, "v", control, NULL, said), TRM_BAD_USAGE);
  assert_non_null(strstr(trm_diagnostics_get(said, 0)->message, "'v'"));
  assert_int_equal(trm_model_set_input_function(model, "u", nowhere, NULL, said), TRM_OK);
  trm_simulation *sim = trm_simulation_create(model, NULL, said, &status);
  assert_int_equal(trm_simulation_advance(sim, 0.5, said), TRM_FAILED);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  const struct {
    const char *text, *says;
  } wrong[] = {{"inputs: {u: {of: [u]}}\n", "circular"},
               {"inputs: {u: {of: [b.ax]}}\n", "accel"},
               {"inputs: {u: {of: error}}\n", "list"},
               {"inputs: {u: {value: 3}}\n", "of"},
               {"inputs: {u: {of: [nothing.x]}}\n", "nothing"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[2000];
    bool told = false;
    trm_diagnostics_clear(said);
    snprintf(text, sizeof text, "%svariables: {error: \"0.2 - A.angle\"}\n%s%s", BEFORE,
             wrong[i].text, AFTER);
    assert_null(trm_model_load_text(text, "model.yaml", NULL, said, &status));
    assert_int_equal(status, TRM_BAD_MODEL);
    for (int k = 0; k < trm_diagnostics_count(said); k++)
      told = told || strstr(trm_diagnostics_get(said, k)->message, wrong[i].says);
    if (!told) print_error("%s: %s\n", wrong[i].text, trm_diagnostics_get(said, 0)->message);
    assert_true(told);
  }
  trm_diagnostics_destroy(said);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_motion),
                                     cmocka_unit_test(same_linear_model),
                                     cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
