/* How many entries LU factors have at most, by George and Ng (1987): a row is merged with all those
 * that have their first entry in the same column, and what is left of them goes on to the next
 * column that any of them has. A dense row makes this all of U, which the factors are far from. */
#include <string.h>

#include "math/sparse_lu_work.h"

#define MOST_PER_ENTRY                                                                             \
  16 /* of A, in L or U: chains and windows have 1 to 3, nets of 30 × 30 have 9 */
#define GUESS_PER_ENTRY 2 /* where that is exceeded: hubs have 1 */

typedef struct merger {
  int *first;   /* [size] of each row: the step of its first column; −1: none yet */
  int *parent;  /* [size] the step that the rows of a step go on to; −1: none */
  int *mark;    /* [size] the last step that has passed */
  int *waiting; /* [size] rows of a step */
} merger;

/* The steps between a row's first and this one whose merged rows reach here: U's entries. */
static ptrdiff_t climb(merger *g, int from, int step) {
  ptrdiff_t count = 0;
  for (int k = from; g->mark[k] != step; k = g->parent[k]) {
    g->mark[k] = step;
    count++;
    if (g->parent[k] < 0) g->parent[k] = step;
  }
  return count;
}

static ptrdiff_t count_upper(merger *g, int size, const int *start, const int *index,
                             const int *column, ptrdiff_t most) {
  ptrdiff_t count = 0;
  for (int k = 0; k < size; k++) g->first[k] = g->parent[k] = g->mark[k] = -1;
  for (int k = 0; k < size && count <= most; k++) {
    g->mark[k] = k;
    for (int e = start[column[k]]; e < start[column[k] + 1]; e++) {
      int *first = &g->first[index[e]];
      if (*first >= 0) {
        count += climb(g, *first, k);
      } else {
        *first = k;
        g->waiting[k]++;
      }
    }
  }
  return count;
}

static ptrdiff_t count_lower(merger *g, int size) {
  ptrdiff_t count = 0;
  for (int k = 0; k < size; k++) {
    int rest = g->waiting[k] - 1; /* without the pivot's */
    if (rest <= 0) continue;
    count += rest;
    if (g->parent[k] >= 0) g->waiting[g->parent[k]] += rest;
  }
  return count;
}

bool trm_sparse_lu_room(int size, const int *start, const int *index, const int *column,
                        ptrdiff_t *lower, ptrdiff_t *upper) {
  trm_arena *scratch = trm_arena_create();
  merger g = {0};
  if (scratch) {
    g.first = TRM_NEW(scratch, int, size + 1);
    g.parent = TRM_NEW(scratch, int, size + 1);
    g.mark = TRM_NEW(scratch, int, size + 1);
    g.waiting = TRM_NEW(scratch, int, size + 1);
  }
  bool made = g.first && g.parent && g.mark && g.waiting;
  if (made) {
    ptrdiff_t entries = start[size], most = MOST_PER_ENTRY * entries + size;
    *upper = count_upper(&g, size, start, index, column, most);
    *lower = count_lower(&g, size);
    if (*upper > most || *lower > most) *upper = *lower = GUESS_PER_ENTRY * entries + size;
  }
  trm_arena_destroy(scratch);
  return made;
}

bool trm_triangle_enlarge(trm_triangle *t, trm_arena *arena, ptrdiff_t used, ptrdiff_t room,
                          int parts) {
  /* one more: a column without a pivot has all its candidates in L before it is told as singular */
  int *row = TRM_NEW(arena, int, room + 1);
  double *value = row ? TRM_NEW(arena, double, parts *(room + 1)) : NULL;
  if (!value) return false;
  if (used > 0) {
    memcpy(row, t->row, (size_t)used * sizeof(int));
    memcpy(value, t->value, (size_t)(parts * used) * sizeof(double));
  }
  t->row = row;
  t->value = value;
  t->room = room;
  return true;
}
