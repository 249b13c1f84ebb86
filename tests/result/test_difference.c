/* The checks of the tests themselves: a NaN fails every one of them, wherever it stands. */
#include <sys/wait.h>
#include <unistd.h>

#include "../run.h"
#include "result/results.h"

enum { ROWS = 4, COLUMNS = 3 };

static void extremes_keep_a_nan(void **state) {
  (void)state;
  static const double others[] = {-INFINITY, -1, 0, 1e-12, INFINITY, NAN};
  for (int i = 0; i < 6; i++) {
    assert_true(isnan(larger(NAN, others[i])) && isnan(larger(others[i], NAN)));
    assert_true(isnan(smaller(NAN, others[i])) && isnan(smaller(others[i], NAN)));
  }
  assert_true(larger(1, 2) == 2 && larger(2, 1) == 2 && larger(-INFINITY, -1) == -1);
  assert_true(smaller(1, 2) == 1 && smaller(2, 1) == 1 && smaller(INFINITY, -1) == -1);
  static const double errors[] = {1e-3, NAN, 1e-12};
  double largest = 0;
  for (int i = 0; i < 3; i++) largest = larger(largest, errors[i]);
  assert_true(isnan(largest));
}

/* t, x and y over four rows, all off by `off` at most; one value of it may be spoiled. */
static trm_results *table(double off, int row, int column, double value) {
  static const char *const names[COLUMNS] = {"t", "x", "y"};
  trm_results *results = trm_results_create();
  assert_true(trm_results_layout(results, COLUMNS, names, ROWS));
  for (int i = 0; i < ROWS; i++) {
    double *next = trm_results_next_row(results), part = i == 1 ? off : off / 1e9;
    for (int k = 0; k < COLUMNS; k++) next[k] = k ? 10 * k + i + part : i;
    if (i == row) next[column] = value;
    trm_results_add_row(results);
  }
  return results;
}

static double difference(int row, int column, double value, bool in_reference) {
  trm_results *results = table(1e-3, in_reference ? -1 : row, column, value);
  trm_results *reference = table(0, in_reference ? row : -1, column, value);
  double found = run_difference(results, reference, ROWS);
  trm_results_destroy(results);
  trm_results_destroy(reference);
  return found;
}

static void any_value_counts(void **state) {
  (void)state;
  assert_near(difference(-1, 0, 0, false), 1e-3, 1e-12);
  for (int i = 0; i < ROWS; i++)
    for (int k = 1; k < COLUMNS; k++)
      for (int side = 0; side < 2; side++) {
        assert_true(difference(i, k, 1e3, side) > 900);
        assert_true(isnan(difference(i, k, NAN, side)));
        assert_true(difference(i, k, INFINITY, side) == INFINITY);
      }
}

/* --- must fail, each of them --- */

static void nan_is_near(void **state) {
  (void)state;
  assert_near(NAN, 0, 1);
}

static void near_nan(void **state) {
  (void)state;
  assert_near(0, NAN, INFINITY);
}

static void within_nan(void **state) {
  (void)state;
  assert_near(0, 0, NAN);
}

static void nan_is_small(void **state) {
  (void)state;
  assert_true(difference(1, 1, NAN, false) <= INFINITY);
}

static void nan_is_large(void **state) {
  (void)state;
  assert_true(difference(1, 1, NAN, false) > 1);
}

static void time_is_lost(void **state) {
  (void)state;
  difference(2, 0, NAN, false);
}

static void time_of_the_reference_is_lost(void **state) {
  (void)state;
  difference(2, 0, NAN, true);
}

static const struct CMUnitTest wrong[] = {
    cmocka_unit_test(nan_is_near),
    cmocka_unit_test(near_nan),
    cmocka_unit_test(within_nan),
    cmocka_unit_test(nan_is_small),
    cmocka_unit_test(nan_is_large),
    cmocka_unit_test(time_is_lost),
    cmocka_unit_test(time_of_the_reference_is_lost),
};

/* In a process of their own, which is silent and ends with the number of those that failed. */
static void checks_of_a_nan_fail(void **state) {
  (void)state;
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(0);
    _exit(cmocka_run_group_tests(wrong, NULL, NULL));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), sizeof wrong / sizeof *wrong);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(extremes_keep_a_nan),
      cmocka_unit_test(any_value_counts),
      cmocka_unit_test(checks_of_a_nan_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
