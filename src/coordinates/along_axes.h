/* Rates along axes that turn with a body: velocities of its points, its angular velocity. */
#ifndef TRM_COORDINATES_ALONG_AXES_H
#define TRM_COORDINATES_ALONG_AXES_H

#include "coordinates/scalar.h"

double trm_along_axes_rate(const trm_scalar *s, const trm_motion *m);
double trm_along_axes_bias(const trm_scalar *s, const trm_motion *m);
void trm_along_axes_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row1);
void trm_along_axes_curvature(const trm_scalar *s, double scale, const trm_curvature *c);
void trm_along_axes_wrench(const trm_scalar *s, const trm_motion *m, double force[3],
                           double torque[3]);

#endif
