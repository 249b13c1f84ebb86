/* Rank decisions by pivoted QR of the mass-scaled, equilibrated Jacobian; least norms by complete
 * orthogonal factorization. */
#include "math/rank.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

/* Singular values below this part of the largest, the root of round-off, are lost: what round-off
 * in C asks for there is farther away than the linearization reaches. Looser ones spoil the double
 * four-bar. */
static const double rank_cut_off = 1e-7;
/* Below this one a row is in doubt: an error e of C, divided by the cube of the singular value s,
 * is an acceleration that nothing but the error asks for. */
static const double doubt = 1e-4;
static const double largest_share = 0.5; /* of all the rest, that a row in doubt may ask for */

/* The second corrects what the first lost to a nearly singular Jacobian. */
enum { passes = 2 };

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
  double dummy = 0, best = 64.0 * (n + m), size[5] = {0};
  dgeqp3_(&n, &m, &dummy, &n, &one, &dummy, &size[0], &query, &info);
  dormqr_("L", "N", &n, &one, &k, &dummy, &n, &dummy, &dummy, &n, &size[1], &query, &info, 1, 1);
  dtzrzf_(&k, &m, &dummy, &n, &dummy, &size[2], &query, &info);
  int l = m - k; /* the size asked for does not depend on it */
  dormrz_("L", "T", &m, &m, &k, &l, &dummy, &n, &dummy, &dummy, &m, &size[3], &query, &info, 1, 1);
  dgelsy_(&m, &m, &one, &dummy, &m, &dummy, &m, &one, &dummy, &rank, &size[4], &query, &info);
  for (int i = 0; i < 5; i++) best = fmax(best, size[i]);
  return (int)best;
}

trm_rank *trm_rank_create(trm_arena *arena, const trm_structure *s) {
  trm_rank *rank = TRM_NEW(arena, trm_rank, 1);
  if (!rank || !trm_mass_root_create(&rank->mass, arena, s)) return NULL;
  size_t n = (size_t)most(s->n, 1), m = (size_t)most(s->m, 1);
  rank->structure = s;
  rank->limit = s->m;
  rank->work_size = find_work_size(s);
  const struct {
    double **array;
    size_t size;
  } list[] = {
      {&rank->W, (size_t)s->panel_value[s->blocks] + 1},
      {&rank->B, n * m},
      {&rank->scale, m},
      {&rank->tau_q, m},
      {&rank->tau_z, m},
      {&rank->null_space, m * m},
      {&rank->weighted, m * m},
      {&rank->u, n + m},
      {&rank->y, n},
      {&rank->step, n},
      {&rank->Wy, m},
      {&rank->work, (size_t)rank->work_size},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    *list[i].array = TRM_NEW(arena, double, list[i].size);
    if (!*list[i].array) return NULL;
  }
  rank->pivot = TRM_NEW(arena, int, m);
  rank->free_pivot = TRM_NEW(arena, int, m);
  return rank->pivot && rank->free_pivot ? rank : NULL;
}

