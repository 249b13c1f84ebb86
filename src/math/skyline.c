/* Skyline storage: assembly and L D Lᵀ in the loop. Most systems are tiny: no library calls here.
 */
#include "math/skyline.h"

#include "base/parallel.h"
#include "math/double2.h"

#include <math.h>
#include <string.h>

/* ---- assembly ---- */

TRM_INLINE void add_gram(int width, int rows, const double *restrict W,
                         const int *restrict position, double *restrict value) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c <= r; c++)
      value[*position++] += trm_pair_dot(width, W + r * width, W + c * width);
}

void trm_skyline_add(trm_skyline *k, int b, int rows, int width, const double *W) {
  const int *position = k->position + k->position_start[b];
  TRM_BY_WIDTH(add_gram, width, rows, W, position, k->value)
}

void trm_skyline_clear(trm_skyline *k, int begin, int end) {
  if (begin >= end) return;
  int from = k->row[begin] + k->first[begin], to = k->row[end - 1] + end;
  memset(k->value + from, 0, (size_t)(to - from) * sizeof *k->value);
}

void trm_skyline_assemble(trm_skyline *k, const trm_structure *s, const double *W) {
  trm_skyline_clear(k, 0, k->size);
  for (int b = 0; b < s->blocks; b++)
    trm_skyline_add(k, b, trm_panel_rows(s, b), trm_block_width(s, b), W + s->panel_value[b]);
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
TRM_INLINE void finish_row(trm_skyline *k, int i, double *restrict x, trm_pivot_range *range) {
  double *restrict inverse = k->pivot_inverse;
  double pivot = x[i], diagonal = x[i];
  for (int j = k->first[i]; j < i; j++) {
    double l = x[j] * inverse[j];
    pivot -= x[j] * l;
    x[j] = l;
  }
  bool lost = k->omitted[i] ||
              pivot <= k->cut * diagonal; /* false for NaN: it passes through to the results */
  inverse[i] = lost ? 0 : 1 / pivot;
  range->least = diagonal < range->least ? diagonal : range->least;
  range->largest = diagonal > range->largest ? diagonal : range->largest;
  if (pivot < range->part * diagonal && !k->omitted[i]) range->part = lost ? 0 : pivot / diagonal;
  if (diagonal == 0 && !k->omitted[i]) range->part = 0;
}

static void factor_rows(trm_skyline *k, int from, int end, trm_pivot_range *of_all) {
  trm_pivot_range here = *of_all, *range = &here; /* in registers */
  for (int i = from; i < end; i++) {
    int begin = k->first[i];
    double *x = k->value + k->row[i];
    if (k->second[i + 1]) {
      double *y = k->value + k->row[i + 1];
      reduce_two_rows(k, begin, i, x, y);
      finish_row(k, i, x, range);
      for (int c = begin; c < i; c++) y[i] -= y[c] * x[c];
      finish_row(k, ++i, y, range);
    } else {
      reduce_row(k, begin, i, x);
      finish_row(k, i, x, range);
    }
  }
  *of_all = here;
}

static const trm_pivot_range none = {.part = 1, .least = INFINITY};

static void factor_part(void *data, int part) {
  trm_skyline *k = data;
  trm_pivot_range range = none;
  factor_rows(k, k->part[part], k->part[part + 1], &range);
  k->outcome[part] = range;
}

double trm_skyline_factor(trm_skyline *k) {
  trm_parallel(k->pool, k->parts, factor_part, k);
  trm_pivot_range *all = &k->last;
  *all = k->outcome[0];
  for (int i = 1; i < k->parts; i++) {
    const trm_pivot_range *o = &k->outcome[i];
    *all = (trm_pivot_range){fmin(all->part, o->part), fmin(all->least, o->least),
                             fmax(all->largest, o->largest)};
  }
  return all->part;
}

/* ---- solution ---- */

/* b = L⁻¹ b */
static void solve_forward(const trm_skyline *k, int first, int end, double *restrict b) {
  for (int i = first; i < end; i++) {
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
      *(trm_double2 *)(b + i) = (trm_double2){bi, next - y[i] * bi};
      i++;
    } else {
      for (int j = begin; j < i; j++) bi -= x[j] * b[j];
      b[i] = bi;
    }
  }
}

/* b = D⁻¹ b */
static void scale(const trm_skyline *k, int first, int end, double *b) {
  trm_pair_times(end - first, k->pivot_inverse + first, b + first, b + first);
}

