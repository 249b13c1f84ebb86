/* Vectors and small matrices of a link's kernels. A processor with registers of four numbers has
 * three and a zero in one of them; for others all is written out. */
#ifndef TRM_MATH_TREE_SMALL_H
#define TRM_MATH_TREE_SMALL_H

#include "math/double2.h"
#include "math/tree.h"
#include "math/vector.h"

#ifdef __AVX__

typedef double trm_vector __attribute__((vector_size(32), aligned(8), may_alias));

#ifdef __clang__
#define TRM_LANES(x, y, i, j, k, l) __builtin_shufflevector(x, y, i, j, k, l)
#else
typedef long long trm_lanes __attribute__((vector_size(32)));
#define TRM_LANES(x, y, i, j, k, l) __builtin_shuffle(x, y, (trm_lanes){i, j, k, l})
#endif
#define TRM_LANE(x, k) TRM_LANES(x, x, k, k, k, k)

TRM_INLINE trm_vector trm_get(const double *x) {
  return *(const trm_vector *)x;
}

TRM_INLINE void trm_put(trm_vector x, double *to) {
  *(trm_vector *)to = x;
}

/* Three numbers in a row. */
TRM_INLINE trm_vector trm_get3(const double *x) {
  return (trm_vector){x[0], x[1], x[2], 0};
}

TRM_INLINE trm_vector trm_plus(trm_vector a, trm_vector b) {
  return a + b;
}

TRM_INLINE trm_vector trm_minus(trm_vector a, trm_vector b) {
  return a - b;
}

TRM_INLINE trm_vector trm_scaled(double s, trm_vector a) {
  return s * a;
}

TRM_INLINE double trm_inner(trm_vector a, trm_vector b) {
  trm_vector x = a * b;
  return x[0] + x[1] + x[2];
}

/* a·b + c·d */
TRM_INLINE double trm_inner_both(trm_vector a, trm_vector b, trm_vector c, trm_vector d) {
  trm_vector x = a * b + c * d;
  return x[0] + x[1] + x[2];
}

TRM_INLINE trm_vector trm_product(trm_vector a, trm_vector b) {
  trm_vector c = a * TRM_LANES(b, b, 1, 2, 0, 3) - TRM_LANES(a, a, 1, 2, 0, 3) * b;
  return TRM_LANES(c, c, 1, 2, 0, 3);
}

/* A += x yᵀ */
TRM_INLINE void trm_add_outer(trm_vector x, trm_vector y, trm_vector A[3]) {
  A[0] += TRM_LANE(x, 0) * y;
  A[1] += TRM_LANE(x, 1) * y;
  A[2] += TRM_LANE(x, 2) * y;
}

/* Aᵀu = Σ u[k] A[k]; A u where A is symmetric; a vector along other axes */
TRM_INLINE trm_vector trm_combine_by(const trm_vector A[3], trm_vector u) {
  return TRM_LANE(u, 0) * A[0] + TRM_LANE(u, 1) * A[1] + TRM_LANE(u, 2) * A[2];
}

/* A += s 1 */
TRM_INLINE void trm_add_diagonal(double s, trm_vector A[3]) {
  A[0] += s * (trm_vector){1, 0, 0, 0};
  A[1] += s * (trm_vector){0, 1, 0, 0};
  A[2] += s * (trm_vector){0, 0, 1, 0};
}

/* x × as a matrix */
TRM_INLINE void trm_tilde(trm_vector x, trm_vector A[3]) {
  trm_vector minus = -x;
  A[0] = TRM_LANES(x, minus, 3, 6, 1, 3);
  A[1] = TRM_LANES(x, minus, 2, 3, 4, 3);
  A[2] = TRM_LANES(x, minus, 5, 0, 3, 3);
}

TRM_INLINE void trm_transpose(const trm_vector A[3], trm_vector T[3]) {
  trm_vector zero = {0, 0, 0, 0};
  trm_vector low = TRM_LANES(A[0], A[1], 0, 4, 2, 6), high = TRM_LANES(A[0], A[1], 1, 5, 3, 7);
  trm_vector more = TRM_LANES(A[2], zero, 0, 4, 2, 6), last = TRM_LANES(A[2], zero, 1, 5, 3, 7);
  T[0] = TRM_LANES(low, more, 0, 1, 4, 5);
  T[1] = TRM_LANES(high, last, 0, 1, 4, 5);
  T[2] = TRM_LANES(low, more, 2, 3, 6, 7);
}

