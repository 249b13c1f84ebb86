/* Rotation vectors, exactly differentiated. With p the body's quaternion and p̂ that of the vector
 * `near`, which is held,
 *
 *     Q = (Qw, Qu) = p (p·p̂),   φ = 2 atan2(s, Qw)/s Qu,   s = |Qu|.
 *
 * Q is linear in the body's axes, since 4 p pᵀ is, and φ does not depend on its length. Whichever
 * of p and −p is taken, Q is on the side of p̂: so φ goes on beyond half a turn. */
#include "coordinates/rotation_scalar.h"

#include <math.h>

enum { AXES = 3, TERMS = 14 };

static const double short_turn = 0.05; /* (s/Qw)²: below it closed forms would cancel */

typedef struct turned {
  double near[4]; /* p̂ */
  double Q[4];
  double g, h, k; /* φ = g Qu, ∂g/∂Qu = h Qu, ∂h/∂Qu = k Qu */
  double square;  /* |Q|² */
} turned;

static const trm_marker *axis_of(const trm_scalar *s, int k) {
  return k == 0 ? &s->end[1] : k == 1 ? &s->across[1] : &s->along;
}

static void quaternion_of(const double phi[3], double p[4]) {
  double half = trm_norm(3, phi) / 2, scale = half > 0 ? sin(half) / (2 * half) : 0.5;
  p[0] = cos(half);
  for (int i = 0; i < 3; i++) p[1 + i] = scale * phi[i];
}

/* Q += what the axis b, number k, has in it: a row of 4 p pᵀ p̂ for each of its components. */
static void add_axis(const double near[4], int k, const double b[3], double Q[4]) {
  int i = (k + 1) % 3, j = (k + 2) % 3;
  const double *u = near + 1;
  double w = near[0];
  /* R_kk in 4ww, 4xx, 4yy, 4zz; R_ik = b_i and R_jk = b_j in sums and differences */
  Q[0] += (b[k] * w + b[i] * u[j] - b[j] * u[i]) / 4;
  Q[1 + k] += (b[k] * u[k] + b[i] * u[i] + b[j] * u[j]) / 4;
  Q[1 + i] += (-b[k] * u[i] + b[i] * u[k] - b[j] * w) / 4;
  Q[1 + j] += (-b[k] * u[j] + b[i] * w + b[j] * u[k]) / 4;
}

/* ∂Q/∂bᵀ g for the same axis */
static void pull_axis(const double near[4], int k, const double g[4], double pulled[3]) {
  for (int r = 0; r < 3; r++) {
    const double unit[3] = {r == 0, r == 1, r == 2};
    double column[4] = {0, 0, 0, 0};
    add_axis(near, k, unit, column);
    pulled[r] = trm_dot(3, column, g) + column[3] * g[3];
  }
}

/* Σ (−1)ⁿ 2n/(2n+1) x^(n−1) from n = 1, and Σ (−1)ⁿ 2n (2n−2)/(2n+1) x^(n−2) from n = 2 */
static void short_series(double x, double *h, double *k) {
  double power = 1, sign = -1;
  *h = *k = 0;
  for (int n = 1; n <= TERMS; n++, sign = -sign) {
    *h += sign * 2 * n / (2 * n + 1) * power;
    *k -= sign * 2 * (n + 1) * 2 * n / (2 * n + 3) * power;
    power *= x;
  }
}

static turned look(const trm_scalar *s, const trm_motion *m) {
  turned l;
  double b[3];
  quaternion_of(s->near, l.near);
  for (int i = 0; i < 4; i++) l.Q[i] = l.near[i] / 4;
  for (int k = 0; k < AXES; k++) {
    trm_direction(m, axis_of(s, k), b);
    add_axis(l.near, k, b, l.Q);
  }
  double w = l.Q[0], length = trm_norm(3, l.Q + 1), s2 = length * length;
  l.square = w * w + s2;
  l.g = length > 0 ? 2 * atan2(length, w) / length : 2 / w;
  if (w > 0 && s2 < short_turn * w * w) {
    short_series(s2 / (w * w), &l.h, &l.k);
    l.h *= 2 / (w * w * w);
    l.k *= 2 / (w * w * w * w * w);
  } else {
    l.h = (2 * w / l.square - l.g) / s2;
    l.k = -(4 * w / (l.square * l.square) + 3 * l.h) / s2;
  }
  return l;
}

/* ∂φ/∂Q of the component i */
static void slope(const turned *l, int i, double g[4]) {
  const double *u = l->Q + 1;
  g[0] = -2 * u[i] / l->square;
  for (int j = 0; j < 3; j++) g[1 + j] = l->h * u[i] * u[j] + (i == j ? l->g : 0);
}

