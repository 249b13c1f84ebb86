/* The angle from one direction to another: about z in the plane, about an axis carried by the first
 * in space. */
#ifndef TRM_COORDINATES_ANGLE_H
#define TRM_COORDINATES_ANGLE_H

#include "coordinates/scalar.h"

/* cosine and sine, up to a common factor */
void trm_angle_turn(const trm_scalar *s, const trm_motion *m, double *x, double *y);
void trm_angle_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row0,
                        double *row1);
double trm_angle_rate(const trm_scalar *s, const trm_motion *m);
double trm_angle_bias(const trm_scalar *s, const trm_motion *m);
void trm_angle_curvature(const trm_scalar *s, double scale, const trm_curvature *c);

#endif
