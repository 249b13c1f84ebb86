/* Small vectors, symmetric matrices and shifts of a link's kernels, written out. */
#ifndef TRM_MATH_TREE_SMALL_H
#define TRM_MATH_TREE_SMALL_H

#include "math/axes.h"
#include "math/tree.h"
#include "math/vector.h"

/* d = Σ u[k] a[k] */
TRM_INLINE void trm_along(double a[3][3], const double *u, double *d) {
  d[0] = u[0] * a[0][0] + u[1] * a[1][0] + u[2] * a[2][0];
  d[1] = u[0] * a[0][1] + u[1] * a[1][1] + u[2] * a[2][1];
  d[2] = u[0] * a[0][2] + u[1] * a[1][2] + u[2] * a[2][2];
}

/* c += a × b */
TRM_INLINE void trm_add_cross(const double *a, const double *b, double *c) {
  c[0] += a[1] * b[2] - a[2] * b[1];
  c[1] += a[2] * b[0] - a[0] * b[2];
  c[2] += a[0] * b[1] - a[1] * b[0];
}

TRM_INLINE void trm_add_scaled(double s, const double *x, double *y) {
  y[0] += s * x[0];
  y[1] += s * x[1];
  y[2] += s * x[2];
}

TRM_INLINE double trm_dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TRM_INLINE double trm_dot4(const double *a, const double *b) {
  return a[0] * b[0] + trm_dot3(a + 1, b + 1);
}

/* y = S x, S symmetric */
TRM_INLINE void trm_symmetric_times(const double *S, const double *x, double *y) {
  y[0] = S[0] * x[0] + S[1] * x[1] + S[2] * x[2];
  y[1] = S[1] * x[0] + S[3] * x[1] + S[4] * x[2];
  y[2] = S[2] * x[0] + S[4] * x[1] + S[5] * x[2];
}

/* y = H x, y = Hᵀ x */
TRM_INLINE void trm_full_times(const double *H, const double *x, double *y) {
  y[0] = H[0] * x[0] + H[1] * x[1] + H[2] * x[2];
  y[1] = H[3] * x[0] + H[4] * x[1] + H[5] * x[2];
  y[2] = H[6] * x[0] + H[7] * x[1] + H[8] * x[2];
}

TRM_INLINE void trm_transposed_times(const double *H, const double *x, double *y) {
  y[0] = H[0] * x[0] + H[3] * x[1] + H[6] * x[2];
  y[1] = H[1] * x[0] + H[4] * x[1] + H[7] * x[2];
  y[2] = H[2] * x[0] + H[5] * x[1] + H[8] * x[2];
}

/* S += s x xᵀ */
TRM_INLINE void trm_add_square(double s, const double *x, double *S) {
  double x0 = s * x[0], x1 = s * x[1], x2 = s * x[2];
  S[0] += x0 * x[0];
  S[1] += x0 * x[1];
  S[2] += x0 * x[2];
  S[3] += x1 * x[1];
  S[4] += x1 * x[2];
  S[5] += x2 * x[2];
}

/* H += s x yᵀ */
TRM_INLINE void trm_add_product(double s, const double *x, const double *y, double *H) {
  double x0 = s * x[0], x1 = s * x[1], x2 = s * x[2];
  H[0] += x0 * y[0], H[1] += x0 * y[1], H[2] += x0 * y[2];
  H[3] += x1 * y[0], H[4] += x1 * y[1], H[5] += x1 * y[2];
  H[6] += x2 * y[0], H[7] += x2 * y[1], H[8] += x2 * y[2];
}

/* The wrench (n, f) of a link, at the parent's reference point as well. */
TRM_INLINE void trm_pass_wrench(const double *p, const double *n, const double *f, double *to_n,
                                double *to_f) {
  to_n[0] += n[0] + p[1] * f[2] - p[2] * f[1];
  to_n[1] += n[1] + p[2] * f[0] - p[0] * f[2];
  to_n[2] += n[2] + p[0] * f[1] - p[1] * f[0];
  to_f[0] += f[0];
  to_f[1] += f[1];
  to_f[2] += f[2];
}

/* I and H of a link at its parent's reference point: H' = H + p̃ M, I' = I − H p̃ + p̃ H'ᵀ. */
TRM_INLINE void trm_shift_inertia(const double *p, const double *I, const double *H,
                                  const double *M, double *to, double *G) {
  double x = p[0], y = p[1], z = p[2];
  G[0] = H[0] + (y * M[2] - z * M[1]);
  G[1] = H[1] + (y * M[4] - z * M[3]);
  G[2] = H[2] + (y * M[5] - z * M[4]);
  G[3] = H[3] + (z * M[0] - x * M[2]);
  G[4] = H[4] + (z * M[1] - x * M[4]);
  G[5] = H[5] + (z * M[2] - x * M[5]);
  G[6] = H[6] + (x * M[1] - y * M[0]);
  G[7] = H[7] + (x * M[3] - y * M[1]);
  G[8] = H[8] + (x * M[4] - y * M[2]);
  to[0] = I[0] + ((H[2] * y - H[1] * z) + (y * G[2] - z * G[1]));
  to[1] = I[1] + ((H[0] * z - H[2] * x) + (y * G[5] - z * G[4]));
  to[2] = I[2] + ((H[1] * x - H[0] * y) + (y * G[8] - z * G[7]));
  to[3] = I[3] + ((H[3] * z - H[5] * x) + (z * G[3] - x * G[5]));
  to[4] = I[4] + ((H[4] * x - H[3] * y) + (z * G[6] - x * G[8]));
  to[5] = I[5] + ((H[7] * x - H[6] * y) + (x * G[7] - y * G[6]));
}

/* (I, H, M) of a link are added to its parent's. */
TRM_INLINE void trm_pass_inertia(const double *p, const double *I, const double *H, const double *M,
                                 trm_link *to) {
  double shifted[6], G[9];
  trm_shift_inertia(p, I, H, M, shifted, G);
  for (int k = 0; k < 6; k++) to->I[k] += shifted[k];
  for (int k = 0; k < 9; k++) to->H[k] += G[k];
  for (int k = 0; k < 6; k++) to->M[k] += M[k];
}

#endif
