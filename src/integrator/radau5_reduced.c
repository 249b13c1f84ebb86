/* The stages' linear problem without its multipliers: they appear in the first rows of their own
 * stage alone, where a basis Nᵢ of the constraints' null space takes them out. Dense.
 *
 *     Nᵢᵀ Σⱼ ((A⁻¹)ᵢⱼ Mᵢ + h δᵢⱼ Dᵢ + h² Aᵢⱼ Kᵢ) dvⱼ = Nᵢᵀ fᵢ
 *     Σⱼ ((A⁻¹)ᵢⱼ Cqᵢ + h δᵢⱼ Tᵢ + h² Aᵢⱼ Sᵢ) dvⱼ    = gᵢ */
#include <string.h>

#include "integrator/radau5.h"
#include "math/double2.h"
#include "math/lapack.h"

#define DEPENDENT 1e-6 /* of a row: with less left behind the others all of it is solved */

struct trm_radau_reduced {
  const trm_structure *structure;
  int n, m, free;    /* of one stage; rows that are not redundant, columns of N */
  int *place;        /* [structure->m] which of the rows; −1: redundant */
  double *N[3];      /* [n × free] by row */
  double *Cq, *beta; /* [n × m] transposed, then its reflections u, I − β u uᵀ */
  double *part[3];   /* [free × n] NᵀM, NᵀD, NᵀK by row */
  double *A, *scale; /* [3n × 3n] by column, [3n] of rows */
  double *b;         /* [3n] */
  int *pivot;        /* [3n] */
};

static void place_rows(trm_radau_reduced *rd, const bool *redundant) {
  rd->m = 0;
  for (int r = 0; r < rd->structure->m; r++) rd->place[r] = redundant[r] ? -1 : rd->m++;
}

trm_radau_reduced *trm_radau_reduced_create(trm_arena *arena, const trm_structure *s, int states,
                                            const bool *redundant) {
  trm_radau_reduced *rd = TRM_NEW(arena, trm_radau_reduced, 1);
  if (!rd || !(rd->place = TRM_NEW(arena, int, s->m + 1))) return NULL;
  int n = rd->n = s->n + states, all = 3 * n;
  rd->structure = s;
  place_rows(rd, redundant);
  rd->free = n - rd->m;
  for (int i = 0; i < 3; i++) {
    rd->N[i] = TRM_KEEP_NEW(arena, double, n * rd->free + 1);
    rd->part[i] = TRM_KEEP_NEW(arena, double, n * rd->free + 1);
  }
  rd->Cq = TRM_KEEP_NEW(arena, double, n * rd->m + 1);
  rd->beta = TRM_KEEP_NEW(arena, double, rd->m + 1);
  rd->A = TRM_KEEP_NEW(arena, double, (ptrdiff_t)all *all + 1);
  rd->scale = TRM_KEEP_NEW(arena, double, all + 1);
  rd->b = TRM_NEW(arena, double, all + 1);
  rd->pivot = TRM_KEEP_NEW(arena, int, all + 1);
  return trm_arena_failed(arena) ? NULL : rd;
}

static void transpose_constraints(trm_radau_reduced *rd, const double *Cq) {
  const trm_structure *s = rd->structure;
  int n = rd->n;
  memset(rd->Cq, 0, (size_t)(n * rd->m) * sizeof(double));
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width) {
      int at = rd->place[s->panel_row[r]];
      if (at >= 0) memcpy(rd->Cq + at * n + s->q_start[b], row, (size_t)width * sizeof(double));
    }
  }
}

/* x −= β u uᵀx */
static void reflect(int size, double beta, const double *u, double *x) {
  trm_pair_axpy(size, -beta * trm_pair_dot(size, u, x), u, x);
}

/* N = the last columns of Q, Cqᵀ = Q R, by rows; LAPACK's calls would cost more than the work. */
static bool find_null_space(trm_radau_reduced *rd, const double *Cq, double *N) {
  int n = rd->n, m = rd->m, free = rd->free;
  transpose_constraints(rd, Cq);
  for (int k = 0; k < m; k++) rd->beta[k] = trm_norm_of(n, rd->Cq + k * n);
  for (int k = 0; k < m; k++) {
    double *u = rd->Cq + k * n + k, norm = trm_norm_of(n - k, u), first = fabs(u[0]);
    if (!(norm > DEPENDENT * rd->beta[k])) return false;
    u[0] += u[0] < 0 ? -norm : norm;
    rd->beta[k] = 1 / (norm * (norm + first));
    for (int j = k + 1; j < m; j++) reflect(n - k, rd->beta[k], u, rd->Cq + j * n + k);
  }
  for (int f = 0; f < free; f++) {
    double *x = rd->b;
    memset(x, 0, (size_t)n * sizeof(double));
    x[m + f] = 1;
    for (int k = m - 1; k >= 0; k--) reflect(n - k, rd->beta[k], rd->Cq + k * n + k, x + k);
    for (int i = 0; i < n; i++) N[i * free + f] = x[i];
  }
  return true;
}

/* to += Nᵀ × a block at (row, column) */
static void multiply_block(const trm_radau_reduced *rd, const double *N, const double *block,
                           int width, int row, int column, double *to) {
  int n = rd->n, free = rd->free;
  int rows = n - row < width ? n - row : width, columns = n - column < width ? n - column : width;
  for (int i = 0; i < rows; i++, block += width)
    for (int f = 0; f < free; f++)
      trm_pair_axpy(columns, N[(row + i) * free + f], block, to + f * n + column);
}

