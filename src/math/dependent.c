/* Dependent coordinates by elimination along a front.
 *
 * A coordinate is on the front from the first row that touches it to the last one. All coordinates
 * on the front are linear in the candidates, z = G c: coordinates, on the front or left behind,
 * that no row has determined yet. A row over z is one over c; its largest entry becomes dependent
 * and is eliminated from G. Of candidates left behind only as many are kept as can move the front:
 * the others are independent for good. */
#include "math/dependent.h"

#include <math.h>
#include <string.h>

#include "math/ordering.h"
#include "math/row_groups.h"

/* Of a row's entries: less is round-off. */
static const double vanished = 1e-10;

typedef struct matrix {
  int rows, columns, stride;
  double *value;
} matrix;

struct trm_dependent {
  const trm_structure *structure;
  trm_row_groups groups;
  int *order;        /* [m] the row in each place */
  int *last;         /* [n] place of the last row that touches a coordinate */
  int *row_of;       /* [n] of G; −1: not on the front */
  int *on_front;     /* coordinate of each row of G */
  int *candidate;    /* coordinate of each column */
  matrix G, rest;    /* rest: what the choice of those to keep has not used up */
  double *r;         /* a row over the candidates */
  bool *kept, *used; /* columns, rows of `rest` */
};

/* ---- size ---- */

static int row_count(const trm_dependent *d, int row) {
  return d->groups.row_blocks.start[row + 1] - d->groups.row_blocks.start[row];
}

/* Coordinates on the front at most, whatever entries of Cq are zero; first, last [blocks] */
static int bound_front(const trm_dependent *d, const int *order, int *first, int *last) {
  const trm_structure *s = d->structure;
  const trm_lists *blocks = &d->groups.row_blocks;
  int size = 0, most = 0;
  for (int b = 0; b < s->blocks; b++) first[b] = s->m;
  for (int i = 0; i < s->m; i++)
    for (int t = blocks->start[order[i]]; t < blocks->start[order[i] + 1]; t++) {
      int b = blocks->item[t];
      if (first[b] > i) first[b] = i;
      last[b] = i;
    }
  for (int i = 0; i < s->m; i++) {
    const int *block = blocks->item + blocks->start[order[i]];
    int count = row_count(d, order[i]);
    for (int t = 0; t < count; t++)
      if (first[block[t]] == i) size += trm_block_width(s, block[t]);
    if (size > most) most = size;
    for (int t = 0; t < count; t++)
      if (last[block[t]] == i) size -= trm_block_width(s, block[t]);
  }
  return most;
}

/* Breadth first, or one subtree after the other: the one with the shorter front, whose bound it is;
 * −1: out of memory */
static int find_order(trm_dependent *d, trm_arena *scratch) {
  const trm_structure *s = d->structure;
  int *first = TRM_NEW(scratch, int, s->blocks + 1), *last = TRM_NEW(scratch, int, s->blocks + 1);
  int *deep = TRM_NEW(scratch, int, s->m + 1);
  if (!first || !last || !deep || !trm_ordering_reduce(s, d->order)) return -1;
  if (!trm_ordering_descend(&d->groups, deep)) return -1;
  int broad_front = bound_front(d, d->order, first, last);
  int deep_front = bound_front(d, deep, first, last);
  if (deep_front >= broad_front) return broad_front;
  memcpy(d->order, deep, (size_t)s->m * sizeof *deep);
  return deep_front;
}

static bool create_front(trm_dependent *d, trm_arena *arena, int most) {
  size_t rows = (size_t)most + 1, columns = 2 * (size_t)most + 1;
  d->G.value = TRM_NEW(arena, double, rows *columns);
  d->rest.value = TRM_NEW(arena, double, rows *columns);
  d->on_front = TRM_NEW(arena, int, rows);
  d->candidate = TRM_NEW(arena, int, columns);
  d->r = TRM_NEW(arena, double, columns);
  d->kept = TRM_NEW(arena, bool, columns);
  d->used = TRM_NEW(arena, bool, rows);
  return !trm_arena_failed(arena);
}

