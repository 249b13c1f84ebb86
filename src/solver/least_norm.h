/* Multipliers of the smallest norm where a few rows are known to depend on the others: each gives a
 * null vector by one solution of the equations without it. */
#ifndef TRM_SOLVER_LEAST_NORM_H
#define TRM_SOLVER_LEAST_NORM_H

#include "base/arena.h"
#include "math/skyline.h"
#include "solver/solver.h"

typedef struct trm_least_norm trm_least_norm;

/* From there on a rank-revealing factorization costs less. */
enum { TRM_FEW_REDUNDANT = TRM_SKYLINE_MANY };

/* rows [m]: `count` of them depend on the others. NULL: out of memory. */
trm_least_norm *trm_least_norm_create(trm_arena *arena, const trm_structure *structure,
                                      const bool *rows, int count);

/* Other rows, as many. */
void trm_least_norm_rows(trm_least_norm *share, const bool *rows);

/* M x + Cqᵀ λ = f, Cq x = 0 without those rows, whose λ is zero: λ of each pull f, side by side in
 * each row */
typedef bool trm_least_norm_solve(void *data, const trm_pulls *pulls, double *lambda);

/* Moves lambda within the null space to the smallest weighted norm. False: it stays as it is. */
bool trm_least_norm_apply(trm_least_norm *share, trm_least_norm_solve *solve, void *data,
                          double *lambda);

#endif