/* part = Nᵀ × M, D and K of a stage */
static void multiply(trm_radau_reduced *rd, const trm_tangent *t, const double *N) {
  int width = t->K.width, size = width * width;
  for (int k = 0; k < 3; k++) memset(rd->part[k], 0, (size_t)(rd->n * rd->free) * sizeof(double));
  for (int b = 0; b < t->K.bodies; b++) {
    int row = b * width;
    multiply_block(rd, N, t->M + (ptrdiff_t)b * size, width, row, row, rd->part[0]);
    for (int k = t->K.start[b]; k < t->K.start[b + 1]; k++) {
      int column = t->K.column[k] * width;
      multiply_block(rd, N, t->D.value + (ptrdiff_t)k * size, width, row, column, rd->part[1]);
      multiply_block(rd, N, t->K.value + (ptrdiff_t)k * size, width, row, column, rd->part[2]);
    }
  }
}

/* Rows with largest entries of about one: the pivots are chosen by size. */
static bool scale_stage(trm_radau_reduced *rd, const double *Cq, double h, int i) {
  const trm_structure *s = rd->structure;
  double *top = rd->scale + i * rd->free, *low = rd->scale + 3 * rd->free + i * rd->m, sum = 0;
  memset(top, 0, (size_t)rd->free * sizeof(double));
  memset(low, 0, (size_t)rd->m * sizeof(double));
  for (int f = 0, k = 0; f < rd->free; f++)
    for (int c = 0; c < rd->n; c++, k++)
      top[f] += fabs(rd->part[0][k]) + h * fabs(rd->part[1][k]) + h * h * fabs(rd->part[2][k]);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width)
      for (int k = 0; k < width && rd->place[s->panel_row[r]] >= 0; k++)
        low[rd->place[s->panel_row[r]]] += fabs(row[k]);
  }
  for (int f = 0; f < rd->free; f++) sum += top[f] = 1 / top[f];
  for (int r = 0; r < rd->m; r++) sum += low[r] = 1 / low[r];
  return isfinite(sum);
}

static void fill_stage(trm_radau_reduced *rd, const trm_slopes *at, const trm_radau_table *table,
                       double h, int i) {
  const trm_structure *s = rd->structure;
  const double *top_scale = rd->scale + i * rd->free;
  const double *low_scale = rd->scale + 3 * rd->free + i * rd->m;
  int n = rd->n, all = 3 * n;
  for (int j = 0; j < 3; j++) {
    double one = table->inverse_A[i][j], two = h * h * table->A[i][j], own = i == j ? h : 0;
    double *top = rd->A + (ptrdiff_t)j * n * all + i * rd->free;
    double *low = rd->A + (ptrdiff_t)j * n * all + 3 * rd->free + i * rd->m;
    for (int f = 0, k = 0; f < rd->free; f++)
      for (int c = 0; c < n; c++, k++)
        top[(ptrdiff_t)c * all + f] =
            top_scale[f] * (one * rd->part[0][k] + own * rd->part[1][k] + two * rd->part[2][k]);
    for (int b = 0; b < s->blocks; b++) {
      int width = trm_block_width(s, b), from = s->panel_value[b];
      for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, from += width) {
        int row = rd->place[s->panel_row[r]];
        for (int k = 0; k < width && row >= 0; k++)
          low[(ptrdiff_t)(s->q_start[b] + k) * all + row] =
              low_scale[row] *
              (one * at->Cq[from + k] + 2 * own * at->T[from + k] + two * at->S[from + k]);
      }
    }
  }
}

bool trm_radau_reduced_factor(trm_radau_reduced *rd, const trm_radau_stages *st,
                              const trm_radau_table *table, double h) {
  int all = 3 * rd->n, info = 0;
  place_rows(rd, st->redundant);
  memset(rd->A, 0, (size_t)all * (size_t)all * sizeof(double));
  for (int i = 0; i < 3; i++) {
    const double *Cq = st->at[i].Cq;
    if (!find_null_space(rd, Cq, rd->N[i])) return false;
    multiply(rd, st->tangent[i], rd->N[i]);
    if (!scale_stage(rd, Cq, h, i)) return false;
    fill_stage(rd, &st->at[i], table, h, i);
  }
  dgetrf_(&all, &all, rd->A, &all, rd->pivot, &info);
  return info == 0;
}

void trm_radau_reduced_solve(trm_radau_reduced *rd, double *b) {
  const int one = 1;
  int n = rd->n, all = 3 * n, info = 0;
  for (int i = 0; i < 3; i++) {
    const double *low = b + all + i * rd->structure->m;
    for (int f = 0; f < rd->free; f++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += rd->N[i][k * rd->free + f] * b[i * n + k];
      rd->b[i * rd->free + f] = sum;
    }
    for (int r = 0; r < rd->structure->m; r++)
      if (rd->place[r] >= 0) rd->b[3 * rd->free + i * rd->m + rd->place[r]] = low[r];
  }
  for (int r = 0; r < all; r++) b[r] = rd->b[r] * rd->scale[r];
  dgetrs_("N", &all, &one, rd->A, &all, rd->pivot, b, &all, &info, 1);
}
