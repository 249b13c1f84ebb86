/* LU factors, dense and sparse. */
#include "math/lu.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/lapack.h"
#include "math/sparse_lu.h"

struct sparse {
  trm_arena *arena;
  trm_sparse_lu *factors;
  int *start;    /* [size + 1] of the columns */
  int *row;      /* [nonzeros] */
  double *scale; /* [size] of the rows, to a largest entry of one */
};

trm_lu *trm_lu_create(trm_arena *arena, int size, int room, bool sparse) {
  trm_lu *lu = TRM_NEW(arena, trm_lu, 1);
  if (!lu) return NULL;
  lu->size = size;
  lu->room = room;
  lu->row = TRM_NEW(arena, int, room);
  lu->column = TRM_NEW(arena, int, room);
  lu->value = TRM_NEW(arena, double, room);
  lu->at = TRM_NEW(arena, size_t, room);
  lu->A = TRM_NEW(arena, double, sparse ? (size_t)room : (size_t)size *(size_t)size);
  if (!lu->row || !lu->column || !lu->value || !lu->at || !lu->A) return NULL;
  if (!sparse) return (lu->pivot = TRM_NEW(arena, int, size)) ? lu : NULL;
  struct sparse *own = lu->own = TRM_NEW(arena, struct sparse, 1);
  if (!own) return NULL;
  own->start = TRM_NEW(arena, int, size + 1);
  own->row = TRM_NEW(arena, int, room);
  own->scale = TRM_NEW(arena, double, size + 1);
  own->arena = arena;
  return own->start && own->row && own->scale ? lu : NULL;
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
    lu->at[e] = (size_t)(count - 1);
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
    own->factors = trm_sparse_lu_create(own->arena, lu->size, own->start, own->row, 1);
  }
  trm_arena_destroy(scratch);
  return own->factors != NULL;
}

bool trm_lu_prepare(trm_lu *lu) {
  if (lu->own) return analyze(lu);
  for (int e = 0; e < lu->entries; e++)
    lu->at[e] = (size_t)lu->column[e] * (size_t)lu->size + (size_t)lu->row[e];
  return true;
}

static void gather(trm_lu *lu) {
  size_t size = (size_t)lu->size, count = lu->own ? (size_t)lu->own->start[size] : size * size;
  memset(lu->A, 0, count * sizeof(double));
  for (int e = 0; e < lu->entries; e++) lu->A[lu->at[e]] += lu->value[e];
}

static void scale_rows(trm_lu *lu) {
  const struct sparse *own = lu->own;
  int count = own->start[lu->size];
  double *scale = own->scale;
  memset(scale, 0, (size_t)lu->size * sizeof(double));
  for (int e = 0; e < count; e++) scale[own->row[e]] = fmax(scale[own->row[e]], fabs(lu->A[e]));
  for (int r = 0; r < lu->size; r++) scale[r] = scale[r] > 0 ? 1 / scale[r] : 1;
  for (int e = 0; e < count; e++) lu->A[e] *= scale[own->row[e]];
}

static bool factor_sparse(trm_lu *lu) {
  scale_rows(lu);
  return trm_sparse_lu_factor(lu->own->factors, lu->A);
}

bool trm_lu_factor(trm_lu *lu) {
  int info;
  gather(lu);
  if (lu->own) return factor_sparse(lu);
  dgetrf_(&lu->size, &lu->size, lu->A, &lu->size, lu->pivot, &info);
  return info == 0;
}

void trm_lu_solve(trm_lu *lu, double *b) {
  struct sparse *own = lu->own;
  int one = 1, info;
  if (!own) {
    dgetrs_("N", &lu->size, &one, lu->A, &lu->size, lu->pivot, b, &lu->size, &info, 1);
    return;
  }
  for (int i = 0; i < lu->size; i++) b[i] *= own->scale[i];
  trm_sparse_lu_solve(own->factors, b);
}
