/* Multipliers of the smallest norm where a few rows are known to depend on the others: each gives a
 * null vector by one solution of the equations without it. */
#ifndef TRM_SOLVER_SHARE_H
#define TRM_SOLVER_SHARE_H

#include "base/arena.h"
#include "math/skyline.h"
#include "solver/solver.h"

typedef struct trm_share trm_share;

/* From there on a rank-revealing factorization costs less. */
enum { TRM_FEW_REDUNDANT = TRM_SKYLINE_MANY };

/* rows [m]: `count` of them depend on the others. NULL: out of memory. */
trm_share *trm_share_create(trm_arena *arena, const trm_structure *structure, const bool *rows,
                            int count);

/* Other rows, as many. */
void trm_share_rows(trm_share *share, const bool *rows);

/* M x + Cqᵀ λ = f, Cq x = 0 without those rows, whose λ is zero: λ of each pull f, side by side in
 * each row */
typedef bool trm_share_solve(void *data, const trm_pulls *pulls, double *lambda);

/* Moves lambda within the null space to the smallest weighted norm. False: it stays as it is. */
bool trm_share_apply(trm_share *share, trm_share_solve *solve, void *data, double *lambda);

#endif
