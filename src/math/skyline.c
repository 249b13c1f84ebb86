/* Skyline storage: layout once, assembly and L D Lᵀ in the loop. The systems are tiny: no library
 * calls here. */
#include "math/skyline.h"

#include "math/double2.h"
#include "math/ordering.h"

#include <limits.h>
#include <string.h>

/* K holds squares: a pivot this small means a singular value of 1e-6, where K has no digits left.
 */
static const double lost_pivot = 1e-12;
/* One of 1e-4: near a singular position, where the rank-revealing factorization knows what to
 * believe. */
static const double doubtful_pivot = 1e-8;
/* From here on one refinement of the solution costs less than the digits it saves. */
static const double weak_pivot = 1e-4;

/* ---- layout ---- */

static void place_panels(trm_skyline *k, const trm_structure *s, const int *place,
                         int *panel_place) {
  for (int p = 0; p < s->panel_start[s->blocks]; p++) panel_place[p] = place[s->panel_row[p]];
  k->panel_place = panel_place;
}

/* A row's profile begins with the first row it shares a block with. */
static void find_profile(const trm_structure *s, const int *panel_place, int *first) {
  for (int i = 0; i < s->m; i++) first[i] = i;
  for (int b = 0; b < s->blocks; b++) {
    int lowest = s->m;
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      if (panel_place[p] < lowest) lowest = panel_place[p];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      if (lowest < first[panel_place[p]]) first[panel_place[p]] = lowest;
  }
}

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

static long long count_pairs(const trm_structure *s) {
  long long pairs = 0;
  for (int b = 0; b < s->blocks; b++) {
    long long rows = trm_panel_rows(s, b);
    pairs += rows * (rows + 1) / 2;
  }
  return pairs;
}

static void lay_positions(trm_skyline *k, const trm_structure *s, int *start, int *position) {
  int at = 0;
  for (int b = 0; b < s->blocks; b++) {
    start[b] = at;
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
      for (int c = s->panel_start[b]; c <= r; c++) {
        int i = k->panel_place[r], j = k->panel_place[c];
        position[at++] = i > j ? k->row[i] + j : k->row[j] + i;
      }
  }
  k->position_start = start;
  k->position = position;
}

bool trm_skyline_create(trm_skyline *k, trm_arena *arena, const trm_structure *s, bool dense) {
  k->redundant = k->lost = 0;
  k->cut = lost_pivot;
  int m = s->m, touches = s->panel_start[s->blocks];
  long long pairs = count_pairs(s);
  int *order = TRM_NEW(arena, int, m + 1), *place = TRM_NEW(arena, int, m + 1);
  int *first = TRM_NEW(arena, int, m + 1), *row = TRM_NEW(arena, int, m + 1);
  int *panel_place = TRM_NEW(arena, int, touches + 1), *start = TRM_NEW(arena, int, s->blocks + 1);
  bool *second = TRM_NEW(arena, bool, m + 1);
  if (!second || !order || !place || !first || !row || !panel_place || !start || pairs > INT_MAX)
    return false;
  if (!trm_ordering_reduce(s, order)) return false;
  for (int i = 0; i < m; i++) place[order[i]] = i;
  k->size = m;
  k->order = order;
  k->first = first;
  place_panels(k, s, place, panel_place);
  if (!dense) find_profile(s, panel_place, first); /* else from zero on */
  pair_rows(k, second);
  if (!lay_rows(k, row)) return false;
  int *position = TRM_NEW(arena, int, pairs + 1);
  k->value = TRM_NEW(arena, double, (size_t)k->entries + 1);
  k->pivot_inverse = TRM_NEW(arena, double, m + 1);
  k->omitted = TRM_NEW(arena, bool, m + 1);
  if (!position || !k->value || !k->pivot_inverse || !k->omitted) return false;
  lay_positions(k, s, start, position);
  return true;
}

void trm_skyline_omit(trm_skyline *k, const bool *rows) {
  for (int i = 0; i < k->size; i++) k->omitted[i] = rows[k->order[i]];
}

/* ---- assembly ---- */

/* Forced inline so that each common width gets its own unrolled copy. */
TRM_INLINE void add_gram(int rows, int width, const double *restrict W,
                         const int *restrict position, double *restrict value) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c <= r; c++)
      value[*position++] += trm_pair_dot(width, W + r * width, W + c * width);
}

void trm_skyline_assemble(trm_skyline *k, const trm_structure *s, const double *W) {
  memset(k->value, 0, (size_t)k->entries * sizeof *k->value);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const double *Wb = W + s->panel_value[b];
    const int *position = k->position + k->position_start[b];
    switch (width) {
    case 3: add_gram(rows, 3, Wb, position, k->value); break;
    case 6: add_gram(rows, 6, Wb, position, k->value); break;
    case 12: add_gram(rows, 12, Wb, position, k->value); break;
    default: add_gram(rows, width, Wb, position, k->value);
    }
  }
}

