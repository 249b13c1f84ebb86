/* Skyline storage: which row is where, laid out once. */
#include "math/ordering.h"
#include "math/skyline.h"

#include <limits.h>
#include <math.h>

/* Rows worth a thread. */
enum { least_part = 256 };

static int least(int a, int b) {
  return a < b ? a : b;
}

static void place_panels(trm_skyline *k, const trm_structure *s, int *place, int *panel_place) {
  for (int i = 0; i < s->m; i++) place[k->order[i]] = i;
  for (int p = 0; p < s->panel_start[s->blocks]; p++) panel_place[p] = place[s->panel_row[p]];
  k->panel_place = panel_place;
}

/* A row's profile begins with the first row it shares a block with. skip: rows of each panel that
 * are not counted */
static void find_profile(const trm_structure *s, int skip, const int *panel_place, int *first) {
  for (int i = 0; i < s->m; i++) first[i] = i;
  for (int b = 0; b < s->blocks; b++) {
    int lowest = s->m, begin = s->panel_start[b] + skip, end = s->panel_start[b + 1];
    for (int p = begin; p < end; p++) lowest = least(lowest, panel_place[p]);
    for (int p = begin; p < end; p++) first[panel_place[p]] = least(first[panel_place[p]], lowest);
  }
}

double trm_skyline_operations(const trm_structure *s, double *width) {
  trm_arena *scratch = trm_arena_create();
  int intrinsic = s->intrinsic * s->blocks, touches = s->panel_start[s->blocks], count = 0;
  int *order = scratch ? TRM_NEW(scratch, int, 3 * (size_t)s->m + 3) : NULL;
  int *panel_place = scratch ? TRM_NEW(scratch, int, touches + 1) : NULL;
  double squares = -1;
  if (order && panel_place && trm_ordering_reduce(s, order)) {
    int *place = order + s->m, *first = place + s->m;
    for (int i = 0; i < s->m; i++) /* the others close ranks */
      if (order[i] >= intrinsic) place[order[i]] = count++;
    for (int p = 0; p < touches; p++) panel_place[p] = place[s->panel_row[p]];
    find_profile(s, s->intrinsic, panel_place, first);
    squares = 0;
    for (int i = 0; i < count; i++) squares += (double)(i - first[i]) * (i - first[i]);
    *width = count > 0 ? sqrt(squares / count) : 0;
  }
  trm_arena_destroy(scratch);
  return squares;
}

/* Mechanisms that only the ground connects have no column in common: [parts + 1] first rows. */
static void find_parts(trm_skyline *k, int *part) {
  int lowest = k->size, last = k->size;
  for (int i = k->size - 1; i > 0; i--) {
    lowest = least(lowest, k->first[i]);
    if (lowest < i || last - i < least_part || i < least_part) continue;
    part[k->parts++] = last = i;
  }
  part[k->parts] = 0; /* from the last to the first so far */
  for (int low = 0, high = k->parts; low < high; low++, high--) {
    int row = part[low];
    part[low] = part[high];
    part[high] = row;
  }
  part[++k->parts] = k->size;
  k->part = part;
}

/* ---- storage ---- */

/* Two neighbours with the same profile are worked on at once: half the loads, twice the independent
 * work. */
static void pair_rows(trm_skyline *k, bool *second) {
  for (int i = 1; i < k->size; i++) second[i] = !second[i - 1] && k->first[i] == k->first[i - 1];
  k->second = second;
}

/* false: more entries than an int counts */
static bool lay_rows(trm_skyline *k, int *row) {
  long long entries = 0;
  for (int i = 0; i < k->size; i++) {
    row[i] = (int)(entries - k->first[i]);
    entries += i - k->first[i] + 1;
    if (entries > INT_MAX) return false;
  }
  k->row = row;
  k->entries = (int)entries;
  return true;
}

static bool is_added(const bool *apart, int b) {
  return !apart || !apart[b];
}

static long long count_pairs(const trm_structure *s, const bool *apart) {
  long long pairs = 0;
  for (int b = 0; b < s->blocks; b++) {
    long long rows = is_added(apart, b) ? trm_panel_rows(s, b) : 0;
    pairs += rows * (rows + 1) / 2;
  }
  return pairs;
}

static void lay_positions(trm_skyline *k, const trm_structure *s, const bool *apart, int *start,
                          int *position) {
  int at = 0;
  for (int b = 0; b < s->blocks; b++) {
    start[b] = at;
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1] && is_added(apart, b); r++)
      for (int c = s->panel_start[b]; c <= r; c++) {
        int i = k->panel_place[r], j = k->panel_place[c];
        position[at++] = i > j ? k->row[i] + j : k->row[j] + i;
      }
  }
  k->position_start = start;
  k->position = position;
}

bool trm_skyline_create(trm_skyline *k, trm_arena *arena, const trm_structure *s, bool dense,
                        const bool *apart) {
  int m = s->m, touches = s->panel_start[s->blocks];
  long long pairs = count_pairs(s, apart);
  int *order = TRM_NEW(arena, int, m + 1), *place = TRM_NEW(arena, int, m + 1);
  int *first = TRM_NEW(arena, int, m + 1), *row = TRM_NEW(arena, int, m + 1);
  int *panel_place = TRM_NEW(arena, int, touches + 1), *start = TRM_NEW(arena, int, s->blocks + 1);
  int *part = TRM_NEW(arena, int, m / least_part + 2);
  bool *second = TRM_NEW(arena, bool, m + 1);
  *k = (trm_skyline){.size = m, .cut = TRM_PIVOT_LOST, .order = order, .first = first};
  if (trm_arena_failed(arena) || pairs > INT_MAX) return false;
  if (!trm_ordering_reduce(s, order)) return false;
  place_panels(k, s, place, panel_place);
  if (!dense) find_profile(s, 0, panel_place, first); /* else from zero on */
  find_parts(k, part);
  pair_rows(k, second);
  if (!lay_rows(k, row)) return false;
  int *position = TRM_NEW(arena, int, pairs + 1);
  k->value = TRM_NEW(arena, double, (size_t)k->entries + 1);
  k->pivot_inverse = TRM_NEW(arena, double, m + 1);
  k->omitted = TRM_NEW(arena, bool, m + 1);
  k->outcome = TRM_NEW(arena, trm_pivot_range, k->parts);
  if (trm_arena_failed(arena)) return false;
  lay_positions(k, s, apart, start, position);
  return true;
}

void trm_skyline_omit(trm_skyline *k, const bool *rows) {
  for (int i = 0; i < k->size; i++) k->omitted[i] = rows && rows[k->order[i]];
}
