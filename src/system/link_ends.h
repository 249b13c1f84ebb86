/* Where the two ends of a link are. Internal to this room. */
#ifndef TRM_SYSTEM_LINK_ENDS_H
#define TRM_SYSTEM_LINK_ENDS_H

#include "math/axes.h"

/* A body's coordinates; the ground is a body at the origin, along the axes. */
TRM_INLINE const double *trm_link_q(int dim, const double *q, int at) {
  static const double ground[2][12] = {{0, 0, 1, 0, 0, 1}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return at < 0 ? ground[dim - 2] : q + at;
}

/* Their rates; the ground stands still. */
TRM_INLINE const double *trm_link_rates(const double *v, int at) {
  static const double still[12];
  return at < 0 ? still : v + at;
}

#endif
