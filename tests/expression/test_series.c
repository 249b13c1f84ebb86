/* Formulas over a run: against values known from analysis and from sums written out. */
#include "expression/series.h"

#include <math.h>
#include <string.h>

#include "../check.h"

enum { ROWS = 2001 };

/* Columns t, x = sin t, y = 3 x + 1 over t from 0 to 2π; L = 2 is a parameter, m an earlier
 * result. */
typedef struct table {
  double columns[3][ROWS];
  int rows;
} table;

static const double pi = 3.14159265358979323846;

static trm_symbol find_name(void *context, const char *name, size_t length) {
  static const char *const columns[] = {"t", "x", "car.y"};
  (void)context;
  for (int i = 0; i < 3; i++)
    if (strlen(columns[i]) == length && memcmp(columns[i], name, length) == 0)
      return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = i};
  if (length == 1 && *name == 'L') return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = 2};
  if (length == 1 && *name == 'm') return (trm_symbol){.kind = TRM_SYMBOL_RESULT, .slot = 0};
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

static double value_in(void *context, int slot, int row) {
  return ((table *)context)->columns[slot][row];
}

static void fill(table *run, int rows) {
  run->rows = rows;
  for (int i = 0; i < rows; i++) {
    double t = rows > 1 ? 2 * pi * i / (rows - 1) : 0.25;
    run->columns[0][i] = t;
    run->columns[1][i] = sin(t);
    run->columns[2][i] = 3 * sin(t) + 1;
  }
}

static double value_of(table *run, const char *text) {
  const double results[1] = {7};
  trm_expression_error error = {.offset = 0};
  trm_series *series = trm_series_parse(text, find_name, NULL, NULL, &error);
  if (!series) fail_msg("'%s' at %zu: %s", text, error.offset, error.message);
  double value = trm_series_value(series, run->rows, value_in, run, results);
  trm_series_destroy(series);
  return value;
}

static void expect_near(const char *what, double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s: %.17g, expected %.17g", what, value, expected);
}

/* h: the distance of rows; a parabola through a peak misses it by no more than h²/8. */
static void values_are_those_of_the_functions(void **state) {
  (void)state;
  static table run;
  fill(&run, ROWS);
  double h = 2 * pi / (ROWS - 1);
  const struct {
    const char *text;
    double expected, tolerance;
  } cases[] = {
      {"max(x)", 1, 1e-15},
      {"min(x)", -1, 1e-15},
      {"range(x)", 2, 1e-15},
      {"max(abs(x))", 1, 1e-15},
      {"time_of_max(x)", pi / 2, 1e-12},
      {"time_of_min(x)", 3 * pi / 2, 1e-12},
      {"final(car.y)", 1, 1e-14},
      {"mean(x)", 0, 1e-15},
      {"mean(x + L)", 2, 1e-14},
      {"integral(abs(x))", 4, 4 * h * h / 12 * 1.01},
      {"rms(x)", sqrt(0.5), 1e-14}, /* of a periodic function trapezoids are exact */
      {"first(x > 0.5)", pi / 6, h * h},
      {"first(0.5 < x)", pi / 6, h * h},
      {"first(x <= -0.5)", 7 * pi / 6, h * h},
      {"first(x > 0.5*max(x))", pi / 6, h * h},
      {"at(x, 1)", sin(1), h * h / 8},
      {"at(x, pi/L)", 1, h * h / 8},
      {"at(x, time_of_max(x))", 1, 1e-15},
      {"slope(car.y, x)", 3, 1e-13},
      {"slope(car.y, x, -0.5, 0.5)", 3, 1e-12},
      {"2*max(x) - final(t)/pi", 0, 1e-14},
      {"m + min(x)", 6, 1e-15},
      {"max(x - mean(x + 1))", 0, 1e-14},
      {"integral(t)", 2 * pi * pi, 1e-12},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_near(cases[i].text, value_of(&run, cases[i].text), cases[i].expected,
                cases[i].tolerance);
  assert_true(value_of(&run, "3") == 3);
  assert_true(value_of(&run, "final(t)") == 2 * pi);
  assert_true(value_of(&run, "max(max(x), 3)") == 3);
  assert_true(value_of(&run, "initial(car.y)") == 1);
  assert_true(value_of(&run, "first(x >= 0)") == 0);
  assert_true(value_of(&run, "if(max(x) > 0.9, 1, 2)") == 1);
}

/* Against the normal equations, written out. */
static void slope_is_that_of_least_squares(void **state) {
  (void)state;
  static table run;
  fill(&run, ROWS);
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < ROWS; i++) {
    double x = run.columns[1][i], y = exp(x);
    if (x < 0.2 || x > 0.7) continue;
    n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  double expected = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  expect_near("slope", value_of(&run, "slope(exp(x), x, 0.1*L, 0.7)"), expected, 1e-11);
}

static void what_has_no_value_is_no_number(void **state) {
  (void)state;
  static table run;
  fill(&run, ROWS);
  const char *const none[] = {
      "first(x > 2)",    "at(x, -1)",         "at(x, 7)",     "max(sqrt(x))",
      "slope(x, 0*x)",   "slope(x, x, 2, 3)", "mean(log(x))", "time_of_max(sqrt(x))",
      "first(x > 2) + 1"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (!isnan(value_of(&run, none[i]))) fail_msg("'%s' has a value", none[i]);
  fill(&run, 0);
  assert_true(isnan(value_of(&run, "max(x)")));
  fill(&run, 1); /* one row */
  assert_true(value_of(&run, "mean(x)") == sin(0.25));
  assert_true(value_of(&run, "rms(-x)") == sin(0.25));
  assert_true(value_of(&run, "integral(x)") == 0);
  assert_true(value_of(&run, "at(x, 0.25)") == sin(0.25));
  assert_true(value_of(&run, "first(x > 0)") == 0.25);
}

static void mistakes_have_their_place(void **state) {
  (void)state;
  const struct {
    const char *text;
    size_t offset;
    const char *words;
  } cases[] = {
      {"1 + x", 4, "'x' changes over the run; write final(x), max(x) or the like"},
      {"max(x, 1)", 4, "'x' changes over the run"},
      {"at(x, t)", 6, "'t' changes over the run"},
      {"slope(x, t, x, 1)", 12, "'x' changes over the run"},
      {"max(z)", 4, "unknown name 'z'"},
      {"maxx(x)", 0, "did you mean 'max'?"},
      {"integrl(x)", 0, "did you mean 'integral'?"},
      {"mean(x, t)", 0, "function 'mean' takes 1 argument, here are 2"},
      {"at(x)", 0, "function 'at' takes 2 arguments, here is 1"},
      {"slope(x, t, 1)", 0, "slope(y, x) or slope(y, x, lo, hi); here are 3"},
      {"max(x", 5, "expected ')', found the end"},
      {"max()", 4, "expected a value"},
      {"max", 0, "unknown name 'max'"},
      {"final(1/0)", 7, "division by zero"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    trm_expression_error error = {.offset = 99};
    trm_series *series = trm_series_parse(cases[i].text, find_name, NULL, NULL, &error);
    if (series) fail_msg("'%s' was taken", cases[i].text);
    if (error.offset != cases[i].offset || !strstr(error.message, cases[i].words))
      fail_msg("'%s' at %zu: %s", cases[i].text, error.offset, error.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_functions),
      cmocka_unit_test(slope_is_that_of_least_squares),
      cmocka_unit_test(what_has_no_value_is_no_number),
      cmocka_unit_test(mistakes_have_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
