/* The angle of one body relative to another: about z in the plane, about an axis of both in space.
 */
#ifndef TRM_COORDINATES_ANGLE_H
#define TRM_COORDINATES_ANGLE_H

#include "coordinates/scalar.h"

/* Counted over turns, without the offset. */
double trm_angle_value(const trm_scalar *s, const trm_motion *m);
void trm_angle_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row0,
                        double *row1);
double trm_angle_rate(const trm_scalar *s, const trm_motion *m);
double trm_angle_bias(const trm_scalar *s, const trm_motion *m);
void trm_angle_curvature(const trm_scalar *s, double scale, const trm_curvature *c);
/* The torque on the second that does the work of a unit effort: along the common axis. */
void trm_angle_axis(const trm_scalar *s, const trm_motion *m, double axis[3]);
/* Counts turns: the state at hand is accepted. */
void trm_angle_accept(trm_scalar *s, const trm_motion *m);

/* cosine and sine, up to a common factor */
void trm_angle_turn(const trm_scalar *s, const trm_motion *m, double *x, double *y);

/* The angle of (x, y) a time `since` after the accepted direction, which may have made any number
 * of turns meanwhile: its rate then tells how many. */
/* How often it crosses the negative x axis on the way to (x, y), about `expected` radians long. */
long trm_winding_crossings(const trm_winding *winding, double x, double y, double expected);
double trm_winding_angle(const trm_winding *winding, double x, double y, double since);
void trm_winding_accept(trm_winding *winding, double x, double y, double since, double rate);

#endif
