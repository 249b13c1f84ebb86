/* Numbers are written as printf writes them, digit by digit. */
#include "../check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "result/number.h"

static void same(double value) {
  char found[TRM_NUMBER_SIZE], expected[64];
  size_t length = trm_number_write(value, found);
  snprintf(expected, sizeof expected, "%.17g", value);
  assert_string_equal(found, expected);
  assert_int_equal(length, strlen(expected));
}

static void special_ones(void **state) {
  (void)state;
  static const double values[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.1,
                                  1e-4,
                                  9.9999e-5,
                                  1e-5,
                                  1e16,
                                  1e17,
                                  1e18,
                                  99999,
                                  100000,
                                  123.5,
                                  0.5,
                                  1 / 3.0,
                                  2 / 3.0,
                                  1e22,
                                  1e23,
                                  1e99,
                                  1e100,
                                  1e-99,
                                  1e-100,
                                  1e300,
                                  -1e-37,
                                  5e-324,
                                  DBL_MIN,
                                  DBL_MAX,
                                  DBL_EPSILON,
                                  INFINITY,
                                  -INFINITY,
                                  9007199254740993.0,
                                  99999999999999999.0,
                                  0.99999999999999989,
                                  1e15 + 0.5,
                                  4503599627370497.5,
                                  0.30000000000000004};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) same(values[i]);
  for (int k = -60; k <= 60; k++)
    for (int i = -3; i <= 3; i++) {
      double power = pow(10, k), next = power;
      for (int j = 0; j < abs(i); j++) next = nextafter(next, i < 0 ? 0 : INFINITY);
      same(next);
      same(-next);
      same(ldexp(1, 3 * k + i));
    }
}

static void random_ones(void **state) {
  (void)state;
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 300000; i++) {
    double value;
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    memcpy(&value, &bits, sizeof value);
    if (!isnan(value)) same(value);
    same(((double)(bits >> 11) / 9007199254740992.0 - 0.5) * pow(10, (int)(bits % 40) - 20));
    same((double)(bits % 100000) / 1000);
  }
}

/* printf writes a NaN with its sign, which means nothing. */
static void no_number(void **state) {
  (void)state;
  char found[TRM_NUMBER_SIZE];
  assert_int_equal(trm_number_write(copysign(NAN, -1), found), 3);
  assert_string_equal(found, "nan");
  assert_int_equal(trm_number_write(copysign(NAN, 1), found), 3);
  assert_string_equal(found, "nan");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(special_ones), cmocka_unit_test(random_ones),
                                     cmocka_unit_test(no_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
