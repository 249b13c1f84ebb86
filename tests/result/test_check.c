/* Results against a reference: which times and columns count, and what is told. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../check.h"
#include "result/results.h"

/* t, t² and 1 − t, with an error on all of the one and on the last of the other. */
static trm_results *make_until(int rows, double step, double x_error, double y_error, double last) {
  static const char *const names[] = {"t", "b.x", "b.y"};
  trm_results *results = trm_results_create();
  assert_true(trm_results_layout(results, 3, names, rows));
  for (int i = 0; i < rows; i++) {
    double *row = trm_results_next_row(results), t = i * step;
    row[0] = t;
    row[1] = t * t + x_error;
    row[2] = 1 - t + (i == rows - 1 ? y_error : 0);
    if (i == rows - 1) row[0] = last;
    trm_results_add_row(results);
  }
  return results;
}

static trm_results *make(int rows, double step, double x_error, double y_error) {
  return make_until(rows, step, x_error, y_error, (rows - 1) * step);
}

static trm_status check(trm_results *results, trm_results *reference, trm_check *found,
                        const char *message) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = trm_results_check(results, reference, 1e-3, found, diagnostics);
  if (message)
    assert_non_null(strstr(trm_diagnostics_get(diagnostics, 0)->message, message));
  else
    assert_int_equal(trm_diagnostics_count(diagnostics), 0);
  trm_diagnostics_destroy(diagnostics);
  trm_results_destroy(results);
  trm_results_destroy(reference);
  return status;
}

static void the_largest_difference_is_found(void **state) {
  (void)state;
  trm_check found;
  assert_int_equal(check(make(11, 0.1, 0, 0), make(11, 0.1, 1e-4, -5e-4), &found, NULL), TRM_OK);
  assert_true(found.passed);
  assert_int_equal(found.rows, 11);
  assert_near(found.max_difference, 5e-4, 1e-12);
  assert_near(found.time, 1, 1e-12);
  assert_near(found.tolerance, 1e-3, 0);
  assert_int_equal(check(make(11, 0.1, 0, 0), make(11, 0.1, 0, 2e-3), &found, NULL), TRM_OK);
  assert_false(found.passed);
  assert_near(found.max_difference, 2e-3, 1e-12);
}

static void only_common_times_count(void **state) {
  (void)state;
  trm_check found;
  /* 0, 0.5, 1 of 0, 0.25, 0.5, 0.75, 1, and of 0, 0.5, …, 5 */
  assert_int_equal(check(make(5, 0.25, 0, 0), make(11, 0.5, 0, 9), &found, NULL), TRM_OK);
  assert_int_equal(found.rows, 3);
  assert_true(found.passed);
  assert_int_equal(check(make(11, 0.1, 0, 0), make(4, 0.33, 0, 0), &found, "output-step"),
                   TRM_FAILED);
  assert_false(found.passed);
  assert_true(isnan(found.max_difference));
  /* a reference of the start alone */
  assert_int_equal(check(make(11, 0.1, 0, 0), make(1, 1, 0, 0), &found, NULL), TRM_OK);
  assert_true(found.passed);
}

static void what_is_no_number_does_not_pass(void **state) {
  (void)state;
  trm_check found;
  assert_int_equal(check(make(11, 0.1, 0, NAN), make(11, 0.1, 0, 0), &found, NULL), TRM_OK);
  assert_false(found.passed);
  assert_true(isinf(found.max_difference));
}

static void columns_must_be_there(void **state) {
  (void)state;
  static const char *const other[] = {"t", "b.x", "c.x"}, *const timeless[] = {"b.x", "b.y"};
  trm_check found;
  trm_results *reference = trm_results_create();
  assert_true(trm_results_layout(reference, 3, other, 1));
  trm_results_add_row(reference);
  assert_int_equal(check(make(11, 0.1, 0, 0), reference, &found, "no column 'c.x'"), TRM_FAILED);
  reference = trm_results_create();
  assert_true(trm_results_layout(reference, 2, timeless, 1));
  assert_int_equal(check(make(11, 0.1, 0, 0), reference, &found, "a column t"), TRM_FAILED);
  assert_false(found.passed);
}

static void the_summary_has_it(void **state) {
  (void)state;
  const trm_check found = {"a.csv", 1e-3, true, 5, 2.5e-4, "b.x", 0.5};
  const trm_summary summary = {.model = "", .check = &found};
  char path[] = "/tmp/trm_check_XXXXXX", text[4096];
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  assert_int_equal(trm_summary_write_json(&summary, path, NULL), TRM_OK);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  unlink(path);
  const char *expected =
      ",\n  \"check\": {\n    \"reference\": \"a.csv\",\n    \"tolerance\": 0.001,\n"
      "    \"passed\": true,\n    \"rows\": 5,\n    \"max_difference\": 0.00025,\n"
      "    \"column\": \"b.x\",\n    \"time\": 0.5\n  }\n}\n";
  assert_non_null(strstr(text, expected));
}

static void times_must_be_finite(void **state) {
  (void)state;
  static const double times[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    trm_check found;
    trm_results *reference = make_until(11, 0.1, 0, 0, times[k]);
    assert_int_equal(check(make(11, 0.1, 0, 0), reference, &found, "row 11 of the reference: t"),
                     TRM_FAILED);
    assert_false(found.passed);
    assert_true(isnan(found.max_difference));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_difference_is_found),
      cmocka_unit_test(only_common_times_count),
      cmocka_unit_test(what_is_no_number_does_not_pass),
      cmocka_unit_test(columns_must_be_there),
      cmocka_unit_test(times_must_be_finite),
      cmocka_unit_test(the_summary_has_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
