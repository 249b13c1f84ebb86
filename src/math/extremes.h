/* The larger and the smaller of two; NaN where one of them is. fmax and fmin drop it: the largest
 * error of a run would be that of its good steps. */
#ifndef TRM_MATH_EXTREMES_H
#define TRM_MATH_EXTREMES_H

#include <math.h>

static inline double trm_larger(double a, double b) {
  return a > b || isnan(a) ? a : b;
}

static inline double trm_smaller(double a, double b) {
  return a < b || isnan(a) ? a : b;
}

#endif
