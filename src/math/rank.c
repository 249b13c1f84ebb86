/* Rank decisions by pivoted QR, dense; least norms by complete orthogonal factorization. */
#include "math/rank.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/lapack.h"

static int least(int a, int b) {
  return a < b ? a : b;
}

static int most(int a, int b) {
  return a > b ? a : b;
}

double trm_rank_storage(const trm_structure *s) {
  return (double)s->m * (s->n + 2.0 * s->m);
}

/* The largest of what the LAPACK routines ask for. */
static int find_work_size(const trm_structure *s) {
  int n = most(s->n, 1), m = most(s->m, 1), k = least(n, m), one = 1, query = -1, info, rank;
  /* some ask for nothing at full rank: room for a block of 64 columns at any rank */
  double dummy = 0, best = 64.0 * (n + m), size[4] = {0};
  dgeqp3_(&n, &m, &dummy, &n, &one, &dummy, &size[0], &query, &info);
  dtzrzf_(&k, &m, &dummy, &n, &dummy, &size[1], &query, &info);
  int l = m - k; /* the size asked for does not depend on it */
  dormrz_("L", "T", &m, &m, &k, &l, &dummy, &n, &dummy, &dummy, &m, &size[2], &query, &info, 1, 1);
  dgelsy_(&m, &m, &one, &dummy, &m, &dummy, &m, &one, &dummy, &rank, &size[3], &query, &info);
  for (int i = 0; i < 4; i++) best = fmax(best, size[i]);
  return (int)best;
}

trm_rank *trm_rank_create(trm_arena *arena, const trm_structure *s) {
  trm_rank *rank = TRM_NEW(arena, trm_rank, 1);
  if (!rank) return NULL;
  size_t n = (size_t)most(s->n, 1), m = (size_t)most(s->m, 1);
  rank->rows = s;
  rank->limit = s->m;
  rank->cut = TRM_RANK_CUT;
  rank->work_size = find_work_size(s);
  rank->B = TRM_NEW(arena, double, n *m);
  rank->scale = TRM_NEW(arena, double, m);
  rank->tau_q = TRM_NEW(arena, double, m);
  rank->tau_z = TRM_NEW(arena, double, m);
  rank->null_space = TRM_NEW(arena, double, m *m);
  rank->weighted = TRM_NEW(arena, double, m *m);
  rank->u = TRM_NEW(arena, double, n + m);
  rank->Gy = TRM_NEW(arena, double, m);
  rank->work = TRM_NEW(arena, double, rank->work_size);
  rank->pivot = TRM_NEW(arena, int, m);
  rank->free_pivot = TRM_NEW(arena, int, m);
  rank->left_out = TRM_NEW(arena, bool, m);
  return trm_arena_failed(arena) ? NULL : rank;
}

/* B = Gᵀ, its columns scaled to one; false: not finite */
static bool fill(trm_rank *rank) {
  const trm_structure *s = rank->rows;
  size_t n = (size_t)s->n;
  memset(rank->B, 0, n * (size_t)s->m * sizeof *rank->B);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = rank->G + s->panel_value[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width)
      memcpy(rank->B + (size_t)s->panel_row[p] * n + s->q_start[b], row,
             (size_t)width * sizeof *row);
  }
  for (int c = 0; c < s->m; c++) {
    double *column = rank->B + (size_t)c * n, square = 0;
    for (size_t i = 0; i < n; i++) square += column[i] * column[i];
    if (!isfinite(square)) return false;
    rank->scale[c] = square > 0 ? 1 / sqrt(square) : 1;
    for (size_t i = 0; i < n; i++) column[i] *= rank->scale[c];
  }
  return true;
}

static double pivot_of(const trm_rank *rank, int k) {
  size_t stride = (size_t)most(rank->rows->n, 1) + 1;
  return fabs(rank->B[(size_t)k * stride]);
}

/* c = Z c or Zᵀ c, columns of length m */
static void apply_z(const trm_rank *rank, const char *trans, int columns, double *c) {
  int m = rank->rows->m, r = rank->rank, l = m - r, lda = most(rank->rows->n, 1), info;
  if (r == 0 || l == 0 || columns == 0) return;
  dormrz_("L", trans, &m, &columns, &r, &l, rank->B, &lda, rank->tau_z, c, &m, rank->work,
          &rank->work_size, &info, 1, 1);
}

/* P Zᵀ [0; I]: null vectors of the rows of unit norm, by row */
static void find_null_vectors(const trm_rank *rank, double *Z, double *by_row) {
  int m = rank->rows->m, r = rank->rank, nullity = m - r;
  memset(Z, 0, (size_t)m * (size_t)nullity * sizeof *Z);
  for (int k = 0; k < nullity; k++) Z[(size_t)k * (size_t)m + (size_t)(r + k)] = 1;
  apply_z(rank, "T", nullity, Z);
  for (int k = 0; k < nullity; k++)
    for (int i = 0; i < m; i++)
      by_row[(size_t)k * (size_t)m + (size_t)rank->pivot[i] - 1] =
          Z[(size_t)k * (size_t)m + (size_t)i];
}

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

static void choose_out(trm_rank *rank) {
  int m = rank->rows->m, nullity = m - rank->rank;
  if (nullity == 0) return;
  find_null_vectors(rank, rank->weighted, rank->null_space); /* free until it is asked for */
  trm_rank_choose(m, nullity, rank->null_space, rank->left_out);
}

