/* LU factors: entries scaled and put by column. KLU chooses pivots; while they are good the factors
 * of the next matrix are found along their pattern, columns in runs of rows. */
#include "math/lu.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/double2.h"

#define LEAST_GROWTH 1e-6 /* of A's entries to U's: below, the pivots are chosen anew */
#define LEAST_PART   0.1  /* of its size when it was chosen: above, no pivot makes U grow so */

/* What differs between real and complex numbers. */
typedef struct arithmetic {
  klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
  int (*sort)(klu_symbolic *, klu_numeric *, klu_common *);
  int (*release)(klu_numeric **, klu_common *);
} arithmetic;

static const arithmetic numbers[] = {
    {klu_factor, klu_sort, klu_free_numeric},
    {klu_z_factor, klu_z_sort, klu_z_free_numeric},
};

/* A factor by column, in one piece. */
typedef struct triangle {
  int *start, *row; /* [size + 1], [entries]; rows rise within a column */
  int *run;         /* [size] the entry of a column from which on its rows follow one another */
  double *value;    /* [entries × parts], and of complex numbers the imaginary parts behind */
} triangle;

struct trm_factors {
  int parts; /* of a number */
  const arithmetic *with;
  int *start; /* [size + 1] of the columns */
  int *row;   /* [nonzeros] */
  double *A;  /* [nonzeros × parts] */
  int *from;  /* [nonzeros] the first entry at each place of A */
  int *more;  /* [entries] the next one at its place; −1: none */
  klu_common common;
  klu_symbolic *symbolic;
  triangle L, U;   /* first in L's columns is a one, last in U's the pivot */
  int *P, *Q;      /* [size] rows and columns by step */
  int *step;       /* [size] of the rows */
  double *x;       /* [size × parts] by step */
  double *pivoted; /* [nonzeros × parts] A when the pivots were chosen */
  double *chosen;  /* [size] their sizes then */
  bool made, kept; /* there are factors; by pivots of an earlier A */
};

/* --- creation --- */

static void release(void *data) {
  struct trm_factors *own = data;
  free(own->L.row), free(own->L.value), free(own->U.row), free(own->U.value);
  klu_free_symbolic(&own->symbolic, &own->common);
}

static bool make_room(triangle *t, int entries, int parts) {
  int *row = realloc(t->row, ((size_t)entries + 1) * sizeof(int));
  if (row) t->row = row;
  double *value = realloc(t->value, ((size_t)entries + 1) * (size_t)parts * sizeof(double));
  if (value) t->value = value;
  return row && value;
}

static bool take_factors(struct trm_factors *own, klu_numeric *n) {
  triangle *L = &own->L, *U = &own->U;
  if (own->parts == 1)
    return klu_extract(n, own->symbolic, L->start, L->row, L->value, U->start, U->row, U->value,
                       NULL, NULL, NULL, own->P, own->Q, NULL, NULL, &own->common);
  return klu_z_extract(n, own->symbolic, L->start, L->row, L->value, L->value + n->lnz, U->start,
                       U->row, U->value, U->value + n->unz, NULL, NULL, NULL, NULL, own->P, own->Q,
                       NULL, NULL, &own->common);
}

/* Elimination leaves the last columns full: so from their ends. Entries in front or at the end that
 * are the diagonal do not count. */
static void find_runs(triangle *t, int size, int front, int end) {
  for (int k = 0; k < size; k++) {
    int first = t->start[k] + front, e = t->start[k + 1] - end;
    while (e > first && (e == t->start[k + 1] - end || t->row[e - 1] == t->row[e] - 1)) e--;
    t->run[k] = e;
  }
}

/* Of the U of the last factorization. */
static double pivot_size(const struct trm_factors *own, int i) {
  int all = own->U.start[own->symbolic->n];
  const double *pivot = own->U.value + own->U.start[i + 1] - 1;
  return own->parts == 1 ? fabs(pivot[0]) : fabs(pivot[0]) + fabs(pivot[all]);
}

