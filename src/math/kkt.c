/* The matrix [J A1ᵀ; A2 −E], real or complex: where its entries go, how it is scaled, factored and
 * solved. */
#include "math/kkt.h"

#include <math.h>
#include <string.h>

#include "math/double2.h"
#include "math/lu.h"

#define TINY 1e-6 /* of a block's largest diagonal entry: below it an entry is no scale */

struct trm_kkt {
  const trm_structure *structure;
  int n, m, size;
  int entries;     /* of J: the first of the factors', then A1ᵀ and A2 like Cq, then −E */
  int panels;      /* of A1 and of A2 */
  const int *from; /* [entries] */
  int *diagonal;   /* [n] which of J's entries */
  trm_lu *lu;
  double *scale;          /* [size] of rows and columns */
  bool shifts;            /* J + s A1ᵀA2 of the intrinsic rows is factored */
  int *within;            /* [blocks × width²] J's entry (i, j) of a diagonal block */
  double *shift;          /* [blocks] s */
  double *intrinsic_rows; /* [blocks × intrinsic × width × parts] of A2 */
  double *weak;           /* [m] the multipliers that come nearest to doing nothing, of unit norm */
  double *scratch;        /* [size] */

  /* entries beside the factored ones, (1 + W Vᵀ)⁻¹ of them */
  int coupled, most_coupled;
  int *coupled_column;                      /* [coupled] */
  double *coupled_value, *response, *small; /* response: [coupled × size × parts] W */
};

/* --- creation --- */

/* Entries in the order in which `fill` writes them. */
static void lay_out(trm_kkt *k, const int *column_start, const int *row) {
  const trm_structure *s = k->structure;
  for (int c = 0; c < k->n; c++)
    for (int e = column_start[c]; e < column_start[c + 1]; e++) {
      if (row[e] == c) k->diagonal[c] = e;
      trm_lu_add(k->lu, row[e], c);
    }
  for (int of = 0; of < 2; of++)
    for (int b = 0; b < s->blocks; b++)
      for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
        for (int q = s->q_start[b], c = k->n + s->panel_row[r]; q < s->q_start[b + 1]; q++)
          trm_lu_add(k->lu, of ? c : q, of ? q : c);
  for (int i = k->n; i < k->size; i++) trm_lu_add(k->lu, i, i);
}

static bool create_shift(trm_kkt *k, trm_arena *arena) {
  const trm_structure *s = k->structure;
  k->shifts = s->mass_singular && s->intrinsic > 0;
  if (!k->shifts || s->blocks == 0) return true;
  int width = trm_block_width(s, 0);
  k->within = TRM_NEW(arena, int, s->blocks *width *width);
  k->shift = TRM_KEEP_NEW(arena, double, s->blocks);
  k->intrinsic_rows = TRM_KEEP_NEW(arena, double, s->blocks * s->intrinsic * width * k->lu->parts);
  if (!k->within || !k->shift || !k->intrinsic_rows) return false;
  int found = 0;
  for (int e = 0; e < k->entries; e++) {
    if (k->lu->column[e] >= s->n) break;
    int b = k->lu->column[e] / width, i = k->lu->row[e] - b * width, j = k->lu->column[e] % width;
    if (i < 0 || i >= width) continue;
    k->within[(b * width + i) * width + j] = e;
    found++;
  }
  k->shifts = found == s->blocks * width * width; /* else there is no place for it */
  return true;
}

trm_kkt *trm_kkt_create(trm_arena *arena, const trm_structure *s, const int *column_start,
                        const int *row, const int *from, int more, int parts) {
  trm_kkt *k = TRM_NEW(arena, trm_kkt, 1);
  if (!k) return NULL;
  k->structure = s;
  k->n = s->n + more;
  k->m = s->m;
  k->size = k->n + s->m;
  k->from = from;
  k->entries = column_start[k->n];
  k->panels = s->panel_value[s->blocks];
  k->lu = trm_lu_create(arena, k->size, k->entries + 2 * k->panels + k->m, parts);
  k->diagonal = TRM_NEW(arena, int, k->n + 1);
  k->weak = TRM_KEEP_NEW(arena, double, k->m + 1);
  k->scratch = TRM_NEW(arena, double, k->size + 1);
  if (!k->lu || !k->diagonal || !k->weak || !k->scratch) return NULL;
  for (int r = 0; r < k->m; r++) k->weak[r] = (r % 2 ? -1 : 1) / sqrt(k->m + r);
  k->scale = k->lu->right = k->lu->left;
  lay_out(k, column_start, row);
  return trm_lu_prepare(k->lu) && create_shift(k, arena) ? k : NULL;
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
  int count = k->lu->parts;
  double *intrinsic = k->intrinsic_rows;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    k->shift[b] = 0;
    for (int i = s->plain; i < width; i++)
      k->shift[b] += size_of(parts, k->from[k->diagonal[s->q_start[b] + i]]);
    for (int i = 0; i < s->intrinsic * width; i++)
      for (int part = 0; part < count; part++) *intrinsic++ = parts[part].A2[s->panel_value[b] + i];
  }
}

