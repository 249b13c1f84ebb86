/* States that are integrated with the motion, by every method: against exact solutions. */
#include <string.h>

#include "../maxwell.h"
#include "../run.h"
#include "analysis/simulation.h"

/* x' = A x with x(0) in, x(t) out: by Taylor's series over short steps. */
static void exact(int n, const double *A, double t, double *x) {
  enum { STEPS = 4000, TERMS = 12, MOST = 8 };
  double h = t / STEPS, term[MOST], next[MOST];
  for (int s = 0; s < STEPS; s++) {
    memcpy(term, x, (size_t)n * sizeof *x);
    for (int k = 1; k < TERMS; k++) {
      for (int i = 0; i < n; i++) {
        next[i] = 0;
        for (int j = 0; j < n; j++) next[i] += A[i * n + j] * term[j] * h / k;
      }
      for (int i = 0; i < n; i++) x[i] += term[i] = next[i];
    }
  }
}

typedef struct method {
  const char *name;
  int order;        /* of fixed steps; 0: variable */
  double tolerance; /* of variable ones, with rtol 1e-8 */
} method;

static const method methods[] = {
    {"euler", 1, 0},       {"rk4", 4, 0},         {"rk6", 6, 0},
    {"ab2", 2, 0},         {"ab4", 4, 0},         {"ab6", 6, 0},
    {"trapezoidal", 2, 0}, {"three-field", 2, 0}, {"generalized-alpha", 2, 0},
    {"dopri5", 0, 1e-6},   {"dop853", 0, 1e-6},   {"radau5", 0, 1e-6},
    {"adams", 0, 1e-5},    {"bdf", 0, 1e-5},      {"ida", 0, 1e-5},
    {"auto", 0, 1e-6},
};

static trm_model *load(const char *text) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_text(text, "model.yaml", NULL, diagnostics, NULL);
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
    print_error("%s\n", trm_diagnostics_get(diagnostics, i)->message);
  assert_non_null(model);
  trm_diagnostics_destroy(diagnostics);
  return model;
}

static trm_simulation *create(const trm_model *model, const char *coordinates, const method *m,
                              double step) {
  trm_settings settings = *trm_model_settings(model);
  char text[32];
  snprintf(text, sizeof text, "%.17g", step);
  if (coordinates)
    assert_int_equal(trm_settings_set(&settings, "coordinates", coordinates, NULL), TRM_OK);
  assert_int_equal(trm_settings_set(&settings, "integrator", m->name, NULL), TRM_OK);
  if (m->order > 0) {
    assert_int_equal(trm_settings_set(&settings, "stepping", "fixed", NULL), TRM_OK);
    assert_int_equal(trm_settings_set(&settings, "step", text, NULL), TRM_OK);
  } else {
    assert_int_equal(trm_settings_set(&settings, "rtol", "1e-8", NULL), TRM_OK);
    assert_int_equal(trm_settings_set(&settings, "atol", "1e-10", NULL), TRM_OK);
    if (strcmp(m->name, "auto") == 0 || m->name[0] == 'd')
      assert_int_equal(trm_settings_set(&settings, "stepping", "variable", NULL), TRM_OK);
  }
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  return sim;
}

/* The largest error of some measures at `end`. */
static double error_of(const trm_model *model, const char *coordinates, const method *m,
                       double step, double end, int count, const char *const *names,
                       const double *expected) {
  trm_simulation *sim = create(model, coordinates, m, step);
  assert_int_equal(trm_simulation_advance(sim, end, NULL), TRM_OK);
  double worst = 0;
  for (int i = 0; i < count; i++) {
    double error =
        fabs(trm_simulation_get(sim, trm_simulation_find(sim, names[i], NULL)) - expected[i]);
    if (!(error <= worst)) worst = error;
  }
  trm_simulation_destroy(sim);
  return worst;
}

