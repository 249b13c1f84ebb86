/* Products with M and Cq by block. */
#include "math/structure.h"

#include <string.h>

void trm_jacobian_times(const trm_structure *s, const double *Cq, const double *x, double *y) {
  memset(y, 0, (size_t)s->m * sizeof *y);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b], *xb = x + s->q_start[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width) {
      double sum = 0;
      for (int k = 0; k < width; k++) sum += row[k] * xb[k];
      y[s->panel_row[r]] += sum;
    }
  }
}

void trm_jacobian_transposed_add(const trm_structure *s, const double *Cq, double scale,
                                 const double *lambda, double *y) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b];
    double *yb = y + s->q_start[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width) {
      double factor = scale * lambda[s->panel_row[r]];
      for (int k = 0; k < width; k++) yb[k] += factor * row[k];
    }
  }
}

void trm_mass_times(const trm_structure *s, const double *M, const double *x, double *y) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *Mb = M + s->mass_value[b], *xb = x + s->q_start[b];
    double *yb = y + s->q_start[b];
    for (int i = 0; i < width; i++) {
      if (s->mass_diagonal) {
        yb[i] = Mb[i] * xb[i];
        continue;
      }
      double sum = 0;
      for (int k = 0; k < width; k++) sum += Mb[i * width + k] * xb[k];
      yb[i] = sum;
    }
  }
}
