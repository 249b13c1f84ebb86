/* LU factors: entries scaled and put by column, then KLU. */
#include "math/lu.h"

#include <klu.h>
#include <math.h>
#include <string.h>

#define LEAST_GROWTH 1e-6 /* of A's entries to U's: below, the pivots are chosen anew */
#define LEAST_PART   0.1  /* of its size when it was chosen: above, no pivot makes U grow so */

/* What differs between real and complex numbers. */
typedef struct arithmetic {
  klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
  int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*growth)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*solve)(klu_symbolic *, klu_numeric *, int, int, double *, klu_common *);
  int (*release)(klu_numeric **, klu_common *);
} arithmetic;

static const arithmetic numbers[] = {
    {klu_factor, klu_refactor, klu_rgrowth, klu_solve, klu_free_numeric},
    {klu_z_factor, klu_z_refactor, klu_z_rgrowth, klu_z_solve, klu_z_free_numeric},
};

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
  double *pivoted; /* [nonzeros × parts] A when the pivots were chosen */
  double *chosen;  /* [size] their sizes then */
  bool made, kept; /* there are factors; by pivots of an earlier A */
};

/* --- creation --- */

static void release(void *data) {
  struct trm_factors *own = data;
  own->with->release(&own->numeric, &own->common);
  klu_free_symbolic(&own->symbolic, &own->common);
}

static double pivot_size(const struct trm_factors *own, int i) {
  const double *pivot = own->numeric->Udiag;
  return own->parts == 1 ? fabs(pivot[i]) : fabs(pivot[2 * i]) + fabs(pivot[2 * i + 1]);
}

static bool choose_pivots(struct trm_factors *own, const double *A) {
  klu_numeric *fresh =
      own->with->factor(own->start, own->row, (double *)A, own->symbolic, &own->common);
  if (!fresh) return false; /* the old ones may do for the next matrix */
  own->with->release(&own->numeric, &own->common);
  own->numeric = fresh;
  for (int i = 0; i < own->symbolic->n; i++) own->chosen[i] = pivot_size(own, i);
  return true;
}

static bool have_shrunk(const struct trm_factors *own) {
  for (int i = 0; i < own->symbolic->n; i++)
    if (!(pivot_size(own, i) >= LEAST_PART * own->chosen[i])) return true;
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
  klu_defaults(&own->common);
  own->common.btf = 0;
  own->common.ordering = 1; /* COLAMD: few entries whatever rows the pivots come from */
  own->common.scale = -1;   /* it is here */
  if (!trm_arena_defer(arena, release, own)) return NULL;
  bool made = lu->row && lu->column && lu->value && lu->left && lu->right && own->start &&
              own->row && own->A && own->pivoted && own->at && own->chosen;
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
  if (own->kept) return true;
  if (!choose_pivots(own, own->A)) return false;
  own->made = true;
  memcpy(own->pivoted, own->A, (size_t)(lu->parts * own->start[lu->size]) * sizeof(double));
  return true;
}

double trm_lu_least_pivot(const trm_lu *lu) {
  double least = INFINITY;
  for (int i = 0; i < lu->size; i++) least = fmin(least, pivot_size(lu->own, i));
  return least;
}

static void scale(const trm_lu *lu, const double *by, double *b) {
  for (int i = 0; i < lu->size; i++)
    for (int k = 0; k < lu->parts; k++) b[lu->parts * i + k] *= by[i];
}

void trm_lu_solve(trm_lu *lu, double *b) {
  struct trm_factors *own = lu->own;
  if (lu->size == 0) return;
  scale(lu, lu->left, b);
  own->with->solve(own->symbolic, own->numeric, lu->size, 1, b, &own->common);
  scale(lu, lu->right, b);
}
