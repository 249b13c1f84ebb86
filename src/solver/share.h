/* Multipliers of the smallest norm where a few rows are known to depend on the others: each gives a
 * null vector by one solution of the equations without it. */
#ifndef TRM_SOLVER_SHARE_H
#define TRM_SOLVER_SHARE_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_share trm_share;

/* From there on a rank-revealing factorization costs less. */
enum { TRM_FEW_SPARE = 8 };

/* rows [m]: `count` of them depend on the others. NULL: out of memory. */
trm_share *trm_share_create(trm_arena *arena, const trm_structure *structure, const bool *rows,
                            int count);

/* A force over some blocks, zero elsewhere; room for what nobody wants. */
typedef struct trm_pull {
  int count;
  const int *blocks;
  const double *f, *g; /* g: zero */
  double *x;
} trm_pull;

/* M x + Cqᵀ λ = f, Cq x = 0 without those rows, whose λ is zero */
typedef void trm_share_solve(void *data, const trm_pull *pull, double *lambda);

/* Moves lambda within the null space to the smallest weighted norm. False: it stays as it is. */
bool trm_share_apply(trm_share *share, const double *Cq, trm_share_solve *solve, void *data,
                     double *lambda);

#endif