static bool choose_pivots(struct trm_factors *own, const double *A) {
  int size = own->symbolic->n;
  klu_numeric *fresh =
      own->with->factor(own->start, own->row, (double *)A, own->symbolic, &own->common);
  if (!fresh) return false; /* the old ones may do for the next matrix */
  own->made = own->with->sort(own->symbolic, fresh, &own->common) &&
              make_room(&own->L, fresh->lnz, own->parts) &&
              make_room(&own->U, fresh->unz, own->parts) && take_factors(own, fresh);
  own->with->release(&fresh, &own->common);
  if (!own->made) return false;
  find_runs(&own->L, size, 1, 0);
  find_runs(&own->U, size, 0, 1);
  for (int k = 0; k < size; k++) own->step[own->P[k]] = k;
  for (int k = 0; k < size; k++) own->chosen[k] = pivot_size(own, k);
  return true;
}

/* --- along the pattern --- */

/* x −= entries of a column times z; `all`: where the imaginary parts begin. Places that a pattern
 * has for other positions or other rows are often zero. */
TRM_INLINE void subtract(int parts, const triangle *t, int from, int run, int to, int all,
                         const double *z, double *x) {
  const double *re = t->value, *im = re + all;
  if (z[0] == 0 && z[parts - 1] == 0) return;
  if (parts == 1) {
    for (int e = from; e < run; e++) x[t->row[e]] -= re[e] * z[0];
    if (run < to) trm_pair_axpy(to - run, -z[0], re + run, x + t->row[run]);
    return;
  }
  const trm_double2 one = {z[0], z[1]}, i = {-z[1], z[0]};
  for (int e = from; e < to; e++) *(trm_double2 *)(x + 2 * t->row[e]) -= re[e] * one + im[e] * i;
}

/* z /= a pivot, complex ones as KLU does (Smith, 1962) */
TRM_INLINE void divide(int parts, const double *pivot, int all, double *z) {
  double re = pivot[0], im = parts == 2 ? pivot[all] : 0, x = z[0], y = parts == 2 ? z[1] : 0;
  if (parts == 1) {
    z[0] /= re;
  } else if (fabs(re) >= fabs(im)) {
    double part = im / re, whole = re + part * im;
    z[0] = (x + y * part) / whole;
    z[1] = (y - x * part) / whole;
  } else {
    double part = re / im, whole = part * re + im;
    z[0] = (x * part + y) / whole;
    z[1] = (y * part - x) / whole;
  }
}

/* Out of x, which is zero there then. */
TRM_INLINE void take(int parts, triangle *t, int e, int all, double *x) {
  t->value[e] = x[0];
  if (parts == 2) t->value[all + e] = x[1];
  x[0] = x[parts - 1] = 0;
}

/* Column after column: those before it in U are taken off, what is left is L's. */
TRM_INLINE void refactor(struct trm_factors *own, int parts) {
  triangle *L = &own->L, *U = &own->U;
  int size = own->symbolic->n, lnz = L->start[size], unz = U->start[size];
  double *x = memset(own->x, 0, (size_t)(parts * size) * sizeof *x);
  for (int k = 0; k < size; k++) {
    int pivot = U->start[k + 1] - 1;
    for (int i = own->start[own->Q[k]]; i < own->start[own->Q[k] + 1]; i++)
      for (int c = 0; c < parts; c++) x[parts * own->step[own->row[i]] + c] = own->A[parts * i + c];
    for (int e = U->start[k]; e < pivot; e++) {
      int j = U->row[e];
      double z[2] = {x[parts * j], x[parts * j + parts - 1]};
      subtract(parts, L, L->start[j] + 1, L->run[j], L->start[j + 1], lnz, z, x);
      take(parts, U, e, unz, x + parts * j);
    }
    take(parts, U, pivot, unz, x + parts * k);
    for (int e = L->start[k] + 1; e < L->start[k + 1]; e++) {
      double *z = x + parts * L->row[e];
      divide(parts, U->value + pivot, unz, z);
      take(parts, L, e, lnz, z);
    }
  }
}

/* Those of a singular matrix were small already when they were chosen: rows of A are of size one.
 */
static bool have_shrunk(const struct trm_factors *own) {
  for (int i = 0; i < own->symbolic->n; i++)
    if (!(pivot_size(own, i) >= fmax(LEAST_PART * own->chosen[i], LEAST_GROWTH))) return true;
  return false;
}

/* Of so many numbers; imaginary parts are `apart` from the real ones. */
static double largest(int parts, const double *value, int count, int stride, ptrdiff_t apart) {
  double most = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    double size = fabs(value[i * stride]) + (parts == 2 ? fabs(value[i * stride + apart]) : 0);
    if (size > most) most = size;
  }
  return most;
}

