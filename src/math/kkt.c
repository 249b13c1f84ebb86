/* The matrix [J A1ᵀ; A2 −E], real or complex: where its entries go, how it is scaled, factored and
 * solved. */
#include "math/kkt.h"

#include <math.h>
#include <string.h>

#include "math/lapack.h"
#include "math/sparse_lu.h"

#define TINY 1e-6 /* of a block's largest diagonal entry: below it an entry is no scale */

/* What differs between real and complex numbers, these as pairs of doubles. */
typedef struct arithmetic {
  int parts; /* of a number */
  void (*dense_factor)(const int *, const int *, double *, const int *, int *, int *);
  void (*dense_solve)(const char *, const int *, const int *, const double *, const int *,
                      const int *, double *, const int *, int *, size_t);
} arithmetic;

static const arithmetic real_numbers = {1, dgetrf_, dgetrs_};
static const arithmetic complex_numbers = {2, zgetrf_, zgetrs_};

struct trm_kkt {
  const arithmetic *numbers;
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
  double *value;      /* [values × parts] column-major, or by column */
  double *scale;      /* [size] */
  bool shifts;        /* J + s A1ᵀA2 of the own rows is factored */
  int *within;        /* [blocks × width²] J's entry (i, j) of a diagonal block */
  double *shift;      /* [blocks] s */
  double *own_rows;   /* [blocks × own × width × parts] of A2 */
  double *weak;       /* [m] the multipliers that come nearest to doing nothing, of unit norm */
  double *spare;      /* [size] */
  int *pivot;         /* [size] dense */
  int *start, *index; /* sparse: columns */
  trm_sparse_lu *lu;  /* sparse */
};

static bool is_sparse(const trm_kkt *k) {
  return k->start != NULL;
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
  k->lu = trm_sparse_lu_create(arena, k->size, k->start, k->index, k->numbers->parts);
  return k->lu != NULL;
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

static bool create_shift(trm_kkt *k, trm_arena *arena) {
  const trm_structure *s = k->structure;
  k->shifts = s->mass_singular && s->own > 0;
  if (!k->shifts || s->blocks == 0) return true;
  int width = trm_block_width(s, 0);
  k->within = TRM_NEW(arena, int, s->blocks *width *width);
  k->shift = TRM_KEEP_NEW(arena, double, s->blocks);
  k->own_rows = TRM_KEEP_NEW(arena, double, s->blocks * s->own * width * k->numbers->parts);
  if (!k->within || !k->shift || !k->own_rows) return false;
  int found = 0;
  for (int e = 0; e < k->entries; e++) {
    int b = k->column[e] / width, i = k->row[e] - b * width, j = k->column[e] % width;
    if (i < 0 || i >= width) continue;
    k->within[(b * width + i) * width + j] = e;
    found++;
  }
  k->shifts = found == s->blocks * width * width; /* else there is no place for it */
  return true;
}

static trm_kkt *create(trm_arena *arena, const trm_structure *s, const int *column_start,
                       const int *row, const int *from, bool sparse, const arithmetic *numbers) {
  trm_kkt *k = TRM_NEW(arena, trm_kkt, 1);
  if (!k) return NULL;
  k->numbers = numbers;
  k->structure = s;
  k->n = s->n;
  k->m = s->m;
  k->size = s->n + s->m;
  k->from = from;
  int panels = s->panel_value[s->blocks] + 1;
  k->place1 = TRM_NEW(arena, ptrdiff_t, panels);
  k->place2 = TRM_NEW(arena, ptrdiff_t, panels);
  k->place_E = TRM_NEW(arena, ptrdiff_t, k->m + 1);
  k->scale = TRM_KEEP_NEW(arena, double, k->size + 1);
  k->pivot = TRM_KEEP_NEW(arena, int, k->size + 1);
  k->weak = TRM_KEEP_NEW(arena, double, k->m + 1);
  k->spare = TRM_NEW(arena, double, k->size + 1);
  if (!k->place1 || !k->place2 || !k->place_E || !k->scale || !k->weak || !k->spare || !k->pivot)
    return NULL;
  for (int r = 0; r < k->m; r++) k->weak[r] = (r % 2 ? -1 : 1) / sqrt(k->m + r);
  if (!list_entries(k, arena, column_start, row) || !create_shift(k, arena)) return NULL;
  if (!sparse) place_dense(k);
  if (sparse && !place_sparse(k, arena)) return NULL;
  k->value = TRM_KEEP_NEW(arena, double, k->numbers->parts *(k->values + 1));
  return k->value ? k : NULL;
}

trm_kkt *trm_kkt_create(trm_arena *arena, const trm_structure *s, const int *column_start,
                        const int *row, const int *from, bool sparse) {
  return create(arena, s, column_start, row, from, sparse, &real_numbers);
}

trm_kkt *trm_kkt_create_complex(trm_arena *arena, const trm_structure *s, const int *column_start,
                                const int *row, const int *from, bool sparse) {
  return create(arena, s, column_start, row, from, sparse, &complex_numbers);
}

/* --- scaling and filling --- */

/* J and A2 of one part of the numbers: the imaginary one is NULL where they are real. */
typedef struct half {
  const double *J, *A2;
} half;

static double size_of(const half *parts, int at) {
  double re = parts[0].J[at], im = parts[1].J ? parts[1].J[at] : 0;
  return im == 0 ? fabs(re) : sqrt(re * re + im * im);
}

/* s of the size of J, whichever of its entries vanish; the rows are kept for the multipliers. */
static void find_shifts(trm_kkt *k, const half *parts) {
  const trm_structure *s = k->structure;
  int count = k->numbers->parts;
  double *own = k->own_rows;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    k->shift[b] = 0;
    for (int i = s->plain; i < width; i++)
      k->shift[b] += size_of(parts, k->from[k->diagonal[s->q_start[b] + i]]);
    for (int i = 0; i < s->own * width; i++)
      for (int part = 0; part < count; part++) *own++ = parts[part].A2[s->panel_value[b] + i];
  }
}

