/* Inertia over a whole step where M is quadratic in q: so that a midpoint rule keeps the energy.
 *
 * From (q0, υ0) to q0 + u and υ1 = 2u/h − υ0, with momenta π carried along, the inertia
 *
 *     (2/h²)(M̄ u − h π0) − ½ (∂T/∂q(q, υ0) + ∂T/∂q(q, υ1)),   M̄ = (M0 + M1)/2, q the midpoint,
 *
 * and π1 = 2 M̄ u/h − π0 do exactly the work by which π·υ − T changes: T1 − T0 is M̄ῡ·Δυ plus the
 * mean of the two ∂T/∂q times u. In Euler parameters vᵀM(q)v = qᵀM(v)q over the rotational
 * coordinates, so that ∂T/∂q(q, v) = M(v) q. */
#ifndef TRM_SYSTEM_BETWEEN_H
#define TRM_SYSTEM_BETWEEN_H

#include "coordinates/curvature.h"
#include "system/tangent.h"

typedef struct trm_between {
  double h;
  const double *q0, *v0, *pi0, *u; /* [n] */
  const double *a;                 /* [n] the acceleration of the stage at the midpoint */
} trm_between;

/* M changes with q, as a quadratic form does. */
bool trm_system_has_momenta(const trm_system *system);
/* π = M υ */
void trm_system_momenta(const trm_system *system, const trm_tangent *tangent, const double *q,
                        const double *v, double *pi);
/* π1 */
void trm_between_momenta(const trm_system *system, const trm_tangent *tangent,
                         const trm_between *step, double *pi1);
/* r of the stage gets this inertia instead of M a − Qv there. After the velocity stage at the
 * midpoint, with the velocity u/h. */
void trm_between_residual(const trm_system *system, const trm_tangent *tangent,
                          const trm_between *step, double *r);
/* And J, the derivative of r by u times h²/2, in the pattern of K. */
void trm_between_tangent(const trm_system *system, const trm_tangent *tangent,
                         const trm_between *step, double *J);

#endif