static void bend(const turned *l, int i, double H[4][4]) {
  const double *u = l->Q + 1;
  double r2 = l->square, r4 = r2 * r2;
  H[0][0] = 4 * l->Q[0] * u[i] / r4;
  for (int j = 0; j < 3; j++) {
    H[0][1 + j] = H[1 + j][0] = 4 * u[i] * u[j] / r4 - (i == j ? 2 / r2 : 0);
    for (int k = 0; k < 3; k++)
      H[1 + j][1 + k] = l->h * ((i == j ? u[k] : 0) + (i == k ? u[j] : 0) + (j == k ? u[i] : 0)) +
                        l->k * u[i] * u[j] * u[k];
  }
}

double trm_rotation_scalar_value(const trm_scalar *s, const trm_motion *m) {
  turned l = look(s, m);
  return l.g * l.Q[1 + s->axis];
}

/* ∂φ/∂b of each axis */
static void slopes(const trm_scalar *s, const turned *l, double g[AXES][3]) {
  double of_Q[4];
  slope(l, s->axis, of_Q);
  for (int k = 0; k < AXES; k++) pull_axis(l->near, k, of_Q, g[k]);
}

double trm_rotation_scalar_rate(const trm_scalar *s, const trm_motion *m) {
  turned l = look(s, m);
  double g[AXES][3], db[3], sum = 0;
  slopes(s, &l, g);
  for (int k = 0; k < AXES; k++) {
    trm_direction_rate(m, axis_of(s, k), db);
    sum += trm_dot(3, g[k], db);
  }
  return sum;
}

double trm_rotation_scalar_bias(const trm_scalar *s, const trm_motion *m) {
  turned l = look(s, m);
  double g[AXES][3], H[4][4], b[3], dQ[4] = {0, 0, 0, 0}, sum = 0;
  slopes(s, &l, g);
  bend(&l, s->axis, H);
  for (int k = 0; k < AXES; k++) {
    trm_direction_bias(m, axis_of(s, k), b);
    sum += trm_dot(3, g[k], b);
    trm_direction_rate(m, axis_of(s, k), b);
    add_axis(l.near, k, b, dQ);
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) sum += dQ[i] * H[i][j] * dQ[j];
  return sum;
}

void trm_rotation_scalar_gradient(const trm_scalar *s, const trm_motion *m, double scale,
                                  double *row1) {
  turned l = look(s, m);
  double g[AXES][3];
  slopes(s, &l, g);
  for (int k = 0; k < AXES; k++) trm_row_direction(m, axis_of(s, k), g[k], scale, row1);
}

/* G = ∂²φ/∂b∂b' of the axes k and n */
static void pull_both(const turned *l, double H[4][4], int k, int n, double G[3][3]) {
  double half[4][3], column[4], pulled[3];
  for (int i = 0; i < 4; i++) pull_axis(l->near, n, H[i], half[i]);
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < 4; i++) column[i] = half[i][c];
    pull_axis(l->near, k, column, pulled);
    for (int r = 0; r < 3; r++) G[r][c] = pulled[r];
  }
}

void trm_rotation_scalar_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  turned l = look(s, c->motion);
  double g[AXES][3], H[4][4], G[3][3];
  trm_lever lever[AXES];
  slopes(s, &l, g);
  bend(&l, s->axis, H);
  for (int k = 0; k < AXES; k++) {
    trm_bend(c, axis_of(s, k), g[k], scale);
    trm_lever_direction(c->motion, axis_of(s, k), &lever[k]);
  }
  for (int k = 0; k < AXES; k++)
    for (int n = 0; n < AXES; n++) {
      pull_both(&l, H, k, n, G);
      trm_curve(c, &lever[k], G, &lever[n], scale);
    }
}

/* φ̇ = Σ g·(ω × b) */
void trm_rotation_scalar_axis(const trm_scalar *s, const trm_motion *m, double axis[3]) {
  turned l = look(s, m);
  double g[AXES][3], b[3], part[3];
  slopes(s, &l, g);
  axis[0] = axis[1] = axis[2] = 0;
  for (int k = 0; k < AXES; k++) {
    trm_direction(m, axis_of(s, k), b);
    trm_cross(b, g[k], part);
    trm_axpy(3, 1, part, axis);
  }
}

bool trm_rotation_scalar_is_lost(const trm_scalar *s, const trm_motion *m) {
  return !(look(s, m).square > 1e-20); /* (p·p̂)² */
}
