/* Where a sphere or disc touches its plane: what contact and no slip share. */
#ifndef TRM_CONSTRAINT_ROLL_H
#define TRM_CONSTRAINT_ROLL_H

#include "constraint/primitive.h"

/* n: the plane's normal towards the rolling body, a: the disc's axis, c = n·a, s = √(1 − c²). */
typedef struct trm_contact {
  double n[3], a[3], e[3]; /* e = r1 − r0 */
  double c, s;
  double rho[3]; /* from the centre r1 to the contact */
} trm_contact;

void trm_contact_evaluate(const trm_primitive *p, const trm_motion *m, trm_contact *contact);
/* From the first's origin to the contact point. */
void trm_contact_arm(const trm_primitive *p, const trm_motion *m, const trm_contact *contact,
                     double arm[3]);

void trm_contact_curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c);
void trm_no_slip_curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c);

#endif
