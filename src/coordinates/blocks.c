/* Rows over few bodies and their outer products. */
#include "coordinates/blocks.h"

#include <string.h>

#include "math/double2.h"

void trm_row_clear(trm_row *row) {
  for (int i = 0; i < row->count; i++) {
    int body = row->body[i];
    row->touched[body] = false;
    memset(row->value + (ptrdiff_t)body * row->width, 0, (size_t)row->width * sizeof(double));
  }
  row->count = 0;
}

void trm_row_add(const trm_row *row, double scale, trm_row *to) {
  for (int i = 0; i < row->count; i++) {
    const double *from = row->value + (ptrdiff_t)row->body[i] * row->width;
    double *part = trm_row_part(to, row->body[i]);
    for (int k = 0; k < row->width; k++) part[k] += scale * from[k];
  }
}

void trm_blocks_add_outer(const trm_blocks *blocks, double scale, const trm_row *left,
                          const trm_row *right) {
  int width = blocks->width;
  for (int i = 0; i < left->count; i++)
    for (int j = 0; j < right->count; j++) {
      double *block = trm_blocks_find(blocks, left->body[i], right->body[j]);
      const double *l = left->value + (ptrdiff_t)left->body[i] * width;
      const double *r = right->value + (ptrdiff_t)right->body[j] * width;
      for (int k = 0; k < width; k++)
        if (l[k] != 0) trm_pair_axpy(width, scale * l[k], r, block + k * width);
    }
}
