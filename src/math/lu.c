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
  int *start; /* [size + 1] of the columns */
  int *row;   /* [nonzeros] */
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
  lu->row_scale = TRM_NEW(arena, double, size + 1);
  lu->column_scale = TRM_NEW(arena, double, size + 1);
  if (!lu->row || !lu->column || !lu->value || !lu->at || !lu->A || !lu->row_scale ||
      !lu->column_scale)
    return NULL;
  if (!sparse) return (lu->pivot = TRM_NEW(arena, int, size)) ? lu : NULL;
  struct sparse *own = lu->own = TRM_NEW(arena, struct sparse, 1);
  if (!own) return NULL;
  own->start = TRM_NEW(arena, int, size + 1);
  own->row = TRM_NEW(arena, int, room);
  own->arena = arena;
  return own->start && own->row ? lu : NULL;
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

/* To a largest entry of one in each row, then in each column: pivots do not depend on units. The
 * places of A by column: begin … end − 1 of column c. */
typedef struct column {
  size_t begin, end;
} column;

static column column_of(const trm_lu *lu, int c) {
  size_t size = (size_t)lu->size, at = (size_t)c;
  if (!lu->own) return (column){at * size, (at + 1) * size};
  return (column){(size_t)lu->own->start[c], (size_t)lu->own->start[c + 1]};
}

static int row_of(const trm_lu *lu, const column *c, size_t at) {
  return lu->own ? lu->own->row[at] : (int)(at - c->begin);
}

static void invert(int count, double *scale) {
  for (int i = 0; i < count; i++) scale[i] = scale[i] > 0 ? 1 / scale[i] : 1;
}

static void equilibrate(trm_lu *lu) {
  double *rows = lu->row_scale, *columns = lu->column_scale;
  memset(rows, 0, (size_t)lu->size * sizeof *rows);
  memset(columns, 0, (size_t)lu->size * sizeof *columns);
  for (int c = 0; c < lu->size; c++) {
    column of = column_of(lu, c);
    for (size_t e = of.begin; e < of.end; e++) {
      double *row = &rows[row_of(lu, &of, e)];
      *row = fmax(*row, fabs(lu->A[e]));
    }
  }
  invert(lu->size, rows);
  for (int c = 0; c < lu->size; c++) {
    column of = column_of(lu, c);
    for (size_t e = of.begin; e < of.end; e++) {
      lu->A[e] *= rows[row_of(lu, &of, e)];
      columns[c] = fmax(columns[c], fabs(lu->A[e]));
    }
  }
  invert(lu->size, columns);
  for (int c = 0; c < lu->size; c++) {
    column of = column_of(lu, c);
    for (size_t e = of.begin; e < of.end; e++) lu->A[e] *= columns[c];
  }
}

bool trm_lu_factor(trm_lu *lu) {
  int info;
  gather(lu);
  equilibrate(lu);
  if (lu->own) return trm_sparse_lu_factor(lu->own->factors, lu->A);
  dgetrf_(&lu->size, &lu->size, lu->A, &lu->size, lu->pivot, &info);
  return info == 0;
}

void trm_lu_solve(trm_lu *lu, double *b) {
  int one = 1, info;
  for (int i = 0; i < lu->size; i++) b[i] *= lu->row_scale[i];
  if (lu->own)
    trm_sparse_lu_solve(lu->own->factors, b);
  else
    dgetrs_("N", &lu->size, &one, lu->A, &lu->size, lu->pivot, b, &lu->size, &info, 1);
  for (int i = 0; i < lu->size; i++) b[i] *= lu->column_scale[i];
}
