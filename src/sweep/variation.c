/* Values of a varied parameter. */
#define _DEFAULT_SOURCE /* M_PI */
#include "sweep/variation.h"

#include <math.h>

double trm_normal_probability(double x) {
  return erfc(-x * M_SQRT1_2) / 2;
}

/* Abramowitz and Stegun 26.2.23 to four digits, then Halley's method on the tail, where erfc keeps
 * its digits. */
double trm_normal_quantile(double u) {
  double tail = fmin(u, 1 - u), s = sqrt(-2 * log(tail));
  double x = s - (2.515517 + s * (0.802853 + s * 0.010328)) /
                     (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
  for (int k = 0; k < 3; k++) {
    double e = (tail - erfc(x * M_SQRT1_2) / 2) * sqrt(2 * M_PI) * exp(x * x / 2);
    x -= e / (1 + x * e / 2);
  }
  return u < 0.5 ? -x : x;
}

double trm_variation_level(const trm_variation *v, long k) {
  if (v->kind != TRM_VARY_RANGE) return v->numbers[k];
  double a = v->numbers[0], b = v->numbers[1];
  if (v->levels == 1) return a;
  /* both ends exactly */
  double share = (double)k / (double)(v->levels - 1);
  return k == v->levels - 1 ? b : a + share * (b - a);
}

static double triangular(const double *n, double u) {
  double a = n[0], mode = n[1], b = n[2], below = (mode - a) / (b - a);
  if (u < below) return a + sqrt(u * (b - a) * (mode - a));
  return b - sqrt((1 - u) * (b - a) * (b - mode));
}

double trm_variation_quantile(const trm_variation *v, double u) {
  const double *n = v->numbers;
  switch (v->kind) {
  case TRM_VARY_UNIFORM: return n[0] + u * (n[1] - n[0]);
  case TRM_VARY_NORMAL: return n[0] + n[1] * trm_normal_quantile(u);
  case TRM_VARY_LOGNORMAL: return exp(n[0] + n[1] * trm_normal_quantile(u));
  case TRM_VARY_TRIANGULAR: return triangular(n, u);
  default: break;
  }
  long k = (long)floor(u * (double)v->levels);
  return trm_variation_level(v, k < v->levels ? k : v->levels - 1);
}