/* From a column of U to that of A, the least. */
static double find_growth(const struct trm_factors *own) {
  const triangle *U = &own->U;
  int size = own->symbolic->n, parts = own->parts;
  double least = INFINITY;
  for (int k = 0; k < size; k++) {
    int c = own->Q[k], from = own->start[c], first = U->start[k];
    if (!(pivot_size(own, k) > 0)) return 0;
    double A = largest(parts, own->A + (ptrdiff_t)parts * from, own->start[c + 1] - from, parts, 1);
    double most = largest(parts, U->value + first, U->start[k + 1] - first, 1, U->start[size]);
    least = fmin(least, most > 0 ? A / most : 0);
  }
  return least;
}

/* False: they are not good for A. */
static bool keep_pivots(struct trm_factors *own) {
  if (!own->made) return false;
  if (own->parts == 1)
    refactor(own, 1);
  else
    refactor(own, 2);
  return !have_shrunk(own) || find_growth(own) > LEAST_GROWTH;
}

/* Factors follow from the two matrices. */
static void restored(void *data) {
  struct trm_factors *own = data;
  if (own->made && choose_pivots(own, own->kept ? own->pivoted : own->A) && own->kept)
    keep_pivots(own);
}

trm_lu *trm_lu_create(trm_arena *arena, int size, int room, int parts) {
  trm_lu *lu = TRM_NEW(arena, trm_lu, 1);
  struct trm_factors *own = TRM_NEW(arena, struct trm_factors, 1);
  if (!lu || !own) return NULL;
  *lu = (trm_lu){.size = size, .parts = parts, .room = room, .own = own};
  lu->row = TRM_NEW(arena, int, room + 1);
  lu->column = TRM_NEW(arena, int, room + 1);
  lu->value = TRM_NEW(arena, double, parts *(room + 1));
  lu->left = TRM_KEEP_NEW(arena, double, size + 1);
  lu->right = TRM_KEEP_NEW(arena, double, size + 1);
  own->parts = parts;
  own->with = &numbers[parts - 1];
  own->start = TRM_NEW(arena, int, size + 1);
  own->row = TRM_NEW(arena, int, room + 1);
  own->A = TRM_KEEP_NEW(arena, double, parts *(room + 1));
  own->pivoted = TRM_KEEP_NEW(arena, double, parts *(room + 1));
  TRM_KEEP(arena, own->made);
  TRM_KEEP(arena, own->kept);
  trm_keep_derived(arena, restored, own);
  own->from = TRM_NEW(arena, int, room + 1);
  own->more = TRM_NEW(arena, int, room + 1);
  own->chosen = TRM_NEW(arena, double, size + 1);
  own->L.start = TRM_NEW(arena, int, size + 1);
  own->U.start = TRM_NEW(arena, int, size + 1);
  own->L.run = TRM_NEW(arena, int, size + 1);
  own->U.run = TRM_NEW(arena, int, size + 1);
  own->P = TRM_NEW(arena, int, size + 1);
  own->Q = TRM_NEW(arena, int, size + 1);
  own->step = TRM_NEW(arena, int, size + 1);
  own->x = TRM_NEW(arena, double, parts *(size + 1));
  klu_defaults(&own->common);
  own->common.btf = 0;
  own->common.ordering = 1; /* COLAMD: few entries whatever rows the pivots come from */
  own->common.scale = -1;   /* it is here */
  if (!trm_arena_defer(arena, release, own)) return NULL;
  if (trm_arena_failed(arena)) return NULL;
  for (int i = 0; i < size; i++) lu->left[i] = lu->right[i] = 1;
  return lu;
}

int trm_lu_add(trm_lu *lu, int row, int column) {
  lu->row[lu->entries] = row;
  lu->column[lu->entries] = column;
  return lu->entries++;
}

/* Entries by column, those at one place made one; order [entries], seen [size] */
static void compress(trm_lu *lu, int *order, int *seen) {
  struct trm_factors *own = lu->own;
  int *start = own->start, count = 0;
  for (int e = 0; e < lu->entries; e++) start[lu->column[e] + 1]++;
  for (int c = 0; c < lu->size; c++) start[c + 1] += start[c];
  for (int e = 0; e < lu->entries; e++) order[start[lu->column[e]]++] = e;
  for (int r = 0; r < lu->size; r++) seen[r] = -1;
  for (int c = 0, k = 0; c < lu->size; c++) { /* each start is the next one's by now */
    int end = start[c], first = start[c] = count;
    for (; k < end; k++) {
      int e = order[k], r = lu->row[e];
      bool fresh = seen[r] < first;
      if (fresh) own->row[seen[r] = count++] = r;
      own->more[e] = fresh ? -1 : own->from[seen[r]];
      own->from[seen[r]] = e;
    }
  }
  start[lu->size] = count;
}

