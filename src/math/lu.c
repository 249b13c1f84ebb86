/* LU factors: entries scaled and put by column, then KLU. */
#include "math/lu.h"

#include <klu.h>
#include <math.h>
#include <string.h>

#define LEAST_GROWTH 1e-6 /* of A's entries to U's: below, the pivots are chosen anew */

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
  const arithmetic *with;
  int *start; /* [size + 1] of the columns */
  int *row;   /* [nonzeros] */
  double *A;  /* [nonzeros × parts] */
  int *at;    /* [entries] where an entry goes in A */
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  double *pivoted; /* [nonzeros × parts] A when the pivots were chosen */
  bool made, kept; /* there are factors; by pivots of an earlier A */
};

/* --- creation --- */

static void release(void *data) {
  struct trm_factors *own = data;
  own->with->release(&own->numeric, &own->common);
  klu_free_symbolic(&own->symbolic, &own->common);
}

/* Factors follow from the two matrices. */
static void restored(void *data) {
  struct trm_factors *own = data;
  klu_common *common = &own->common;
  own->with->release(&own->numeric, common);
  if (!own->made) return;
  const double *first = own->kept ? own->pivoted : own->A;
  own->numeric = own->with->factor(own->start, own->row, (double *)first, own->symbolic, common);
  if (own->kept && own->numeric)
    own->with->refactor(own->start, own->row, own->A, own->symbolic, own->numeric, common);
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
  own->with = &numbers[parts - 1];
  own->start = TRM_NEW(arena, int, size + 1);
  own->row = TRM_NEW(arena, int, room + 1);
  own->A = TRM_KEEP_NEW(arena, double, parts *(room + 1));
  own->pivoted = TRM_KEEP_NEW(arena, double, parts *(room + 1));
  TRM_KEEP(arena, own->made);
  TRM_KEEP(arena, own->kept);
  trm_keep_derived(arena, restored, own);
  own->at = TRM_NEW(arena, int, room + 1);
  klu_defaults(&own->common);
  own->common.btf = 0;
  own->common.ordering = 1; /* COLAMD: few entries whatever rows the pivots come from */
  own->common.scale = -1;   /* it is here */
  if (!trm_arena_defer(arena, release, own)) return NULL;
  bool made = lu->row && lu->column && lu->value && lu->left && lu->right && own->start &&
              own->row && own->A && own->pivoted && own->at;
  for (int i = 0; made && i < size; i++) lu->left[i] = lu->right[i] = 1;
  return made ? lu : NULL;
}

int trm_lu_add(trm_lu *lu, int row, int column) {
  lu->row[lu->entries] = row;
  lu->column[lu->entries] = column;
  return lu->entries++;
}

/* Entries sorted by column, equal places made one: `order` has them by row first. */
static void compress(trm_lu *lu, const int *order) {
  struct trm_factors *own = lu->own;
  int count = 0, last = -1;
  for (int k = 0; k < lu->entries; k++) {
    int e = order[k], column = lu->column[e];
    bool same = last >= 0 && lu->row[last] == lu->row[e] && lu->column[last] == column;
    if (!same) own->row[count++] = lu->row[e];
    own->at[e] = count - 1;
    own->start[column + 1] = count;
    last = e;
  }
  for (int c = 0; c < lu->size; c++) /* empty columns */
    if (own->start[c + 1] < own->start[c]) own->start[c + 1] = own->start[c];
}

/* order = a stable counting sort of `from` by key; place has size + 1 entries */
static void sort_by(int count, int size, const int *key, const int *from, int *order, int *place) {
  memset(place, 0, (size_t)(size + 1) * sizeof(int));
  for (int k = 0; k < count; k++) place[key[k] + 1]++;
  for (int i = 0; i < size; i++) place[i + 1] += place[i];
  for (int k = 0; k < count; k++) order[place[key[from ? from[k] : k]]++] = from ? from[k] : k;
}

bool trm_lu_prepare(trm_lu *lu) {
  struct trm_factors *own = lu->own;
  trm_arena *scratch = trm_arena_create();
  int *by_row = scratch ? TRM_NEW(scratch, int, lu->entries + 1) : NULL;
  int *order = scratch ? TRM_NEW(scratch, int, lu->entries + 1) : NULL;
  int *place = scratch ? TRM_NEW(scratch, int, lu->size + 1) : NULL;
  bool good = by_row && order && place;
  if (good) {
    sort_by(lu->entries, lu->size, lu->row, NULL, by_row, place);
    sort_by(lu->entries, lu->size, lu->column, by_row, order, place);
    compress(lu, order);
  }
  trm_arena_destroy(scratch);
  if (!good || lu->size == 0) return good;
  own->symbolic = klu_analyze(lu->size, own->start, own->row, &own->common);
  return own->symbolic != NULL;
}

/* --- factors --- */

void trm_lu_equilibrate(trm_lu *lu) {
  memset(lu->left, 0, (size_t)lu->size * sizeof(double));
  for (int e = 0; e < lu->entries; e++) {
    double *row = &lu->left[lu->row[e]];
    for (int k = 0; k < lu->parts; k++) *row = fmax(*row, fabs(lu->value[lu->parts * e + k]));
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
  klu_common *common = &own->common;
  int *start = own->start, *row = own->row;
  if (lu->size == 0) return true;
  if (!gather(lu)) return false;
  own->kept = own->numeric &&
              own->with->refactor(start, row, own->A, own->symbolic, own->numeric, common) &&
              own->with->growth(start, row, own->A, own->symbolic, own->numeric, common) &&
              common->rgrowth > LEAST_GROWTH;
  if (own->kept) return true;
  klu_numeric *fresh = own->with->factor(start, row, own->A, own->symbolic, common);
  if (!fresh) return false; /* the pivots may do for the next one */
  own->with->release(&own->numeric, common);
  own->numeric = fresh;
  own->made = true;
  memcpy(own->pivoted, own->A, (size_t)(lu->parts * start[lu->size]) * sizeof(double));
  return true;
}

double trm_lu_least_pivot(const trm_lu *lu) {
  double least = INFINITY;
  for (int i = 0; i < lu->size; i++)
    least = fmin(least, fabs(((const double *)lu->own->numeric->Udiag)[i]));
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
