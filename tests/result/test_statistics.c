/* Distributions against published tables, ICC and limits of agreement against published examples.
 */
#include "result/statistics.h"

#include <float.h>

#include "../check.h"
#include "result/distribution.h"

/* Upper 2.5 % and 5 % points as tables of F print them. */
static void f_tables(void **state) {
  (void)state;
  const struct {
    double p, d1, d2, F, half_digit;
  } table[] = {
      {0.95, 1, 10, 4.96, 5e-3},   {0.95, 5, 10, 3.33, 5e-3},    {0.95, 10, 20, 2.35, 5e-3},
      {0.95, 3, 120, 2.68, 5e-3},  {0.95, 60, 60, 1.53, 5e-3},   {0.975, 1, 1, 647.8, 5e-2},
      {0.975, 5, 15, 3.58, 5e-3},  {0.975, 15, 5, 6.43, 5e-3},   {0.975, 10, 10, 3.72, 5e-3},
      {0.975, 2, 120, 3.80, 5e-3}, {0.975, 120, 2, 39.49, 5e-3}, {0.99, 4, 20, 4.43, 5e-3},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    assert_near(trm_f_quantile(table[i].p, table[i].d1, table[i].d2), table[i].F,
                table[i].half_digit);
}

/* By 30-digit arithmetic, freedoms that are no whole numbers among them. */
static void f_digits(void **state) {
  (void)state;
  assert_near(trm_f_quantile(0.975, 5, 15), 3.576415349279062, 1e-12);
  assert_near(trm_f_quantile(0.025, 5, 15), 0.1555759630784871, 1e-13);
  assert_near(trm_f_quantile(0.975, 4.8, 5), 7.187557311667647, 1e-12);
  assert_near(trm_f_quantile(0.975, 1.03, 100), 5.110674923018119, 1e-12);
  assert_near(trm_f_quantile(0.975, 100, 100), 1.483250989892729, 1e-12);
}

/* With d1 = 2 the distribution is 1 − (1 + 2F/d2)^(−d2/2). */
static void f_closed_form(void **state) {
  (void)state;
  for (double d = 1; d < 2e6; d *= 10) {
    double exact = d / 2 * expm1(-2 / d * log(0.025));
    assert_near(trm_f_quantile(0.975, 2, d) / exact, 1, 1e-9);
    assert_near(trm_f_quantile(0.025, d, 2) * exact, 1, 1e-9);
    assert_near(trm_f_probability(exact, 2, d), 0.975, 1e-10);
  }
}

static void t_tables(void **state) {
  (void)state;
  assert_near(trm_t_two_sided(0.95, 1), 12.706, 5e-4);
  assert_near(trm_t_two_sided(0.95, 10), 2.228, 5e-4);
  assert_near(trm_t_two_sided(0.95, 16), 2.120, 5e-4);
  assert_near(trm_t_two_sided(0.95, 100), 1.984, 5e-4);
  assert_near(trm_t_two_sided(0.99, 5), 4.032, 5e-4);
  assert_near(trm_t_two_sided(0.95, 1e6), 1.960, 5e-4);
}

static void incomplete_beta(void **state) {
  (void)state;
  assert_true(trm_incomplete_beta(2, 3, 0, 1) == 0);
  assert_true(trm_incomplete_beta(2, 3, 1, 0) == 1);
  assert_near(trm_incomplete_beta(1, 1, 0.3, 0.7), 0.3, 1e-15);
  /* a binomial sum: P(at least 2 of 4), success 0.4 */
  assert_near(trm_incomplete_beta(2, 3, 0.4, 0.6), 0.5248, 1e-15);
  assert_near(trm_incomplete_beta(2, 3, 0.9, 0.1), 0.9963, 1e-15);
}

/* Shrout and Fleiss (1979), table 2: 6 targets by 4 judges. */
static const double judges[4][6] = {
    {9, 6, 8, 7, 10, 6}, {2, 1, 4, 1, 5, 2}, {5, 3, 6, 2, 6, 4}, {8, 2, 8, 6, 9, 7}};

static trm_anova judge(void) {
  return trm_anova_two_way((const double *const[]){judges[0], judges[1], judges[2], judges[3]}, 6,
                           4);
}

static void shrout_fleiss_anova(void **state) {
  (void)state;
  trm_anova anova = judge();
  assert_near(anova.MSR, 11.24, 5e-3);
  assert_near(anova.MSC, 32.49, 5e-3);
  assert_near(anova.MSE, 1.02, 5e-3);
  assert_near(anova.MSR, 1349.0 / 120, 1e-12);
}

/* Their ICC(3,1) = 0.71 and ICC(2,1) = 0.29; intervals as other programs print them. */
static void shrout_fleiss_icc(void **state) {
  (void)state;
  trm_anova anova = judge();
  trm_estimate icc = trm_icc_consistency(&anova);
  assert_near(icc.value, 0.71, 5e-3);
  assert_near(icc.low, 0.342, 5e-4);
  assert_near(icc.high, 0.946, 5e-4);
  icc = trm_icc_absolute_agreement(&anova);
  assert_near(icc.value, 0.29, 5e-3);
  assert_near(icc.low, 0.019, 5e-4);
  assert_near(icc.high, 0.761, 5e-4);
}

static const double times[] = {0, 0.5, 1};

/* By hand: MSR = 19/6, MSC = MSE = 1/6, and F(0.975; 2, 2) = 39. */
static void icc_by_hand(void **state) {
  (void)state;
  const double a[] = {1, 2, 3}, b[] = {1, 2, 4};
  trm_agreement found = trm_agreement_compute(times, a, b, 3);
  assert_near(found.icc_consistency.value, 0.9, 1e-14);
  assert_near(found.icc_consistency.low, -20.0 / 58, 1e-12);
  assert_near(found.icc_consistency.high, 740.0 / 742, 1e-12);
  assert_near(found.icc_absolute_agreement.value, 0.9, 1e-14);
  assert_near(found.max_difference, 1, 0);
  assert_near(found.max_time, 1, 0);
  assert_near(found.rms_difference, sqrt(1.0 / 3), 1e-15);
  assert_near(found.bias.value, -1.0 / 3, 1e-15);
  assert_near(found.sd, sqrt(1.0 / 3), 1e-15);
}

/* A constant offset of 1 is full consistency but an agreement of 2/3 (MSR = 2, MSC = 3/2); its one
 * freedom has F(2, 1) = 799.5 and F(1, 2) = 0.975² / (2 · 0.9875 · 0.0125). */
static void offset_by_hand(void **state) {
  (void)state;
  const double a[] = {0, 1, 2}, b[] = {1, 2, 3};
  trm_agreement found = trm_agreement_compute(times, a, b, 3);
  assert_near(found.icc_consistency.low, 1, 0);
  assert_near(found.icc_consistency.high, 1, 0);
  assert_near(found.icc_absolute_agreement.value, 2.0 / 3, 1e-14);
  assert_near(found.icc_absolute_agreement.low, 6 / 2404.5, 1e-12);
  double F = 0.975 * 0.975 / (2 * 0.9875 * 0.0125);
  assert_near(found.icc_absolute_agreement.high, 6 * F / (3 + 6 * F), 1e-12);
  assert_near(found.sd, 0, 0);
  assert_near(found.upper_limit.high, -1, 0);
}

static void opposite_runs(void **state) {
  (void)state;
  const double a[] = {-1, 0, 1}, b[] = {1, 0, -1};
  trm_agreement found = trm_agreement_compute(times, a, b, 3);
  assert_near(found.icc_consistency.value, -1, 0);
  assert_near(found.icc_consistency.low, -1, 0);
  assert_near(found.icc_consistency.high, -1, 0);
  assert_true(isfinite(found.icc_absolute_agreement.low));
  assert_near(found.max_difference, 2, 0);
  assert_near(found.max_time, 0, 0); /* the first of two */
}

/* Bland and Altman (1986), table 1, first readings: peak flow by two meters, n = 17. */
static void bland_altman(void **state) {
  (void)state;
  const double wright[] = {494, 395, 516, 434, 476, 557, 413, 442, 650,
                           433, 417, 656, 267, 478, 178, 423, 427};
  const double mini[] = {512, 430, 520, 428, 500, 600, 364, 380, 658,
                         445, 432, 626, 260, 477, 259, 350, 451};
  double t[17];
  for (int i = 0; i < 17; i++) t[i] = i;
  trm_agreement found = trm_agreement_compute(t, wright, mini, 17);
  /* published: −2.1, 38.8, and −22.0 to 17.8 from rounded figures */
  assert_near(found.bias.value, -2.1, 0.05);
  assert_near(found.sd, 38.8, 0.05);
  assert_near(found.bias.low, -22.0, 0.06);
  assert_near(found.bias.high, 17.8, 0.05);
  /* 30-digit arithmetic */
  assert_near(found.lower_limit.value, -78.0973016111, 1e-9);
  assert_near(found.lower_limit.low, -112.853377909, 1e-8);
  assert_near(found.lower_limit.high, -43.341225313, 1e-8);
  assert_near(found.upper_limit.value, -4.23529411764706 + 78.0973016111, 1e-9);
  assert_near(found.upper_limit.high - found.upper_limit.value, 112.853377909 - 78.0973016111,
              1e-8);
  assert_near(found.rms_difference, 37.6672739843, 1e-9);
  assert_near(found.max_difference, 81, 0);
  assert_near(found.max_time, 14, 0);
}

static void identical_and_constant(void **state) {
  (void)state;
  const double a[] = {0.1, 0.1, 0.1}, b[] = {0.2, 0.2, 0.2}, c[] = {1, 5, 2};
  trm_agreement found = trm_agreement_compute(times, c, c, 3);
  assert_near(found.icc_consistency.value, 1, 0);
  assert_near(found.icc_absolute_agreement.low, 1, 0);
  assert_near(found.max_difference, 0, 0);
  assert_near(found.upper_limit.high, 0, 0);
  assert_near(trm_agreement_compute(times, a, a, 3).icc_consistency.value, 1, 0);
  found = trm_agreement_compute(times, a, b, 3);
  assert_true(isnan(found.icc_consistency.value) && isnan(found.icc_consistency.low));
  assert_true(isnan(found.icc_absolute_agreement.value) &&
              isnan(found.icc_absolute_agreement.high));
  assert_near(found.bias.value, -0.1, 1e-16);
  /* one constant run explains nothing of the other */
  assert_near(trm_agreement_compute(times, a, c, 3).icc_consistency.value, 0, 1e-14);
}

static void round_off_is_constant(void **state) {
  (void)state;
  const double a[] = {1, 1 + DBL_EPSILON, 1}, b[] = {1, 1, 1 + DBL_EPSILON};
  trm_agreement found = trm_agreement_compute(times, a, b, 3);
  assert_true(isnan(found.icc_consistency.value));
  assert_near(found.max_difference, DBL_EPSILON, 0);
}

/* A common part of 2^40 is exact and must not cost digits. */
static void far_from_zero(void **state) {
  (void)state;
  double shifted[4][6];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 6; i++) shifted[j][i] = judges[j][i] + 1099511627776.0;
  trm_anova near = judge();
  trm_anova far = trm_anova_two_way(
      (const double *const[]){shifted[0], shifted[1], shifted[2], shifted[3]}, 6, 4);
  assert_near(far.MSR, near.MSR, 1e-12);
  assert_near(far.MSC, near.MSC, 1e-12);
  assert_near(far.MSE, near.MSE, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f_tables),
      cmocka_unit_test(f_digits),
      cmocka_unit_test(f_closed_form),
      cmocka_unit_test(t_tables),
      cmocka_unit_test(incomplete_beta),
      cmocka_unit_test(shrout_fleiss_anova),
      cmocka_unit_test(shrout_fleiss_icc),
      cmocka_unit_test(icc_by_hand),
      cmocka_unit_test(offset_by_hand),
      cmocka_unit_test(opposite_runs),
      cmocka_unit_test(bland_altman),
      cmocka_unit_test(identical_and_constant),
      cmocka_unit_test(round_off_is_constant),
      cmocka_unit_test(far_from_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
