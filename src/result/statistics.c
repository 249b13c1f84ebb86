/* Intraclass correlation and Bland-Altman limits of agreement. */
#include "result/statistics.h"

#include "result/distribution.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const double confidence = 0.95;
static const double upper_tail = 0.975;
static const double limit_factor = 1.96; /* Bland and Altman's; 95 % of a normal distribution */

static double mean(const double *x, int n, double origin) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] - origin;
  return sum / n;
}

static double row_mean(const double *const *x, int i, int k, double origin) {
  double sum = 0;
  for (int j = 0; j < k; j++) sum += x[j][i] - origin;
  return sum / k;
}

trm_anova trm_anova_two_way(const double *const *ratings, int n, int k) {
  /* counted from a value of the data, so that a large common part costs no digits */
  double origin = ratings[0][0], grand = 0;
  for (int j = 0; j < k; j++) grand += mean(ratings[j], n, origin) / k;
  double rows = 0, columns = 0, rest = 0;
  for (int i = 0; i < n; i++) rows += pow(row_mean(ratings, i, k, origin) - grand, 2);
  for (int j = 0; j < k; j++) {
    double effect = mean(ratings[j], n, origin) - grand;
    columns += effect * effect;
    for (int i = 0; i < n; i++)
      rest += pow(ratings[j][i] - origin - row_mean(ratings, i, k, origin) - effect, 2);
  }
  double freedoms = n - 1;
  return (trm_anova){n, k, k * rows / freedoms, n * columns / (k - 1), rest / freedoms / (k - 1)};
}

trm_estimate trm_icc_consistency(const trm_anova *anova) {
  double MSR = anova->MSR, MSE = anova->MSE, k1 = anova->k - 1;
  double d1 = anova->n - 1, d2 = d1 * k1;
  double below = trm_f_quantile(upper_tail, d1, d2) * MSE;
  double above = trm_f_quantile(upper_tail, d2, d1) * MSR;
  return (trm_estimate){(MSR - MSE) / (MSR + k1 * MSE), (MSR - below) / (MSR + k1 * below),
                        (above - MSE) / (above + k1 * MSE)};
}

/* Satterthwaite's freedoms of a MSC + b MSE, here with a and b times n (1 − ρ): finite at ρ = 1. */
static double combined_freedoms(const trm_anova *anova, double rho) {
  double n = anova->n, k = anova->k;
  double raters = k * rho * anova->MSC;
  double rest = (n + (k * n - k - n) * rho) * anova->MSE;
  double part = raters / (raters + rest);
  return (k - 1) / (part * part + (1 - part) * (1 - part) / (n - 1));
}

trm_estimate trm_icc_absolute_agreement(const trm_anova *anova) {
  double n = anova->n, k = anova->k;
  double MSR = anova->MSR, MSC = anova->MSC, MSE = anova->MSE;
  double rho = (MSR - MSE) / (MSR + (k - 1) * MSE + k / n * (MSC - MSE));
  if (isnan(rho)) return (trm_estimate){NAN, NAN, NAN};
  /* with equal raters and no rest the interval has no width, and the freedoms are 0/0 */
  if (MSC == 0 && MSE == 0) return (trm_estimate){rho, rho, rho};
  /* a negative estimate is one of a variance ratio that is zero at least */
  double v = combined_freedoms(anova, fmax(rho, 0));
  double spread = k * MSC + (k * n - k - n) * MSE;
  double below = trm_f_quantile(upper_tail, n - 1, v), above = trm_f_quantile(upper_tail, v, n - 1);
  return (trm_estimate){rho, n * (MSR - below * MSE) / (below * spread + n * MSR),
                        n * (above * MSR - MSE) / (spread + n * above * MSR)};
}

static trm_estimate around(double value, double half_width) {
  return (trm_estimate){value, value - half_width, value + half_width};
}

static void compare_differences(trm_agreement *found, const double *t, const double *a,
                                const double *b, int n) {
  double sum = 0, squares = 0, deviations = 0;
  found->max_difference = -1;
  for (int i = 0; i < n; i++) {
    double d = a[i] - b[i];
    sum += d;
    squares += d * d;
    if (fabs(d) <= found->max_difference) continue;
    found->max_difference = fabs(d);
    found->max_time = t[i];
  }
  double bias = sum / n;
  for (int i = 0; i < n; i++) deviations += pow(a[i] - b[i] - bias, 2);
  found->rms_difference = sqrt(squares / n);
  found->sd = sqrt(deviations / (n - 1));
  /* Bland and Altman (1999): the variances of the mean and of 1.96 sd add */
  double t_value = trm_t_two_sided(confidence, n - 1), s = found->sd, reach = limit_factor * s;
  double width = t_value * s * sqrt(1.0 / n + limit_factor * limit_factor / (2.0 * (n - 1)));
  found->bias = around(bias, t_value * s / sqrt(n));
  found->lower_limit = around(bias - reach, width);
  found->upper_limit = around(bias + reach, width);
}

static bool is_constant(const double *x, int n) {
  double low = x[0], high = x[0];
  for (int i = 1; i < n; i++) {
    low = fmin(low, x[i]);
    high = fmax(high, x[i]);
  }
  return high - low <= 16 * DBL_EPSILON * fmax(fabs(low), fabs(high));
}

trm_agreement trm_agreement_compute(const double *t, const double *a, const double *b, int n) {
  trm_agreement found = {0};
  compare_differences(&found, t, a, b, n);
  if (found.max_difference == 0) {
    found.icc_consistency = found.icc_absolute_agreement = (trm_estimate){1, 1, 1};
  } else if (is_constant(a, n) && is_constant(b, n)) {
    /* the correlation of round-off says nothing */
    found.icc_consistency = found.icc_absolute_agreement = (trm_estimate){NAN, NAN, NAN};
  } else {
    trm_anova anova = trm_anova_two_way((const double *const[]){a, b}, n, 2);
    found.icc_consistency = trm_icc_consistency(&anova);
    found.icc_absolute_agreement = trm_icc_absolute_agreement(&anova);
  }
  return found;
}
