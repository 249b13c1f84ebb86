/* The F distribution by the incomplete beta function's continued fraction (DLMF 8.17.22). */
#define _DEFAULT_SOURCE /* lgamma_r */
#include "result/distribution.h"

#include <float.h>
#include <math.h>

/* Coefficient m ≥ 1 of 1/(1 + d1/(1 + d2/(1 + ...))). */
static double coefficient(int m, double a, double b, double x) {
  double j = m / 2, c = a + 2 * j;
  if (m % 2 == 0) return j * (b - j) * x / ((c - 1) * c);
  return -(a + j) * (a + b + j) * x / (c * (c + 1));
}

static double off_zero(double value) {
  return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/* Lentz: the ratios of successive numerators and denominators, neither of which may vanish. */
static double continued_fraction(double a, double b, double x) {
  /* takes about sqrt(max(a, b)) terms */
  int most = 200 + (int)fmin(20 * sqrt(fmax(a, b)), 1e6);
  double numerators = 1, denominators = 0, value = 1;
  for (int m = 1; m <= most; m++) {
    double d = coefficient(m, a, b, x);
    numerators = off_zero(1 + d / numerators);
    denominators = 1 / off_zero(1 + d * denominators);
    double factor = numerators * denominators;
    value *= factor;
    if (fabs(factor - 1) < 2 * DBL_EPSILON) break;
  }
  return 1 / value;
}

/* Without the global signgam that lgamma writes: comparisons run in threads. */
static double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

/* x^a y^b / B(a, b) */
static double front(double a, double b, double x, double y) {
  return exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
}

double trm_incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  /* the fraction converges fast on the near side of the mean only */
  if (x * (a + b + 2) < a + 1) return front(a, b, x, y) * continued_fraction(a, b, x) / a;
  return 1 - front(b, a, y, x) * continued_fraction(b, a, y) / b;
}

double trm_f_probability(double F, double d1, double d2) {
  double sum = d1 * F + d2;
  return trm_incomplete_beta(d1 / 2, d2 / 2, d1 * F / sum, d2 / sum);
}

/* Newton over u = ln F, where the slope is front() itself; halving wherever it leaves the bracket.
 */
double trm_f_quantile(double p, double d1, double d2) {
  double low = -600, high = 600, u = 0;
  for (int k = 0; k < 200; k++) {
    double F = exp(u), sum = d1 * F + d2;
    double excess = trm_f_probability(F, d1, d2) - p;
    if (excess > 0)
      high = u;
    else
      low = u;
    double next = u - excess / front(d1 / 2, d2 / 2, d1 * F / sum, d2 / sum);
    if (!(next > low && next < high)) next = (low + high) / 2;
    double change = fabs(next - u);
    u = next;
    if (change <= 4 * DBL_EPSILON * fmax(1, fabs(u))) break;
  }
  return exp(u);
}

double trm_t_two_sided(double p, double freedoms) {
  return sqrt(trm_f_quantile(p, 1, freedoms)); /* t² has the distribution F(1, freedoms) */
}
