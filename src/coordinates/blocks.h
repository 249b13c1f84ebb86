/* Square blocks over pairs of bodies, kept by row: derivatives of generalized forces. */
#ifndef TRM_COORDINATES_BLOCKS_H
#define TRM_COORDINATES_BLOCKS_H

#include <stddef.h>

typedef struct trm_blocks {
  int width;         /* rows and columns of a block: a body's coordinates */
  int bodies;        /* block rows */
  const int *start;  /* [bodies + 1] body b's row has blocks start[b] … start[b + 1] − 1 */
  const int *column; /* [start[bodies]] the body of each, increasing in a row */
  double *value;     /* [start[bodies] × width × width] block after block, row-major */
} trm_blocks;

/* Where block (row, column) starts in the values; NULL where either is the ground. The pattern must
 * have it. */
static inline double *trm_blocks_find(const trm_blocks *blocks, int row, int column) {
  if (row < 0 || column < 0) return NULL;
  int first = blocks->start[row], last = blocks->start[row + 1] - 1;
  while (first < last) {
    int middle = (first + last) / 2;
    if (blocks->column[middle] < column)
      first = middle + 1;
    else
      last = middle;
  }
  return blocks->value + (ptrdiff_t)first * blocks->width * blocks->width;
}

#endif