static void check(const trm_model *model, const char *coordinates, double step, double end,
                  int count, const char *const *names, const double *expected) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const method *m = &methods[i];
    double error = error_of(model, coordinates, m, step, end, count, names, expected);
    double order =
        m->order > 0
            ? log2(error / error_of(model, coordinates, m, step / 2, end, count, names, expected))
            : 0;
    bool good = m->order > 0 ? order > m->order - 0.3 && error < 1 : error < m->tolerance;
    if (!good) print_error("%s, %s: error %g, order %g\n", coordinates, m->name, error, order);
    assert_true(good);
  }
}

/* z' = −z/τ beside a mechanism that rests, and one that swings. */
static void decay(void **state) {
  (void)state;
  trm_model *model = load("trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
                          "parameters: {tau: 0.4}\n"
                          "bodies: {b: {mass: 1, inertia: 0.1, position: [0.5, 0]}, c: {mass: 1, "
                          "inertia: 0.1, position: [0, -1]}}\n"
                          "joints:\n  J: {type: revolute, connect: [ground, b], at: [0, 0]}\n"
                          "  K: {type: revolute, connect: [ground, c], at: [0, 0]}\n"
                          "states: {z: {initial: \"2*b.x\", rate: \"-z/tau\"}, "
                          "held: {initial: \"3 + c.y\"}}\n"
                          "simulate: {duration: 1}\n");
  const char *const names[] = {"z", "held", "z'"};
  const double z = exp(-1 / 0.4), expected[] = {z, 2, -z / 0.4};
  check(model, NULL, 0.025, 1, 3, names, expected);
  trm_model_destroy(model);
}

/* A mass on a spring, pushed by a lag that follows it: x = (position, velocity, lag, integral, 1).
 */
#define MASS(space, more)                                                                          \
  "trammel: 1\nspace: " space "\nparameters: {m: 2, k: 30, c: 0.4, tau: 0.5, b: 3}\n"              \
  "bodies: {mass: {mass: m, " more ", points: {P: [0.3, 0.2" ZERO "]}}}\n"                         \
  "joints: {J: {type: prismatic, connect: [ground, mass], axis: [1, 0" ZERO "]}}\n"                \
  "inputs: {wanted: 0.2}\n"                                                                        \
  "variables: {push: \"2*lag - 0.5*sum\", error: \"wanted - mass.x\"}\n"                           \
  "states:\n  lag: {initial: \"mass.x\", rate: \"(b*error - lag)/tau\"}\n"                         \
  "  sum: {initial: 0.1, rate: error}\n"                                                           \
  "forces:\n  F: {type: force, point: mass.P, value: [push, 0" ZERO "]}\n"                         \
  "  S: {type: force, point: mass, value: [\"-k*mass.x - c*mass.vx\", 0" ZERO "]}\n"               \
  "simulate: {duration: 2}\n"

#define ZERO ""
static const char planar_mass[] =
    MASS("planar", "inertia: 1, position: [1, 0], velocity: [0.3, 0]");
#undef ZERO
#define ZERO ", 0"
static const char spatial_mass[] =
    MASS("spatial", "inertia: [1, 2, 3], position: [1, 0, 0], velocity: [0.3, 0, 0]");

static void a_state_feeds_a_force(void **state) {
  (void)state;
  const double m = 2, k = 30, c = 0.4, tau = 0.5, b = 3;
  const double A[] = {0,        1,      0,        0,        0,             /**/
                      -k / m,   -c / m, 2 / m,    -0.5 / m, 0,             /**/
                      -b / tau, 0,      -1 / tau, 0,        b * 0.2 / tau, /**/
                      -1,       0,      0,        0,        0.2,           /**/
                      0,        0,      0,        0,        0};
  double x[] = {1, 0.3, 1, 0.1, 1};
  exact(5, A, 2, x);
  const char *const names[] = {"mass.x", "mass.vx", "lag", "sum"};
  trm_model *plane = load(planar_mass), *space = load(spatial_mass);
  static const char *const planar_forms[] = {"natural", "euler-parameters", "angle"};
  for (int i = 0; i < 3; i++) check(plane, planar_forms[i], 0.01, 2, 4, names, x);
  for (int i = 0; i < 2; i++) check(space, planar_forms[i], 0.01, 2, 4, names, x);
  trm_model_destroy(plane);
  trm_model_destroy(space);
}