/* With no more rows than `limit`. */
static void decompose(trm_rank *rank, int limit) {
  const trm_structure *s = rank->rows;
  int n = s->n, m = s->m, lda = most(n, 1), info, r = 0;
  rank->null_ready = false;
  rank->valid = fill(rank);
  rank->rank = m; /* where nothing can be said no null space is promised */
  rank->distance = 0;
  memset(rank->left_out, 0, (size_t)m * sizeof *rank->left_out);
  if (!rank->valid) return;
  memset(rank->pivot, 0, (size_t)m * sizeof *rank->pivot);
  dgeqp3_(&n, &m, rank->B, &lda, rank->pivot, rank->tau_q, rank->work, &rank->work_size, &info);
  while (r < least(least(n, m), limit) && pivot_of(rank, r) > rank->cut) r++;
  rank->rank = r;
  rank->distance = r > 0 ? pivot_of(rank, r - 1) : 1;
  if (r > 0 && r < m)
    dtzrzf_(&r, &m, rank->B, &lda, rank->tau_z, rank->work, &rank->work_size, &info);
  choose_out(rank);
}

void trm_rank_decide(trm_rank *rank, const double *G) {
  rank->G = G;
  decompose(rank, rank->limit);
}

/* u: the least change of y that brings G y to g, along Q, with D G = P Zᵀ [Tᵀ; 0] Qᵀ. */
static void find_change(trm_rank *rank, const double *y, const double *g) {
  int m = rank->rows->m, r = rank->rank, lda = most(rank->rows->n, 1), one = 1;
  trm_jacobian_times(rank->rows, rank->G, y, rank->Gy);
  for (int i = 0; i < m; i++) {
    int row = rank->pivot[i] - 1;
    rank->u[i] = rank->scale[row] * (g[row] - rank->Gy[row]);
  }
  apply_z(rank, "N", 1, rank->u);
  dtrsv_("U", "T", "N", &r, rank->B, &lda, rank->u, &one, 1, 1, 1);
}

/* The rank up to which the change can be believed. */
static int find_trusted(const trm_rank *rank, const double *y) {
  double known = 0;
  for (int i = 0; i < rank->rows->n; i++) known += y[i] * y[i];
  for (int k = 0; k < rank->rank; k++) {
    double change = rank->u[k] * rank->u[k];
    bool doubtful = pivot_of(rank, k) < TRM_RANK_DOUBT;
    if (doubtful && change > TRM_RANK_SHARE * TRM_RANK_SHARE * known) return k;
    known += change;
  }
  return rank->rank;
}

/* Dropping one row in doubt may bring the next one out: what it asked for, in error, is then spread
 * over the others. */
bool trm_rank_doubt(trm_rank *rank, const double *y, const double *g) {
  bool any = false;
  if (!rank->valid || rank->rank == 0 || rank->distance >= TRM_RANK_DOUBT) return false;
  find_change(rank, y, g);
  for (int trusted = find_trusted(rank, y); trusted < rank->rank; trusted = find_trusted(rank, y)) {
    decompose(rank, trusted);
    find_change(rank, y, g);
    any = true;
  }
  return any;
}

void trm_rank_contradiction(trm_rank *rank, double *residual) {
  size_t m = (size_t)rank->rows->m, nullity = m - (size_t)rank->rank;
  double *Z = rank->null_space, *spread = rank->u;
  if (nullity == 0 || !rank->valid) return;
  rank->null_ready = false;
  find_null_vectors(rank, rank->weighted, Z);
  memset(spread, 0, m * sizeof *spread);
  for (size_t k = 0; k < nullity; k++) { /* they are orthonormal */
    double part = 0;
    for (size_t i = 0; i < m; i++) part += Z[k * m + i] * rank->scale[i] * residual[i];
    for (size_t i = 0; i < m; i++) spread[i] += part * Z[k * m + i];
  }
  for (size_t i = 0; i < m; i++) residual[i] = spread[i] / rank->scale[i];
}

const double *trm_rank_null_space(trm_rank *rank) {
  int m = rank->rows->m, nullity = m - rank->rank;
  if (rank->null_ready || !rank->valid) return rank->null_space;
  find_null_vectors(rank, rank->weighted, rank->null_space);
  for (int k = 0; k < nullity; k++)
    for (int i = 0; i < m; i++)
      rank->null_space[(size_t)k * (size_t)m + (size_t)i] *= rank->scale[i];
  rank->null_ready = true;
  return rank->null_space;
}

/* least squares W Z c = −W λ, then λ += Z c */
void trm_rank_minimum_norm(trm_rank *rank, double *lambda) {
  const double *weight = rank->rows->weight;
  int m = rank->rows->m, nullity = m - rank->rank, one = 1, free_rank, info;
  if (nullity == 0 || !rank->valid) return;
  const double *Z = trm_rank_null_space(rank), cut = TRM_RANK_CUT;
  size_t rows = (size_t)m;
  double *c = rank->u;
  for (size_t k = 0; k < (size_t)nullity; k++)
    for (size_t i = 0; i < rows; i++) rank->weighted[k * rows + i] = weight[i] * Z[k * rows + i];
  for (int i = 0; i < m; i++) {
    if (!isfinite(lambda[i])) return;
    c[i] = -weight[i] * lambda[i];
  }
  memset(rank->free_pivot, 0, rows * sizeof *rank->free_pivot);
  dgelsy_(&m, &nullity, &one, rank->weighted, &m, c, &m, rank->free_pivot, &cut, &free_rank,
          rank->work, &rank->work_size, &info);
  for (size_t k = 0; k < (size_t)nullity; k++)
    for (size_t i = 0; i < rows; i++) lambda[i] += c[k] * Z[k * rows + i];
}
