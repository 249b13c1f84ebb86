/* Ticks stand at nice numbers, inside the range, with labels that tell them apart. */
#include "report/ticks.h"

#include <string.h>

#include "../check.h"

/* Labels of all labelled ticks, with blanks between. */
static const char *labels(const trm_ticks *ticks) {
  static char text[4096];
  char label[TRM_TICK_LABEL];
  text[0] = 0;
  for (int k = 0; k < ticks->count; k++) {
    if (!ticks->labelled[k]) continue;
    trm_tick_label(ticks, ticks->at[k], label);
    if (text[0]) strcat(text, " ");
    strcat(text, label);
  }
  return text;
}

static const char *linear(double low, double high, int wanted) {
  static trm_ticks ticks;
  trm_ticks_linear(&ticks, low, high, wanted);
  for (int k = 0; k < ticks.count; k++) {
    double slack = 1e-6 * (high - low);
    assert_true(ticks.at[k] >= low - slack && ticks.at[k] <= high + slack);
    assert_true(k == 0 || ticks.at[k] > ticks.at[k - 1]);
  }
  return labels(&ticks);
}

static const char *logarithmic(double low, double high, int wanted) {
  static trm_ticks ticks;
  trm_ticks_log(&ticks, low, high, wanted);
  for (int k = 0; k < ticks.count; k++) {
    assert_true(ticks.at[k] >= low * (1 - 1e-6) && ticks.at[k] <= high * (1 + 1e-6));
    assert_true(k == 0 || ticks.at[k] > ticks.at[k - 1]);
  }
  return labels(&ticks);
}

static void linear_steps(void **state) {
  (void)state;
  assert_string_equal(linear(0, 10, 8), "0 2 4 6 8 10");
  assert_string_equal(linear(0, 1, 10), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
  assert_string_equal(linear(-1.3, 1.1, 5), "−1.0 −0.5 0 0.5 1.0");
  assert_string_equal(linear(999.9, 1000.1, 4), "999.90 999.95 1000.00 1000.05 1000.10");
  assert_string_equal(linear(0, 2.5e-7, 3), "0 1×10⁻⁷ 2×10⁻⁷");
  assert_string_equal(linear(9.5e6, 1.05e7, 2), "9.5×10⁶ 1.00×10⁷ 1.05×10⁷");
  assert_string_equal(linear(-4e299, 4e299, 4), "−4×10²⁹⁹ −2×10²⁹⁹ 0 2×10²⁹⁹ 4×10²⁹⁹");
}

static void powers_of_ten(void **state) {
  (void)state;
  assert_string_equal(logarithmic(1e-9, 1, 4), "10⁻⁹ 10⁻⁶ 10⁻³ 10⁰");
  assert_string_equal(logarithmic(0.5e-3, 20, 8), "0.001 0.01 0.1 1 10");
  assert_string_equal(logarithmic(1e-300, 1e300, 4), "10⁻³⁰⁰ 10⁻¹⁵⁰ 10⁰ 10¹⁵⁰ 10³⁰⁰");
}

/* A short range has more than its powers of ten; one within a decade is nearly linear. */
static void short_ranges(void **state) {
  (void)state;
  assert_string_equal(logarithmic(0.9, 110, 8), "1 2 5 10 20 50 100");
  assert_string_equal(logarithmic(0.9e-7, 2.1e-6, 8), "10⁻⁷ 2×10⁻⁷ 5×10⁻⁷ 10⁻⁶ 2×10⁻⁶");
  assert_string_equal(logarithmic(3, 3.5, 5), "3.0 3.1 3.2 3.3 3.4 3.5");
}

static void minor_ticks(void **state) {
  (void)state;
  trm_ticks ticks;
  trm_ticks_log(&ticks, 1, 1000, 8);
  assert_int_equal(ticks.count, 3 * 9 + 1);
  assert_true(ticks.labelled[0]);
  assert_false(ticks.labelled[1]);
  assert_near(ticks.at[8], 9, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_steps),
      cmocka_unit_test(powers_of_ten),
      cmocka_unit_test(short_ranges),
      cmocka_unit_test(minor_ticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
