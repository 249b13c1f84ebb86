/* M̄ = M + Cqᵀ α Cq, 001 eq. 28: definite where M alone is not, as long as M and Cq leave no
 * direction free. It couples all bodies, so it is kept as one dense block with a structure of its
 * own. */
#ifndef TRM_MATH_SHIFTED_H
#define TRM_MATH_SHIFTED_H

#include <stdbool.h>

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_shifted {
  const trm_structure *from;
  trm_structure structure; /* one block */
  double *alpha;   /* [2m] of each row, as heavy as what it holds, whatever the units; α g */
  double lightest; /* the least part that M has in the diagonal of M̄ */
  double *M;       /* [n × n] M̄ */
  double *Cq;      /* [m × n] */
  double *f;       /* [2n] Q̄; while M̄ is filled, masses and diagonals */
} trm_shifted;

trm_shifted *trm_shifted_create(trm_arena *arena, const trm_structure *structure);
/* Rows that are left out add nothing: they need not fit the others exactly. */
void trm_shifted_fill(trm_shifted *shifted, const double *M, const double *Cq,
                      const bool *left_out);
/* Q̄ = f + Cqᵀ α g, 001 eq. 29; f may be NULL */
const double *trm_shifted_force(trm_shifted *shifted, const double *f, const double *g);

#endif
