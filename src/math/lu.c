/* LU factors: entries scaled and put by column, then KLU. */
#include "math/lu.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_GROWTH 1e-6 /* of A's entries to U's: below, the pivots are chosen anew */
#define LEAST_PART   0.1  /* of its size when it was chosen: above, no pivot makes U grow so */

/* What differs between real and complex numbers. */
typedef struct arithmetic {
  klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
  int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*growth)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*release)(klu_numeric **, klu_common *);
} arithmetic;

static const arithmetic numbers[] = {
    {klu_factor, klu_refactor, klu_rgrowth, klu_free_numeric},
    {klu_z_factor, klu_z_refactor, klu_z_rgrowth, klu_z_free_numeric},
};

/* A factor by column, in one piece: KLU's own solution takes up to twice the time of this one where
 * factors are larger than the cache. */
typedef struct triangle {
  int *start, *row; /* [size + 1], [entries] */
  double *value;    /* [entries × parts], and of complex numbers the imaginary parts behind */
} triangle;

struct trm_factors {
  int parts; /* of a number */
  const arithmetic *with;
  int *start; /* [size + 1] of the columns */
  int *row;   /* [nonzeros] */
  double *A;  /* [nonzeros × parts] */
  int *at;    /* [entries] where an entry goes in A */
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  triangle L, U;   /* first in L's columns is a one, last in U's the pivot */
  int *P, *Q;      /* [size] rows and columns by step */
  double *x;       /* [size × parts] by step */
  double *pivoted; /* [nonzeros × parts] A when the pivots were chosen */
  double *chosen;  /* [size] their sizes then */
  bool made, kept; /* there are factors; by pivots of an earlier A */
};

/* --- creation --- */

static void release(void *data) {
  struct trm_factors *own = data;
  free(own->L.row), free(own->L.value), free(own->U.row), free(own->U.value);
  own->with->release(&own->numeric, &own->common);
  klu_free_symbolic(&own->symbolic, &own->common);
}

static double pivot_size(const struct trm_factors *own, int i) {
  const double *pivot = own->numeric->Udiag;
  return own->parts == 1 ? fabs(pivot[i]) : fabs(pivot[2 * i]) + fabs(pivot[2 * i + 1]);
}

static bool make_room(triangle *t, int entries, int parts) {
  int *row = realloc(t->row, ((size_t)entries + 1) * sizeof(int));
  if (row) t->row = row;
  double *value = realloc(t->value, ((size_t)entries + 1) * (size_t)parts * sizeof(double));
  if (value) t->value = value;
  return row && value;
}

static bool take_factors(struct trm_factors *own) {
  triangle *L = &own->L, *U = &own->U;
  klu_numeric *n = own->numeric;
  if (own->parts == 1)
    return klu_extract(n, own->symbolic, L->start, L->row, L->value, U->start, U->row, U->value,
                       NULL, NULL, NULL, own->P, own->Q, NULL, NULL, &own->common);
  return klu_z_extract(n, own->symbolic, L->start, L->row, L->value, L->value + n->lnz, U->start,
                       U->row, U->value, U->value + n->unz, NULL, NULL, NULL, NULL, own->P, own->Q,
                       NULL, NULL, &own->common);
}

static bool choose_pivots(struct trm_factors *own, const double *A) {
  klu_numeric *fresh =
      own->with->factor(own->start, own->row, (double *)A, own->symbolic, &own->common);
  if (!fresh) return false; /* the old ones may do for the next matrix */
  own->with->release(&own->numeric, &own->common);
  if (!make_room(&own->L, fresh->lnz, own->parts) || !make_room(&own->U, fresh->unz, own->parts)) {
    own->with->release(&fresh, &own->common);
    return false;
  }
  own->numeric = fresh;
  for (int i = 0; i < own->symbolic->n; i++) own->chosen[i] = pivot_size(own, i);
  return true;
}

/* Those of a singular matrix were small already when they were chosen: rows of A are of size one.
 */
static bool have_shrunk(const struct trm_factors *own) {
  for (int i = 0; i < own->symbolic->n; i++)
    if (!(pivot_size(own, i) >= fmax(LEAST_PART * own->chosen[i], LEAST_GROWTH))) return true;
  return false;
}

/* False: they are not good for A. */
static bool keep_pivots(struct trm_factors *own) {
  int *start = own->start, *row = own->row;
  klu_common *common = &own->common;
  if (!own->numeric) return false;
  if (!own->with->refactor(start, row, own->A, own->symbolic, own->numeric, common)) return false;
  if (!have_shrunk(own)) return true;
  return own->with->growth(start, row, own->A, own->symbolic, own->numeric, common) &&
         common->rgrowth > LEAST_GROWTH;
}

