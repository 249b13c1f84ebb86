/* Axes whose dot products are prescribed: what that leaves free, and what changes the products.
 *
 * Rows: a_k·a_k of each axis, then a_k·a_l of each pair, as in natural coordinates. Forced inline
 * so that a known dimension unrolls. */
#ifndef TRM_MATH_AXES_H
#define TRM_MATH_AXES_H

#include "math/double2.h"
#include "math/vector.h"

/* d = Σ u[k] a[k] */
TRM_INLINE void trm_axes_carry(int dim, const double *a, const double *u, double *d) {
  if (dim == 2) {
    trm_double2 u0 = {u[0], u[0]}, u1 = {u[1], u[1]};
    *(trm_double2 *)d = u0 * *(const trm_double2 *)a + u1 * *(const trm_double2 *)(a + 2);
    return;
  }
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) d[i] = u[0] * a[i] + u[1] * a[3 + i] + u[2] * a[6 + i];
}

/* a[k] += u[k] e, the transpose of that, axis by axis in memory */
TRM_INLINE void trm_axes_spread(int dim, const double *u, double e0, double e1, double e2,
                                double *a) {
#pragma GCC unroll 3
  for (int k = 0; k < dim; k++) {
    *(trm_double2 *)(a + dim * k) += (trm_double2){u[k], u[k]} * (trm_double2){e0, e1};
    if (dim == 3) a[dim * k + 2] += u[k] * e2;
  }
}

TRM_INLINE double trm_axes_dot(int dim, const double *a, const double *b) {
  double sum = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? sum + a[2] * b[2] : sum;
}

/* ω = ½ Σ a[k] × d[k] of three axes with the rates d */
TRM_INLINE void trm_axes_spin(const double *a, const double *d, double *w) {
  double c[3][3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) trm_cross(a + 3 * k, d + 3 * k, c[k]);
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) w[i] = (c[0][i] + c[1][i] + c[2][i]) / 2;
}

/* C of the rows: a unit length's is half that of its square */
TRM_INLINE void trm_axes_gaps(int dim, const double *a, double *C) {
  int at = dim;
#pragma GCC unroll 3
  for (int k = 0; k < dim; k++) {
    C[k] = (trm_axes_dot(dim, a + dim * k, a + dim * k) - 1) / 2;
#pragma GCC unroll 3
    for (int l = k + 1; l < dim; l++) C[at++] = trm_axes_dot(dim, a + dim * k, a + dim * l);
  }
}

/* y = the rows times x */
TRM_INLINE void trm_axes_times(int dim, const double *a, const double *x, double *y) {
  int at = dim;
#pragma GCC unroll 3
  for (int k = 0; k < dim; k++) {
    y[k] = trm_axes_dot(dim, a + dim * k, x + dim * k);
#pragma GCC unroll 3
    for (int l = k + 1; l < dim; l++)
      y[at++] =
          trm_axes_dot(dim, a + dim * k, x + dim * l) + trm_axes_dot(dim, a + dim * l, x + dim * k);
  }
}

/* Qd of the rows at the rates x of the axes */
TRM_INLINE void trm_axes_bias(int dim, const double *x, double *Qd) {
  int at = dim;
#pragma GCC unroll 3
  for (int k = 0; k < dim; k++) {
    Qd[k] = -trm_axes_dot(dim, x + dim * k, x + dim * k);
#pragma GCC unroll 3
    for (int l = k + 1; l < dim; l++) Qd[at++] = -2 * trm_axes_dot(dim, x + dim * k, x + dim * l);
  }
}

/* e_k·a_l = 1 for k = l, else 0 */
TRM_INLINE void trm_axes_duals(int dim, const double *a, double *e) {
  if (dim == 2) {
    double scale = 1 / trm_cross_z(a, a + 2);
    *(trm_double2 *)e = (trm_double2){scale * a[3], -scale * a[2]};
    *(trm_double2 *)(e + 2) = (trm_double2){-scale * a[1], scale * a[0]};
    return;
  }
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) trm_cross(a + 3 * ((k + 1) % 3), a + 3 * ((k + 2) % 3), e + 3 * k);
  double scale = 1 / trm_dot(3, a, e);
