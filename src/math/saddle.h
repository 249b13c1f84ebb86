/* Linear systems of implicit methods, unsymmetric and with a fixed pattern:
 *
 *     J x  + A1ᵀ λ = f
 *     A2 x − E λ   = g
 *
 * Scaled to unit diagonals and rows before it is factored: dense by LAPACK, sparse by KLU. */
#ifndef TRM_MATH_SADDLE_H
#define TRM_MATH_SADDLE_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_saddle trm_saddle;

/* J by column: entry e is at row[e] and has the value J[from[e]]. A1 and A2 are laid out like Cq.
 * NULL: out of memory. */
trm_saddle *trm_saddle_create(trm_arena *arena, const trm_structure *structure,
                              const int *column_start, const int *row, const int *from,
                              bool sparse);

/* E is [m]. Rows with skip[m] are left out: their λ is zero. False: singular or not finite. */
bool trm_saddle_factor(trm_saddle *saddle, const double *J, const double *A1, const double *A2,
                       const double *E, const bool *skip);

/* The least pivot of the scaled matrix, relative to the largest. */
double trm_saddle_least_pivot(const trm_saddle *saddle);

/* b = (f, g) in, (x, λ) out */
void trm_saddle_solve(trm_saddle *saddle, double *b);

#endif