trm_dependent *trm_dependent_create(trm_arena *arena, const trm_structure *s) {
  trm_dependent *d = TRM_NEW(arena, trm_dependent, 1);
  trm_arena *scratch = trm_arena_create();
  bool made = d && scratch;
  if (made) {
    d->structure = s;
    d->order = TRM_NEW(arena, int, s->m + 1);
    d->last = TRM_NEW(arena, int, s->n + 1);
    d->row_of = TRM_NEW(arena, int, s->n + 1);
    made = d->order && d->last && d->row_of && trm_row_groups_find(&d->groups, arena, s);
    int most = made ? find_order(d, scratch) : -1;
    made = most >= 0 && create_front(d, arena, most);
  }
  trm_arena_destroy(scratch);
  return made ? d : NULL;
}

/* ---- the front ---- */

/* An entry of a row that is not zero. */
typedef struct entry {
  int t, i; /* which of the row's blocks, which of its coordinates; before the first: {0, −1} */
  int q;
  double value;
} entry;

static bool next_entry(const trm_dependent *d, const double *Cq, int row, entry *e) {
  const trm_lists *blocks = &d->groups.row_blocks;
  const trm_structure *s = d->structure;
  for (; e->t < row_count(d, row); e->t++, e->i = -1) {
    int at = blocks->start[row] + e->t, b = blocks->item[at];
    while (++e->i < trm_block_width(s, b)) {
      e->q = s->q_start[b] + e->i;
      e->value = Cq[d->groups.row_value[at] + e->i];
      if (e->value != 0) return true;
    }
  }
  return false;
}

static double *row_at(const matrix *a, int row) {
  return a->value + (size_t)row * (size_t)a->stride;
}

/* Places of last rows; the largest front there will be */
static int find_last(trm_dependent *d, const double *Cq, const bool *skip) {
  const trm_structure *s = d->structure;
  int size = 0, most = 0;
  for (int q = 0; q < s->n; q++) d->last[q] = d->row_of[q] = -1;
  for (int i = 0; i < s->m; i++)
    for (entry e = {0, -1, 0, 0}; !skip[d->order[i]] && next_entry(d, Cq, d->order[i], &e);)
      d->last[e.q] = i;
  for (int i = 0; i < s->m; i++) {
    int leaving = 0;
    for (entry e = {0, -1, 0, 0}; !skip[d->order[i]] && next_entry(d, Cq, d->order[i], &e);) {
      size += d->row_of[e.q] < 0;
      d->row_of[e.q] = 0;
      leaving += d->last[e.q] == i;
    }
    if (size > most) most = size;
    size -= leaving;
  }
  for (int q = 0; q < s->n; q++) d->row_of[q] = -1;
  return most;
}

/* A coordinate that was not touched before is a candidate. */
static void enter(trm_dependent *d, int q) {
  matrix *G = &d->G;
  int row = G->rows++, column = G->columns++;
  for (int i = 0; i < row; i++) row_at(G, i)[column] = 0;
  memset(row_at(G, row), 0, (size_t)G->columns * sizeof(double));
  row_at(G, row)[column] = 1;
  d->row_of[q] = row;
  d->on_front[row] = q;
  d->candidate[column] = q;
}

/* kept: not the candidates it was made of */
static void leave(trm_dependent *d, int q) {
  matrix *G = &d->G;
  int row = d->row_of[q], end = --G->rows;
  d->row_of[q] = -1;
  for (int c = 0; c < G->columns; c++) d->kept[c] &= row_at(G, row)[c] == 0;
  if (row == end) return;
  memcpy(row_at(G, row), row_at(G, end), (size_t)G->columns * sizeof(double));
  d->on_front[row] = d->on_front[end];
  d->row_of[d->on_front[row]] = row;
}

static void drop_candidate(trm_dependent *d, int column) {
  matrix *G = &d->G;
  int end = --G->columns;
  for (int i = 0; i < G->rows; i++) row_at(G, i)[column] = row_at(G, i)[end];
  d->candidate[column] = d->candidate[end];
}

/* r = the row over the candidates, its coordinates being on the front; the row's own size, since
 * determined coordinates are round-off in G */
static double express_row(trm_dependent *d, const double *Cq, const double *scale, int row) {
  const matrix *G = &d->G;
  double size = 0;
  for (entry e = {0, -1, 0, 0}; next_entry(d, Cq, row, &e);)
    if (d->row_of[e.q] < 0) enter(d, e.q);
  memset(d->r, 0, (size_t)G->columns * sizeof *d->r);
  for (entry e = {0, -1, 0, 0}; next_entry(d, Cq, row, &e);) {
    const double *z = row_at(G, d->row_of[e.q]);
    double value = e.value * scale[e.q];
    size = fmax(size, fabs(value));
    for (int c = 0; c < G->columns; c++) d->r[c] += value * z[c];
  }
  return size;
}

