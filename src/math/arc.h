/* How far a vector that turns about a fixed axis goes round in a plane. */
#ifndef TRM_MATH_ARC_H
#define TRM_MATH_ARC_H

/* The angle by which (u[x], u[y]) turns from x towards y, counted over turns, while u turns by the
 * rotation vector phi of any length. */
double trm_arc_angle(const double u[3], const double phi[3], int x, int y);

#endif
