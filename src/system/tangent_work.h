/* What the parts of a tangent share. */
#ifndef TRM_SYSTEM_TANGENT_WORK_H
#define TRM_SYSTEM_TANGENT_WORK_H

#include "system/tangent.h"

typedef struct trm_tangent_work {
  trm_row push, q, v; /* empty between uses */
  double *gradient;   /* [1 + inputs] of a formula */
  /* of coordinates of joints: what forces, joints and signals have over the bodies, and how these
   * move with the coordinates; else NULL */
  trm_tangent *bodies;
  struct trm_variation *variation;
  double *displaced, *changed, *more; /* [bodies × 6 and states] */
  double *column, *unit;              /* [n]; the second is zero between uses */
} trm_tangent_work;

/* K and D of the joints' curvature, forces and signals alone, over the bodies. */
bool trm_tangent_elements(trm_system *system, const double *lambda, trm_tangent *tangent);

/* A row over the bodies to fill; then what it is over the coordinates, and it is empty again. */
static inline trm_row *trm_tangent_row(const trm_tangent *tangent) {
  return tangent->work->bodies ? &tangent->work->bodies->work->q : &tangent->work->q;
}
void trm_tangent_take_row(const trm_system *system, const trm_tangent *tangent, double *row);

/* Bodies that an element pushes, the ground among them; the same may come twice. */
enum { TRM_MOST_PUSHED = 4 };
void trm_element_pushes(const trm_element *element, int body[TRM_MOST_PUSHED]);

/* A block of M in full. */
void trm_tangent_copy_mass(const trm_system *system, int block, double *M);

/* Whether the next has a derivative: it is of position or velocity level, and no energy. */
bool trm_system_has_slope(const trm_measure *measure);
/* q += scale ∂(measure)/∂q, v += scale ∂(measure)/∂v; after a tangent. A state is a velocity. */
void trm_system_add_slope(const trm_system *system, const trm_measure *measure, double scale,
                          trm_row *q, trm_row *v);
/* trm_force_tangent's add_slot; the context is the system. A state is a velocity. */
void trm_system_add_slot_slope(void *context, int slot, double scale, trm_row *q, trm_row *v);

/* Takes the torques Nᵀ I (N a + bias) of the massless rotations out of M, K, D. */
void trm_tangent_remove_massless(const trm_system *system, const double *a, trm_tangent *tangent,
                                 trm_force_tangent *to);

#endif