/* The largest of the row's entries is what the others make it; −1: it says nothing new */
static int eliminate(trm_dependent *d, double size) {
  matrix *G = &d->G;
  int p = -1;
  double largest = vanished * size;
  for (int c = 0; c < G->columns; c++)
    if (fabs(d->r[c]) > largest) largest = fabs(d->r[p = c]);
  if (p < 0) return -1;
  for (int i = 0; i < G->rows; i++) {
    double *z = row_at(G, i), f = z[p] / d->r[p];
    if (f == 0) continue;
    for (int c = 0; c < G->columns; c++) z[c] -= f * d->r[c];
  }
  int q = d->candidate[p];
  drop_candidate(d, p);
  return q;
}

/* ---- candidates left behind ---- */

static void drop_unkept(trm_dependent *d) {
  for (int c = d->G.columns - 1; c >= 0; c--)
    if (!d->kept[c]) drop_candidate(d, c);
}

/* Those that move no row of the front any more; kept: those that the rows just gone did not have.
 */
static void drop_unused(trm_dependent *d) {
  const matrix *G = &d->G;
  for (int c = 0; c < G->columns; c++)
    for (int i = 0; i < G->rows && !d->kept[c]; i++) d->kept[c] = row_at(G, i)[c] != 0;
  drop_unkept(d);
}

/* The largest entry of what is left, in a row that is not used; false: nothing is left */
static bool find_largest(const trm_dependent *d, int *row, int *column) {
  const matrix *A = &d->rest;
  double largest = 0;
  for (int i = 0; i < A->rows; i++)
    for (int c = 0; c < A->columns && !d->used[i]; c++)
      if (fabs(row_at(A, i)[c]) > largest) {
        largest = fabs(row_at(A, i)[c]);
        *row = i;
        *column = c;
      }
  return largest > 0;
}

/* No more than move the front, by the largest pivots of G. */
static void keep_best(trm_dependent *d) {
  matrix *A = &d->rest;
  int row, column;
  A->rows = d->G.rows;
  A->columns = d->G.columns;
  memcpy(A->value, d->G.value, (size_t)A->rows * (size_t)A->stride * sizeof(double));
  memset(d->kept, 0, (size_t)A->columns * sizeof *d->kept);
  memset(d->used, 0, (size_t)A->rows * sizeof *d->used);
  while (find_largest(d, &row, &column)) {
    const double *pivot = row_at(A, row);
    d->used[row] = d->kept[column] = true;
    for (int i = 0; i < A->rows; i++) {
      double *z = row_at(A, i), f = z[column] / pivot[column];
      if (d->used[i] || f == 0) continue;
      for (int c = 0; c < A->columns; c++) z[c] -= f * pivot[c];
      z[column] = 0;
    }
  }
  drop_unkept(d);
}

/* Coordinates that no later row touches. */
static void leave_behind(trm_dependent *d, const double *Cq, int place) {
  memset(d->kept, true, (size_t)d->G.columns * sizeof *d->kept);
  for (entry e = {0, -1, 0, 0}; next_entry(d, Cq, d->order[place], &e);)
    if (d->last[e.q] == place && d->row_of[e.q] >= 0) leave(d, e.q);
  drop_unused(d);
  if (d->G.columns > 2 * d->G.rows) keep_best(d);
}

int trm_dependent_choose(trm_dependent *d, const double *Cq, const double *scale, const bool *skip,
                         bool *dependent) {
  int count = 0;
  memset(dependent, 0, (size_t)d->structure->n * sizeof *dependent);
  d->G.stride = d->rest.stride = 2 * find_last(d, Cq, skip) + 1;
  d->G.rows = d->G.columns = 0;
  for (int i = 0; i < d->structure->m; i++) {
    if (skip[d->order[i]]) continue;
    int q = eliminate(d, express_row(d, Cq, scale, d->order[i]));
    if (q >= 0) dependent[q] = true;
    count += q >= 0;
    leave_behind(d, Cq, i);
  }
  return count;
}
