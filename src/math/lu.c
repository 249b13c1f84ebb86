/* LU factors, dense and sparse. */
#include "math/lu.h"

#include <klu.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/lapack.h"

#define LEAST_GROWTH 1e-6 /* reciprocal pivot growth below which the pivots are chosen anew */

struct sparse {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int *start; /* [size + 1] of the columns */
  int *row;   /* [nonzeros] */
};

static void release(void *data) {
  struct sparse *own = data;
  klu_free_numeric(&own->numeric, &own->common);
  klu_free_symbolic(&own->symbolic, &own->common);
}

trm_lu *trm_lu_create(trm_arena *arena, int size, int room, bool sparse) {
  trm_lu *lu = TRM_NEW(arena, trm_lu, 1);
  if (!lu) return NULL;
  lu->size = size;
  lu->room = room;
  lu->row = TRM_NEW(arena, int, room);
  lu->column = TRM_NEW(arena, int, room);
  lu->value = TRM_NEW(arena, double, room);
  lu->at = TRM_NEW(arena, int, room);
  lu->A = TRM_NEW(arena, double, sparse ? room : size *size);
  if (!lu->row || !lu->column || !lu->value || !lu->at || !lu->A) return NULL;
  if (!sparse) return (lu->pivot = TRM_NEW(arena, int, size)) ? lu : NULL;
  struct sparse *own = lu->own = TRM_NEW(arena, struct sparse, 1);
  if (!own) return NULL;
  own->start = TRM_NEW(arena, int, size + 1);
  own->row = TRM_NEW(arena, int, room);
  klu_defaults(&own->common);
  return own->start && own->row && trm_arena_defer(arena, release, own) ? lu : NULL;
}

int trm_lu_add(trm_lu *lu, int row, int column) {
  lu->row[lu->entries] = row;
  lu->column[lu->entries] = column;
  return lu->entries++;
}

/* Entries sorted by column, equal places made one: `order` has them by row first. */
static void compress(trm_lu *lu, const int *order) {
  struct sparse *own = lu->own;
  int count = 0, last = -1;
  for (int k = 0; k < lu->entries; k++) {
    int e = order[k], column = lu->column[e];
    bool same = last >= 0 && lu->row[last] == lu->row[e] && lu->column[last] == column;
    if (!same) own->row[count++] = lu->row[e];
    lu->at[e] = count - 1;
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

static bool analyze(trm_lu *lu) {
  struct sparse *own = lu->own;
  trm_arena *scratch = trm_arena_create();
  int *by_row = scratch ? TRM_NEW(scratch, int, lu->entries + 1) : NULL;
  int *order = scratch ? TRM_NEW(scratch, int, lu->entries + 1) : NULL;
  int *place = scratch ? TRM_NEW(scratch, int, lu->size + 1) : NULL;
  if (by_row && order && place) {
    sort_by(lu->entries, lu->size, lu->row, NULL, by_row, place);
    sort_by(lu->entries, lu->size, lu->column, by_row, order, place);
    compress(lu, order);
    own->symbolic = klu_analyze(lu->size, own->start, own->row, &own->common);
  }
  trm_arena_destroy(scratch);
  return own->symbolic != NULL;
}

bool trm_lu_prepare(trm_lu *lu) {
  if (lu->own) return analyze(lu);
  for (int e = 0; e < lu->entries; e++) lu->at[e] = lu->column[e] * lu->size + lu->row[e];
  return true;
}

static void gather(trm_lu *lu) {
  int count = lu->own ? lu->own->start[lu->size] : lu->size * lu->size;
  memset(lu->A, 0, (size_t)count * sizeof(double));
  for (int e = 0; e < lu->entries; e++) lu->A[lu->at[e]] += lu->value[e];
}

/* The old pivots will do. */
static bool refactor(trm_lu *lu) {
  struct sparse *own = lu->own;
  klu_common *common = &own->common;
  if (!own->numeric) return false;
  if (!klu_refactor(own->start, own->row, lu->A, own->symbolic, own->numeric, common)) return false;
  if (common->status != KLU_OK) return false;
  klu_rgrowth(own->start, own->row, lu->A, own->symbolic, own->numeric, common);
  return common->rgrowth > LEAST_GROWTH;
}

static bool factor_sparse(trm_lu *lu) {
  struct sparse *own = lu->own;
  if (refactor(lu)) return true;
  klu_free_numeric(&own->numeric, &own->common);
  own->numeric = klu_factor(own->start, own->row, lu->A, own->symbolic, &own->common);
  return own->numeric && own->common.status == KLU_OK;
}

void trm_lu_renew(trm_lu *lu) {
  if (!lu->own) return;
  lu->own->common.tol = 1;
  if (lu->own->numeric) klu_free_numeric(&lu->own->numeric, &lu->own->common);
}

bool trm_lu_factor(trm_lu *lu) {
  int info;
  gather(lu);
  if (lu->own) return factor_sparse(lu);
  dgetrf_(&lu->size, &lu->size, lu->A, &lu->size, lu->pivot, &info);
  return info == 0;
}

double trm_lu_least_pivot(trm_lu *lu) {
  double least = INFINITY, largest = 0;
  if (lu->own) {
    klu_rcond(lu->own->symbolic, lu->own->numeric, &lu->own->common);
    return lu->own->common.rcond;
  }
  for (ptrdiff_t i = 0; i < lu->size; i++) {
    double pivot = fabs(lu->A[i * lu->size + i]);
    least = fmin(least, pivot);
    largest = fmax(largest, pivot);
  }
  return least / largest;
}

void trm_lu_solve(trm_lu *lu, double *b) {
  struct sparse *own = lu->own;
  int one = 1, info;
  if (own)
    klu_solve(own->symbolic, own->numeric, lu->size, 1, b, &own->common);
  else
    dgetrs_("N", &lu->size, &one, lu->A, &lu->size, lu->pivot, b, &lu->size, &info, 1);
}
