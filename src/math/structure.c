/* Products with M and Cq by block. */
#include "math/structure.h"

#include <math.h>

#include "math/double2.h"
#include "math/tree.h"

#include <string.h>

/* y += C x of one panel; each common width gets its own copy. */
TRM_INLINE void panel_times(int rows, int width, const double *C, const int *row, const double *x,
                            double *y) {
  for (int r = 0; r < rows; r++) y[row[r]] += trm_pair_dot(width, C + r * width, x);
}

void trm_jacobian_times(const trm_structure *s, const double *Cq, const double *x, double *y) {
  memset(y, 0, (size_t)s->m * sizeof *y);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const int *row = s->panel_row + s->panel_start[b];
    const double *C = Cq + s->panel_value[b], *xb = x + s->q_start[b];
    switch (width) {
    case 3: panel_times(rows, 3, C, row, xb, y); break;
    case 4: panel_times(rows, 4, C, row, xb, y); break;
    case 6: panel_times(rows, 6, C, row, xb, y); break;
    case 12: panel_times(rows, 12, C, row, xb, y); break;
    default: panel_times(rows, width, C, row, xb, y);
    }
  }
}

void trm_jacobian_transposed_add(const trm_structure *s, const double *Cq, double scale,
                                 const double *lambda, double *y) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width)
      trm_pair_axpy(width, scale * lambda[s->panel_row[r]], row, y + s->q_start[b]);
  }
}

void trm_mass_times(const trm_structure *s, const double *M, const double *x, double *y) {
  if (s->tree) {
    trm_tree_times(s->tree, x, y);
    return;
  }
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

void trm_jacobian_norms(const trm_structure *s, const double *Cq, double *norm) {
  memset(norm, 0, (size_t)s->m * sizeof *norm);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width)
      for (int k = 0; k < width; k++) {
        double part = row[k] * (s->span ? s->span[s->q_start[b] + k] : 1);
        norm[s->panel_row[p]] += part * part;
      }
  }
  for (int i = 0; i < s->m; i++) norm[i] = sqrt(norm[i]);
}

void trm_structure_residual(const trm_structure *s, const double *M, const double *Cq,
                            const double *f, const double *g, const double *x, const double *lambda,
                            double *rf, double *rg) {
  trm_mass_times(s, M, x, rf);
  trm_jacobian_transposed_add(s, Cq, 1, lambda, rf);
  trm_jacobian_times(s, Cq, x, rg);
  for (int i = 0; i < s->n; i++) rf[i] = (f ? f[i] : 0) - rf[i];
  for (int i = 0; i < s->m; i++) rg[i] = g[i] - rg[i];
}
