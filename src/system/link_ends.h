/* Where the two ends of a link are. Internal to this room. */
#ifndef TRM_SYSTEM_LINK_ENDS_H
#define TRM_SYSTEM_LINK_ENDS_H

#include "math/axes.h"

/* A body's coordinates; the ground is a body at the origin, along the axes. */
TRM_INLINE const double *trm_link_q(int dim, const double *q, int at) {
  static const double ground[2][12] = {{0, 0, 1, 0, 0, 1}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return at < 0 ? ground[dim - 2] : q + at;
}

/* trm_gap, two numbers at a time */
TRM_INLINE void trm_link_gap(int dim, const double *x0, const double *d0, const double *x1,
                             const double *d1, bool to_ground, double *c) {
  trm_double2 a = *(const trm_double2 *)x0, b = *(const trm_double2 *)x1;
  trm_double2 u = *(const trm_double2 *)d0, w = *(const trm_double2 *)d1;
  *(trm_double2 *)c = to_ground ? (a - w) + (u - b) : ((a - b) + u) - w;
  if (dim == 3) trm_gap(1, x0 + 2, d0 + 2, x1 + 2, d1 + 2, to_ground, c + 2);
}

/* Their rates; the ground stands still. */
TRM_INLINE const double *trm_link_rates(const double *v, int at) {
  static const double still[12];
  return at < 0 ? still : v + at;
}

#endif
