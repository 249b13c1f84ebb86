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

/* The largest of `least` and all |x| per; NaN is none. Two maxima side by side: each waits for its
 * own last one only. */
static inline double trm_largest_part(int size, const double *x, const double *per, double least) {
  double even = least, odd = least;
  for (int i = 0; i + 1 < size; i += 2) {
    double one = fabs(x[i]) * per[i], two = fabs(x[i + 1]) * per[i + 1];
    even = one > even ? one : even;
    odd = two > odd ? two : odd;
  }
  double last = size % 2 ? fabs(x[size - 1]) * per[size - 1] : 0;
  even = last > even ? last : even;
  return odd > even ? odd : even;
}

#endif
