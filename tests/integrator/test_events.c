/* Events with every method: times, counts and what they set, against exact solutions. */
#include <string.h>

#include "../run.h"

typedef struct method {
  const char *name;
  int order;        /* of fixed steps; 0: variable */
  double tolerance; /* of variable ones, with rtol 1e-8 */
} method;

static const method methods[] = {
    {"euler", 1, 0},       {"rk4", 4, 0},         {"rk6", 6, 0},       {"ab2", 2, 0},
    {"ab3", 3, 0},         {"ab4", 4, 0},         {"ab5", 5, 0},       {"ab6", 6, 0},
    {"trapezoidal", 2, 0}, {"three-field", 2, 0}, {"radau5", 5, 0},    {"generalized-alpha", 2, 0},
    {"dopri5", 0, 1e-6},   {"dop853", 0, 1e-6},   {"radau5", 0, 1e-6}, {"adams", 0, 1e-5},
    {"bdf", 0, 1e-5},      {"ida", 0, 1e-5},      {"auto", 0, 1e-6},   {"trapezoidal", 0, 1e-3},
};
enum { METHODS = sizeof methods / sizeof *methods };

#define START                                                                                      \
  "trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"                                \
  "joints: {J: {type: revolute, connect: [ground, b]}}\n"

static trm_model *load(const char *text) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_text(text, "model.yaml", NULL, diagnostics, NULL);
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
    print_error("%s\n", trm_diagnostics_get(diagnostics, i)->message);
  assert_non_null(model);
  trm_diagnostics_destroy(diagnostics);
  return model;
}

static trm_simulation *create(const trm_model *model, const method *m, double step) {
  trm_settings settings = *trm_model_settings(model);
  char text[32];
  snprintf(text, sizeof text, "%.17g", step);
  assert_int_equal(trm_settings_set(&settings, "integrator", m->name, NULL), TRM_OK);
  if (m->order > 0) {
    assert_int_equal(trm_settings_set(&settings, "stepping", "fixed", NULL), TRM_OK);
    assert_int_equal(trm_settings_set(&settings, "step", text, NULL), TRM_OK);
  } else {
    assert_int_equal(trm_settings_set(&settings, "stepping", "variable", NULL), TRM_OK);
    assert_int_equal(trm_settings_set(&settings, "rtol", "1e-8", NULL), TRM_OK);
    assert_int_equal(trm_settings_set(&settings, "atol", "1e-10", NULL), TRM_OK);
  }
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  return sim;
}

static double get(trm_simulation *sim, const char *name) {
  return trm_simulation_get(sim, trm_simulation_find(sim, name, NULL));
}

/* Where the values at `end` must be, whatever the method. */
static void expect(const trm_model *model, double step, double end, double tolerance, int count,
                   const char *const *names, const double *expected) {
  for (int k = 0; k < METHODS; k++) {
    trm_simulation *sim = create(model, &methods[k], step);
    assert_int_equal(trm_simulation_advance(sim, end, NULL), TRM_OK);
    if (trm_simulation_time(sim) != end)
      print_error("%s: t = %.17g\n", methods[k].name, trm_simulation_time(sim));
    assert_true(trm_simulation_time(sim) == end);
    for (int i = 0; i < count; i++) {
      double off = fabs(get(sim, names[i]) - expected[i]);
      if (!(off <= tolerance)) print_error("%s: %s is off by %g\n", methods[k].name, names[i], off);
      assert_true(off <= tolerance);
    }
    trm_simulation_destroy(sim);
  }
}