/* Factors follow from the two matrices. */
static void restored(void *data) {
  struct trm_factors *own = data;
  own->with->release(&own->numeric, &own->common);
  if (own->made && choose_pivots(own, own->kept ? own->pivoted : own->A) && own->kept)
    keep_pivots(own);
  if (own->numeric) take_factors(own);
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
  own->at = TRM_NEW(arena, int, room + 1);
  own->chosen = TRM_NEW(arena, double, size + 1);
  own->L.start = TRM_NEW(arena, int, size + 1);
  own->U.start = TRM_NEW(arena, int, size + 1);
  own->P = TRM_NEW(arena, int, size + 1);
  own->Q = TRM_NEW(arena, int, size + 1);
  own->x = TRM_NEW(arena, double, parts *(size + 1));
  klu_defaults(&own->common);
  own->common.btf = 0;
  own->common.ordering = 1; /* COLAMD: few entries whatever rows the pivots come from */
  own->common.scale = -1;   /* it is here */
  if (!trm_arena_defer(arena, release, own)) return NULL;
  bool made = lu->row && lu->column && lu->value && lu->left && lu->right && own->start &&
              own->row && own->A && own->pivoted && own->at && own->chosen && own->L.start &&
              own->U.start && own->P && own->Q && own->x;
  for (int i = 0; made && i < size; i++) lu->left[i] = lu->right[i] = 1;
  return made ? lu : NULL;
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
      if (seen[r] < first) own->row[seen[r] = count++] = r;
      own->at[e] = seen[r];
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
      double size = fabs(lu->value[lu->parts * e + k]);
      if (size > *largest) *largest = size;
    }
  }
  for (int i = 0; i < lu->size; i++) lu->left[i] = lu->left[i] > 0 ? 1 / lu->left[i] : 1;
}

/* False: an entry is not finite. */
static bool gather(trm_lu *lu) {
  double *A = lu->own->A, sum = 0;
  const int *at = lu->own->at;
  int parts = lu->parts, count = parts * lu->own->start[lu->size];
  memset(A, 0, (size_t)count * sizeof(double));
  for (int e = 0; e < lu->entries; e++) {
    double scale = lu->left[lu->row[e]] * lu->right[lu->column[e]];
    for (int k = 0; k < parts; k++) A[parts * at[e] + k] += scale * lu->value[parts * e + k];
  }
  for (int i = 0; i < count; i++) sum += 0 * A[i];
  return sum == 0;
}

bool trm_lu_factor(trm_lu *lu) {
  struct trm_factors *own = lu->own;
  if (lu->size == 0) return true;
  if (!gather(lu)) return false;
  own->kept = keep_pivots(own);
  if (own->kept) return take_factors(own);
  if (!choose_pivots(own, own->A)) return false;
  own->made = true;
  memcpy(own->pivoted, own->A, (size_t)(lu->parts * own->start[lu->size]) * sizeof(double));
  return take_factors(own);
}

double trm_lu_least_pivot(const trm_lu *lu) {
  double least = INFINITY;
  for (int i = 0; i < lu->size; i++) least = fmin(least, pivot_size(lu->own, i));
  return least;
}

/* x −= entries of a column times z; `all`: where the imaginary parts begin */
static inline void subtract(int parts, const triangle *t, int from, int to, int all,
                            const double *z, double *x) {
  const double *re = t->value, *im = re + all;
  for (int e = from; e < to; e++) {
    double *at = x + parts * t->row[e];
    at[0] -= parts == 1 ? re[e] * z[0] : re[e] * z[0] - im[e] * z[1];
    if (parts == 2) at[1] -= re[e] * z[1] + im[e] * z[0];
  }
}

/* z /= a pivot, complex ones as KLU does (Smith, 1962) */
static inline void divide(int parts, const double *pivot, int all, double *z) {
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

/* b = right Q U⁻¹ L⁻¹ P left b */
static inline void solve(trm_lu *lu, int parts, double *b) {
  const struct trm_factors *own = lu->own;
  const int *L = own->L.start, *U = own->U.start, lnz = own->numeric->lnz, unz = own->numeric->unz;
  double *x = own->x;
  for (int k = 0; k < lu->size; k++)
    for (int c = 0; c < parts; c++)
      x[parts * k + c] = lu->left[own->P[k]] * b[parts * own->P[k] + c];
  for (int k = 0; k < lu->size; k++)
    subtract(parts, &own->L, L[k] + 1, L[k + 1], lnz, x + parts * k, x);
  for (int k = lu->size - 1; k >= 0; k--) {
    divide(parts, own->U.value + U[k + 1] - 1, unz, x + parts * k);
    subtract(parts, &own->U, U[k], U[k + 1] - 1, unz, x + parts * k, x);
    for (int c = 0; c < parts; c++)
      b[parts * own->Q[k] + c] = lu->right[own->Q[k]] * x[parts * k + c];
  }
}

void trm_lu_solve(trm_lu *lu, double *b) {
  if (!lu->own->numeric) return;
  if (lu->parts == 1)
    solve(lu, 1, b);
  else
    solve(lu, 2, b);
}
