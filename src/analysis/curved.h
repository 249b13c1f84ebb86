/* How the constraints' accelerations e = Cq a − Qd change with q and v, exactly where Cq is linear
 * in q.
 *
 * With D = v·∂/∂q it is e = Cq a + D²C and terms of t alone, and D commutes with ∂/∂q:
 *
 *     ∂e/∂q = ∂(Cq a)/∂q + D²Cq,   ∂e/∂v = 2 D Cq.
 *
 * A law of time stands beside the coordinates, but for a distance, whose row it divides. Of rows of
 * velocity level, A v = b, it is e = A a + D(A v): ∂e/∂q = ∂(A a)/∂q + D ∂(A v)/∂q and ∂e/∂v = D A
 * + ∂(A v)/∂q. D is a derivative along one line, whatever the number of coordinates: differences of
 * order six take it. */
#ifndef TRM_ANALYSIS_CURVED_H
#define TRM_ANALYSIS_CURVED_H

#include "system/tangent.h"

typedef struct trm_curved {
  bool is;                      /* Cq is not linear in q */
  double *by_q, *by_v;          /* ∂e/∂q, ∂e/∂v, laid out like Cq */
  double *once, *twice, *slope; /* D Cq, D²Cq, D ∂(Cq v)/∂q */
  double *room;                 /* the same */
  double *q;                    /* [n] */
} trm_curved;

/* False: out of memory. */
bool trm_curved_create(trm_curved *curved, const trm_system *system, trm_arena *arena);
/* Looks along the motion (q, v) at t; the system is left elsewhere. */
bool trm_curved_evaluate(trm_curved *curved, trm_system *system, trm_tangent *tangent, double t,
                         const double *q, const double *v);
/* by_q and by_v; after the position stage at that state. */
void trm_curved_complete(trm_curved *curved, const trm_system *system, trm_tangent *tangent,
                         const double *v, const double *a);

#endif