bool trm_lu_prepare(trm_lu *lu) {
  struct trm_factors *own = lu->own;
  trm_arena *scratch = trm_arena_create();
  int *order = scratch ? TRM_NEW(scratch, int, lu->entries + 1) : NULL;
  int *seen = scratch ? TRM_NEW(scratch, int, lu->size + 1) : NULL;
  bool good = order && seen;
  if (good) compress(lu, order, seen);
  trm_arena_destroy(scratch);
  if (!good || lu->size == 0) return good;
  own->symbolic = klu_analyze(lu->size, own->start, own->row, &own->common);
  return own->symbolic != NULL;
}

/* --- factors --- */

void trm_lu_equilibrate(trm_lu *lu) {
  memset(lu->left, 0, (size_t)lu->size * sizeof(double));
  for (int e = 0; e < lu->entries; e++) {
    double *largest = &lu->left[lu->row[e]];
    for (int k = 0; k < lu->parts; k++) {
      double size = fabs(lu->right[lu->column[e]] * lu->value[lu->parts * e + k]);
      if (size > *largest) *largest = size;
    }
  }
  for (int i = 0; i < lu->size; i++) lu->left[i] = lu->left[i] > 0 ? 1 / lu->left[i] : 1;
}

/* False: an entry is not finite. */
TRM_INLINE bool gather(trm_lu *lu, int parts) {
  const struct trm_factors *own = lu->own;
  double sum = 0;
  for (int c = 0; c < lu->size; c++)
    for (int i = own->start[c]; i < own->start[c + 1]; i++)
      for (int k = 0; k < parts; k++) {
        double value = 0;
        for (int e = own->from[i]; e >= 0; e = own->more[e]) value += lu->value[parts * e + k];
        own->A[parts * i + k] = lu->left[own->row[i]] * lu->right[c] * value;
        sum += 0 * own->A[parts * i + k];
      }
  return sum == 0;
}

bool trm_lu_factor(trm_lu *lu) {
  struct trm_factors *own = lu->own;
  if (lu->size == 0) return true;
  if (!(lu->parts == 1 ? gather(lu, 1) : gather(lu, 2))) return false;
  own->kept = keep_pivots(own);
  if (own->kept) return true;
  if (!choose_pivots(own, own->A)) return false;
  memcpy(own->pivoted, own->A, (size_t)(lu->parts * own->start[lu->size]) * sizeof(double));
  return true;
}

double trm_lu_least_pivot(const trm_lu *lu) {
  double least = INFINITY;
  for (int i = 0; i < lu->size; i++) least = fmin(least, pivot_size(lu->own, i));
  return least;
}

/* b = right Q U⁻¹ L⁻¹ P left b */
TRM_INLINE void solve(trm_lu *lu, int parts, double *b) {
  const struct trm_factors *own = lu->own;
  const int *L = own->L.start, *U = own->U.start, lnz = L[lu->size], unz = U[lu->size];
  double *x = own->x;
  for (int k = 0; k < lu->size; k++)
    for (int c = 0; c < parts; c++)
      x[parts * k + c] = lu->left[own->P[k]] * b[parts * own->P[k] + c];
  for (int k = 0; k < lu->size; k++)
    subtract(parts, &own->L, L[k] + 1, own->L.run[k], L[k + 1], lnz, x + parts * k, x);
  for (int k = lu->size - 1; k >= 0; k--) {
    divide(parts, own->U.value + U[k + 1] - 1, unz, x + parts * k);
    subtract(parts, &own->U, U[k], own->U.run[k], U[k + 1] - 1, unz, x + parts * k, x);
    for (int c = 0; c < parts; c++)
      b[parts * own->Q[k] + c] = lu->right[own->Q[k]] * x[parts * k + c];
  }
}

void trm_lu_solve(trm_lu *lu, double *b) {
  if (!lu->own->made) return;
  if (lu->parts == 1)
    solve(lu, 1, b);
  else
    solve(lu, 2, b);
}
