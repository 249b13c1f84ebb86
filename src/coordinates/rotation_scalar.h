/* Component `axis` of a body's rotation vector φ: R = exp φ̃, from the global axes to the body's. */
#ifndef TRM_COORDINATES_ROTATION_SCALAR_H
#define TRM_COORDINATES_ROTATION_SCALAR_H

#include "coordinates/scalar.h"

/* Of all vectors of an orientation, a turn apart, the one within half a turn of `near`. */
double trm_rotation_scalar_value(const trm_scalar *s, const trm_motion *m);
double trm_rotation_scalar_rate(const trm_scalar *s, const trm_motion *m);
double trm_rotation_scalar_bias(const trm_scalar *s, const trm_motion *m);
void trm_rotation_scalar_gradient(const trm_scalar *s, const trm_motion *m, double scale,
                                  double *row1);
void trm_rotation_scalar_curvature(const trm_scalar *s, double scale, const trm_curvature *c);
void trm_rotation_scalar_axis(const trm_scalar *s, const trm_motion *m, double axis[3]);

/* Half a turn away from `near`: both ways round are as good, and there is no value. */
bool trm_rotation_scalar_is_lost(const trm_scalar *s, const trm_motion *m);

#endif
