/* The null space of a full matrix A [rows × n], and what goes with it, by a QR factorization of Aᵀ
 * that decides the rank. Columns are measured by `scale`, rows by their own size. */
#ifndef TRM_MATH_NULL_SPACE_H
#define TRM_MATH_NULL_SPACE_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct trm_null_space {
  int n, most;   /* columns; rows at most */
  int rows;      /* of the last matrix */
  int rank, dim; /* dim = n − rank */
  double *Z; /* [dim × n] one basis vector after the other, orthonormal where divided by scale */
  const double *scale; /* [n] */
  double *A;           /* [most × n] rows to be filled in, behind a factorization its factors */
  double *size;        /* [most] of the rows */
  double *tau, *work, *x;
  int *pivot;
  int work_size;
} trm_null_space;

/* scale must stay. False: out of memory. */
bool trm_null_space_create(trm_null_space *space, trm_arena *arena, int n, int most,
                           const double *scale);
/* Of the first `rows` rows in space->A. */
void trm_null_space_factor(trm_null_space *space, int rows);
/* x [n], of least size, with A x = b [rows]; b must be in the range. */
void trm_null_space_solve(const trm_null_space *space, const double *b, double *x);
/* y [rows] with Aᵀ y = f but for its part along Z; rows that others determine have zeros. */
void trm_null_space_multipliers(const trm_null_space *space, const double *f, double *y);

#endif
