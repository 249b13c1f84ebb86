/* M + s CᵢᵀCᵢ of each block's intrinsic rows: definite where M is on what they leave free. The
 * multipliers of f + s Cᵢᵀ g are those of f. */
#ifndef TRM_MATH_REPAIRED_H
#define TRM_MATH_REPAIRED_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_repaired {
  const trm_structure *from; /* its M is diagonal */
  trm_structure structure;   /* the same with full blocks of M */
  double *M;
  double *scale; /* [blocks] s */
  double *f;     /* [n] */
  const double *Cq;
} trm_repaired;

trm_repaired *trm_repaired_create(trm_arena *arena, const trm_structure *structure);
/* Cq must stay until the last force. */
void trm_repaired_fill(trm_repaired *repaired, const double *M, const double *Cq);
/* f + s Cᵢᵀ g; a projection needs none: g fixes what is added */
const double *trm_repaired_force(trm_repaired *repaired, const double *f, const double *g);

#endif
