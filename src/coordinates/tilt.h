/* How far a direction leans out of a global plane: β = atan2(a_i, h), h the length of the rest. */
#ifndef TRM_COORDINATES_TILT_H
#define TRM_COORDINATES_TILT_H

#include "coordinates/scalar.h"

double trm_tilt_value(const trm_scalar *s, const trm_motion *m);
double trm_tilt_rate(const trm_scalar *s, const trm_motion *m);
double trm_tilt_bias(const trm_scalar *s, const trm_motion *m);
void trm_tilt_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row1);
void trm_tilt_curvature(const trm_scalar *s, double scale, const trm_curvature *c);
void trm_tilt_axis(const trm_scalar *s, const trm_motion *m, double axis[3]);

#endif
