/* Euler angles of a body as scalars that can be driven. */
#ifndef TRM_SYSTEM_EULER_H
#define TRM_SYSTEM_EULER_H

#include "system/system.h"

/* Angle `component` (0, 1, 2) of the sequence of axes i, j, k: R = R_i(α) R_j(β) R_k(γ), in space.
 * The middle one is between ±π/2, of a sequence that begins and ends with one axis between 0 and π.
 */
trm_scalar trm_system_euler(const trm_system *sys, int body, const int sequence[3], int component);

#endif
