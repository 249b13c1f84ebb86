/* Products with M and Cq by block. */
#include "math/structure.h"

#include <math.h>

#include "math/double2.h"
#include "math/tree.h"

#include <string.h>

bool trm_structure_whole(trm_structure *s, trm_arena *arena, int n, int m, bool mass_diagonal) {
  int *starts = TRM_NEW(arena, int, 9), *rows = TRM_NEW(arena, int, m + 1);
  if (!starts || !rows) return false;
  for (int i = 0; i < m; i++) rows[i] = i;
  /* each pair is one of the [blocks + 1] starts; no massless rotations */
  const int pairs[8] = {0, n, 0, m, 0, m * n, 0, mass_diagonal ? n : n * n};
  memcpy(starts, pairs, sizeof pairs);
  *s = (trm_structure){.n = n,
                       .m = m,
                       .blocks = 1,
                       .q_start = starts,
                       .panel_start = starts + 2,
                       .panel_row = rows,
                       .panel_value = starts + 4,
                       .mass_value = starts + 6,
                       .massless_value = starts + 8,
                       .mass_diagonal = mass_diagonal};
  return true;
}

TRM_INLINE void panel_times(int width, int rows, const double *W, const double *x, const int *place,
                            double *y) {
  for (int r = 0; r < rows; r++) y[place[r]] += trm_pair_dot(width, W + r * width, x);
}

void trm_panels_times(const trm_structure *s, const double *W, const int *begin, const double *x,
                      const int *place, double *y) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const double *Wb = W + s->panel_value[b], *xb = x + begin[b];
    TRM_BY_WIDTH(panel_times, width, rows, Wb, xb, place + s->panel_start[b], y)
  }
}

TRM_INLINE void panel_transposed(int width, int rows, const double *W, double scale,
                                 const int *place, const double *lambda, double *y) {
  for (int r = 0; r < rows; r++) trm_pair_axpy(width, scale * lambda[place[r]], W + r * width, y);
}

void trm_panels_transposed(const trm_structure *s, const double *W, double scale, const int *place,
                           const double *lambda, const int *begin, double *y) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const double *Wb = W + s->panel_value[b];
    const int *at = place + s->panel_start[b];
    TRM_BY_WIDTH(panel_transposed, width, rows, Wb, scale, at, lambda, y + begin[b])
  }
}

void trm_jacobian_times(const trm_structure *s, const double *Cq, const double *x, double *y) {
  memset(y, 0, (size_t)s->m * sizeof *y);
  trm_panels_times(s, Cq, s->q_start, x, s->panel_row, y);
}

void trm_jacobian_transposed_add(const trm_structure *s, const double *Cq, double scale,
                                 const double *lambda, double *y) {
  trm_panels_transposed(s, Cq, scale, s->panel_row, lambda, s->q_start, y);
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

void trm_mass_of_coordinates(const trm_structure *s, const double *M, double *mass) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), stride = s->mass_diagonal ? 1 : width + 1;
    const double *Mb = M + s->mass_value[b];
    double trace = 0;
    for (int i = s->plain; i < width; i++) trace += Mb[i * stride];
    for (int i = 0; i < width; i++)
      mass[s->q_start[b] + i] = s->mass_singular && i >= s->plain ? trace : Mb[i * stride];
  }
}

void trm_jacobian_squares(const trm_structure *s, const double *Cq, const double *unit,
                          double *square) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b], *u = unit ? unit + s->q_start[b] : NULL;
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width)
      for (int k = 0; k < width; k++)
        square[s->panel_row[p]] += u ? row[k] * row[k] * u[k] * u[k] : row[k] * row[k];
  }
}

void trm_jacobian_norms(const trm_structure *s, const double *Cq, double *norm) {
  memset(norm, 0, (size_t)s->m * sizeof *norm);
  trm_jacobian_squares(s, Cq, s->span, norm);
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
