/* Scalar functions of the configuration: a point's coordinate, an angle, a displacement, a
 * distance. Drivers, joint freedoms, springs, initial conditions and measures are all made of them.
 */
#ifndef TRM_COORDINATES_SCALAR_H
#define TRM_COORDINATES_SCALAR_H

#include "coordinates/curvature.h"

typedef enum trm_scalar_kind {
  TRM_SCALAR_COMPONENT,    /* component `axis` of the point end[1] */
  TRM_SCALAR_ANGLE,        /* of end[1]'s body from end[0]'s, counted over turns: see angle.c */
  TRM_SCALAR_TILT,         /* of the direction end[1] out of the plane across `axis`: see tilt.c */
  TRM_SCALAR_ROTATION,     /* of end[1]'s body: see rotation_scalar.c */
  TRM_SCALAR_DISPLACEMENT, /* d·(r1 − r0) − offset, d carried by the first */
  TRM_SCALAR_DISTANCE,     /* |r1 − r0| */
  TRM_SCALAR_SPIN,         /* component `axis` of end[1]'s ω: a rate without a position (space) */
  TRM_SCALAR_BODY_SPEED,   /* v of the point end[1] along `along`: no position either, nor have */
  TRM_SCALAR_BODY_SPIN,    /* ω of its body along it, */
  TRM_SCALAR_HEADING_SPEED /* v along (0) and across (1) the direction of `along` from above */
} trm_scalar_kind;

/* Full turns are counted when a step is accepted: (x, y) is the accepted direction. */
typedef struct trm_winding {
  double x, y;
  double turns; /* a whole number, which cannot overflow where a motion runs away */
  double rate;  /* of the accepted angle */
} trm_winding;

typedef struct trm_scalar {
  trm_scalar_kind kind;
  int axis;             /* COMPONENT, TILT, ROTATION, SPIN, HEADING_SPEED */
  trm_marker end[2];    /* points; ANGLE, TILT: directions d; ROTATION: the body's axis x */
  trm_marker across[2]; /* ANGLE: directions e, a quarter turn ahead of d; ROTATION: y */
  trm_marker along;     /* DISPLACEMENT: the direction, on end[0]'s body; BODY_…: on end[1]'s;
                           ROTATION: the axis z */
  double offset;        /* subtracted, so that a freedom is zero as written */
  trm_winding winding;  /* ANGLE */
  const double *near;   /* [3] ROTATION: a vector that is less than half a turn away */
} trm_scalar;

/* It is an angle: its gradient is a torque. */
static inline bool trm_scalar_turns(const trm_scalar *s) {
  return s->kind == TRM_SCALAR_ANGLE || s->kind == TRM_SCALAR_TILT ||
         s->kind == TRM_SCALAR_ROTATION;
}

/* Needs the position stage. */
double trm_scalar_value(const trm_scalar *scalar, const trm_motion *motion);
/* row0[nq] and row1[nq] += scale ∂s/∂q of the two bodies; NULL for the ground */
void trm_scalar_gradient(const trm_scalar *scalar, const trm_motion *motion, double scale,
                         double *row0, double *row1);
/* Need the velocity stage: ṡ, and s̈ where q̈ = 0. */
double trm_scalar_rate(const trm_scalar *scalar, const trm_motion *motion);
double trm_scalar_bias(const trm_scalar *scalar, const trm_motion *motion);
/* B += scale ∂(gradient)/∂q: contracted with v it is ∂ṡ/∂q. Needs the position stage. */
void trm_scalar_curvature(const trm_scalar *scalar, double scale, const trm_curvature *c);

/* What a spring needs of a scalar, found at once. */
typedef struct trm_stretch {
  double value, rate;
  double along[3]; /* of a distance: from the first point to the second, unit */
} trm_stretch;
void trm_scalar_stretch(const trm_scalar *scalar, const trm_motion *motion, trm_stretch *stretch);
/* As trm_scalar_gradient. */
void trm_stretch_gradient(const trm_scalar *scalar, const trm_motion *motion,
                          const trm_stretch *stretch, double scale, double *row0, double *row1);

/* The unit wrench of a force along the scalar, on end[1]'s body at its point: ṡ = f·v + τ ω there.
 */
void trm_scalar_wrench(const trm_scalar *scalar, const trm_motion *motion, double force[3],
                       double torque[3]);

/* Counts turns; returns how far its direction is from its pole, of 1. */
double trm_scalar_accept(trm_scalar *scalar, const trm_motion *motion);

#endif
