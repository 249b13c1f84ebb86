/* Euler angles of a body as scalars that can be driven. */
#ifndef TRM_SYSTEM_EULER_H
#define TRM_SYSTEM_EULER_H

#include "system/system.h"

/* Angle `component` (0, 1, 2) of the sequence of axes i, j, k: R = R_i(α) R_j(β) R_k(γ), in space.
 * The middle one is between ±π/2, of a sequence that begins and ends with one axis between 0 and π.
 */
trm_scalar trm_system_euler(const trm_system *sys, int body, const int sequence[3], int component);

/* Whether a driver p drives an Euler angle within so many radians of a singular orientation of its
 * sequence: then system->error says so. */
bool trm_euler_fails(trm_system *sys, const trm_primitive *p, double within);
/* The same behind it in a step, where an outer angle has turned by half a turn: to correct that
 * would lead to quite another orientation. */
bool trm_euler_is_behind(trm_system *sys, const trm_primitive *p);
/* The same for a driver whose angle was thrown back from there in the step at hand. */
bool trm_euler_turns_back(trm_system *sys, const trm_primitive *p);

#endif
