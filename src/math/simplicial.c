/* L D Lᵀ row by row: the pattern of L once, by the elimination tree, its values each time. */
#include "math/simplicial.h"

#include "math/rank.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/double2.h"
#include "math/ordering.h"
#include "math/simplicial_pattern.h"

/* As in skyline.c. */

/* Rows in a profile: below this a skyline is narrow. */
enum { narrow = 64 };
/* Operations of a skyline for one here, where each is looked up: measured. */
static const double worth = 3;

/* ---- whether it is cheaper ---- */

/* Operations of the skyline of all rows but the blocks' intrinsic ones; width: root mean square */
static double skyline_operations(const trm_structure *s, int *place, double *width) {
  int intrinsic = s->intrinsic * s->blocks, count = 0;
  double squares = 0;
  for (int i = 0; i < s->m; i++) /* place holds the order */
    if (place[i] >= intrinsic) place[count++] = place[i];
  int *of = place + s->m, *first = of + s->m;
  for (int i = 0; i < count; i++) first[of[place[i]] = i] = i;
  for (int b = 0; b < s->blocks; b++) {
    int lowest = s->m;
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      if (s->panel_row[p] >= intrinsic && of[s->panel_row[p]] < lowest)
        lowest = of[s->panel_row[p]];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      if (s->panel_row[p] >= intrinsic && lowest < first[of[s->panel_row[p]]])
        first[of[s->panel_row[p]]] = lowest;
  }
  for (int i = 0; i < count; i++) squares += (double)(i - first[i]) * (i - first[i]);
  *width = count > 0 ? sqrt(squares / count) : 0;
  return squares;
}

bool trm_simplicial_is_cheaper(const trm_structure *s) {
  trm_arena *scratch = trm_arena_create();
  int *room = scratch ? TRM_NEW(scratch, int, 3 * (size_t)s->m + 3) : NULL;
  trm_row_pattern pattern;
  double width = 0;
  bool cheaper = false;
  if (room && trm_ordering_reduce(s, room)) {
    double operations = skyline_operations(s, room, &width);
    cheaper = width > narrow && trm_row_pattern_find(&pattern, scratch, s) &&
              operations > worth * pattern.operations;
  }
  trm_arena_destroy(scratch);
  return cheaper;
}

/* ---- pattern ---- */

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* K's lower part by place; false: out of memory */
static bool lay_out_K(trm_simplicial *k, trm_arena *arena, const trm_row_pattern *pattern,
                      const int *place) {
  int m = k->size, at = 0;
  k->k_start = TRM_NEW(arena, int, m + 1);
  k->k_column = TRM_NEW(arena, int, pattern->start[m] + 1);
  if (!k->k_start || !k->k_column) return false;
  for (int i = 0; i < m; i++) {
    int row = k->order[i];
    for (int t = pattern->start[row]; t < pattern->start[row + 1]; t++)
      if (place[pattern->neighbour[t]] <= i) k->k_column[at++] = place[pattern->neighbour[t]];
    k->k_start[i + 1] = at;
    qsort(k->k_column + k->k_start[i], (size_t)(at - k->k_start[i]), sizeof(int), compare);
  }
  k->K = TRM_NEW(arena, double, at + 1);
  return k->K != NULL;
}

static int find_entry(const trm_simplicial *k, int i, int j) {
  const int *columns = k->k_column + k->k_start[i];
  const int *found =
      bsearch(&j, columns, (size_t)(k->k_start[i + 1] - k->k_start[i]), sizeof(int), compare);
  return (int)(found - k->k_column);
}

static bool lay_out_positions(trm_simplicial *k, trm_arena *arena, const trm_structure *s) {
  long long pairs = 0;
  for (int b = 0; b < s->blocks; b++)
    pairs += (long long)trm_panel_rows(s, b) * (trm_panel_rows(s, b) + 1) / 2;
  int *position = TRM_NEW(arena, int, pairs + 1);
  k->position = position;
  if (!position || pairs > INT_MAX) return false;
  for (int b = 0; b < s->blocks; b++)
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
      for (int c = s->panel_start[b]; c <= r; c++) {
        int i = k->panel_place[r], j = k->panel_place[c];
        *position++ = i > j ? find_entry(k, i, j) : find_entry(k, j, i);
      }
  return true;
}

