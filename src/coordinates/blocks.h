/* Derivatives over bodies: square blocks over pairs of them, and single rows. */
#ifndef TRM_COORDINATES_BLOCKS_H
#define TRM_COORDINATES_BLOCKS_H

#include <stdbool.h>
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

/* A row over few of the bodies: zero where it was never touched. */
typedef struct trm_row {
  int width;
  int count;     /* bodies touched */
  int *body;     /* [bodies] which */
  bool *touched; /* [bodies] */
  double *value; /* [bodies × width] */
} trm_row;

/* Its part for one body, to be added to; NULL for the ground. */
static inline double *trm_row_part(trm_row *row, int body) {
  if (body < 0) return NULL;
  if (!row->touched[body]) row->body[row->count++] = body;
  row->touched[body] = true;
  return row->value + (ptrdiff_t)body * row->width;
}

void trm_row_clear(trm_row *row);
/* to += scale row */
void trm_row_add(const trm_row *row, double scale, trm_row *to);
/* B += scale left rightᵀ */
void trm_blocks_add_outer(const trm_blocks *blocks, double scale, const trm_row *left,
                          const trm_row *right);

#endif
