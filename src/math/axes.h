/* Axes whose dot products are prescribed: what that leaves free, and what changes the products.
 *
 * Rows: a_k·a_k of each axis, then a_k·a_l of each pair, as in natural coordinates. Forced inline
 * so that a known dimension unrolls. */
#ifndef TRM_MATH_AXES_H
#define TRM_MATH_AXES_H

#include "math/double2.h"
#include "math/vector.h"

/* e_k·a_l = 1 for k = l, else 0 */
TRM_INLINE void trm_axes_duals(int dim, const double *a, double *e) {
  if (dim == 2) {
    double scale = 1 / trm_cross_z(a, a + 2);
    e[0] = scale * a[3], e[1] = -scale * a[2];
    e[2] = -scale * a[1], e[3] = scale * a[0];
    return;
  }
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) trm_cross(a + 3 * ((k + 1) % 3), a + 3 * ((k + 2) % 3), e + 3 * k);
  double scale = 1 / trm_dot(3, a, e);
#pragma GCC unroll 9
  for (int i = 0; i < 9; i++) e[i] *= scale;
}

/* Columns that leave all products as they are: in space ȧ_l = a_k × a_l about axis k */
TRM_INLINE void trm_axes_turns(int dim, const double *a, double *T) {
  if (dim == 2) {
    T[0] = -a[1], T[1] = a[0];
    T[2] = -a[3], T[3] = a[2];
    return;
  }
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    double c[3];
    int before = (k + 2) % 3;
    trm_cross(a + 3 * before, a + 3 * k, c);
    for (int i = 0; i < 3; i++) {
      T[9 * k + 3 * k + i] = 0;
      T[9 * before + 3 * k + i] = c[i];
      T[9 * k + 3 * before + i] = -c[i];
    }
  }
}

/* rates += the change of the axes that changes the products by g */
TRM_INLINE void trm_axes_deform(int dim, const double *e, const double *g, double *rates) {
  if (dim == 2) {
    double half = g[2] / 2;
    for (int i = 0; i < 2; i++) {
      rates[i] += g[0] * e[i] + half * e[2 + i];
      rates[2 + i] += g[1] * e[2 + i] + half * e[i];
    }
    return;
  }
  double g01 = g[3] / 2, g02 = g[4] / 2, g12 = g[5] / 2;
  for (int i = 0; i < 3; i++) {
    double e0 = e[i], e1 = e[3 + i], e2 = e[6 + i];
    rates[i] += g[0] * e0 + g01 * e1 + g02 * e2;
    rates[3 + i] += g01 * e0 + g[1] * e1 + g12 * e2;
    rates[6 + i] += g02 * e0 + g12 * e1 + g[2] * e2;
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