/* s (A1ᵀA2)ᵢᵢ */
static double shift_at(const trm_kkt *k, const double *A1, const half *parts, int b, int i) {
  const trm_structure *s = k->structure;
  double sum = 0;
  for (int r = 0; r < s->intrinsic; r++) {
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
  for (int i = s->n; i < k->n; i++) {
    double size = size_of(parts, k->from[k->diagonal[i]]);
    k->scale[i] = size > 0 ? 1 / sqrt(size) : 1;
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
static void scale_rows(trm_kkt *k, const half *parts, const bool *skip) {
  double *row = k->scale + k->n;
  memset(row, 0, (size_t)k->m * sizeof *row);
  for (int part = 0; part < k->lu->parts; part++) add_squares(k, parts[part].A2, row);
  for (int r = 0; r < k->m; r++) row[r] = row[r] > 0 && !skip[r] ? 1 / sqrt(row[r]) : 1;
}

/* value += s A1ᵀA2 of the intrinsic rows */
static void add_shift(trm_kkt *k, int part, const half *of, const double *A1) {
  const trm_structure *s = k->structure;
  int parts = k->lu->parts;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const int *within = k->within + (ptrdiff_t)b * width * width;
    for (int r = 0; r < s->intrinsic; r++) {
      const double *a1 = A1 + s->panel_value[b] + r * width;
      const double *a2 = of->A2 + s->panel_value[b] + r * width;
      for (int i = s->plain; i < width; i++) {
        double left = k->shift[b] * a1[i];
        for (int j = s->plain; j < width; j++)
          k->lu->value[parts * within[i * width + j] + part] += left * a2[j];
      }
    }
  }
}

/* λ of the intrinsic rows from those of the shifted matrix: λ + s A2 x */
static void shift_back(const trm_kkt *k, double *b) {
  const trm_structure *s = k->structure;
  const double *intrinsic = k->intrinsic_rows;
  int parts = k->lu->parts;
  for (int block = 0; block < s->blocks; block++) {
    int width = trm_block_width(s, block);
    const double *x = b + parts * s->q_start[block];
    double *lambda = b + parts * (k->n + block * s->intrinsic);
    for (int r = 0; r < s->intrinsic; r++, lambda += parts, intrinsic += width * parts) {
      if (parts == 1) {
        lambda[0] += k->shift[block] * trm_pair_dot(width, intrinsic, x);
        continue;
      }
      for (int i = 0; i < 2 * width; i += 2) {
        lambda[0] += k->shift[block] * (intrinsic[i] * x[i] - intrinsic[i + 1] * x[i + 1]);
        lambda[1] += k->shift[block] * (intrinsic[i] * x[i + 1] + intrinsic[i + 1] * x[i]);
      }
    }
  }
}

/* One part of all numbers; A1 and E are real. */
static void fill(trm_kkt *k, int part, const half *of, const double *A1, const double *E,
                 const bool *skip) {
  const trm_structure *s = k->structure;
  int parts = k->lu->parts;
  double *J = k->lu->value + part, *to1 = J + (ptrdiff_t)parts * k->entries;
  double *to2 = to1 + (ptrdiff_t)parts * k->panels, *to_E = to2 + (ptrdiff_t)parts * k->panels;
  for (int e = 0; e < k->entries; e++) J[parts * e] = of->J[k->from[e]];
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), at = s->panel_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
      for (int i = 0; i < width; i++, at++) {
        bool used = !skip[s->panel_row[r]];
        to1[parts * at] = used && part == 0 ? A1[at] : 0;
        to2[parts * at] = used ? of->A2[at] : 0;
      }
  }
  for (int r = 0; r < k->m; r++) to_E[parts * r] = part > 0 ? 0 : skip[r] ? -1 : -E[r];
  if (k->shifts) add_shift(k, part, of, A1);
}

/* --- factoring and solving --- */

