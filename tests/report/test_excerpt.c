/* Fewer rows for plots: extremes stay, and so do gaps. */
#include "../check.h"

#include "report/excerpt.h"
#include "result/results.h"

enum { ROWS = 10001 };

/* x = row, but for one. */
static trm_results *make(int row, double value) {
  static const char *const names[] = {"t", "x"};
  trm_results *results = trm_results_create();
  assert_true(trm_results_layout(results, 2, names, ROWS));
  for (int i = 0; i < ROWS; i++) {
    double *x = trm_results_next_row(results);
    x[0] = i;
    x[1] = i == row ? value : i;
    trm_results_add_row(results);
  }
  return results;
}

/* The numbers of the excerpt that are `value`, or NaN. */
static int count(int row, double value) {
  trm_results *results = make(row, value);
  trm_excerpt excerpt;
  int found = 0;
  assert_true(trm_excerpt_create(&excerpt, results));
  assert_true(excerpt.rows < ROWS / 2);
  for (int i = 0; i < excerpt.rows; i++)
    found += isnan(value) ? isnan(excerpt.values[i]) : excerpt.values[i] == (float)value;
  trm_excerpt_free(&excerpt);
  trm_results_destroy(results);
  return found;
}

static void an_extreme_stays(void **state) {
  (void)state;
  for (int row = 5000; row < 5020; row++) assert_int_equal(count(row, 1e6), 1);
}

/* Its stretch has no largest value, wherever the NaN stands in it; the others do. */
static void a_gap_stays(void **state) {
  (void)state;
  for (int row = 5000; row < 5020; row++) assert_int_equal(count(row, NAN), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_extreme_stays),
                                     cmocka_unit_test(a_gap_stays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
