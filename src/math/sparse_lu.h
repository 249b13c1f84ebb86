/* Sparse LU factors of a square matrix, real or complex, in memory that is taken once, with
 * room for whatever pivots will be chosen, unless a row is so dense that this could be far too
 * much. */
#ifndef TRM_MATH_SPARSE_LU_H
#define TRM_MATH_SPARSE_LU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct trm_sparse_lu trm_sparse_lu;

/* The pattern by column, each place once: rows index[start[c]] … of column c, both kept by
 * reference. parts: 1, or 2 for complex numbers, which are pairs. NULL: out of memory. */
trm_sparse_lu *trm_sparse_lu_create(trm_arena *arena, int size, const int *start, const int *index,
                                    int parts);

/* Of value[start[size] × parts]; keeps the pivots of the last one as long as these are good. False:
 * singular. */
bool trm_sparse_lu_factor(trm_sparse_lu *lu, const double *value);
/* Of the last factorization, its size. */
double trm_sparse_lu_least_pivot(const trm_sparse_lu *lu);
/* After a factorization that succeeded: b = A⁻¹ b */
void trm_sparse_lu_solve(trm_sparse_lu *lu, double *b);

#endif
