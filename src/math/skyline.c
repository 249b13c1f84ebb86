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

/* Two neighbours with the same profile stand one behind the other, and are worked on at once. In
 * the plane most have the two columns of the joint before: copies of their own, without loops. */
#define BY_COLUMNS(work, width, ...)                                                               \
  if ((width) == 2)                                                                                \
    work(2, __VA_ARGS__);                                                                          \
  else                                                                                             \
    work(width, __VA_ARGS__);

/* x = L \ x from column begin to end. */
static void reduce_row(const trm_skyline *k, int begin, int end, double *restrict x) {
  for (int j = begin; j < end; j++) {
    const double *restrict Lj = k->value + k->row[j];
    double sum = x[j];
    for (int c = k->first[j] > begin ? k->first[j] : begin; c < j; c++) sum -= x[c] * Lj[c];
    x[j] = sum;
  }
}

/* x, y: their first entries, in column `begin` */
TRM_INLINE void reduce_two_rows(ptrdiff_t width, const trm_skyline *k, ptrdiff_t begin,
                                double *restrict x, double *restrict y) {
  const int *first = k->first + begin, *row = k->row + begin;
#pragma GCC unroll 2
  for (ptrdiff_t j = 1; j < width; j++) {
    const double *restrict Lj = k->value + row[j] + begin;
    double xj = x[j], yj = y[j];
    for (ptrdiff_t c = first[j] > begin ? first[j] - begin : 0; c < j; c++) {
      xj -= x[c] * Lj[c];
      yj -= y[c] * Lj[c];
    }
    x[j] = xj;
    y[j] = yj;
  }
}

/* L's row from the reduced one, and the pivot; inverse: from its first column on */
TRM_INLINE void finish_row(ptrdiff_t width, double cut, bool omitted, double *restrict x,
                           double *restrict inverse, trm_pivot_range *range) {
  double pivot = x[width], diagonal = x[width];
#pragma GCC unroll 3
  for (ptrdiff_t j = 0; j < width; j++) {
    double l = x[j] * inverse[j];
    pivot -= x[j] * l;
    x[j] = l;
  }
  bool lost = pivot <= cut * diagonal; /* false for NaN: it passes through to the results */
  range->least = diagonal < range->least ? diagonal : range->least;
  range->largest = diagonal > range->largest ? diagonal : range->largest;
  if (omitted)
    lost = true;
  else if (lost || pivot < range->part * diagonal)
    range->part = lost ? 0 : pivot / diagonal;
  inverse[width] = lost ? 0 : 1 / pivot;
}

TRM_INLINE void factor_two_rows(ptrdiff_t width, trm_skyline *k, ptrdiff_t begin, double *x,
                                trm_pivot_range *range) {
  double *y = x + width + 1, *inverse = k->pivot_inverse + begin;
  const bool *omitted = k->omitted + begin + width;
  reduce_two_rows(width, k, begin, x, y);
  finish_row(width, k->cut, omitted[0], x, inverse, range);
#pragma GCC unroll 2
  for (ptrdiff_t c = 0; c < width; c++) y[width] -= y[c] * x[c];
  finish_row(width + 1, k->cut, omitted[1], y, inverse, range);
}

