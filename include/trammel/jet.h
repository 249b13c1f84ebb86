/* Second-order jets: a number with its first and second derivative along one parameter. Written
 * over jets instead of doubles, a constraint tells the library its exact derivatives. */
#ifndef TRAMMEL_JET_H
#define TRAMMEL_JET_H

#include <math.h>
#include <trammel/export.h>

TRM_BEGIN_C

typedef struct trm_jet {
  double f, d, dd; /* value, first and second derivative */
} trm_jet;

static inline trm_jet trm_jet_make(double f, double d, double dd) {
  trm_jet jet = {f, d, dd};
  return jet;
}

static inline trm_jet trm_jet_constant(double value) {
  return trm_jet_make(value, 0, 0);
}

static inline trm_jet trm_jet_add(trm_jet a, trm_jet b) {
  return trm_jet_make(a.f + b.f, a.d + b.d, a.dd + b.dd);
}

static inline trm_jet trm_jet_subtract(trm_jet a, trm_jet b) {
  return trm_jet_make(a.f - b.f, a.d - b.d, a.dd - b.dd);
}

static inline trm_jet trm_jet_multiply(trm_jet a, trm_jet b) {
  return trm_jet_make(a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd);
}

static inline trm_jet trm_jet_divide(trm_jet a, trm_jet b) {
  double f = a.f / b.f, d = (a.d - f * b.d) / b.f;
  return trm_jet_make(f, d, (a.dd - 2 * d * b.d - f * b.dd) / b.f);
}

/* a + c, c a */
static inline trm_jet trm_jet_shift(trm_jet a, double c) {
  return trm_jet_make(a.f + c, a.d, a.dd);
}

static inline trm_jet trm_jet_scale(trm_jet a, double c) {
  return trm_jet_make(c * a.f, c * a.d, c * a.dd);
}

static inline trm_jet trm_jet_square(trm_jet a) {
  return trm_jet_multiply(a, a);
}

/* What does not move contributes nothing, even where the slope is infinite: sqrt(c) at c = 0. */
static inline double trm_jet_times(double slope, double move) {
  return move == 0 ? 0 : slope * move;
}

/* f(x(s)) from f, f', f'' at x.f and the jet of x: how to add a function of one's own. */
static inline trm_jet trm_jet_chain(trm_jet f, trm_jet x) {
  if (isnan(f.f)) return trm_jet_make(f.f, f.f, f.f);
  return trm_jet_make(f.f, trm_jet_times(f.d, x.d),
                      trm_jet_times(f.dd, x.d * x.d) + trm_jet_times(f.d, x.dd));
}

static inline trm_jet trm_jet_sin(trm_jet x) {
  double s = sin(x.f), c = cos(x.f);
  return trm_jet_chain(trm_jet_make(s, c, -s), x);
}

static inline trm_jet trm_jet_cos(trm_jet x) {
  double s = sin(x.f), c = cos(x.f);
  return trm_jet_chain(trm_jet_make(c, -s, -c), x);
}

static inline trm_jet trm_jet_tan(trm_jet x) {
  double f = tan(x.f), d = 1 + f * f;
  return trm_jet_chain(trm_jet_make(f, d, 2 * f * d), x);
}

static inline trm_jet trm_jet_exp(trm_jet x) {
  double f = exp(x.f);
  return trm_jet_chain(trm_jet_make(f, f, f), x);
}

static inline trm_jet trm_jet_log(trm_jet x) {
  double d = 1 / x.f;
  return trm_jet_chain(trm_jet_make(log(x.f), d, -d * d), x);
}

static inline trm_jet trm_jet_sqrt(trm_jet x) {
  double f = sqrt(x.f), d = 0.5 / f;
  return trm_jet_chain(trm_jet_make(f, d, -0.5 * d / x.f), x);
}

/* x^n with a fixed exponent */
static inline trm_jet trm_jet_power(trm_jet x, double n) {
  /* n x^(n−1) would be 0 times infinity where the factor vanishes at x = 0 */
  double d = n == 0 ? 0 : n * pow(x.f, n - 1);
  double dd = n == 0 || n == 1 ? 0 : n * (n - 1) * pow(x.f, n - 2);
  return trm_jet_chain(trm_jet_make(pow(x.f, n), d, dd), x);
}

TRM_END_C

#endif