/* B = Wᵀ, its columns scaled to one; false: not finite */
static bool fill(trm_rank *rank) {
  const trm_structure *s = rank->structure;
  size_t n = (size_t)s->n;
  memset(rank->B, 0, n * (size_t)s->m * sizeof *rank->B);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = rank->W + s->panel_value[b];
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

/* Of W, with no more rows than `limit`. */
static void decompose(trm_rank *rank, int limit) {
  const trm_structure *s = rank->structure;
  int n = s->n, m = s->m, lda = most(n, 1), info;
  rank->null_ready = false;
  rank->valid = fill(rank);
  if (!rank->valid) {
    rank->rank = m; /* nothing can be said, and no null space is promised */
    return;
  }
  memset(rank->pivot, 0, (size_t)m * sizeof *rank->pivot);
  dgeqp3_(&n, &m, rank->B, &lda, rank->pivot, rank->tau_q, rank->work, &rank->work_size, &info);
  double largest = n > 0 && m > 0 ? fabs(rank->B[0]) : 0;
  int r = 0;
  while (r < least(least(n, m), limit) &&
         fabs(rank->B[(size_t)r * (size_t)lda + (size_t)r]) > rank_cut_off * largest)
    r++;
  rank->rank = r;
  if (r > 0 && r < m)
    dtzrzf_(&r, &m, rank->B, &lda, rank->tau_z, rank->work, &rank->work_size, &info);
}

void trm_rank_factor(trm_rank *rank, const double *M, const double *Cq) {
  trm_mass_root_factor(&rank->mass, M);
  trm_mass_root_panels(&rank->mass, Cq, rank->W);
  decompose(rank, rank->limit);
}

/* c = Z c or Zᵀ c, columns of length m */
static void apply_z(const trm_rank *rank, const char *trans, int columns, double *c) {
  int m = rank->structure->m, r = rank->rank, l = m - r, lda = most(rank->structure->n, 1), info;
  if (r == 0 || l == 0 || columns == 0) return;
  dormrz_("L", trans, &m, &columns, &r, &l, rank->B, &lda, rank->tau_z, c, &m, rank->work,
          &rank->work_size, &info, 1, 1);
}

static void solve_invalid(const trm_rank *rank, double *x, double *lambda) {
  for (int i = 0; i < rank->structure->n; i++) x[i] = NAN;
  for (int i = 0; i < rank->structure->m; i++) lambda[i] = NAN;
}

/* λ −= D P Zᵀ [T \ u; 0] */
static void correct_lambda(trm_rank *rank, double *lambda) {
  int m = rank->structure->m, r = rank->rank, lda = most(rank->structure->n, 1), one = 1;
  double *u = rank->u;
  dtrsv_("U", "N", "N", &r, rank->B, &lda, u, &one, 1, 1, 1);
  memset(u + r, 0, (size_t)(m - r) * sizeof *u);
  apply_z(rank, "T", 1, u);
  for (int i = 0; i < m; i++) {
    int row = rank->pivot[i] - 1;
    lambda[row] -= rank->scale[row] * u[i];
  }
}

/* y += Q1 u */
static void correct_y(trm_rank *rank) {
  int n = rank->structure->n, r = rank->rank, lda = most(n, 1), one = 1, info;
  double *step = rank->step;
  if (r == 0) return;
  memset(step, 0, (size_t)n * sizeof *step);
  memcpy(step, rank->u, (size_t)r * sizeof *step);
  dormqr_("L", "N", &n, &one, &r, rank->B, &lda, rank->tau_q, step, &lda, rank->work,
          &rank->work_size, &info, 1, 1);
  for (int i = 0; i < n; i++) rank->y[i] += step[i];
}

/* u: the least change of y = Lᵀx that brings W y to g, along Q1, with D W = P Zᵀ [Tᵀ; 0] Q1ᵀ. */
static void find_change(trm_rank *rank, const double *g) {
  int m = rank->structure->m, r = rank->rank, lda = most(rank->structure->n, 1), one = 1;
  double *u = rank->u, *Wy = rank->Wy;
  trm_jacobian_times(rank->structure, rank->W, rank->y, Wy);
  for (int i = 0; i < m; i++) {
    int row = rank->pivot[i] - 1;
    u[i] = rank->scale[row] * (g[row] - Wy[row]);
  }
  apply_z(rank, "N", 1, u);
  dtrsv_("U", "T", "N", &r, rank->B, &lda, u, &one, 1, 1, 1);
}

/* The rank up to which the change can be believed. */
static int find_trusted(const trm_rank *rank) {
  size_t step = (size_t)most(rank->structure->n, 1) + 1;
  double known = 0, largest = fabs(rank->B[0]);
  for (int i = 0; i < rank->structure->n; i++) known += rank->y[i] * rank->y[i];
  for (int k = 0; k < rank->rank; k++) {
    double change = rank->u[k] * rank->u[k];
    bool doubtful = fabs(rank->B[(size_t)k * step]) < doubt * largest;
    if (doubtful && change > largest_share * largest_share * known) return k;
    known += change;
  }
  return rank->rank;
}

/* Dropping one row in doubt may bring the next one out: what it asked for, in error, is then spread
 * over the others. */
static void drop_doubtful(trm_rank *rank, const double *g) {
  find_change(rank, g);
  for (int trusted = find_trusted(rank); trusted < rank->rank; trusted = find_trusted(rank)) {
    decompose(rank, trusted);
    find_change(rank, g);
  }
}

void trm_rank_solve(trm_rank *rank, const double *f, const double *g, double *x, double *lambda) {
  const trm_structure *s = rank->structure;
  if (!rank->valid) {
    solve_invalid(rank, x, lambda);
    return;
  }
  memset(lambda, 0, (size_t)s->m * sizeof *lambda);
  memset(rank->y, 0, (size_t)s->n * sizeof *rank->y);
  if (f) {
    trm_mass_root_forward(&rank->mass, f, rank->y);
    drop_doubtful(rank, g);
  }
  for (int i = 0; i < passes; i++) {
    find_change(rank, g);
    correct_y(rank);
    correct_lambda(rank, lambda);
  }
  trm_mass_root_backward(&rank->mass, rank->y, x);
}

/* D P Zᵀ [0; I] */
const double *trm_rank_null_space(trm_rank *rank) {
  int m = rank->structure->m, r = rank->rank, nullity = m - r;
  if (rank->null_ready || !rank->valid) return rank->null_space;
  double *Z = rank->weighted; /* free until the minimum norm */
  memset(Z, 0, (size_t)m * (size_t)nullity * sizeof *Z);
  for (int k = 0; k < nullity; k++) Z[(size_t)k * (size_t)m + (size_t)(r + k)] = 1;
  apply_z(rank, "T", nullity, Z);
  for (int k = 0; k < nullity; k++)
    for (int i = 0; i < m; i++) {
      int row = rank->pivot[i] - 1;
      size_t column = (size_t)k * (size_t)m;
      rank->null_space[column + (size_t)row] = rank->scale[row] * Z[column + (size_t)i];
    }
  rank->null_ready = true;
  return rank->null_space;
}

/* least squares W Z c = −W λ, then λ += Z c */
void trm_rank_minimum_norm(trm_rank *rank, double *lambda) {
  const double *weight = rank->structure->weight;
  int m = rank->structure->m, nullity = m - rank->rank, one = 1, free_rank, info;
  if (nullity == 0 || !rank->valid) return;
  const double *Z = trm_rank_null_space(rank);
  size_t rows = (size_t)m;
  double *c = rank->u;
  for (size_t k = 0; k < (size_t)nullity; k++)
    for (size_t i = 0; i < rows; i++) rank->weighted[k * rows + i] = weight[i] * Z[k * rows + i];
  for (int i = 0; i < m; i++) {
    if (!isfinite(lambda[i])) return;
    c[i] = -weight[i] * lambda[i];
  }
  memset(rank->free_pivot, 0, rows * sizeof *rank->free_pivot);
  dgelsy_(&m, &nullity, &one, rank->weighted, &m, c, &m, rank->free_pivot, &rank_cut_off,
          &free_rank, rank->work, &rank->work_size, &info);
  for (size_t k = 0; k < (size_t)nullity; k++)
    for (size_t i = 0; i < rows; i++) lambda[i] += c[k] * Z[k * rows + i];
}