#else

typedef struct trm_vector {
  double x, y, z;
} trm_vector;

TRM_INLINE trm_vector trm_get(const double *x) {
  return (trm_vector){x[0], x[1], x[2]};
}

TRM_INLINE void trm_put(trm_vector x, double *to) {
  to[0] = x.x;
  to[1] = x.y;
  to[2] = x.z;
}

TRM_INLINE trm_vector trm_get3(const double *x) {
  return trm_get(x);
}

TRM_INLINE trm_vector trm_plus(trm_vector a, trm_vector b) {
  return (trm_vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

TRM_INLINE trm_vector trm_minus(trm_vector a, trm_vector b) {
  return (trm_vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

TRM_INLINE trm_vector trm_scaled(double s, trm_vector a) {
  return (trm_vector){s * a.x, s * a.y, s * a.z};
}

TRM_INLINE double trm_inner(trm_vector a, trm_vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

TRM_INLINE double trm_inner_both(trm_vector a, trm_vector b, trm_vector c, trm_vector d) {
  return (a.x * b.x + c.x * d.x) + (a.y * b.y + c.y * d.y) + (a.z * b.z + c.z * d.z);
}

TRM_INLINE trm_vector trm_product(trm_vector a, trm_vector b) {
  return (trm_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TRM_INLINE void trm_add_outer(trm_vector x, trm_vector y, trm_vector A[3]) {
  A[0] = trm_plus(A[0], trm_scaled(x.x, y));
  A[1] = trm_plus(A[1], trm_scaled(x.y, y));
  A[2] = trm_plus(A[2], trm_scaled(x.z, y));
}

TRM_INLINE trm_vector trm_combine_by(const trm_vector A[3], trm_vector u) {
  return trm_plus(trm_plus(trm_scaled(u.x, A[0]), trm_scaled(u.y, A[1])), trm_scaled(u.z, A[2]));
}

TRM_INLINE void trm_add_diagonal(double s, trm_vector A[3]) {
  A[0].x += s;
  A[1].y += s;
  A[2].z += s;
}

TRM_INLINE void trm_tilde(trm_vector x, trm_vector A[3]) {
  A[0] = (trm_vector){0, -x.z, x.y};
  A[1] = (trm_vector){x.z, 0, -x.x};
  A[2] = (trm_vector){-x.y, x.x, 0};
}

TRM_INLINE void trm_transpose(const trm_vector A[3], trm_vector T[3]) {
  T[0] = (trm_vector){A[0].x, A[1].x, A[2].x};
  T[1] = (trm_vector){A[0].y, A[1].y, A[2].y};
  T[2] = (trm_vector){A[0].z, A[1].z, A[2].z};
}

#endif

/* b + s a */
TRM_INLINE trm_vector trm_add_times(double s, trm_vector a, trm_vector b) {
  return trm_plus(b, trm_scaled(s, a));
}

/* The same by numbers in memory. */
TRM_INLINE trm_vector trm_combine(const trm_vector A[3], const double *u) {
  return trm_add_times(u[2], A[2], trm_add_times(u[1], A[1], trm_scaled(u[0], A[0])));
}

TRM_INLINE void trm_get_rows(double a[3][4], trm_vector A[3]) {
  for (int k = 0; k < 3; k++) A[k] = trm_get(a[k]);
}

TRM_INLINE void trm_put_rows(const trm_vector A[3], double a[3][4]) {
  for (int k = 0; k < 3; k++) trm_put(A[k], a[k]);
}

/* Number by number, where speed does not matter. */
TRM_INLINE void trm_along(double a[3][4], const double *u, double *d) {
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

/* y = S x, S symmetric */
TRM_INLINE void trm_symmetric_times(const double *S, const double *x, double *y) {
  y[0] = S[0] * x[0] + S[1] * x[1] + S[2] * x[2];
  y[1] = S[1] * x[0] + S[3] * x[1] + S[4] * x[2];
  y[2] = S[2] * x[0] + S[4] * x[1] + S[5] * x[2];
}

/* The wrench on a link goes to its parent, too. */
TRM_INLINE void trm_link_pass_wrench(const trm_link *l, trm_link *parent) {
  trm_vector f = trm_get(l->wf), n = trm_plus(trm_get(l->wn), trm_product(trm_get(l->p), f));
  trm_put(trm_plus(trm_get(parent->wn), n), parent->wn);
  trm_put(trm_plus(trm_get(parent->wf), f), parent->wf);
}

#endif
