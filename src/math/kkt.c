/* The matrix [J A1ᵀ; A2 −E], real or complex: where its entries go, how it is scaled, factored and
 * solved. */
#include "math/kkt.h"

#include <math.h>
#include <string.h>

#include "math/double2.h"
#include "math/lu.h"

#define FALLS 0.5  /* of an estimate: the next one may still be much less */
#define TINY  1e-6 /* of a block's largest diagonal entry: below it an entry is no scale */

struct trm_kkt {
  const trm_structure *structure;
  int n, m, size;
  int entries;     /* of J: the first of the factors', then A1ᵀ and A2 like Cq, −E and laws */
  int panels;      /* of A1 and of A2 */
  int laws;        /* entries of A2 beside them */
  const int *from; /* [entries] */
  int *diagonal;   /* [n] which of J's entries */
  trm_lu *lu;
  double *scale;          /* [size] of rows and columns */
  bool shifts;            /* J + s A1ᵀA2 of the intrinsic rows is factored */
  int *within;            /* [blocks × width²] J's entry (i, j) of a diagonal block */
  double *shift;          /* [blocks] s */
  double *intrinsic_rows; /* [blocks × intrinsic × width × parts] of A2 */
  double *weak;           /* [m] the multipliers that come nearest to doing nothing, of unit norm */
  bool settled;           /* they have come to rest once */
  double *scratch;        /* [size] */
};

/* --- creation --- */

/* Entries in the order in which `fill` writes them. */
static void lay_out(trm_kkt *k, const trm_kkt_pattern *pattern) {
  const trm_structure *s = k->structure;
  const int *column_start = pattern->column_start, *row = pattern->row;
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
  for (int i = 0; i < k->laws; i++)
    trm_lu_add(k->lu, k->n + pattern->law[i].row, pattern->law[i].column);
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

trm_kkt *trm_kkt_create(trm_arena *arena, const trm_kkt_pattern *pattern, int parts) {
  const trm_structure *s = pattern->structure;
  trm_kkt *k = TRM_NEW(arena, trm_kkt, 1);
  if (!k) return NULL;
  k->structure = s;
  k->n = s->n + pattern->more;
  k->m = s->m;
  k->size = k->n + s->m;
  k->from = pattern->from;
  k->entries = pattern->column_start[k->n];
  k->panels = s->panel_value[s->blocks];
  k->laws = pattern->laws;
  k->lu = trm_lu_create(arena, k->size, k->entries + 2 * k->panels + k->m + k->laws, parts);
  k->diagonal = TRM_NEW(arena, int, k->n + 1);
  k->weak = TRM_KEEP_NEW(arena, double, k->m + 1);
  TRM_KEEP(arena, k->settled);
  k->scratch = TRM_NEW(arena, double, k->size + 1);
  if (!k->lu || !k->diagonal || !k->weak || !k->scratch) return NULL;
  for (int r = 0; r < k->m; r++) k->weak[r] = (r % 2 ? -1 : 1) / sqrt(k->m + r);
  k->scale = k->lu->right = k->lu->left;
  lay_out(k, pattern);
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

/* One part of all numbers; A1, laws and E are real. */
static void fill(trm_kkt *k, int part, const half *of, const double *A1, const double *law,
                 const double *E, const bool *skip) {
  const trm_structure *s = k->structure;
  int parts = k->lu->parts, law_at = k->lu->entries - k->laws;
  double *J = k->lu->value + part, *to1 = J + (ptrdiff_t)parts * k->entries;
  double *to2 = to1 + (ptrdiff_t)parts * k->panels, *to_E = to2 + (ptrdiff_t)parts * k->panels;
  double *to_law = J + (ptrdiff_t)parts * law_at;
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
  for (int i = 0; i < k->laws; i++)
    to_law[parts * i] = part > 0 || skip[k->lu->row[law_at + i] - k->n] ? 0 : law[i];
  if (k->shifts) add_shift(k, part, of, A1);
}

/* --- factoring and solving --- */

static bool factor(trm_kkt *k, const half *parts, const double *A1, const double *law,
                   const double *E, const bool *skip) {
  scale_coordinates(k, A1, parts);
  scale_rows(k, parts, skip);
  for (int part = 0; part < k->lu->parts; part++) fill(k, part, &parts[part], A1, law, E, skip);
  return trm_lu_factor(k->lu);
}

bool trm_kkt_factor(trm_kkt *k, const double *J, const double *A1, const double *A2,
                    const double *law, const double *E, const bool *skip) {
  const half parts[2] = {{J, A2}};
  for (int r = 0; r < k->m; r++)
    if (skip[r]) k->weak[r] = 0;
  return factor(k, parts, A1, law, E, skip);
}

bool trm_kkt_factor_complex(trm_kkt *k, const double *J[2], const double *A1, const double *A2[2],
                            const double *law, const double *E, const bool *skip) {
  const half parts[2] = {{J[0], A2[0]}, {J[1], A2[1]}};
  return factor(k, parts, A1, law, E, skip);
}

/* One step of inverse iteration. */
static double approach_weakest(trm_kkt *k) {
  double sum = 0, *lambda = k->scratch + k->n;
  const double *scale = k->scale + k->n;
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

double trm_kkt_distance(trm_kkt *k) {
  if (k->m == 0) return 1;
  double distance = approach_weakest(k), last = INFINITY;
  while (!k->settled && distance < FALLS * last) {
    last = distance;
    distance = approach_weakest(k);
  }
  k->settled = true;
  return distance;
}

double trm_kkt_least_pivot(const trm_kkt *k) {
  return trm_lu_least_pivot(k->lu);
}

void trm_kkt_solve(trm_kkt *k, double *b) {
  trm_lu_solve(k->lu, b);
  if (k->shifts) shift_back(k, b);
}