static void factor_rows(trm_skyline *k, int from, int end, trm_pivot_range *of_all) {
  trm_pivot_range here = *of_all, *range = &here; /* in registers */
  for (int i = from; i < end; i++) {
    int begin = k->first[i], width = i - begin;
    double *x = k->value + k->row[i] + begin;
    if (k->second[i + 1]) {
      BY_COLUMNS(factor_two_rows, width, k, begin, x, range)
      i++;
    } else {
      reduce_row(k, begin, i, x - begin);
      finish_row(width, k->cut, k->omitted[i], x, k->pivot_inverse + begin, range);
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

/* b = L⁻¹ b of two rows, x being the first entry of the first */
TRM_INLINE void forward_two_rows(ptrdiff_t width, const double *restrict x, double *restrict b) {
  const double *restrict y = x + width + 1;
  double one = b[0], two = b[1];
#pragma GCC unroll 2
  for (ptrdiff_t j = 0; j < width; j++) {
    double bj = b[j - width];
    one -= x[j] * bj;
    two -= y[j] * bj;
  }
  *(trm_double2 *)b = (trm_double2){one, two - y[width] * one};
}

TRM_INLINE void forward_row(ptrdiff_t width, const double *restrict x, double *restrict b) {
  double sum = *b;
  for (ptrdiff_t j = 0; j < width; j++) sum -= x[j] * b[j - width];
  *b = sum;
}

static void solve_forward(const trm_skyline *k, int from, int end, double *restrict b) {
  const int *restrict first = k->first;
  const bool *restrict second = k->second;
  const double *x = from < end ? k->value + k->row[from] + first[from] : NULL;
  for (ptrdiff_t i = from; i < end; i++) {
    ptrdiff_t width = i - first[i];
    if (second[i + 1]) {
      BY_COLUMNS(forward_two_rows, width, x, b + i)
      x += 2 * width + 3;
      i++;
    } else {
      forward_row(width, x, b + i);
      x += width + 1;
    }
  }
}

/* b = D⁻¹ b */
static void scale(const trm_skyline *k, int first, int end, double *b) {
  trm_pair_times(end - first, k->pivot_inverse + first, b + first, b + first);
}

/* b = L⁻ᵀ b of two rows; read as pairs */
TRM_INLINE void backward_two_rows(ptrdiff_t width, const double *restrict x, double *restrict b) {
  const double *restrict y = x + width + 1;
  double two = b[1], one = b[0] - y[width] * two, *to = b - width;
  ptrdiff_t j = 0;
  *b = one;
#pragma GCC unroll 1
  for (; j + 1 < width; j += 2)
    *(trm_double2 *)(to + j) = (trm_double2){to[j] - (y[j] * two + x[j] * one),
                                             to[j + 1] - (y[j + 1] * two + x[j + 1] * one)};
  if (j < width) to[j] -= y[j] * two + x[j] * one;
}

TRM_INLINE void backward_row(ptrdiff_t width, const double *restrict x, double *restrict b) {
  for (ptrdiff_t j = 0; j < width; j++) b[j - width] -= x[j] * *b;
}

static void solve_backward(const trm_skyline *k, int from, int end, double *restrict b) {
  const int *restrict first = k->first;
  const bool *restrict second = k->second;
  const double *x = from < end ? k->value + k->row[end - 1] + end : NULL; /* behind the last */
  for (ptrdiff_t i = end - 1; i >= from; i--) {
    ptrdiff_t width = i - first[i];
    if (second[i]) {
      i--;
      width--;
      x -= 2 * width + 3;
      BY_COLUMNS(backward_two_rows, width, x, b + i)
    } else {
      x -= width + 1;
      backward_row(width, x, b + i);
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

TRM_INLINE void forward_two_places(ptrdiff_t width, int pairs, const double *restrict x,
                                   trm_double2 *restrict b) {
  const double *restrict y = x + width + 1;
  trm_double2 one[TRM_SKYLINE_MANY / 2], two[TRM_SKYLINE_MANY / 2];
  place_copy(pairs, b, one);
  place_copy(pairs, b + pairs, two);
#pragma GCC unroll 2
  for (ptrdiff_t j = 0; j < width; j++) {
    place_less(pairs, one, x[j], b + (j - width) * pairs);
    place_less(pairs, two, y[j], b + (j - width) * pairs);
  }
  place_less(pairs, two, y[width], one);
  place_copy(pairs, one, b);
  place_copy(pairs, two, b + pairs);
}

TRM_INLINE void backward_two_places(ptrdiff_t width, int pairs, const double *restrict x,
                                    trm_double2 *restrict b) {
  const double *restrict y = x + width + 1;
  trm_double2 one[TRM_SKYLINE_MANY / 2], two[TRM_SKYLINE_MANY / 2];
  place_copy(pairs, b, one);
  place_copy(pairs, b + pairs, two);
  place_less(pairs, one, y[width], two);
  place_copy(pairs, one, b);
#pragma GCC unroll 2
  for (ptrdiff_t j = 0; j < width; j++) {
    place_less(pairs, b + (j - width) * pairs, y[j], two);
    place_less(pairs, b + (j - width) * pairs, x[j], one);
  }
}

TRM_INLINE void forward_place(ptrdiff_t width, int pairs, const double *restrict x,
                              trm_double2 *restrict b) {
  trm_double2 sum[TRM_SKYLINE_MANY / 2];
  place_copy(pairs, b, sum);
  for (ptrdiff_t j = 0; j < width; j++) place_less(pairs, sum, x[j], b + (j - width) * pairs);
  place_copy(pairs, sum, b);
}

TRM_INLINE void backward_place(ptrdiff_t width, int pairs, const double *restrict x,
                               trm_double2 *restrict b) {
  trm_double2 sum[TRM_SKYLINE_MANY / 2];
  place_copy(pairs, b, sum);
  for (ptrdiff_t j = 0; j < width; j++) place_less(pairs, b + (j - width) * pairs, x[j], sum);
}

TRM_INLINE void solve_pairs(int pairs, const trm_skyline *k, trm_double2 *restrict b) {
  const int *restrict first = k->first;
  const bool *restrict second = k->second;
  const double *restrict inverse = k->pivot_inverse, *x = k->value;
  ptrdiff_t size = k->size, i = 0;
  while (i < size) {
    ptrdiff_t width = i - first[i];
    if (second[i + 1]) {
      BY_COLUMNS(forward_two_places, width, pairs, x, b + i * pairs)
      x += 2 * width + 3;
      i += 2;
    } else {
      forward_place(width, pairs, x, b + i * pairs);
      x += width + 1;
      i++;
    }
  }
  for (i = 0; i < size; i++)
#pragma GCC unroll 4
    for (int m = 0; m < pairs; m++) b[i * pairs + m] *= inverse[i];
  while (i > 0) {
    ptrdiff_t width = i - 1 - first[i - 1];
    if (second[i - 1]) {
      i -= 2;
      width--;
      x -= 2 * width + 3;
      BY_COLUMNS(backward_two_places, width, pairs, x, b + i * pairs)
    } else {
      i--;
      x -= width + 1;
      backward_place(width, pairs, x, b + i * pairs);
    }
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
