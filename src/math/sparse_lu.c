/* Sparse LU factors with the pivots of an earlier factorization, while these are good. */
#include <colamd.h>
#include <limits.h>
#include <string.h>

#include "math/sparse_lu_work.h"

#define LEAST_GROWTH 1e-6 /* of A's entries to U's: below, the pivots are chosen anew */

/* --- creation --- */

/* COLAMD: few entries whatever rows the pivots come from, as they do where a diagonal is zero. */
static bool find_order(trm_sparse_lu *lu) {
  trm_arena *scratch = trm_arena_create();
  int entries = lu->start[lu->size], told[COLAMD_STATS];
  size_t room = colamd_recommended(entries, lu->size, lu->size);
  int *pattern = scratch ? TRM_NEW(scratch, int, room + 1) : NULL;
  bool found = pattern && room > 0 && room <= INT_MAX;
  if (found) {
    memcpy(pattern, lu->index, (size_t)entries * sizeof(int));
    memcpy(lu->column, lu->start, (size_t)(lu->size + 1) * sizeof(int)); /* in, and the order out */
    found = colamd(lu->size, lu->size, (int)room, pattern, lu->column, NULL, told);
  }
  trm_arena_destroy(scratch);
  return found;
}

static bool create_triangle(trm_triangle *t, trm_arena *arena, int size, ptrdiff_t room,
                            int parts) {
  t->start = TRM_NEW(arena, ptrdiff_t, size + 1);
  return t->start && trm_triangle_enlarge(t, arena, 0, room, parts);
}

static bool create_arrays(trm_sparse_lu *lu, trm_arena *arena) {
  int **const list[] = {&lu->column, &lu->step,  &lu->pivot, &lu->wanted,   &lu->wanted_by,
                        &lu->mark,   &lu->order, &lu->stack, &lu->candidate};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (!(*list[i] = TRM_NEW(arena, int, lu->size + 1))) return false;
  lu->where = TRM_NEW(arena, ptrdiff_t, lu->size + 1);
  lu->inverse = TRM_NEW(arena, double, lu->parts *(lu->size + 1));
  lu->x = TRM_NEW(arena, double, lu->parts *(lu->size + 1));
  return lu->where && lu->inverse && lu->x;
}

trm_sparse_lu *trm_sparse_lu_create(trm_arena *arena, int size, const int *start, const int *index,
                                    int parts) {
  ptrdiff_t lower, upper;
  trm_sparse_lu *lu = TRM_NEW(arena, trm_sparse_lu, 1);
  if (!lu) return NULL;
  lu->arena = arena;
  lu->size = size;
  lu->parts = parts;
  lu->start = start;
  lu->index = index;
  bool made = create_arrays(lu, arena) && find_order(lu) &&
              trm_sparse_lu_room(size, start, index, lu->column, &lower, &upper) &&
              create_triangle(&lu->L, arena, size, lower, parts) &&
              create_triangle(&lu->U, arena, size, upper, parts);
  return made ? lu : NULL;
}

/* --- the pivots as they were --- */

static inline bool refactor(trm_sparse_lu *lu, int parts, const double *value) {
  bool good = true;
  lu->growth = 1;
  for (int k = 0; k < lu->size && good; k++) {
    double of_A = trm_scatter(lu, parts, value, k, lu->step), of_U = 0;
    ptrdiff_t end = lu->U.start[k + 1];
    for (ptrdiff_t e = lu->U.start[k]; e < end; e++) {
      int step = lu->U.row[e];
      of_U = trm_larger(of_U, trm_eliminate(lu, parts, e, step, step));
    }
    good = trm_divide(lu, parts, k, k, of_A, of_U);
  }
  return good && lu->growth > LEAST_GROWTH;
}

bool trm_sparse_lu_factor(trm_sparse_lu *lu, const double *value) {
  bool good = lu->chosen && (lu->parts == 1 ? refactor(lu, 1, value) : refactor(lu, 2, value));
  if (!good) lu->chosen = trm_sparse_lu_choose(lu, value);
  return lu->chosen;
}

/* --- what they are for --- */

double trm_sparse_lu_least_pivot(const trm_sparse_lu *lu) {
  double largest = 0;
  for (int k = 0; k < lu->size; k++)
    largest = trm_larger(largest, trm_size_of(lu->parts, lu->inverse + (ptrdiff_t)lu->parts * k));
  return 1 / largest;
}

static inline void solve(trm_sparse_lu *lu, int parts, double *b) {
  double *x = lu->x;
  for (int i = 0; i < lu->size; i++)
    trm_take(parts, b + (ptrdiff_t)parts * i, x + (ptrdiff_t)parts * lu->step[i]);
  for (int k = 0; k < lu->size; k++) trm_subtract(parts, &lu->L, k, x + (ptrdiff_t)parts * k, x);
  for (int k = lu->size - 1; k >= 0; k--) {
    double *at = x + (ptrdiff_t)parts * k;
    trm_multiply(parts, at, lu->inverse + (ptrdiff_t)parts * k);
    trm_subtract(parts, &lu->U, k, at, x);
    trm_take(parts, at, b + (ptrdiff_t)parts * lu->column[k]);
  }
}

void trm_sparse_lu_solve(trm_sparse_lu *lu, double *b) {
  if (lu->parts == 1)
    solve(lu, 1, b);
  else
    solve(lu, 2, b);
}
