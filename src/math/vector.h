/* Small vectors of 2 or 3 components; `dim` is known, the third component of a planar vector is
 * never read. */
#ifndef TRM_MATH_VECTOR_H
#define TRM_MATH_VECTOR_H

#include <math.h>
#include <stdbool.h>

static inline double trm_dot(int dim, const double *a, const double *b) {
  double s = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? s + a[2] * b[2] : s;
}

static inline double trm_dot4(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static inline double trm_norm(int dim, const double *a) {
  return sqrt(trm_dot(dim, a, a));
}

/* c = a − b */
static inline void trm_sub(int dim, const double *a, const double *b, double *c) {
  c[0] = a[0] - b[0];
  c[1] = a[1] - b[1];
  if (dim == 3) c[2] = a[2] - b[2];
}

/* c = (x0 + d0) − (x1 + d1): of neighbours far from the origin the difference of the x comes first,
 * which is exact; the ground has its large number in d. */
static inline void trm_gap(int dim, const double *x0, const double *d0, const double *x1,
                           const double *d1, bool to_ground, double *c) {
  if (to_ground)
    for (int i = 0; i < dim; i++) c[i] = (x0[i] - d1[i]) + (d0[i] - x1[i]);
  else
    for (int i = 0; i < dim; i++) c[i] = ((x0[i] - x1[i]) + d0[i]) - d1[i];
}

/* b += a */
static inline void trm_add(int dim, const double *a, double *b) {
  b[0] += a[0];
  b[1] += a[1];
  if (dim == 3) b[2] += a[2];
}

/* y += s x */
static inline void trm_axpy(int n, double s, const double *x, double *y) {
  for (int k = 0; k < n; k++) y[k] += s * x[k];
}

/* c = a × b in space; c is neither */
static inline void trm_cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* The z component of a × b: all there is in the plane. */
static inline double trm_cross_z(const double *a, const double *b) {
  return a[0] * b[1] - a[1] * b[0];
}

static inline double trm_norm_of(int n, const double *x) {
  double s = 0;
  for (int k = 0; k < n; k++) s += x[k] * x[k];
  return sqrt(s);
}

#endif
