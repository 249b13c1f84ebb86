/* LU factors of a square matrix given entry by entry: dense (LAPACK) or sparse. */
#ifndef TRM_MATH_LU_H
#define TRM_MATH_LU_H

#include <stdbool.h>

#include "base/arena.h"

/* Entries at one place are added up. */
typedef struct trm_lu {
  int size;
  int entries, room; /* used of what there is room for */
  int *row, *column; /* [room] */
  double *value;     /* [room] to be filled by whoever laid the entries out */
  size_t *at;        /* [entries] where an entry goes in A */
  double *A;         /* [size × size] by column, or the nonzeros of the sparse form */
  double *row_scale, *column_scale; /* [size] */
  int *pivot;                       /* [size] dense */
  struct sparse *own;               /* sparse alone */
} trm_lu;

/* NULL: out of memory. */
trm_lu *trm_lu_create(trm_arena *arena, int size, int room, bool sparse);

/* Which entry it will be. */
int trm_lu_add(trm_lu *lu, int row, int column);
/* All entries are there: the pattern is analyzed. False: out of memory. */
bool trm_lu_prepare(trm_lu *lu);

/* Of the values as they are. Sparse factors keep the pivots of earlier ones as long as these are
 * good. False: singular. */
bool trm_lu_factor(trm_lu *lu);
/* b = A⁻¹ b */
void trm_lu_solve(trm_lu *lu, double *b);

#endif