static bool factor(trm_kkt *k, const half *parts, const double *A1, const double *E,
                   const bool *skip) {
  k->coupled = 0;
  scale_coordinates(k, A1, parts);
  scale_rows(k, parts, skip);
  for (int part = 0; part < k->lu->parts; part++) fill(k, part, &parts[part], A1, E, skip);
  return trm_lu_factor(k->lu);
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

double trm_kkt_distance(trm_kkt *k) {
  double sum = 0, *lambda = k->scratch + k->n;
  const double *scale = k->scale + k->n;
  if (k->m == 0) return 1;
  memset(k->scratch, 0, (size_t)k->n * sizeof(double));
  for (int r = 0; r < k->m; r++) lambda[r] = k->weak[r] / scale[r];
  trm_lu_solve(k->lu, k->scratch);
  for (int r = 0; r < k->m; r++) {
    lambda[r] /= scale[r];
    sum += lambda[r] * lambda[r];
  }
  double norm = sqrt(sum);
  if (!(norm > 0 && isfinite(norm))) return 0;
  for (int r = 0; r < k->m; r++) k->weak[r] = lambda[r] / norm;
  return 1 / norm;
}

double trm_kkt_least_pivot(const trm_kkt *k) {
  return trm_lu_least_pivot(k->lu);
}

static void solve(trm_kkt *k, double *b) {
  trm_lu_solve(k->lu, b);
  if (k->shifts) shift_back(k, b);
}

bool trm_kkt_reserve(trm_kkt *k, trm_arena *arena, int most) {
  size_t count = (size_t)most + 1, parts = (size_t)k->lu->parts;
  k->most_coupled = most;
  k->coupled_column = TRM_KEEP_NEW(arena, int, count);
  k->coupled_value = TRM_KEEP_NEW(arena, double, count);
  k->response = TRM_KEEP_NEW(arena, double, (size_t)most *(size_t)k->size *parts + 1);
  k->small = TRM_NEW(arena, double, (count * count + count) * parts);
  TRM_KEEP(arena, k->coupled);
  return k->coupled_column && k->coupled_value && k->response && k->small;
}

/* x / y */
static void divide(int parts, double *x, const double *y) {
  if (parts == 1) {
    *x /= *y;
    return;
  }
  double size = y[0] * y[0] + y[1] * y[1], re = x[0], im = x[1];
  x[0] = (re * y[0] + im * y[1]) / size;
  x[1] = (im * y[0] - re * y[1]) / size;
}

/* x −= y z */
static void subtract(int parts, double *x, const double *y, const double *z) {
  if (parts == 1) {
    *x -= *y * *z;
    return;
  }
  x[0] -= y[0] * z[0] - y[1] * z[1];
  x[1] -= y[0] * z[1] + y[1] * z[0];
}

/* A = 1 + V W and s = V x */
static void fill_small(trm_kkt *k, const double *x, double *s) {
  int n = k->coupled, p = k->lu->parts;
  for (int i = 0; i < n; i++)
    for (int q = 0; q < p; q++) {
      s[p * i + q] = k->coupled_value[i] * x[p * k->coupled_column[i] + q];
      for (int j = 0; j < n; j++) {
        ptrdiff_t at = (ptrdiff_t)j * k->size + k->coupled_column[i];
        k->small[p * (i * n + j) + q] =
            (i == j && q == 0) + k->coupled_value[i] * k->response[at * p + q];
      }
    }
}

static double size_at(int p, const double *x) {
  return fabs(x[0]) + (p > 1 ? fabs(x[1]) : 0);
}

static void swap(int count, double *x, double *y) {
  for (int i = 0; i < count; i++) {
    double t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

/* A s' = s by elimination with pivots: there are few of them. False: singular. */
static bool eliminate(int n, int p, double *A, double *s) {
  int row = p * n;
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++)
      if (size_at(p, A + i * row + p * c) > size_at(p, A + best * row + p * c)) best = i;
    double most = size_at(p, A + best * row + p * c);
    if (!(most > 0) || !isfinite(most)) return false;
    if (best != c) swap(row, A + c * row, A + best * row), swap(p, s + p * c, s + p * best);
    for (int i = c + 1; i < n; i++) {
      double factor[2] = {A[i * row + p * c], A[i * row + p * c + p - 1]};
      divide(p, factor, A + c * row + p * c);
      for (int j = c; j < n; j++) subtract(p, A + i * row + p * j, factor, A + c * row + p * j);
      subtract(p, s + p * i, factor, s + p * c);
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) subtract(p, s + p * i, A + i * row + p * j, s + p * j);
    divide(p, s + p * i, A + i * row + p * i);
  }
  return true;
}

static bool solve_small(trm_kkt *k, const double *x, double *s) {
  fill_small(k, x, s);
  return eliminate(k->coupled, k->lu->parts, k->small, s);
}

bool trm_kkt_couple(trm_kkt *k, int count, const int *row, const int *column, const double *value) {
  int parts = k->lu->parts;
  k->coupled = 0;
  for (int i = 0; i < count && k->coupled < k->most_coupled; i++) {
    if (value[i] == 0) continue;
    double *W = k->response + (ptrdiff_t)k->coupled * k->size * parts;
    memset(W, 0, (size_t)(k->size * parts) * sizeof *W);
    W[parts * (k->n + row[i])] = 1;
    solve(k, W);
    k->coupled_column[k->coupled] = column[i];
    k->coupled_value[k->coupled++] = value[i];
  }
  if (k->coupled == 0) return true;
  double *s = k->small + (ptrdiff_t)parts * k->coupled * k->coupled;
  return solve_small(k, k->response, s);
}

void trm_kkt_solve(trm_kkt *k, double *b) {
  int p = k->lu->parts;
  solve(k, b);
  if (k->coupled == 0) return;
  double *s = k->small + (ptrdiff_t)p * k->coupled * k->coupled;
  if (!solve_small(k, b, s)) return;
  for (int i = 0; i < k->coupled; i++)
    for (int j = 0; j < k->size; j++)
      subtract(p, b + (ptrdiff_t)p * j, s + p * i, k->response + ((ptrdiff_t)i * k->size + j) * p);
}