/* s (A1ᵀA2)ᵢᵢ */
static double shift_at(const trm_kkt *k, const double *A1, const half *parts, int b, int i) {
  const trm_structure *s = k->structure;
  double sum = 0;
  for (int r = 0; r < s->own; r++) {
    int at = s->panel_value[b] + r * trm_block_width(s, b) + i;
    sum += A1[at] * parts[0].A2[at];
  }
  return k->shift[b] * sum;
}

static void scale_coordinates(trm_kkt *k, const double *A1, const half *parts) {
  const trm_structure *s = k->structure;
  if (k->shifts) find_shifts(k, parts);
  for (int b = 0; b < s->blocks; b++) {
    double largest = 0, *scale = k->scale;
    for (int i = s->q_start[b]; i < s->q_start[b + 1]; i++) {
      scale[i] = size_of(parts, k->from[k->diagonal[i]]);
      if (k->shifts) scale[i] += fabs(shift_at(k, A1, parts, b, i - s->q_start[b]));
      largest = fmax(largest, scale[i]);
    }
    if (!(largest > 0)) largest = 1;
    for (int i = s->q_start[b]; i < s->q_start[b + 1]; i++)
      scale[i] = 1 / sqrt(fmax(scale[i], TINY * largest));
  }
}

/* row[m] += squares behind the coordinates' scales */
static void add_squares(const trm_kkt *k, const double *A, double *row) {
  const trm_structure *s = k->structure;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *a = A + s->panel_value[b], *c = k->scale + s->q_start[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, a += width)
      for (int i = 0; i < width; i++) row[s->panel_row[r]] += a[i] * a[i] * c[i] * c[i];
  }
}

/* Rows of unit norm behind the coordinates' scales. */
static void scale_rows(trm_kkt *k, const half *parts) {
  double *row = k->scale + k->n;
  memset(row, 0, (size_t)k->m * sizeof *row);
  for (int part = 0; part < k->numbers->parts; part++) add_squares(k, parts[part].A2, row);
  for (int r = 0; r < k->m; r++) row[r] = row[r] > 0 ? 1 / sqrt(row[r]) : 1;
}

/* value += s A1ᵀA2 of the own rows, scaled */
static void add_shift(trm_kkt *k, int part, const half *of, const double *A1) {
  const trm_structure *s = k->structure;
  int parts = k->numbers->parts;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const int *within = k->within + (ptrdiff_t)b * width * width;
    const double *scale = k->scale + s->q_start[b];
    for (int r = 0; r < s->own; r++) {
      const double *a1 = A1 + s->panel_value[b] + r * width;
      const double *a2 = of->A2 + s->panel_value[b] + r * width;
      for (int i = s->plain; i < width; i++) {
        double left = k->shift[b] * a1[i] * scale[i];
        for (int j = s->plain; j < width; j++)
          k->value[parts * k->place[within[i * width + j]] + part] += left * a2[j] * scale[j];
      }
    }
  }
}

