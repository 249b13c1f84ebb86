/* Formulas over a run that is under way: as over its rows, and integrals as they are added. */
#include "expression/series_stream.h"

#include <math.h>
#include <string.h>

#include "../check.h"

enum { ROWS = 101 };

/* t and x = sin t; L = 2 is known before the run, m after it. */
static trm_symbol find_name(void *context, const char *name, size_t length) {
  (void)context;
  (void)length;
  switch (*name) {
  case 't': return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  case 'x': return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 1};
  case 'L': return (trm_symbol){.kind = TRM_SYMBOL_RESULT, .slot = 0};
  default: return (trm_symbol){.kind = TRM_SYMBOL_RESULT, .slot = 1};
  }
}

static double columns[2][ROWS];

static double column(void *context, int slot, int row) {
  (void)context;
  return columns[slot][row];
}

static double stream_value(const trm_series *series, const double *results) {
  trm_expression_error error;
  trm_series_stream *stream = trm_series_stream_create(series, &error);
  assert_non_null(stream);
  const double before[2] = {results[0], NAN};
  trm_series_stream_begin(stream, columns[0][0], before);
  for (int i = 0; i < ROWS; i++) {
    double slots[2] = {columns[0][i], columns[1][i]}, a[4], b[4];
    if (i > 0) { /* the trapezoidal rule, as over rows */
      double last[2] = {columns[0][i - 1], columns[1][i - 1]};
      trm_series_stream_integrands(stream, last, a);
      trm_series_stream_integrands(stream, slots, b);
      for (int k = 0; k < trm_series_stream_integrals(stream); k++)
        a[k] = (slots[0] - last[0]) * (a[k] + b[k]) / 2;
      trm_series_stream_add(stream, a);
    }
    trm_series_stream_state(stream, columns[0][i], slots);
  }
  double value = trm_series_stream_value(stream, results);
  trm_series_stream_destroy(stream);
  return value;
}

static void test_as_over_rows(void **state) {
  (void)state;
  static const char *const formulas[] = {
      "max(x)",          "min(x)",         "range(x)",          "initial(x + 1)",
      "final(x)",        "time_of_max(x)", "time_of_min(L*x)",  "mean(x)",
      "rms(x)",          "integral(x)",    "max(L*x) - min(x)", "mean(x) + m*integral(x^2)",
      "max(abs(x)) < 2", "L + m",          "max(max(x, 0.1))"};
  const double results[2] = {2, 5};
  for (int i = 0; i < ROWS; i++) {
    columns[0][i] = 0.05 * i;
    columns[1][i] = sin(columns[0][i]);
  }
  for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
    trm_expression_error error;
    trm_series *series = trm_series_parse(formulas[k], find_name, NULL, NULL, &error);
    assert_non_null(series);
    double rows = trm_series_value(series, ROWS, column, NULL, results);
    double off = fabs(stream_value(series, results) - rows);
    if (!(off <= 1e-13)) fail_msg("%s: off by %g from %g", formulas[k], off, rows);
    trm_series_destroy(series);
  }
}

/* As soon as one value is none, there is none. */
static void test_not_a_number(void **state) {
  (void)state;
  static const char *const formulas[] = {"max(x)", "min(x)", "time_of_max(x)", "mean(x)"};
  const double results[2] = {2, 5}, kept = columns[1][50];
  columns[1][50] = NAN;
  for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
    trm_expression_error error;
    trm_series *series = trm_series_parse(formulas[k], find_name, NULL, NULL, &error);
    assert_true(isnan(stream_value(series, results)));
    trm_series_destroy(series);
  }
  columns[1][50] = kept;
}

static void test_refusals(void **state) {
  (void)state;
  static const char *const formulas[] = {"at(x, 1)", "first(x > 0.5)", "slope(x, t)",
                                         "rms(x - mean(x))"};
  for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
    trm_expression_error error;
    trm_series *series = trm_series_parse(formulas[k], find_name, NULL, NULL, &error);
    assert_non_null(series);
    assert_null(trm_series_stream_create(series, &error));
    assert_non_null(strstr(error.message, "metrics"));
    trm_series_destroy(series);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_over_rows),
                                     cmocka_unit_test(test_not_a_number),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
