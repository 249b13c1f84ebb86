/* Sparse LU factors with pivots chosen anew, column by column (Gilbert and Peierls, 1988): a
 * diagonal entry that is not much smaller than the largest of its column is preferred, since it
 * keeps the pattern of A. */
#include "math/sparse_lu_work.h"

#define THRESHOLD 1e-3 /* of the largest entry */

/* A row is seen: a candidate, or one whose step has rows to be seen, too. */
static bool visit(trm_sparse_lu *lu, int row, int k, int *candidates) {
  if (lu->mark[row] == k) return false;
  lu->mark[row] = k;
  if (lu->step[row] >= 0) return true;
  lu->candidate[(*candidates)++] = row;
  return false;
}

/* The steps that change what `row` begins, before those in `order` already: depth first. */
static int search(trm_sparse_lu *lu, int row, int k, int top, int *candidates) {
  int depth = 0;
  if (!visit(lu, row, k, candidates)) return top;
  lu->stack[0] = lu->step[row];
  lu->where[0] = lu->L.start[lu->stack[0]];
  while (depth >= 0) {
    int at = lu->stack[depth];
    if (lu->where[depth] == lu->L.start[at + 1]) {
      lu->order[--top] = at;
      depth--;
      continue;
    }
    int next = lu->L.row[lu->where[depth]++];
    if (!visit(lu, next, k, candidates)) continue;
    lu->stack[++depth] = lu->step[next];
    lu->where[depth] = lu->L.start[lu->stack[depth]];
  }
  return top;
}

static double size_at(const trm_sparse_lu *lu, int row) {
  return trm_size_of(lu->parts, lu->x + (ptrdiff_t)lu->parts * row);
}

/* The row that is wanted, or the one with the largest entry; −1: all are zero. */
static int choose_row(const trm_sparse_lu *lu, int k, int candidates) {
  int best = -1, wanted = lu->wanted[k];
  double largest = 0;
  for (int i = 0; i < candidates; i++) {
    double size = size_at(lu, lu->candidate[i]);
    if (!(size > largest)) continue;
    largest = size;
    best = lu->candidate[i];
  }
  bool keeps = best >= 0 && lu->mark[wanted] == k && size_at(lu, wanted) >= THRESHOLD * largest;
  return keeps ? wanted : best;
}

/* Whoever wanted the row gets the one that is left over here. */
static void claim(trm_sparse_lu *lu, int row, int k) {
  int other = lu->wanted_by[row], left = lu->wanted[k];
  lu->wanted[other] = left;
  lu->wanted_by[left] = other;
  lu->step[row] = k;
  lu->pivot[k] = row;
}

/* Larger arrays where the room was a guess: the only memory that is taken after creation. */
static bool fits(trm_sparse_lu *lu, trm_triangle *t, int k, int more) {
  ptrdiff_t used = t->start[k], needed = used + more;
  if (needed <= t->room) return true;
  return trm_triangle_enlarge(t, lu->arena, used, needed + t->room, lu->parts);
}

static bool factor_column(trm_sparse_lu *lu, const double *value, int k) {
  int c = lu->column[k], candidates = 0, top = lu->size, parts = lu->parts;
  ptrdiff_t u = lu->U.start[k], l = lu->L.start[k];
  double of_U = 0;
  for (int e = lu->start[c]; e < lu->start[c + 1]; e++)
    top = search(lu, lu->index[e], k, top, &candidates);
  if (!fits(lu, &lu->U, k, lu->size - top) || !fits(lu, &lu->L, k, candidates - 1)) return false;
  double of_A = trm_scatter(lu, parts, value, k, NULL);
  for (int i = top; i < lu->size; i++, u++) {
    int step = lu->U.row[u] = lu->order[i];
    of_U = trm_larger(of_U, trm_eliminate(lu, parts, u, step, lu->pivot[step]));
  }
  lu->U.start[k + 1] = u;
  int row = choose_row(lu, k, candidates);
  for (int i = 0; i < candidates; i++)
    if (lu->candidate[i] != row) lu->L.row[l++] = lu->candidate[i];
  lu->L.start[k + 1] = l;
  if (row >= 0) claim(lu, row, k);
  return trm_divide(lu, parts, k, row, of_A, of_U);
}

bool trm_sparse_lu_choose(trm_sparse_lu *lu, const double *value) {
  bool good = true;
  for (int k = 0; k < lu->size; k++) {
    lu->step[k] = lu->mark[k] = -1;
    lu->wanted[k] = lu->column[k];
    lu->wanted_by[lu->column[k]] = k;
  }
  for (int k = 0; k < lu->size && good; k++) good = factor_column(lu, value, k);
  for (ptrdiff_t e = 0; good && e < lu->L.start[lu->size]; e++)
    lu->L.row[e] = lu->step[lu->L.row[e]];
  return good;
}
