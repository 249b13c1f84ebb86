/* Systems in a file that are wrong: each mistake has one message, at its place. */
#define _XOPEN_SOURCE 700
#include "../check.h"
#include "mistake.h"
#include "model/user.h"

#define HEAD          "trammel: 1\nparameters: {m: 2, L: 1}\nsystem:\n"
#define START         HEAD "  coordinates: {x: 1, y: 0}\n"
#define GOOD          START "  mass: {x: m, y: m}\n"
#define CONSTRAINT(c) GOOD "  constraints: [" c "]\n"
#define MASS(m)       START "  mass: " m "\n"

static void names(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {HEAD "  coordinates: {x: 1, lambda2: 0}\n  mass: {x: 1, lambda2: 1}\n", 4, 23, "reserved"},
      {HEAD "  coordinates: {x: 1, t: 0}\n  mass: {x: 1, t: 1}\n", 4, 23, "reserved"},
      {HEAD "  coordinates: {x: 1, 2y: 0}\n  mass: {x: 1, 2y: 1}\n", 4, 23, "is no name"},
      {HEAD "  coordinates: {x: 1, L: 0}\n  mass: {x: 1, L: 1}\n", 4, 23,
       "there is a parameter of this name"},
      {HEAD "  coordinates: {x: 1, y: x}\n  mass: {x: 1, y: 1}\n", 4, 26, "unknown name 'x'"},
      {GOOD "  velocities: {xx: 1}\n", 6, 16, "unknown coordinate 'xx'"},
      {HEAD "  coordinates: {alpha: 1, y: 0}\n  mass: {alpha: 1, y: 1}\n  forces: {alphq: 1}\n", 6,
       12, "did you mean 'alpha'?"},
      {GOOD "  forces: {y: -m*k}\n", 6, 18, "force on 'y': unknown name 'k'"},
      {GOOD "outputs: [z]\n", 6, 11, "unknown measure 'z'"},
      {GOOD "outputs: [energy.total]\n", 6, 11, "the system has no energy"},
      {GOOD "initial: {\"x''\": 1}\n", 6, 12, "this is an acceleration"},
  };
  EXPECT_ALL(mistakes);
}

static void structure(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {"trammel: 1\nsystem: [1]\n", 2, 9, "expected a map of coordinates"},
      {HEAD "  coordinates: {}\n  mass: {}\n", 4, 16, "expected a map of names and initial values"},
      {HEAD "  mass: {}\n", 3, 1, "missing key 'coordinates'"},
      {START, 3, 1, "missing key 'mass'"},
      {GOOD "  constraint: [x]\n", 6, 3, "did you mean 'constraints'?"},
      {GOOD "  constraints: x - 1\n", 6, 16, "expected a list of formulas"},
      {GOOD "bodies: {}\n", 6, 1,
       "a model with 'system' does not have it, but a model with 'bodies' has"},
      {GOOD "gravity: [0, 1]\n", 6, 1, "unknown key 'gravity'"},
      {GOOD "simulate: {coordinates: angle}\n", 6, 12, "a system has its own coordinates"},
      {"trammel: 1\nspace: planar\n", 1, 1, "missing key 'bodies'"},
  };
  EXPECT_ALL(mistakes);
}

static void masses(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {MASS("m"), 5, 9, "expected a map like {x: m, y: m} or a matrix"},
      {MASS("{x: m}"), 5, 9, "the mass of coordinate 'y' is missing"},
      {MASS("[[1, 0]]"), 5, 9, "expected 2 rows"},
      {MASS("[[1, 0], [0]]"), 5, 18, "expected 2 masses"},
      {MASS("[[1, 0.1], [0.2, 1]]"), 5, 21, "must be symmetric: row 2, column 1 is 0.2"},
      {MASS("[[1, x*y + 3], [x + 1, 1]]"), 5, 25, "must be symmetric"},
      {MASS("[[1, 2], [2, 1]]"), 5, 9, "not, as coordinate 'y' shows"},
      {MASS("{x: -m, y: 1}"), 5, 13, "not, as coordinate 'x' shows"},
      {MASS("{x: m, y: 0}"), 5, 19, "not, as coordinate 'y' shows"},
      {MASS("{x: m*x', y: 1}"), 5, 15, "'x'' is a velocity; the mass matrix may use"},
      {MASS("{x: m, y: 1/y}"), 5, 19, "mass of 'y': its value is not a finite number"},
  };
  EXPECT_ALL(mistakes);
}

