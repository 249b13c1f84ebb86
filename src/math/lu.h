/* LU factors of a square matrix with a fixed pattern, real or complex, given entry by entry, with
 * pivots that KLU chooses. At every size: full columns are as fast as LAPACK's, and factors of a
 * serial OpenBLAS may not be found by two threads at once. */
#ifndef TRM_MATH_LU_H
#define TRM_MATH_LU_H

#include <stdbool.h>

#include "base/arena.h"

/* Entries at one place are added up. Complex numbers are pairs. */
typedef struct trm_lu {
  int size;
  int parts;            /* of a number: 1, or 2 of complex ones */
  int entries, room;    /* used of what there is room for */
  int *row, *column;    /* [room] */
  double *value;        /* [room × parts] to be filled by whoever laid the entries out */
  double *left, *right; /* [size] scales of rows and columns: ones unless set */
  struct trm_factors *own;
} trm_lu;

/* NULL: out of memory. */
trm_lu *trm_lu_create(trm_arena *arena, int size, int room, int parts);

/* Which entry it will be. */
int trm_lu_add(trm_lu *lu, int row, int column);
/* All entries are there: the pattern is analyzed. False: out of memory. */
bool trm_lu_prepare(trm_lu *lu);

/* left: to a largest entry of one in each row, behind `right`: in units of the unknowns pivots do
 * not depend on any. */
void trm_lu_equilibrate(trm_lu *lu);
/* Of the values as they are, scaled. They keep the pivots of earlier ones as long as
 * these are good; memory is taken for new ones alone. False: singular or not finite. */
bool trm_lu_factor(trm_lu *lu);
/* Of real factors: the smallest pivot, of the scaled matrix. */
double trm_lu_least_pivot(const trm_lu *lu);
/* b = A⁻¹ b */
void trm_lu_solve(trm_lu *lu, double *b);

#endif