/* z' = 1, set back at 0.3, and two states that change places each time. */
static void sawtooth(void **state) {
  (void)state;
  trm_model *model =
      load(START "states: {z: {initial: 0, rate: 1}, n: {initial: 0}, a: {initial: 1}, "
                 "c: {initial: 2}}\n"
                 "events: {back: {when: z - 0.3, direction: rising, set: {z: 0, n: "
                 "n + back.count, a: c, c: a}}, never: {when: z + 1}}\n");
  const char *const names[] = {"z", "back.count", "back.time", "n", "a", "c", "never.count"};
  const double expected[] = {0.07, 5, 1.5, 0 + 1 + 2 + 3 + 4, 2, 1, 0};
  expect(model, 0.1, 1.57, 1e-12, 7, names, expected);
  expect(model, 0.77, 1.57, 1e-12, 7, names, expected); /* two of them in one step */
  trm_simulation *sim = create(model, &methods[1], 0.1);
  assert_true(isnan(get(sim, "back.time")));
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

/* s = sin t starts at zero, which is no crossing; others touch zero, or jump over it. */
static void directions(void **state) {
  (void)state;
  trm_model *model = load(
      START
      "states: {s: {initial: 0, rate: c}, c: {initial: 1, rate: -s}, z: {initial: 0, rate: 1}}\n"
      "events:\n  up: {when: s, direction: rising}\n"
      "  down: {when: s, direction: falling}\n  both: {when: s}\n"
      "  touch: {when: (z - 2)^2}\n  jump: {when: \"if(z < 0.7, -1, 1)\"}\n"
      "  twice: {when: \"(z - 3.01)*(z - 3.09)\"}\n");
  const char *const names[] = {"up.count",   "down.count", "both.count",  "touch.count",
                               "jump.count", "jump.time",  "twice.count", "twice.time"};
  const double expected[] = {1, 2, 3, 0, 1, 0.7, 2, 3.09};
  expect(model, 0.1, 9.9, 1e-12, 8, names, expected);
  for (int k = 0; k < METHODS; k++) {
    if (methods[k].order > 0) continue;
    trm_simulation *sim = create(model, &methods[k], 0);
    assert_int_equal(trm_simulation_advance(sim, 9.9, NULL), TRM_OK);
    double slack = methods[k].tolerance < 1e-4 ? 3e-5 : 1e-2, pi = acos(-1);
    assert_near(get(sim, "up.time"), 2 * pi, slack);
    assert_near(get(sim, "down.time"), 3 * pi, slack);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* At one instant in the order of the file, one after the other; by a jump, too. */
static void instants(void **state) {
  (void)state;
  static const char text[] =
      START "states: {z: {initial: 0, rate: 1}, x: {initial: 1}, y: {initial: 0}}\n"
            "events:\n  %s: {when: z - 0.25, set: {x: \"2*x\"}}\n  %s: {when: z - 0.25, set: {x: x "
            "+ 1}}\n"
            "  late: {when: x - 2.5, set: {y: \"10*x + z\", x: 0}}\n";
  char first[600], second[600];
  snprintf(first, sizeof first, text, "one", "two");
  trm_model *model = load(first);
  const char *const names[] = {"x", "y", "late.count", "late.time"};
  const double expected[] = {0, 30.25, 1, 0.25};
  expect(model, 0.1, 1, 1e-12, 4, names, expected);
  trm_model_destroy(model);
  char *twice = strstr(first, "2*x"), *more = strstr(first, "x + 1");
  memcpy(second, first, sizeof second);
  memcpy(second + (twice - first), "x+1", 3);
  memcpy(second + (more - first), "2 * x", 5);
  model = load(second);
  const double other[] = {0, 40.25, 1, 0.25};
  expect(model, 0.1, 1, 1e-12, 4, names, other);
  trm_model_destroy(model);
}

/* T' = p·heat − kT between 19 and 21, from 15 on. */
static void thermostat(void **state) {
  (void)state;
  trm_model *model =
      load(START "parameters: {k: 0.7, p: 30}\n"
                 "states: {T: {initial: 15, rate: p*heat - k*T}, heat: {initial: 1}}\n"
                 "events:\n  hot: {when: T - 21, direction: rising, set: {heat: 0}}\n"
                 "  cold: {when: T - 19, direction: falling, set: {heat: 1}}\n");
  const double k = 0.7, top = 30 / k, end = 1.9;
  double t = log((top - 15) / (top - 21)) / k, hot = t, cold = 0, up = 1, down = 0;
  double cool = log(21.0 / 19) / k, heat = log((top - 19) / (top - 21)) / k;
  for (;;) {
    if (t + cool > end) break;
    cold = t += cool, down++;
    if (t + heat > end) break;
    hot = t += heat, up++;
  }
  double T = hot > cold ? 21 * exp(-k * (end - hot)) : top + (19 - top) * exp(-k * (end - cold));
  assert_true(up + down > 8);
  for (int i = 0; i < METHODS; i++) {
    const method *m = &methods[i];
    double error[2] = {0, 0};
    for (int fine = 0; fine < 2; fine++) {
      trm_simulation *sim = create(model, m, fine ? 0.005 : 0.02);
      assert_int_equal(trm_simulation_advance(sim, end, NULL), TRM_OK);
      assert_true(get(sim, "hot.count") == up && get(sim, "cold.count") == down);
      error[fine] = fabs(get(sim, "T") / T - 1) + fabs(get(sim, "hot.time") - hot) +
                    fabs(get(sim, "cold.time") - cold);
      trm_simulation_destroy(sim);
    }
    double order = log2(error[0] / error[1]) / 2;
    bool good = m->order > 0 ? order > m->order - 0.5 || error[1] < 1e-11 : error[0] < m->tolerance;
    print_message("%s: errors %.2e %.2e, order %.2f\n", m->name, error[0], error[1], order);
    assert_true(good);
  }
  trm_model_destroy(model);
}

/* A pendulum passes below its hinge every half period, 2 K(sin(θ/2)) √(l/g), by the mean of Gauss.
 */
static void pendulum(void **state) {
  (void)state;
  trm_model *model =
      load("trammel: 1\nspace: planar\ngravity: [0, -9.81]\n"
           "bodies: {bob: {mass: 1, inertia: 0, position: [\"sin(1)\", \"-cos(1)\"]}}\n"
           "joints: {rod: {type: distance, connect: [ground, bob]}}\n"
           "events: {below: {when: bob.x}, left: {when: bob.x, direction: falling}}\n");
  double a = 1, b = cos(0.5);
  for (int i = 0; i < 8; i++) {
    double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  double half = acos(-1) / a / sqrt(9.81), last = 4.5 * half, left = 4.5 * half;
  for (int i = 0; i < METHODS; i++) {
    const method *m = &methods[i];
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      trm_simulation *sim = create(model, m, fine ? 0.0025 : 0.005);
      assert_int_equal(trm_simulation_advance(sim, last + 0.3, NULL), TRM_OK);
      assert_true(get(sim, "below.count") == 5 && get(sim, "left.count") == 3);
      error[fine] = fabs(get(sim, "below.time") - last) + fabs(get(sim, "left.time") - left);
      trm_simulation_destroy(sim);
    }
    double order = log2(error[0] / error[1]);
    bool good =
        m->order > 0 ? order > m->order - 0.5 || error[1] < 1e-10 : error[0] < 10 * m->tolerance;
    print_message("%s: errors %.2e %.2e, order %.2f\n", m->name, error[0], error[1], order);
    assert_true(good);
  }
  trm_model_destroy(model);
}

/* A ball that bounces lower and lower, and one that is pushed to and fro at zero. */
static void zeno(void **state) {
  (void)state;
  static const char *const texts[] = {
      START "states: {y: {initial: 1, rate: v}, v: {initial: 0, rate: -9.81}}\n"
            "events: {down: {when: y, direction: falling, set: {y: 0, v: -0.5*v}}}\n",
      START "states: {y: {initial: 1, rate: -s}, s: {initial: 1}}\n"
            "events: {down: {when: y, direction: falling, set: {s: -1}}, up: {when: y, direction: "
            "rising, set: {s: 1}}}\n"};
  static const int some[] = {1, 7, 8, 9, 12, 13, 14, 15, 16, 17};
  for (int k = 0; k < 2; k++) {
    trm_model *model = load(texts[k]);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
      trm_diagnostics *diagnostics = trm_diagnostics_create();
      trm_simulation *sim = create(model, &methods[some[i]], 0.1);
      assert_int_equal(trm_simulation_advance(sim, 3, diagnostics), TRM_FAILED);
      const char *message = trm_diagnostics_get(diagnostics, 0)->message;
      assert_true(strstr(message, "event 'down'") || strstr(message, "event 'up'"));
      assert_non_null(strstr(message, "1000 times"));
      assert_near(trm_simulation_time(sim), k ? 1 : 3 * sqrt(2 / 9.81), k ? 1e-9 : 1e-3);
      trm_simulation_destroy(sim);
      trm_diagnostics_destroy(diagnostics);
    }
    trm_model_destroy(model);
  }
}

/* The run ends there, completed, and its last row is there; steps can go on. */
static void stop(void **state) {
  (void)state;
  trm_model *model =
      load(START "states: {z: {initial: 0, rate: 1}, x: {initial: 0}}\n"
                 "events: {end: {when: z - 0.73, stop: true, set: {x: 5}}}\n"
                 "simulate: {duration: 2, output-step: 0.1}\noutputs: [z, x, end]\n");
  for (int k = 0; k < METHODS; k++) {
    trm_simulation *sim = create(model, &methods[k], 0.05);
    trm_results *results = trm_results_create();
    assert_int_equal(trm_simulation_run(sim, results, NULL, NULL, NULL), TRM_OK);
    const trm_summary *summary = trm_simulation_summary(sim);
    int last = trm_results_rows(results) - 1;
    assert_string_equal(summary->status, "completed");
    assert_non_null(strstr(summary->message, "event 'end'"));
    assert_string_equal(trm_simulation_stopped(sim), "end");
    assert_near(summary->time_reached, 0.73, 1e-12);
    assert_int_equal(last, 8);
    for (int row = 0; row < 8; row++) {
      assert_near(trm_results_get(results, row, 0), 0.1 * row, 1e-12);
      assert_near(trm_results_get(results, row, 1), 0.1 * row, 1e-12);
      assert_true(trm_results_get(results, row, 3) == 0);
      assert_true(isnan(trm_results_get(results, row, 4)));
    }
    assert_true(trm_results_get(results, last, 0) == summary->time_reached);
    assert_near(trm_results_get(results, last, 1), 0.73, 1e-12);
    assert_true(trm_results_get(results, last, 2) == 5);
    assert_true(trm_results_get(results, last, 3) == 1);
    assert_int_equal(trm_simulation_advance(sim, 1, NULL), TRM_OK);
    assert_true(trm_simulation_time(sim) == 1 && !trm_simulation_stopped(sim));
    trm_results_destroy(results);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* x' = u, u from outside; an event that the jump of an input makes happen. */
static void inputs(void **state) {
  (void)state;
  trm_model *model =
      load(START "inputs: {u: \"2*t\", w: 0}\nstates: {x: {initial: 0, rate: u}, "
                 "y: {initial: 0, rate: \"u*(1 - y)\"}}\n"
                 "events: {high: {when: w - 0.5, direction: rising, set: {x: x + 10}}}\n");
  for (int k = 0; k < METHODS; k++) {
    trm_simulation *sim = create(model, &methods[k], 0.01);
    int u = trm_simulation_input(sim, "u"), w = trm_simulation_input(sim, "w");
    assert_true(u >= 0 && w >= 0);
    assert_int_equal(trm_simulation_input(sim, "x"), -1);
    assert_int_equal(trm_simulation_advance(sim, 1, NULL), TRM_OK);
    trm_simulation_set_input(sim, u, -3);
    assert_true(get(sim, "u") == -3 && get(sim, "x'") == -3);
    assert_int_equal(trm_simulation_advance(sim, 1.5, NULL), TRM_OK);
    trm_simulation_set_input(sim, w, 1);
    assert_true(get(sim, "high.count") == 0);
    /* what was set, and what is due by that, is saved */
    static char bytes[100000];
    size_t size = trm_simulation_save(sim, bytes, sizeof bytes);
    assert_true(size > 0 && size <= sizeof bytes);
    trm_simulation *other = create(model, &methods[k], 0.01);
    assert_int_equal(trm_simulation_restore(other, bytes, size, NULL), TRM_OK);
    assert_int_equal(trm_simulation_advance(sim, 2, NULL), TRM_OK);
    assert_int_equal(trm_simulation_advance(other, 2, NULL), TRM_OK);
    assert_true(get(other, "x") == get(sim, "x") && get(other, "y") == get(sim, "y"));
    assert_true(get(other, "high.time") == 1.5);
    trm_simulation_destroy(other);
    const method *m = &methods[k];
    double slack = m->order == 1 ? 5e-2 : m->order > 0 ? 1e-3 : m->tolerance;
    assert_near(get(sim, "x"), 1 - 3 + 10, slack);
    assert_near(get(sim, "y"), 1 - exp(-1 + 3), 10 * slack);
    assert_true(get(sim, "high.count") == 1 && get(sim, "high.time") == 1.5);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sawtooth), cmocka_unit_test(directions),
                                     cmocka_unit_test(instants), cmocka_unit_test(thermostat),
                                     cmocka_unit_test(pendulum), cmocka_unit_test(zeno),
                                     cmocka_unit_test(stop),     cmocka_unit_test(inputs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
