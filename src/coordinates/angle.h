/* The angle of one body relative to another: about z in the plane, about an axis of both in space.
 */
#ifndef TRM_COORDINATES_ANGLE_H
#define TRM_COORDINATES_ANGLE_H

#include <math.h>

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
/* Counts turns: the state at hand is accepted. Returns how far the direction of θ is from zero,
 * of 1. */
double trm_angle_accept(trm_scalar *s, const trm_motion *m);

/* cosine and sine, up to a common factor */
void trm_angle_turn(const trm_scalar *s, const trm_motion *m, double *x, double *y);
/* Next to where the axis has swung by half a turn: there is no twist about it. Only in space, where
 * no joint keeps the bodies coaxial. */
bool trm_angle_is_lost(const trm_scalar *s, const trm_motion *m);
/* Whether a way as straight as its rates say leads through the pole, where there is no angle: the
 * step since the accepted state went there and was thrown back. Needs the velocity stage. */
bool trm_angle_turns_back(const trm_scalar *s, const trm_motion *m);

#define TRM_SHORT_WAY                                                                              \
  0.5 /* radians: where no more is expected, the way between two directions is the short one */

/* How often a direction crosses the negative x axis on the way to (x, y), about `expected` radians
 * long. */
double trm_winding_crossings(const trm_winding *winding, double x, double y, double expected);
/* The angle of (x, y) a time `since` after the accepted direction, which may have made any number
 * of turns meanwhile: its rate then tells how many. */
double trm_winding_angle(const trm_winding *winding, double x, double y, double since);
static inline void trm_winding_accept(trm_winding *w, double x, double y, double since,
                                      double rate) {
  double expected = since * (w->rate + rate) / 2;
  if ((w->y < 0) != (y < 0) || !(fabs(expected) < TRM_SHORT_WAY)) /* else it crosses nothing */
    w->turns += trm_winding_crossings(w, x, y, expected);
  w->x = x;
  w->y = y;
  w->rate = rate;
}

/* By an angle that is known, of an axis that both sides share. */
void trm_winding_turn(trm_winding *winding, double angle, double rate);

#endif