/* parent [m]: the first row below the diagonal of each column of L; −1: none (Liu) */
static void find_tree(const trm_simplicial *k, int *parent, int *ancestor) {
  for (int i = 0; i < k->size; i++) {
    parent[i] = ancestor[i] = -1;
    for (int t = k->k_start[i]; t < k->k_start[i + 1] - 1; t++)
      for (int j = k->k_column[t]; j >= 0 && j < i;) {
        int next = ancestor[j];
        ancestor[j] = i;
        if (next < 0) parent[j] = i;
        j = next;
      }
  }
}

/* Columns of row i of L: what its entries of K reach up the tree. */
static int reach(const trm_simplicial *k, int i, const int *parent, int *seen, int *columns) {
  int count = 0;
  seen[i] = i + 1;
  for (int t = k->k_start[i]; t < k->k_start[i + 1] - 1; t++)
    for (int j = k->k_column[t]; seen[j] != i + 1; j = parent[j]) {
      seen[j] = i + 1;
      columns[count++] = j;
    }
  return count;
}

static bool lay_out_L(trm_simplicial *k, trm_arena *arena) {
  int m = k->size;
  trm_arena *scratch = trm_arena_create();
  int *parent = scratch ? TRM_NEW(scratch, int, m + 1) : NULL;
  int *seen = scratch ? TRM_NEW(scratch, int, m + 1) : NULL;
  int *columns = scratch ? TRM_NEW(scratch, int, m + 1) : NULL;
  k->row_start = TRM_NEW(arena, int, m + 1);
  k->column_start = TRM_NEW(arena, int, m + 2);
  long long total = 0;
  bool good = parent && seen && columns && k->row_start && k->column_start;
  if (good) find_tree(k, parent, seen);
  if (good) memset(seen, 0, (size_t)m * sizeof *seen);
  for (int i = 0; i < m && good; i++) {
    int count = reach(k, i, parent, seen, columns);
    for (int t = 0; t < count; t++) k->column_start[columns[t] + 1]++;
    good = (total += count) <= INT_MAX;
    k->row_start[i + 1] = (int)total;
  }
  k->row_column = good ? TRM_NEW(arena, int, total + 1) : NULL;
  k->column_row = good ? TRM_NEW(arena, int, total + 1) : NULL;
  k->L = good ? TRM_NEW(arena, double, total + 1) : NULL;
  good = k->row_column && k->column_row && k->L;
  if (good) memset(seen, 0, (size_t)m * sizeof *seen);
  for (int i = 0; i < m && good; i++) {
    int *row = k->row_column + k->row_start[i], count = reach(k, i, parent, seen, row);
    qsort(row, (size_t)count, sizeof *row, compare);
    k->column_start[i + 1] += k->column_start[i];
  }
  trm_arena_destroy(scratch);
  return good;
}

static bool place_rows(trm_simplicial *k, trm_arena *arena, const trm_structure *s, int *place) {
  int *panel_place = TRM_NEW(arena, int, s->panel_start[s->blocks] + 1);
  if (!panel_place) return false;
  for (int i = 0; i < s->m; i++) place[k->order[i]] = i;
  for (int p = 0; p < s->panel_start[s->blocks]; p++) panel_place[p] = place[s->panel_row[p]];
  k->panel_place = panel_place;
  return true;
}

