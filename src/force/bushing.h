/* What a bushing's force and its slope share. */
#ifndef TRM_FORCE_BUSHING_H
#define TRM_FORCE_BUSHING_H

#include "force/element.h"

/* The gap r1 − r0, its components along the axes, and the rotation since as written. */
typedef struct trm_deflection {
  int n;     /* 3 in the plane, 6 in space */
  int angle; /* the component that is a counted angle, the only rotation; −1: the last three are φ
              */
  double gap[3], u[6], rate[6];
} trm_deflection;

/* The deflection and g = preload − K u − D u̇; what the damping dissipates is taken from power. */
void trm_bushing_effort(const trm_element *e, const trm_motion *m, trm_deflection *s, double g[6],
                        double *power);
/* Q += (∂u/∂q)ᵀ g */
void trm_bushing_push(const trm_element *e, const trm_motion *m, const trm_deflection *s,
                      const double *g, double *Q);
/* Σ g[k] u[k] over the translations. */
trm_scalar trm_bushing_translation(const trm_mount *b, const trm_motion *m, const double *g);

/* In space: axes of the second in those of the first and their quaternion, continued from the
 * accepted one; ω1 − ω0, */
void trm_bushing_turned(const trm_element *e, const trm_motion *m, double a[3][3], double p[4]);
void trm_bushing_spin(const trm_mount *b, const trm_motion *m, double w[3]);
/* the torque of g on the rotations, carried by the first, and a torque's generalized forces. */
trm_marker trm_bushing_torque(const trm_mount *b, const trm_motion *m, const double phi[3],
                              const double g[3]);
void trm_bushing_push_torque(const trm_mount *b, const trm_motion *m, const double torque[3],
                             double *Q);

/* The state at hand is accepted: the rotation goes on from here. */
void trm_bushing_accept(trm_element *e, const trm_motion *m);

/* x y z of the gap, and of the rotation, in bushing axes; in the plane the rotation is the last. */
void trm_bushing_deflection(const trm_element *e, const trm_motion *m, double parts[6]);
/* row += scale ∂(component k of it)/∂q */
void trm_bushing_deflection_slope(const trm_element *e, const trm_motion *m, int k, double scale,
                                  trm_row *row);

const char *trm_bushing_tangent(const trm_element *e, trm_force_tangent *to);

#endif
