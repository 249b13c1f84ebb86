/* The arithmetic of the formulas in plain numbers; dual.h has the same with derivatives. */
#ifndef TRM_TIRE_PLAIN_H
#define TRM_TIRE_PLAIN_H

#include <math.h>

#include "math/double2.h"

enum { HAS_SLOPES = 0 };

typedef double num;

TRM_INLINE num constant(double a) {
  return a;
}
TRM_INLINE num variable(double a, int direction) {
  (void)direction;
  return a;
}
TRM_INLINE double slope_of(num a, int direction) {
  (void)a, (void)direction;
  return 0;
}
TRM_INLINE num through(double value, int count, const double *slopes, const num *x) {
  (void)count, (void)slopes, (void)x;
  return value;
}
TRM_INLINE double value_of(num a) {
  return a;
}
TRM_INLINE num add(num a, num b) {
  return a + b;
}
TRM_INLINE num sub(num a, num b) {
  return a - b;
}
TRM_INLINE num mul(num a, num b) {
  return a * b;
}
TRM_INLINE num quotient(num a, num b) {
  return a / b;
}
TRM_INLINE num plus(num a, double k) {
  return a + k;
}
TRM_INLINE num times(num a, double k) {
  return a * k;
}
TRM_INLINE num sine(num a) {
  return sin(a);
}
TRM_INLINE num cosine(num a) {
  return cos(a);
}
TRM_INLINE num tangent(num a) {
  return tan(a);
}
TRM_INLINE num arctan(num a) {
  return atan(a);
}
TRM_INLINE num exponential(num a) {
  return exp(a);
}
TRM_INLINE num root(num a) {
  return sqrt(a);
}

#endif
