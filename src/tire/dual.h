/* The arithmetic of the formulas with exact derivatives in four directions (forward mode). */
#ifndef TRM_TIRE_DUAL_H
#define TRM_TIRE_DUAL_H

#include <math.h>

#include "math/double2.h"

typedef struct num {
  double v;
  trm_double2 a, b; /* derivatives */
} num;

TRM_INLINE num constant(double v) {
  return (num){.v = v};
}
TRM_INLINE double value_of(num a) {
  return a.v;
}
/* f(a) with f' = slope there */
TRM_INLINE num chain(num a, double value, double slope) {
  return (num){value, slope * a.a, slope * a.b};
}
TRM_INLINE num add(num a, num b) {
  return (num){a.v + b.v, a.a + b.a, a.b + b.b};
}
TRM_INLINE num sub(num a, num b) {
  return (num){a.v - b.v, a.a - b.a, a.b - b.b};
}
TRM_INLINE num mul(num a, num b) {
  return (num){a.v * b.v, a.v * b.a + b.v * a.a, a.v * b.b + b.v * a.b};
}
TRM_INLINE num quotient(num a, num b) {
  double v = a.v / b.v, inverse = 1 / b.v; /* values are bit by bit those of plain.h */
  return (num){v, inverse * (a.a - v * b.a), inverse * (a.b - v * b.b)};
}
TRM_INLINE num plus(num a, double k) {
  return (num){a.v + k, a.a, a.b};
}
TRM_INLINE num times(num a, double k) {
  return chain(a, a.v * k, k);
}
TRM_INLINE num sine(num a) {
  return chain(a, sin(a.v), cos(a.v));
}
TRM_INLINE num cosine(num a) {
  return chain(a, cos(a.v), -sin(a.v));
}
TRM_INLINE num tangent(num a) {
  double t = tan(a.v);
  return chain(a, t, 1 + t * t);
}
TRM_INLINE num arctan(num a) {
  return chain(a, atan(a.v), 1 / (1 + a.v * a.v));
}
TRM_INLINE num exponential(num a) {
  double e = exp(a.v);
  return chain(a, e, e);
}
/* At zero the slope is taken as 0: all that follows it there is even. */
TRM_INLINE num root(num a) {
  double r = sqrt(a.v);
  return chain(a, r, r > 0 ? 0.5 / r : 0);
}

#endif