static void constraints(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {CONSTRAINT("abs(x) - L"), 6, 17, "it cannot be differentiated twice: abs"},
      {CONSTRAINT("\"if(x > 0, x, y)\""), 6, 18, "cannot be differentiated twice: a comparison"},
      {CONSTRAINT("x - L, \"min(x, y)\""), 6, 25, "constraint 2: it cannot be differentiated"},
      {CONSTRAINT("x' - L"), 6, 17, "'x'' is a velocity; a constraint may use"},
      {CONSTRAINT("x'' - L"), 6, 17, "'x''' is an acceleration"},
      {CONSTRAINT("L - 1"), 6, 17, "must depend on the coordinates"},
      {CONSTRAINT("sin(t)"), 6, 17, "must depend on the coordinates"},
      {CONSTRAINT("sqrt(y - 1)"), 6, 17, "its value is not a finite number at the start"},
      {CONSTRAINT("sqrt(y) - x"), 6, 17, "it has no finite derivative at the start"},
      {CONSTRAINT("x^2 +"), 6, 22, "constraint 1: expected a value"},
      {GOOD "  velocity-constraints: [x*y]\n", 6, 26, "it does not depend on a velocity"},
      {GOOD "  velocity-constraints: [abs(x')]\n", 6, 26, "velocity constraint 1: it cannot be"},
      {GOOD "  energy: m*z\n", 6, 13, "energy: unknown name 'z'"},
  };
  EXPECT_ALL(mistakes);
}

/* All mistakes of a file at once, and what only follows from one is not repeated. */
static void many(void **state) {
  (void)state;
  loaded r =
      load_text(START "  velocities: {z: 1}\n  mass: {x: m, y: k}\n  forces: {x: q, y: 1 +}\n"
                      "  constraints: [\"abs(x)\", z]\n",
                NULL);
  if (trm_diagnostics_errors(r.diagnostics) != 6) print_messages(&r);
  assert_int_equal(trm_diagnostics_errors(r.diagnostics), 6);
  unload(&r);
}

/* A bad parameter is one error, not one in each formula. */
static void bad_parameter(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {"trammel: 1\nparameters: {m: 1/0}\nsystem: {coordinates: {x: 1}, mass: "
       "{x: m}, forces: {x: m*x}, energy: m*x}\n",
       2, 18, "division by zero"}};
  EXPECT_ALL(mistakes);
}

static void good_ones(void **state) {
  (void)state;
  static const char *const override[] = {"L=2", NULL};
  loaded r = load_good(GOOD "  constraints: [\"x - step(t, 0, L, 1, 2)\"]\nspace: planar\n", NULL);
  assert_true(trm_model_is_system(r.model));
  assert_int_equal(r.model->output_count, 3 * 2 + 1 + 1 + 2);
  unload(&r);
  r = load_good(GOOD "  forces: {y: L}\n  energy: L*y\n  velocities:\noutputs: [y', energy]\n",
                override);
  assert_int_equal(r.model->output_count, 1 + 5);
  assert_near(r.model->user->force[1].number, 2, 0);
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),       cmocka_unit_test(structure), cmocka_unit_test(masses),
      cmocka_unit_test(constraints), cmocka_unit_test(many),      cmocka_unit_test(bad_parameter),
      cmocka_unit_test(good_ones),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