/* ---- factorization ---- */

/* x = L \ x from column begin to end. */
static void reduce_row(const trm_skyline *k, int begin, int end, double *restrict x) {
  for (int j = begin; j < end; j++) {
    const double *restrict Lj = k->value + k->row[j];
    double sum = x[j];
    for (int c = k->first[j] > begin ? k->first[j] : begin; c < j; c++) sum -= x[c] * Lj[c];
    x[j] = sum;
  }
}

static void reduce_two_rows(const trm_skyline *k, int begin, int end, double *restrict x,
                            double *restrict y) {
  for (int j = begin; j < end; j++) {
    const double *restrict Lj = k->value + k->row[j];
    double xj = x[j], yj = y[j];
    for (int c = k->first[j] > begin ? k->first[j] : begin; c < j; c++) {
      xj -= x[c] * Lj[c];
      yj -= y[c] * Lj[c];
    }
    x[j] = xj;
    y[j] = yj;
  }
}

/* L's row from the reduced one, and the pivot. */
static trm_pivots finish_row(trm_skyline *k, int i, double *restrict x) {
  double *restrict inverse = k->pivot_inverse;
  double pivot = x[i];
  for (int j = k->first[i]; j < i; j++) {
    double l = x[j] * inverse[j];
    pivot -= x[j] * l;
    x[j] = l;
  }
  bool lost =
      k->omitted[i] || pivot <= k->cut * x[i]; /* false for NaN: it passes through to the results */
  inverse[i] = lost ? 0 : 1 / pivot;
  if (lost) {
    k->lost++;
    return TRM_PIVOTS_SOUND;
  }
  if (pivot < doubtful_pivot * x[i]) return TRM_PIVOTS_DOUBTFUL;
  return pivot < weak_pivot * x[i] ? TRM_PIVOTS_WEAK : TRM_PIVOTS_SOUND;
}

static trm_pivots worse(trm_pivots a, trm_pivots b) {
  return a > b ? a : b;
}

trm_pivots trm_skyline_factor(trm_skyline *k) {
  trm_pivots pivots = TRM_PIVOTS_SOUND;
  k->lost = 0;
  for (int i = 0; i < k->size; i++) {
    int begin = k->first[i];
    double *x = k->value + k->row[i];
    if (k->second[i + 1]) {
      double *y = k->value + k->row[i + 1];
      reduce_two_rows(k, begin, i, x, y);
      pivots = worse(pivots, finish_row(k, i, x));
      for (int c = begin; c < i; c++) y[i] -= y[c] * x[c];
      pivots = worse(pivots, finish_row(k, ++i, y));
    } else {
      reduce_row(k, begin, i, x);
      pivots = worse(pivots, finish_row(k, i, x));
    }
  }
  return k->lost == k->redundant ? pivots : TRM_PIVOTS_LOST;
}

/* b = D⁻¹ L⁻¹ b */
static void solve_forward(const trm_skyline *k, double *restrict b) {
  for (int i = 0; i < k->size; i++) {
    const double *restrict x = k->value + k->row[i];
    int begin = k->first[i];
    double bi = b[i];
    if (k->second[i + 1]) {
      const double *restrict y = k->value + k->row[i + 1];
      double next = b[i + 1];
      for (int j = begin; j < i; j++) {
        bi -= x[j] * b[j];
        next -= y[j] * b[j];
      }
      b[i] = bi;
      b[i + 1] = next - y[i] * bi;
      i++;
    } else {
      for (int j = begin; j < i; j++) bi -= x[j] * b[j];
      b[i] = bi;
    }
  }
  for (int i = 0; i < k->size; i++) b[i] *= k->pivot_inverse[i];
}

/* b = L⁻ᵀ b */
static void solve_backward(const trm_skyline *k, double *restrict b) {
  for (int i = k->size - 1; i >= 0; i--) {
    const double *restrict x = k->value + k->row[i];
    int begin = k->first[i];
    double bi = b[i];
    if (k->second[i]) {
      const double *restrict y = k->value + k->row[i - 1];
      i--;
      double previous = b[i] - x[i] * bi;
      b[i] = previous;
      for (int j = begin; j < i; j++) b[j] -= x[j] * bi + y[j] * previous;
    } else {
      for (int j = begin; j < i; j++) b[j] -= x[j] * bi;
    }
  }
}

void trm_skyline_solve(const trm_skyline *k, double *b) {
  solve_forward(k, b);
  solve_backward(k, b);
}