/* A pendulum held upright by a PID controller with a lagging motor, against a small integration of
 * its own: J w' = m g l sin(a) + u. */
static void derivative(const double x[4], double rates[4]) {
  const double kp = 60, kd = 12, ki = 20, tau = 0.02, g = 9.81, m = 2, l = 0.7, J = 0.3 + m * l * l;
  double command = -kp * x[0] - kd * x[1] - ki * x[2];
  rates[0] = x[1];
  rates[1] = (m * g * l * sin(x[0]) + x[3]) / J;
  rates[2] = x[0];
  rates[3] = (command - x[3]) / tau;
}

static void a_controlled_pendulum(void **state) {
  (void)state;
  enum { STEPS = 20000 };
  double x[4] = {0.4, 0, 0, 0}, h = 1.5 / STEPS;
  for (int s = 0; s < STEPS; s++) {
    double k[4][4], y[4];
    derivative(x, k[0]);
    for (int stage = 1; stage < 4; stage++) {
      for (int i = 0; i < 4; i++) y[i] = x[i] + (stage < 3 ? h / 2 : h) * k[stage - 1][i];
      derivative(y, k[stage]);
    }
    for (int i = 0; i < 4; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  trm_model *model = load("trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
                          "parameters: {l: 0.7, a: 0.4}\n"
                          "bodies: {rod: {mass: 2, inertia: 0.3, position: [\"-l*sin(a)\", "
                          "\"l*cos(a)\"], angle: a, points: {O: [0, -l]}}}\n"
                          "joints: {J: {type: revolute, connect: [ground, rod.O]}}\n"
                          "variables: {command: \"-60*rod.angle - 12*rod.omega - 20*integral\"}\n"
                          "states:\n  integral: {initial: 0, rate: rod.angle}\n"
                          "  torque: {initial: 0, rate: \"(command - torque)/0.02\"}\n"
                          "forces: {motor: {type: actuator, of: J, value: torque}}\n"
                          "simulate: {duration: 1.5}\n");
  const char *const names[] = {"rod.angle", "rod.omega", "integral"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (methods[i].order == 0)
      assert_true(error_of(model, NULL, &methods[i], 0, 1.5, 3, names, x) < methods[i].tolerance);
  trm_model_destroy(model);
}

static double iterations(const trm_simulation *sim) {
  return (double)sim->integrator->iterations / (double)sim->course->step;
}

/* A state that is a million times faster than the motion: implicit methods do not feel it, and with
 * exact derivatives Newton needs few iterations. */
static void a_stiff_state(void **state) {
  (void)state;
  static const method stiff[] = {{"trapezoidal", 2, 0}, {"generalized-alpha", 2, 0},
                                 {"three-field", 2, 0}, {"radau5", 0, 1e-6},
                                 {"bdf", 0, 1e-5},      {"ida", 0, 1e-5}};
  trm_model *model = load("trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
                          "bodies: {b: {mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
                          "joints: {J: {type: revolute, connect: [ground, b], at: [0, 0]}}\n"
                          "states: {z: {initial: 0, rate: \"(J.rate - z)*1e6\"}}\n"
                          "forces: {f: {type: actuator, of: J, value: \"-3*z\"}}\n"
                          "simulate: {duration: 1}\n");
  trm_model *limit = load("trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
                          "bodies: {b: {mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
                          "joints: {J: {type: revolute, connect: [ground, b], at: [0, 0]}}\n"
                          "forces: {f: {type: actuator, of: J, value: \"-3*J.rate\"}}\n"
                          "simulate: {duration: 1}\n");
  trm_simulation *slow = create(limit, NULL, &(method){"dop853", 0, 0}, 0);
  assert_int_equal(trm_simulation_advance(slow, 1, NULL), TRM_OK);
  double angle = trm_simulation_get(slow, trm_simulation_find(slow, "J.angle", NULL));
  for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++) {
    trm_simulation *sim = create(model, NULL, &stiff[i], 0.01);
    assert_int_equal(trm_simulation_advance(sim, 1, NULL), TRM_OK);
    const trm_summary *summary = trm_simulation_summary(sim);
    double found = trm_simulation_get(sim, trm_simulation_find(sim, "J.angle", NULL));
    trm_simulation *plain = create(limit, NULL, &stiff[i], 0.01);
    assert_int_equal(trm_simulation_advance(plain, 1, NULL), TRM_OK);
    double each = iterations(sim), without = iterations(plain);
    bool good = fabs(found - angle) < (stiff[i].order ? 1e-3 : 1e-5) && each > 0 &&
                each < without + 1 && summary->steps < 1000;
    if (!good)
      print_error("%s: angle off by %g, %g iterations a step, without the state %g, %ld steps\n",
                  stiff[i].name, found - angle, each, without, (long)summary->steps);
    assert_true(good);
    trm_simulation_destroy(sim);
    trm_simulation_destroy(plain);
  }
  trm_simulation_destroy(slow);
  trm_model_destroy(model);
  trm_model_destroy(limit);
}

/* Rates that jump where a state, the time or the motion does something: variable steps end there.
 */
static void rates_that_jump(void **state) {
  (void)state;
  trm_model *model = load("trammel: 1\nspace: planar\n"
                          "bodies: {b: {mass: 1, inertia: 0.1, velocity: [0.5, 0]}}\n"
                          "variables: {late: \"if(w < 0.35, 0, 1)\"}\n"
                          "states:\n  w: {initial: 0, rate: 1}\n  z: {initial: 0, rate: late}\n"
                          "  y: {initial: 0, rate: \"if(t < 0.3, 1, 2)\"}\n"
                          "  x: {initial: 0, rate: \"max(0, b.x - 0.2)\"}\n"
                          "  u: {initial: 1, rate: \"abs(u - 0.5) - 1\"}\n"
                          "simulate: {duration: 1}\n");
  /* u' = u − 3/2 to u = 1/2 at t = ln 2, then −u − 1/2 */
  const double u = -0.5 + exp(-(1 - log(2)));
  const char *const names[] = {"w", "z", "y", "x", "u"};
  const double expected[] = {1, 0.65, 1.7, 0.3 * 0.3 / (2 * 0.5), u};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (methods[i].order > 0) continue;
    double error = error_of(model, NULL, &methods[i], 0, 1, 5, names, expected);
    if (!(error < methods[i].tolerance)) print_error("%s: %g\n", methods[i].name, error);
    assert_true(error < methods[i].tolerance);
  }
  trm_model_destroy(model);
}

/* What goes wrong is told by name. */
static void not_finite(void **state) {
  (void)state;
  for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; i++) {
    char text[400];
    const method *m = &methods[i / 2];
    snprintf(text, sizeof text,
             "trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 0.1, velocity: [0.5, 0]}}\n"
             "states: {w: {initial: 0, rate: 1}, z: {initial: %d, rate: \"%s\"}}\n"
             "simulate: {duration: 3}\n",
             i % 2 == 0, i % 2 ? "sqrt(0.5 - w)" : "z^2");
    trm_model *model = load(text);
    trm_simulation *sim = create(model, NULL, m, 0.125);
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_status status = trm_simulation_advance(sim, 3, diagnostics);
    const char *message = status == TRM_OK ? "none" : trm_diagnostics_get(diagnostics, 0)->message;
    bool good = status == TRM_FAILED && strstr(message, "state 'z'");
    if (!good) print_error("%s, %s: %s\n", m->name, text + 100, message);
    assert_true(good);
    trm_diagnostics_destroy(diagnostics);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
  }
}

