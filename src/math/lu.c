/* LU factors: entries scaled and put by column, then LAPACK or KLU. */
#include "math/lu.h"

#include <klu.h>
#include <math.h>
#include <string.h>

#include "math/lapack.h"

#define DENSE        0.3  /* of all entries not zero: above, dense factors are faster; measured */
#define LEAST_GROWTH 1e-6 /* of A's entries to U's: below, the pivots are chosen anew */

/* What differs between real and complex numbers. */
typedef struct arithmetic {
  void (*dense_factor)(const int *, const int *, double *, const int *, int *, int *);
  void (*dense_solve)(const char *, const int *, const int *, const double *, const int *,
                      const int *, double *, const int *, int *, size_t);
  klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
  int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*growth)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*solve)(klu_symbolic *, klu_numeric *, int, int, double *, klu_common *);
  int (*release)(klu_numeric **, klu_common *);
} arithmetic;

static const arithmetic numbers[] = {
    {dgetrf_, dgetrs_, klu_factor, klu_refactor, klu_rgrowth, klu_solve, klu_free_numeric},
    {zgetrf_, zgetrs_, klu_z_factor, klu_z_refactor, klu_z_rgrowth, klu_z_solve,
     klu_z_free_numeric},
};

struct trm_factors {
  trm_arena *arena;
  trm_linear linear;
  const arithmetic *with;
  int *start;    /* [size + 1] of the columns */
  int *row;      /* [nonzeros] */
  double *A;     /* [nonzeros × parts] */
  int *at;       /* [entries] where an entry goes in A */
  double *dense; /* [size × size × parts] by column; NULL: sparse */
  int *pivot;    /* [size] dense */
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
};

/* --- creation --- */

static void release(void *data) {
  struct trm_factors *own = data;
  own->with->release(&own->numeric, &own->common);
  klu_free_symbolic(&own->symbolic, &own->common);
}

trm_lu *trm_lu_create(trm_arena *arena, int size, int room, int parts, trm_linear linear) {
  trm_lu *lu = TRM_NEW(arena, trm_lu, 1);
  struct trm_factors *own = TRM_NEW(arena, struct trm_factors, 1);
  if (!lu || !own) return NULL;
  *lu = (trm_lu){.size = size, .parts = parts, .room = room, .own = own};
  lu->row = TRM_NEW(arena, int, room + 1);
  lu->column = TRM_NEW(arena, int, room + 1);
  lu->value = TRM_NEW(arena, double, parts *(room + 1));
  lu->left = TRM_NEW(arena, double, size + 1);
  lu->right = TRM_NEW(arena, double, size + 1);
  own->arena = arena;
  own->linear = linear;
  own->with = &numbers[parts - 1];
  own->start = TRM_NEW(arena, int, size + 1);
  own->row = TRM_NEW(arena, int, room + 1);
  own->A = TRM_NEW(arena, double, parts *(room + 1));
  own->at = TRM_NEW(arena, int, room + 1);
  klu_defaults(&own->common);
  own->common.btf = 0;
  own->common.ordering = 1; /* COLAMD: few entries whatever rows the pivots come from */
  own->common.scale = -1;   /* it is here */
  if (!trm_arena_defer(arena, release, own)) return NULL;
  bool made = lu->row && lu->column && lu->value && lu->left && lu->right && own->start &&
              own->row && own->A && own->at;
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

static bool prepare_dense(trm_lu *lu) {
  struct trm_factors *own = lu->own;
  size_t size = (size_t)lu->size;
  own->dense = TRM_NEW(own->arena, double, size *size *(size_t)lu->parts);
  own->pivot = TRM_NEW(own->arena, int, size);
  return own->dense && own->pivot;
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
  bool full = own->start[lu->size] > DENSE * lu->size * lu->size;
  if (own->linear == TRM_LINEAR_AUTO ? full : own->linear == TRM_LINEAR_DENSE)
    return prepare_dense(lu);
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

static bool factor_dense(trm_lu *lu) {
  struct trm_factors *own = lu->own;
  size_t size = (size_t)lu->size, bytes = (size_t)lu->parts * sizeof(double);
  int info;
  memset(own->dense, 0, size * size * bytes);
  for (size_t c = 0; c < size; c++)
    for (int e = own->start[c]; e < own->start[c + 1]; e++)
      memcpy((char *)own->dense + (c * size + (size_t)own->row[e]) * bytes,
             (char *)own->A + (size_t)e * bytes, bytes);
  own->with->dense_factor(&lu->size, &lu->size, own->dense, &lu->size, own->pivot, &info);
  return info == 0;
}

static bool factor_sparse(struct trm_factors *own) {
  klu_common *common = &own->common;
  bool good =
      own->numeric &&
      own->with->refactor(own->start, own->row, own->A, own->symbolic, own->numeric, common) &&
      own->with->growth(own->start, own->row, own->A, own->symbolic, own->numeric, common) &&
      common->rgrowth > LEAST_GROWTH;
  if (good) return true;
  klu_numeric *fresh = own->with->factor(own->start, own->row, own->A, own->symbolic, common);
  if (!fresh) return false; /* the pivots may do for the next one */
  own->with->release(&own->numeric, common);
  own->numeric = fresh;
  return true;
}

bool trm_lu_factor(trm_lu *lu) {
  if (lu->size == 0) return true;
  if (!gather(lu)) return false;
  return lu->own->dense ? factor_dense(lu) : factor_sparse(lu->own);
}

double trm_lu_least_pivot(const trm_lu *lu) {
  const struct trm_factors *own = lu->own;
  const double *pivot = own->dense ? own->dense : own->numeric ? own->numeric->Udiag : NULL;
  ptrdiff_t stride = own->dense ? lu->size + 1 : 1;
  double least = INFINITY;
  for (int i = 0; i < lu->size; i++) least = fmin(least, fabs(pivot[i * stride]));
  return least;
}

static void scale(const trm_lu *lu, const double *by, double *b) {
  for (int i = 0; i < lu->size; i++)
    for (int k = 0; k < lu->parts; k++) b[lu->parts * i + k] *= by[i];
}

void trm_lu_solve(trm_lu *lu, double *b) {
  struct trm_factors *own = lu->own;
  int one = 1, info;
  if (lu->size == 0) return;
  scale(lu, lu->left, b);
  if (own->dense)
    own->with->dense_solve("N", &lu->size, &one, own->dense, &lu->size, own->pivot, b, &lu->size,
                           &info, 1);
  else
    own->with->solve(own->symbolic, own->numeric, lu->size, 1, b, &own->common);
  scale(lu, lu->right, b);
}
