/* The matrix [J A1ᵀ; A2 −E]: where its entries go, how it is scaled, factored and solved. */
#include "math/kkt.h"

#include <klu.h>
#include <math.h>
#include <string.h>

#include "math/lapack.h"

#define TINY   1e-6 /* of a block's largest diagonal entry: below it an entry is no scale */
#define GROWTH 1e-7 /* a refactorization with less than this is repeated with fresh pivots */

struct trm_kkt {
  const trm_structure *structure;
  int n, m, size;
  int entries;        /* of J */
  const int *from;    /* [entries] */
  int *row, *column;  /* [entries] */
  int *diagonal;      /* [n] which of J's entries */
  ptrdiff_t *place;   /* [entries] of J in `value` */
  ptrdiff_t *place1;  /* like Cq: A1ᵀ in `value` */
  ptrdiff_t *place2;  /* like Cq: A2 */
  ptrdiff_t *place_E; /* [m] */
  ptrdiff_t values;   /* how many */
  double *value;      /* column-major, or by column */
  double *scale;      /* [size] */
  double *weak;       /* [m] the multipliers that come nearest to doing nothing, of unit norm */
  double *spare;      /* [size] */
  int *pivot;         /* [size] dense */
  int *start, *index; /* sparse: columns */
  klu_common common;  /* sparse */
  klu_symbolic *symbolic;
  klu_numeric *numeric;
};

static bool is_sparse(const trm_kkt *k) {
  return k->start != NULL;
}

static void release(void *data) {
  trm_kkt *k = data;
  if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
  if (k->symbolic) klu_free_symbolic(&k->symbolic, &k->common);
}

/* --- where entries go --- */

static void place_dense(trm_kkt *k) {
  const trm_structure *s = k->structure;
  ptrdiff_t size = k->size;
  k->values = size * size;
  for (int e = 0; e < k->entries; e++) k->place[e] = k->column[e] * size + k->row[e];
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), at = s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
      for (int i = 0; i < width; i++, at++) {
        ptrdiff_t q = s->q_start[b] + i, c = k->n + s->panel_row[r];
        k->place1[at] = c * size + q;
        k->place2[at] = q * size + c;
      }
  }
  for (ptrdiff_t r = k->n; r < size; r++) k->place_E[r - k->n] = r * size + r;
}

/* Visited twice: to count the entries of each column, then to place them. */
static void visit_columns(trm_kkt *k, int *next, bool write) {
  const trm_structure *s = k->structure;
  for (int e = 0; e < k->entries; e++) {
    int at = next[k->column[e]]++;
    if (!write) continue;
    k->index[at] = k->row[e];
    k->place[e] = at;
  }
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), p = s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
      for (int i = 0; i < width; i++, p++) {
        int q = s->q_start[b] + i, c = k->n + s->panel_row[r];
        int at2 = next[q]++, at1 = next[c]++;
        if (!write) continue;
        k->index[at2] = c;
        k->index[at1] = q;
        k->place2[p] = at2;
        k->place1[p] = at1;
      }
  }
  for (int r = 0; r < k->m; r++) {
    int at = next[k->n + r]++;
    if (!write) continue;
    k->index[at] = k->n + r;
    k->place_E[r] = at;
  }
}

static bool place_sparse(trm_kkt *k, trm_arena *arena) {
  int *next = TRM_NEW(arena, int, k->size + 1);
  k->start = TRM_NEW(arena, int, k->size + 2);
  if (!next || !k->start) return false;
  visit_columns(k, k->start + 1, false);
  for (int c = 0; c < k->size; c++) k->start[c + 1] += k->start[c];
  memcpy(next, k->start, (size_t)k->size * sizeof(int));
  k->values = k->start[k->size];
  k->index = TRM_NEW(arena, int, k->values + 1);
  if (!k->index) return false;
  visit_columns(k, next, true);
  klu_defaults(&k->common);
  k->common.scale = 0; /* it is scaled already */
  k->symbolic = klu_analyze(k->size, k->start, k->index, &k->common);
  return k->symbolic && trm_arena_defer(arena, release, k);
}

static bool list_entries(trm_kkt *k, trm_arena *arena, const int *column_start, const int *row) {
  k->entries = column_start[k->n];
  k->row = TRM_NEW(arena, int, k->entries + 1);
  k->column = TRM_NEW(arena, int, k->entries + 1);
  k->diagonal = TRM_NEW(arena, int, k->n + 1);
  k->place = TRM_NEW(arena, ptrdiff_t, k->entries + 1);
  if (!k->row || !k->column || !k->diagonal || !k->place) return false;
  for (int c = 0; c < k->n; c++)
    for (int e = column_start[c]; e < column_start[c + 1]; e++) {
      k->row[e] = row[e];
      k->column[e] = c;
      if (row[e] == c) k->diagonal[c] = e;
    }
  return true;
}

trm_kkt *trm_kkt_create(trm_arena *arena, const trm_structure *s, const int *column_start,
                        const int *row, const int *from, bool sparse) {
  trm_kkt *k = TRM_NEW(arena, trm_kkt, 1);
  if (!k) return NULL;
  k->structure = s;
  k->n = s->n;
  k->m = s->m;
  k->size = s->n + s->m;
  k->from = from;
  int panels = s->panel_value[s->blocks] + 1;
  k->place1 = TRM_NEW(arena, ptrdiff_t, panels);
  k->place2 = TRM_NEW(arena, ptrdiff_t, panels);
  k->place_E = TRM_NEW(arena, ptrdiff_t, k->m + 1);
  k->scale = TRM_NEW(arena, double, k->size + 1);
  k->pivot = TRM_NEW(arena, int, k->size + 1);
  k->weak = TRM_NEW(arena, double, k->m + 1);
  k->spare = TRM_NEW(arena, double, k->size + 1);
  if (!k->place1 || !k->place2 || !k->place_E || !k->scale || !k->weak || !k->spare || !k->pivot)
    return NULL;
  for (int r = 0; r < k->m; r++) k->weak[r] = (r % 2 ? -1 : 1) / sqrt(k->m + r);
  if (!list_entries(k, arena, column_start, row)) return NULL;
  if (!sparse) place_dense(k);
  if (sparse && !place_sparse(k, arena)) return NULL;
  k->value = TRM_NEW(arena, double, k->values + 1);
  return k->value ? k : NULL;
}

