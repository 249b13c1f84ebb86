/* Roll, pitch and yaw: R = R_z(yaw) R_y(pitch) R_x(roll). */
#ifndef TRM_SYSTEM_CARDAN_H
#define TRM_SYSTEM_CARDAN_H

#include "system/system.h"

/* Roll, pitch, yaw; the first and the last counted over turns. */
void trm_system_cardan(const trm_system *system, int body, double angles[3]);
/* q += scale ∂(angle)/∂q */
void trm_system_cardan_slope(const trm_system *system, int body, int component, double scale,
                             trm_row *q);
/* A state with this orientation is accepted, a rotation by about `turn` after the last one. Before
 * the body's accepted quaternion is replaced. */
double trm_system_accept_cardan(trm_system *system, int body, const double p[4],
                                const double turn[3]);

#endif
