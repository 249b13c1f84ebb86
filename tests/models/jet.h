/* Numbers with their first and second time derivatives: closed-form kinematics in tests. */
#ifndef TRM_TESTS_MODELS_JET_H
#define TRM_TESTS_MODELS_JET_H

#include <math.h>

typedef struct jet {
  double x, v, a;
} jet;

static inline jet jet_of(double x) {
  return (jet){x, 0, 0};
}

static inline jet jet_add(jet p, jet q) {
  return (jet){p.x + q.x, p.v + q.v, p.a + q.a};
}

static inline jet jet_scale(double k, jet p) {
  return (jet){k * p.x, k * p.v, k * p.a};
}

static inline jet jet_sub(jet p, jet q) {
  return jet_add(p, jet_scale(-1, q));
}

static inline jet jet_mul(jet p, jet q) {
  return (jet){p.x * q.x, p.v * q.x + p.x * q.v, p.a * q.x + 2 * p.v * q.v + p.x * q.a};
}

/* f(p) from f, f', f'' at p.x */
static inline jet jet_chain(jet p, double f, double df, double ddf) {
  return (jet){f, df * p.v, df * p.a + ddf * p.v * p.v};
}

static inline jet jet_sin(jet p) {
  return jet_chain(p, sin(p.x), cos(p.x), -sin(p.x));
}

static inline jet jet_cos(jet p) {
  return jet_chain(p, cos(p.x), -sin(p.x), -cos(p.x));
}

static inline jet jet_sqrt(jet p) {
  double s = sqrt(p.x);
  return jet_chain(p, s, 1 / (2 * s), -1 / (4 * p.x * s));
}

static inline jet jet_inverse(jet p) {
  return jet_chain(p, 1 / p.x, -1 / (p.x * p.x), 2 / (p.x * p.x * p.x));
}

static inline jet jet_asin(jet p) {
  double w = 1 - p.x * p.x;
  return jet_chain(p, asin(p.x), 1 / sqrt(w), p.x / (w * sqrt(w)));
}

/* The angle of (x, y): θ' = (x y' − y x')/(x² + y²) */
static inline jet jet_atan2(jet y, jet x) {
  double r2 = x.x * x.x + y.x * y.x, n = x.x * y.v - y.x * x.v;
  double dr2 = 2 * (x.x * x.v + y.x * y.v), dn = x.x * y.a - y.x * x.a;
  return (jet){atan2(y.x, x.x), n / r2, dn / r2 - n * dr2 / (r2 * r2)};
}

#endif
