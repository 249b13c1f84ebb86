/* The larger and the smaller of two; NaN where one of them is. fmax and fmin drop it: the largest
 * error of a run would be that of its good rows. */
#ifndef TRM_TESTS_EXTREMES_H
#define TRM_TESTS_EXTREMES_H

#include <math.h>

static inline double larger(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

static inline double smaller(double a, double b) {
  return isnan(a) || a < b ? a : b;
}

#endif