static bool lay_out(trm_simplicial *k, trm_arena *arena, trm_arena *scratch,
                    const trm_structure *s) {
  trm_row_pattern pattern;
  int *place = TRM_NEW(scratch, int, s->m + 1), *order = TRM_NEW(arena, int, s->m + 1);
  if (!place || !order || !trm_row_pattern_find(&pattern, scratch, s)) return false;
  memcpy(order, pattern.order, (size_t)s->m * sizeof *order);
  k->order = order;
  return place_rows(k, arena, s, place) && lay_out_K(k, arena, &pattern, place) &&
         lay_out_positions(k, arena, s) && lay_out_L(k, arena);
}

trm_simplicial *trm_simplicial_create(trm_arena *arena, const trm_structure *s) {
  trm_simplicial *k = TRM_NEW(arena, trm_simplicial, 1);
  trm_arena *scratch = trm_arena_create();
  bool made = k && scratch;
  if (made) {
    k->size = s->m;
    k->pivot_inverse = TRM_NEW(arena, double, s->m + 1);
    k->omitted = TRM_NEW(arena, bool, s->m + 1);
    k->x = TRM_NEW(arena, double, s->m + 1);
    k->next = TRM_NEW(arena, int, s->m + 1);
    made = k->pivot_inverse && k->omitted && k->x && k->next && lay_out(k, arena, scratch, s);
  }
  trm_arena_destroy(scratch);
  return made ? k : NULL;
}

void trm_simplicial_omit(trm_simplicial *k, const bool *rows) {
  for (int i = 0; i < k->size; i++) k->omitted[i] = rows[k->order[i]];
}

/* ---- values ---- */

void trm_simplicial_assemble(trm_simplicial *k, const trm_structure *s, const double *W) {
  const int *position = k->position;
  memset(k->K, 0, (size_t)k->k_start[k->size] * sizeof *k->K);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const double *Wb = W + s->panel_value[b];
    for (int r = 0; r < rows; r++)
      for (int c = 0; c <= r; c++)
        k->K[*position++] += trm_pair_dot(width, Wb + r * width, Wb + c * width);
  }
}

/* Row i of L, and what is left of its diagonal. */
static double reduce_row(trm_simplicial *k, int i, double pivot) {
  double *restrict x = k->x;
  for (int t = k->k_start[i]; t < k->k_start[i + 1] - 1; t++) x[k->k_column[t]] = k->K[t];
  for (int t = k->row_start[i]; t < k->row_start[i + 1]; t++) {
    int j = k->row_column[t], end = k->next[j];
    double y = x[j], l = y * k->pivot_inverse[j];
    x[j] = 0;
    for (int p = k->column_start[j]; p < end; p++) x[k->column_row[p]] -= k->L[p] * y;
    pivot -= y * l;
    k->column_row[end] = i;
    k->L[end] = l;
    k->next[j]++;
  }
  return pivot;
}

double trm_simplicial_factor(trm_simplicial *k) {
  double part = 1;
  memcpy(k->next, k->column_start, (size_t)k->size * sizeof *k->next);
  for (int i = 0; i < k->size; i++) {
    double diagonal = k->K[k->k_start[i + 1] - 1], pivot = reduce_row(k, i, diagonal);
    bool lost = pivot <= TRM_PIVOT_LOST * diagonal; /* false for NaN: it passes on */
    k->pivot_inverse[i] = k->omitted[i] || lost ? 0 : 1 / pivot;
    if (k->omitted[i]) continue;
    if (pivot < part * diagonal || lost) part = lost ? 0 : pivot / diagonal;
  }
  return part;
}

void trm_simplicial_solve(const trm_simplicial *k, double *b) {
  for (int j = 0; j < k->size; j++) {
    double bj = b[j];
    for (int p = k->column_start[j]; p < k->column_start[j + 1]; p++)
      b[k->column_row[p]] -= k->L[p] * bj;
  }
  for (int i = 0; i < k->size; i++) b[i] *= k->pivot_inverse[i];
  for (int j = k->size - 1; j >= 0; j--) {
    double sum = b[j];
    for (int p = k->column_start[j]; p < k->column_start[j + 1]; p++)
      sum -= k->L[p] * b[k->column_row[p]];
    b[j] = sum;
  }
}
