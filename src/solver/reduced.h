/* What the reduced form of Udwadia-Kalaba keeps, laid out once. */
#ifndef TRM_SOLVER_REDUCED_H
#define TRM_SOLVER_REDUCED_H

#include "base/turns.h"
#include "math/gram.h"
#include "math/segments.h"
#include "solver/reduced_block.h"
#include "solver/solver.h"

typedef struct trm_reduced {
  trm_arena *arena;
  const trm_structure *structure;
  trm_shape shape;
  int kind;             /* of shape */
  trm_structure joints; /* the other rows over the free coordinates */
  trm_gram K;
  trm_segments segments;
  trm_turns *turns;     /* of the segments */
  const double *M, *Cq; /* of the last factorization */
  double *cell;         /* of all blocks: a trm_cell, h, B, duals */
  double *side;         /* of linked blocks, in the order of their places: a trm_seat, u */
  double *d;            /* of all sides; read of dots only */
  int *other;           /* of all sides: see trm_sides; or NULL */
  double *of_other;
  double *W;            /* of all blocks */
  int width;            /* of its rows: free + plain, free alone where all blocks are linked */
  double *eps;          /* [2 × K.places] */
  double *weight;       /* [2 × K.places] of rows that may have vanished */
  bool ready;           /* a constant M was seen */
  bool wants_intrinsic; /* the intrinsic rows' λ is wanted */
} trm_reduced;

/* NULL: out of memory. */
trm_reduced *trm_reduced_lay_out(trm_arena *arena, const trm_structure *structure,
                                 trm_storage storage);

#endif