/* b = L⁻ᵀ b */
static void solve_backward(const trm_skyline *k, int first, int end, double *restrict b) {
  for (int i = end - 1; i >= first; i--) {
    const double *restrict x = k->value + k->row[i];
    int begin = k->first[i];
    double bi = b[i];
    if (k->second[i]) {
      const double *restrict y = k->value + k->row[i - 1];
      i--;
      double previous = b[i] - x[i] * bi;
      b[i] = previous;
      int j = begin;
      for (; j + 1 < i; j += 2) /* read as pairs */
        *(trm_double2 *)(b + j) = (trm_double2){b[j] - (x[j] * bi + y[j] * previous),
                                                b[j + 1] - (x[j + 1] * bi + y[j + 1] * previous)};
      if (j < i) b[j] -= x[j] * bi + y[j] * previous;
    } else {
      for (int j = begin; j < i; j++) b[j] -= x[j] * bi;
    }
  }
}

typedef struct solution {
  const trm_skyline *k;
  double *b;
} solution;

static void solve_part(void *data, int part) {
  const solution *s = data;
  int first = s->k->part[part], end = s->k->part[part + 1];
  solve_forward(s->k, first, end, s->b);
  scale(s->k, first, end, s->b);
  solve_backward(s->k, first, end, s->b);
}

void trm_skyline_solve(const trm_skyline *k, double *b) {
  trm_parallel(k->pool, k->parts, solve_part, &(solution){k, b});
}

/* a −= s b, of one place */
TRM_INLINE void place_less(int pairs, trm_double2 *restrict a, double s,
                           const trm_double2 *restrict b) {
  trm_double2 both = {s, s};
#pragma GCC unroll 4
  for (int m = 0; m < pairs; m++) a[m] -= both * b[m];
}

TRM_INLINE void place_copy(int pairs, const trm_double2 *restrict from, trm_double2 *restrict to) {
#pragma GCC unroll 4
  for (int m = 0; m < pairs; m++) to[m] = from[m];
}

/* A lost row is in nobody's sum: L has zeros in its column. */
TRM_INLINE void solve_pairs(int pairs, const trm_skyline *k, trm_double2 *restrict b) {
  const double *restrict inverse = k->pivot_inverse;
  trm_double2 sum[TRM_SKYLINE_MANY / 2];
  for (int i = 0; i < k->size; i++) {
    const double *restrict x = k->value + k->row[i];
    if (inverse[i] == 0) continue;
    place_copy(pairs, b + i * pairs, sum);
    for (int j = k->first[i]; j < i; j++) place_less(pairs, sum, x[j], b + j * pairs);
    place_copy(pairs, sum, b + i * pairs);
  }
  for (int i = 0; i < k->size; i++)
#pragma GCC unroll 4
    for (int m = 0; m < pairs; m++) b[i * pairs + m] *= inverse[i];
  for (int i = k->size - 1; i >= 0; i--) {
    const double *restrict x = k->value + k->row[i];
    if (inverse[i] == 0) continue;
    place_copy(pairs, b + i * pairs, sum);
    for (int j = k->first[i]; j < i; j++) place_less(pairs, b + j * pairs, x[j], sum);
  }
}

void trm_skyline_solve_many(const trm_skyline *k, int pairs, double *b) {
  TRM_BY_PAIRS(solve_pairs, pairs, k, (trm_double2 *)b)
}

/* ---- step by step ---- */

/* Two rows worked on together stay together. */
static int whole_pairs(const trm_skyline *k, int end) {
  return end > 0 && k->second[end] ? end - 1 : end;
}

void trm_skyline_begin(trm_skyline *k, bool factor) {
  k->next = 0;
  if (factor) k->last = none;
}

void trm_skyline_advance(trm_skyline *k, int end, bool factor, double *b) {
  end = whole_pairs(k, end);
  if (factor) factor_rows(k, k->next, end, &k->last);
  if (b) solve_forward(k, k->next, end, b);
  k->next = end;
}

void trm_skyline_scale(const trm_skyline *k, double *b) {
  scale(k, 0, k->size, b);
}

void trm_skyline_return(const trm_skyline *k, double *b) {
  scale(k, 0, k->size, b);
  solve_backward(k, 0, k->size, b);
}

void trm_skyline_retreat(const trm_skyline *k, int begin, int end, double *b) {
  solve_backward(k, whole_pairs(k, begin), whole_pairs(k, end), b);
}
