/* The matrix [J A1ᵀ; A2 −E], real or complex: where its entries go, how it is scaled, factored and
 * solved. */
#include "math/kkt.h"

#include <math.h>
#include <string.h>

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
  double *scale;   /* [size] of rows and columns */
  double *weak;    /* [m] the multipliers that come nearest to doing nothing, of unit norm */
  bool settled;    /* they have come to rest once */
  double *scratch; /* [size] */
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
  return trm_lu_prepare(k->lu) ? k : NULL;
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

/* Entries of a rotation vanish and come back as the body turns where M is singular; their sum, a
 * trace, does not. */
static void share_trace(const trm_structure *s, int b, double *scale) {
  double trace = 0;
  if (!s->mass_singular || s->intrinsic == 0) return;
  for (int i = s->q_start[b] + s->plain; i < s->q_start[b + 1]; i++) trace += scale[i];
  for (int i = s->q_start[b] + s->plain; i < s->q_start[b + 1]; i++) scale[i] = trace;
}

static void scale_coordinates(trm_kkt *k, const half *parts) {
  const trm_structure *s = k->structure;
  double *scale = k->scale;
  for (int i = 0; i < k->n; i++) scale[i] = size_of(parts, k->from[k->diagonal[i]]);
  for (int b = 0; b < s->blocks; b++) {
    double largest = 0;
    share_trace(s, b, scale);
    for (int i = s->q_start[b]; i < s->q_start[b + 1]; i++) largest = fmax(largest, scale[i]);
    if (!(largest > 0)) largest = 1;
    for (int i = s->q_start[b]; i < s->q_start[b + 1]; i++)
      scale[i] = 1 / sqrt(fmax(scale[i], TINY * largest));
  }
  for (int i = s->n; i < k->n; i++) scale[i] = scale[i] > 0 ? 1 / sqrt(scale[i]) : 1;
}

/* Rows of unit norm behind the coordinates' scales. */
static void scale_rows(trm_kkt *k, const half *parts, const bool *skip) {
  double *row = k->scale + k->n;
  memset(row, 0, (size_t)k->m * sizeof *row);
  for (int part = 0; part < k->lu->parts; part++)
    trm_jacobian_squares(k->structure, parts[part].A2, k->scale, row);
  for (int r = 0; r < k->m; r++) row[r] = row[r] > 0 && !skip[r] ? 1 / sqrt(row[r]) : 1;
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
}

/* --- factoring and solving --- */

static bool factor(trm_kkt *k, const half *parts, const double *A1, const double *law,
                   const double *E, const bool *skip) {
  scale_coordinates(k, parts);
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
}