/* A mass on a spring and damper in series: a force element with states. x = (position less free
 * length, velocity, extension). */
static void an_element_with_states(void **state) {
  (void)state;
  const double m = 2, k = 30, c = 4;
  const double A[] = {0, 1, 0, -k / m, 0, k / m, k / c, 0, -k / c};
  double x[] = {0.6, 0.3, 0.3};
  exact(3, A, 1, x);
  x[0] += 0.4;
  trm_model *model =
      load("trammel: 1\nspace: planar\n"
           "bodies: {mass: {mass: 2, inertia: 1, position: [1, 0], velocity: [0.3, 0]}}\n"
           "joints: {J: {type: prismatic, connect: [ground, mass], axis: [1, 0]}}\n"
           "variables: {x: mass.x}\n" /* signals and such elements go together */
           "states: {sum: {initial: 0, rate: 0}}\n"
           "forces: {S: {type: spring-damper, connect: [ground, mass], stiffness: 30, "
           "damping: 4, length: 0.4}}\n"
           "simulate: {duration: 1}\n");
  model->forces[0].own = &maxwell;
  const char *const names[] = {"x", "mass.vx"};
  check(model, "natural", 0.01, 1, 2, names, x);
  check(model, "angle", 0.01, 1, 2, names, x);
  trm_simulation *sim = create(model, NULL, &(method){"dop853", 0, 0}, 0);
  assert_int_equal(trm_simulation_advance(sim, 1, NULL), TRM_OK);
  assert_true(fabs(sim->engine->y[sim->engine->dynamics.at.z + 1] - x[2]) < 1e-7);
  char name[80];
  trm_system_coordinate_name(sim->engine->system, sim->engine->system->n + 2, name, sizeof name);
  assert_string_equal(name, "state 'covered' of force 'S'");
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

/* Built by calls: a capacitor that a wheel's dynamo charges, x = (rate, charge). */
static void built_by_calls(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def wheel = trm_default_body();
  wheel.name = "wheel";
  wheel.mass = wheel.inertia[2] = 2;
  wheel.angular_velocity_given = true;
  wheel.angular_velocity[2] = 5;
  trm_joint_def hub = trm_default_joint();
  hub.name = "hub";
  hub.type = TRM_JOINT_REVOLUTE;
  hub.connect[0] = "ground";
  hub.connect[1] = "wheel";
  trm_force_def dynamo = trm_default_force();
  dynamo.name = "dynamo";
  dynamo.type = TRM_FORCE_TORQUE;
  dynamo.connect[0] = "wheel";
  dynamo.value[2] = trm_formula("-3*current");
  const trm_value resistance = trm_number(4), zero = trm_number(0), none = {.given = false};
  const trm_value current = trm_formula("(3*wheel.omega - charge)/R"),
                  rate = trm_formula("current");
  trm_model_add_body(model, &wheel);
  trm_model_add_joint(model, &hub);
  trm_model_add_force(model, &dynamo);
  trm_model_add_state(model, "charge", &zero, &rate);
  trm_model_add_state(model, "gear", &resistance, &none);
  trm_model_add_variable(model, "current", &current);
  trm_model_add_input(model, "R", &resistance);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  const double A[] = {-9.0 / 8, 3.0 / 8, 3.0 / 4, -1.0 / 4};
  double x[] = {5, 0};
  exact(2, A, 1.5, x);
  const double expected[] = {x[0], x[1], 4, (3 * x[0] - x[1]) / 4};
  const char *const names[] = {"wheel.omega", "charge", "gear", "current"};
  assert_true(error_of(model, NULL, &(method){"dop853", 0, 0}, 0, 1.5, 4, names, expected) < 1e-7);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decay),
      cmocka_unit_test(a_state_feeds_a_force),
      cmocka_unit_test(an_element_with_states),
      cmocka_unit_test(built_by_calls),
      cmocka_unit_test(a_controlled_pendulum),
      cmocka_unit_test(a_stiff_state),
      cmocka_unit_test(rates_that_jump),
      cmocka_unit_test(not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
