/* The arithmetic of a wheel on a road with exact derivatives with respect to all its inputs. */
#ifndef TRM_TIRE_WIDE_H
#define TRM_TIRE_WIDE_H

#include <math.h>
#include <stdbool.h>

#include "math/double2.h"

enum { DIRECTIONS = 14, PAIRS = DIRECTIONS / 2, HAS_SLOPES = 1 };

typedef struct num {
  double v;
  trm_double2 d[PAIRS];
} num;

#define EACH_PAIR _Pragma("GCC unroll 7") for (int k = 0; k < PAIRS; k++)

TRM_INLINE num constant(double v) {
  return (num){.v = v};
}
TRM_INLINE double value_of(num a) {
  return a.v;
}
TRM_INLINE num variable(double v, int direction) {
  num a = {.v = v};
  a.d[direction / 2][direction % 2] = 1;
  return a;
}
TRM_INLINE double slope_of(num a, int direction) {
  return a.d[direction / 2][direction % 2];
}
TRM_INLINE num chain(num a, double value, double slope) {
  num r = {.v = value};
  EACH_PAIR r.d[k] = slope * a.d[k];
  return r;
}
TRM_INLINE num add(num a, num b) {
  num r = {.v = a.v + b.v};
  EACH_PAIR r.d[k] = a.d[k] + b.d[k];
  return r;
}
TRM_INLINE num sub(num a, num b) {
  num r = {.v = a.v - b.v};
  EACH_PAIR r.d[k] = a.d[k] - b.d[k];
  return r;
}
TRM_INLINE num mul(num a, num b) {
  num r = {.v = a.v * b.v};
  EACH_PAIR r.d[k] = a.v * b.d[k] + b.v * a.d[k];
  return r;
}
TRM_INLINE num quotient(num a, num b) {
  double v = a.v / b.v, inverse = 1 / b.v;
  num r = {.v = v};
  EACH_PAIR r.d[k] = inverse * (a.d[k] - v * b.d[k]);
  return r;
}
TRM_INLINE num plus(num a, double k) {
  a.v += k;
  return a;
}
TRM_INLINE num times(num a, double k) {
  return chain(a, a.v * k, k);
}
TRM_INLINE num arctan(num a) {
  return chain(a, atan(a.v), 1 / (1 + a.v * a.v));
}
TRM_INLINE num root(num a) {
  double r = sqrt(a.v);
  return chain(a, r, r > 0 ? 0.5 / r : 0);
}
/* f(x) with its slopes with respect to each x */
TRM_INLINE num through(double value, int count, const double *slopes, const num *x) {
  num r = {.v = value};
  for (int i = 0; i < count; i++) EACH_PAIR r.d[k] += slopes[i] * x[i].d[k];
  return r;
}

#endif
