/* The larger and the smaller of two keep a NaN, on whichever side it stands. */
#include "../check.h"

#include "math/extremes.h"

static void numbers(void **state) {
  (void)state;
  assert_true(trm_larger(1, 2) == 2 && trm_larger(2, 1) == 2);
  assert_true(trm_smaller(1, 2) == 1 && trm_smaller(2, 1) == 1);
  assert_true(trm_larger(-INFINITY, INFINITY) == INFINITY);
}

static void no_number(void **state) {
  (void)state;
  static const double others[] = {-INFINITY, -1, 0, 1, INFINITY, NAN};
  for (int k = 0; k < 6; k++) {
    assert_true(isnan(trm_larger(NAN, others[k])) && isnan(trm_larger(others[k], NAN)));
    assert_true(isnan(trm_smaller(NAN, others[k])) && isnan(trm_smaller(others[k], NAN)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(no_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