#pragma GCC unroll 9
  for (int i = 0; i < 9; i++) e[i] *= scale;
}

/* Numbers just computed go to memory in the pairs they will be read in: a load across two stores
 * waits for both. */
TRM_INLINE void trm_axes_store(double a0, double a1, double a2, double b0, double b1, double b2,
                               double c0, double c1, double c2, double *to) {
  *(trm_double2 *)to = (trm_double2){a0, a1};
  *(trm_double2 *)(to + 2) = (trm_double2){a2, b0};
  *(trm_double2 *)(to + 4) = (trm_double2){b1, b2};
  *(trm_double2 *)(to + 6) = (trm_double2){c0, c1};
  to[8] = c2;
}

/* Columns that leave all products as they are: in space ȧ_l = a_k × a_l about axis k */
TRM_INLINE void trm_axes_turns(int dim, const double *a, double *T) {
  if (dim == 2) {
    *(trm_double2 *)T = (trm_double2){-a[1], a[0]};
    *(trm_double2 *)(T + 2) = (trm_double2){-a[3], a[2]};
    return;
  }
  double c[3], d[3], e[3]; /* a1 × a2, a2 × a0, a0 × a1 */
  trm_cross(a + 3, a + 6, c);
  trm_cross(a + 6, a, d);
  trm_cross(a, a + 3, e);
  trm_axes_store(0, 0, 0, e[0], e[1], e[2], -d[0], -d[1], -d[2], T);
  trm_axes_store(-e[0], -e[1], -e[2], 0, 0, 0, c[0], c[1], c[2], T + 9);
  trm_axes_store(d[0], d[1], d[2], -c[0], -c[1], -c[2], 0, 0, 0, T + 18);
}

/* rates = the change of the axes that changes the products by g */
TRM_INLINE void trm_axes_deform(int dim, const double *e, const double *g, double *rates) {
  if (dim == 2) {
    trm_double2 e0 = *(const trm_double2 *)e, e1 = *(const trm_double2 *)(e + 2);
    trm_double2 g0 = {g[0], g[0]}, g1 = {g[1], g[1]}, half = {g[2] / 2, g[2] / 2};
    *(trm_double2 *)rates = g0 * e0 + half * e1;
    *(trm_double2 *)(rates + 2) = g1 * e1 + half * e0;
    return;
  }
  double g01 = g[3] / 2, g02 = g[4] / 2, g12 = g[5] / 2, r[9];
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) {
    double e0 = e[i], e1 = e[3 + i], e2 = e[6 + i];
    r[i] = g[0] * e0 + g01 * e1 + g02 * e2;
    r[3 + i] = g01 * e0 + g[1] * e1 + g12 * e2;
    r[6 + i] = g02 * e0 + g12 * e1 + g[2] * e2;
  }
  trm_axes_store(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], rates);
}

/* Columns T that leave all products as they are, G that change one of them each */
TRM_INLINE void trm_axes_split(int dim, const double *a, double *T, double *G) {
  double duals[9], unit[6] = {0};
  trm_axes_turns(dim, a, T);
  trm_axes_duals(dim, a, duals);
  for (int r = 0; r < dim * (dim + 1) / 2; r++) {
    unit[r] = 1;
    trm_axes_deform(dim, duals, unit, G + dim * dim * r);
    unit[r] = 0;
  }
}

/* g = the transpose of that: forces on the axes to multipliers */
TRM_INLINE void trm_axes_stress(int dim, const double *e, const double *force, double *g) {
#pragma GCC unroll 3
  for (int k = 0; k < dim; k++) g[k] = trm_dot(dim, e + dim * k, force + dim * k);
  int at = dim;
#pragma GCC unroll 3
  for (int k = 0; k < dim; k++)
#pragma GCC unroll 3
    for (int l = k + 1; l < dim; l++)
      g[at++] = (trm_dot(dim, e + dim * l, force + dim * k) +
                 trm_dot(dim, e + dim * k, force + dim * l)) /
                2;
}

#endif