/* --- scaling and filling --- */

static void scale_coordinates(trm_kkt *k, const double *J) {
  const trm_structure *s = k->structure;
  for (int b = 0; b < s->blocks; b++) {
    double largest = 0;
    for (int i = s->q_start[b]; i < s->q_start[b + 1]; i++)
      largest = fmax(largest, fabs(J[k->from[k->diagonal[i]]]));
    if (!(largest > 0)) largest = 1;
    for (int i = s->q_start[b]; i < s->q_start[b + 1]; i++)
      k->scale[i] = 1 / sqrt(fmax(fabs(J[k->from[k->diagonal[i]]]), TINY * largest));
  }
}

/* Rows of unit norm behind the coordinates' scales. */
static void scale_rows(trm_kkt *k, const double *A) {
  const trm_structure *s = k->structure;
  double *row = k->scale + k->n;
  memset(row, 0, (size_t)k->m * sizeof *row);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *a = A + s->panel_value[b], *c = k->scale + s->q_start[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, a += width)
      for (int i = 0; i < width; i++) row[s->panel_row[r]] += a[i] * a[i] * c[i] * c[i];
  }
  for (int r = 0; r < k->m; r++) row[r] = row[r] > 0 ? 1 / sqrt(row[r]) : 1;
}

static void fill(trm_kkt *k, const double *J, const double *A1, const double *A2, const double *E,
                 const bool *skip) {
  const trm_structure *s = k->structure;
  const double *scale = k->scale;
  if (!is_sparse(k)) memset(k->value, 0, (size_t)k->values * sizeof(double));
  for (int e = 0; e < k->entries; e++)
    k->value[k->place[e]] = J[k->from[e]] * scale[k->row[e]] * scale[k->column[e]];
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), at = s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++) {
      int row = s->panel_row[r];
      double by = skip[row] ? 0 : scale[k->n + row];
      for (int i = 0; i < width; i++, at++) {
        double both = by * scale[s->q_start[b] + i];
        k->value[k->place1[at]] = A1[at] * both;
        k->value[k->place2[at]] = A2[at] * both;
      }
    }
  }
  for (int r = 0; r < k->m; r++)
    k->value[k->place_E[r]] = skip[r] ? -1 : -E[r] * scale[k->n + r] * scale[k->n + r];
}

/* --- factoring and solving --- */

static bool factor_dense(trm_kkt *k) {
  int info;
  dgetrf_(&k->size, &k->size, k->value, &k->size, k->pivot, &info);
  return info == 0;
}

/* The pivots of the first factorization, while they are good. */
static bool factor_sparse(trm_kkt *k) {
  bool good = k->numeric &&
              klu_refactor(k->start, k->index, k->value, k->symbolic, k->numeric, &k->common) &&
              klu_rgrowth(k->start, k->index, k->value, k->symbolic, k->numeric, &k->common) &&
              k->common.rgrowth > GROWTH;
  if (good) return true;
  if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
  k->numeric = klu_factor(k->start, k->index, k->value, k->symbolic, &k->common);
  return k->numeric != NULL;
}

static bool is_finite(const trm_kkt *k) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < k->values; i++) sum += 0 * k->value[i];
  return sum == 0;
}

bool trm_kkt_factor(trm_kkt *k, const double *J, const double *A1, const double *A2,
                    const double *E, const bool *skip) {
  if (k->size == 0) return true;
  scale_coordinates(k, J);
  scale_rows(k, A2);
  fill(k, J, A1, A2, E, skip);
  for (int r = 0; r < k->m; r++)
    if (skip[r]) k->weak[r] = 0;
  return is_finite(k) && (is_sparse(k) ? factor_sparse(k) : factor_dense(k));
}

static void solve_scaled(trm_kkt *k, double *b) {
  const int one = 1;
  int info;
  if (is_sparse(k))
    klu_solve(k->symbolic, k->numeric, k->size, 1, b, &k->common);
  else
    dgetrs_("N", &k->size, &one, k->value, &k->size, k->pivot, b, &k->size, &info, 1);
}

double trm_kkt_distance(trm_kkt *k) {
  double sum = 0, *lambda = k->spare + k->n;
  if (k->m == 0) return 1;
  memset(k->spare, 0, (size_t)k->n * sizeof(double));
  memcpy(lambda, k->weak, (size_t)k->m * sizeof(double));
  solve_scaled(k, k->spare);
  for (int r = 0; r < k->m; r++) sum += lambda[r] * lambda[r];
  double norm = sqrt(sum);
  if (!(norm > 0 && isfinite(norm))) return 0;
  for (int r = 0; r < k->m; r++) k->weak[r] = lambda[r] / norm;
  return 1 / norm;
}

void trm_kkt_solve(trm_kkt *k, double *b) {
  for (int i = 0; i < k->size; i++) b[i] *= k->scale[i];
  solve_scaled(k, b);
  for (int i = 0; i < k->size; i++) b[i] *= k->scale[i];
}
