/* Rows to leave out, by their null vectors. */
#include "math/rank.h"

#include <math.h>
#include <stddef.h>

/* In the column from c on with the largest entry of all, moved to column c; its row is returned. */
static int take_largest(int m, int columns, int c, double *Z) {
  int row = 0, from = c;
  double largest = -1;
  for (int k = c; k < columns; k++)
    for (int i = 0; i < m; i++) {
      double size = fabs(Z[(ptrdiff_t)k * m + i]);
      if (size <= largest) continue;
      largest = size;
      row = i;
      from = k;
    }
  double *to = Z + (ptrdiff_t)c * m, *other = Z + (ptrdiff_t)from * m;
  for (int i = 0; i < m && from != c; i++) {
    double swap = to[i];
    to[i] = other[i];
    other[i] = swap;
  }
  return row;
}

void trm_rank_choose(int m, int columns, double *Z, bool *left_out) {
  for (int c = 0; c < columns; c++) {
    int row = take_largest(m, columns, c, Z);
    double *pivot = Z + (ptrdiff_t)c * m;
    left_out[row] = true;
    for (int k = c + 1; k < columns; k++) {
      double *column = Z + (ptrdiff_t)k * m, factor = column[row] / pivot[row];
      for (int i = 0; i < m; i++) column[i] -= factor * pivot[i];
      column[row] = 0;
    }
  }
}