/* λ of the own rows from those of the shifted matrix: λ + s A2 x */
static void shift_back(const trm_kkt *k, double *b) {
  const trm_structure *s = k->structure;
  const double *own = k->own_rows;
  int parts = k->numbers->parts;
  for (int block = 0; block < s->blocks; block++) {
    int width = trm_block_width(s, block);
    const double *x = b + parts * s->q_start[block];
    double *lambda = b + parts * (k->n + block * s->own);
    for (int r = 0; r < s->own; r++, lambda += parts)
      for (int i = 0; i < width; i++, own += parts) {
        lambda[0] += k->shift[block] * own[0] * x[parts * i];
        if (parts == 1) continue;
        lambda[0] -= k->shift[block] * own[1] * x[parts * i + 1];
        lambda[1] += k->shift[block] * (own[0] * x[parts * i + 1] + own[1] * x[parts * i]);
      }
  }
}

/* One part of all numbers; A1 and E are real. */
static void fill(trm_kkt *k, int part, const half *of, const double *A1, const double *E,
                 const bool *skip) {
  const trm_structure *s = k->structure;
  const double *scale = k->scale;
  int parts = k->numbers->parts;
  double *value = k->value + part;
  for (int e = 0; e < k->entries; e++)
    value[parts * k->place[e]] = of->J[k->from[e]] * scale[k->row[e]] * scale[k->column[e]];
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), at = s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++) {
      int row = s->panel_row[r];
      double by = skip[row] ? 0 : scale[k->n + row];
      for (int i = 0; i < width; i++, at++) {
        double both = by * scale[s->q_start[b] + i];
        value[parts * k->place1[at]] = part == 0 ? A1[at] * both : 0;
        value[parts * k->place2[at]] = of->A2[at] * both;
      }
    }
  }
  for (int r = 0; r < k->m; r++) {
    double entry = skip[r] ? -1 : -E[r] * scale[k->n + r] * scale[k->n + r];
    value[parts * k->place_E[r]] = part == 0 ? entry : 0;
  }
  if (k->shifts) add_shift(k, part, of, A1);
}

/* --- factoring and solving --- */

static bool factor_dense(trm_kkt *k) {
  int info;
  k->numbers->dense_factor(&k->size, &k->size, k->value, &k->size, k->pivot, &info);
  return info == 0;
}

static bool is_finite(const trm_kkt *k) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < k->numbers->parts * k->values; i++) sum += 0 * k->value[i];
  return sum == 0;
}

static bool factor(trm_kkt *k, const half *parts, const double *A1, const double *E,
                   const bool *skip) {
  int count = k->numbers->parts;
  if (k->size == 0) return true;
  scale_coordinates(k, A1, parts);
  scale_rows(k, parts);
  if (!is_sparse(k)) memset(k->value, 0, (size_t)(count * k->values) * sizeof(double));
  for (int part = 0; part < count; part++) fill(k, part, &parts[part], A1, E, skip);
  if (!is_finite(k)) return false;
  return is_sparse(k) ? trm_sparse_lu_factor(k->lu, k->value) : factor_dense(k);
}

bool trm_kkt_factor(trm_kkt *k, const double *J, const double *A1, const double *A2,
                    const double *E, const bool *skip) {
  const half parts[2] = {{J, A2}};
  for (int r = 0; r < k->m; r++)
    if (skip[r]) k->weak[r] = 0;
  return factor(k, parts, A1, E, skip);
}

bool trm_kkt_factor_complex(trm_kkt *k, const double *J[2], const double *A1, const double *A2[2],
                            const double *E, const bool *skip) {
  const half parts[2] = {{J[0], A2[0]}, {J[1], A2[1]}};
  return factor(k, parts, A1, E, skip);
}

static void solve_scaled(trm_kkt *k, double *b) {
  const int one = 1;
  int info;
  if (is_sparse(k))
    trm_sparse_lu_solve(k->lu, b);
  else
    k->numbers->dense_solve("N", &k->size, &one, k->value, &k->size, k->pivot, b, &k->size, &info,
                            1);
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

double trm_kkt_least_pivot(const trm_kkt *k) {
  ptrdiff_t stride = k->size + 1;
  double least = INFINITY;
  if (is_sparse(k)) return trm_sparse_lu_least_pivot(k->lu);
  for (int i = 0; i < k->size; i++) least = fmin(least, fabs(k->value[i * stride]));
  return least;
}

static void scale_entries(const trm_kkt *k, double *b) {
  int parts = k->numbers->parts;
  for (int i = 0; i < parts * k->size; i++) b[i] *= k->scale[i / parts];
}

void trm_kkt_solve(trm_kkt *k, double *b) {
  scale_entries(k, b);
  solve_scaled(k, b);
  scale_entries(k, b);
  if (k->shifts) shift_back(k, b);
}
