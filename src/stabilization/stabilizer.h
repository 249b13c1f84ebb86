/* Bringing a state back onto the constraints after a step. */
#ifndef TRM_STABILIZATION_H
#define TRM_STABILIZATION_H

#include "solver/solver.h"
#include "system/system.h"

typedef struct trm_stabilizer {
  trm_system *system;
  trm_solver *solver; /* shared with the acceleration: factored at the state that is left behind */
  trm_solver *projector; /* solves the corrections: `solver`, or its own with M = I */
  double *identity;      /* M = I for the unweighted form of 000 eq. 78–79, else NULL */
  trm_structure plain;   /* the structure that goes with it */
  bool correct;          /* false: `none` */
  double tolerance;      /* on ‖C‖ */
  double *dq, *mu, *g;   /* [n], [m], [m] */
  long corrections;      /* position iterations so far */
  long stalls;           /* corrections that ended at round-off above the tolerance */
} trm_stabilizer;

trm_stabilizer *trm_stabilizer_create(trm_arena *arena, trm_system *system, trm_solver *solver,
                                      const trm_solver_class *type, const trm_settings *settings);

/* Corrects q, then v. Leaves the position stage and the factorization at the corrected q.
 * False where the constraints cannot be met: see system->error. */
bool trm_stabilize(trm_stabilizer *stabilizer, double t, double *q, double *v);

#endif
