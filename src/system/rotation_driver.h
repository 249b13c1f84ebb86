/* Rotation vectors of bodies as scalars that can be driven, all three components together. */
#ifndef TRM_SYSTEM_ROTATION_DRIVER_H
#define TRM_SYSTEM_ROTATION_DRIVER_H

#include "system/system.h"

/* Component 0, 1 or 2. It continues the vector that the drivers prescribe, system->rotation. */
trm_scalar trm_system_rotation(const trm_system *sys, int body, int component);
/* The value of p's law is at hand: it becomes part of that vector, where p drives one. */
void trm_rotation_take(trm_system *sys, const trm_primitive *p);

/* Whether p drives a component of a vector that is a full turn long, or within so many radians of
 * it, or of a body that is half a turn away from it: then system->error says so. */
bool trm_rotation_fails(trm_system *sys, const trm_primitive *p, double within);

/* p drives a component of a rotation vector. */
static inline bool trm_drives_rotation(const trm_primitive *p) {
  return p->terms > 0 && p->term[0]->kind == TRM_SCALAR_ROTATION;
}

#endif
