/* Elimination front by front: few rows each, no library calls. */
#include "math/fronts.h"

#include <math.h>
#include <string.h>

#include "math/double2.h"

/* Those of up to six rows have copies of their own, in which the loops over these unroll. */
enum { few = 6 };
#define BY_OWN(work, own, ...)                                                                     \
  switch (own) {                                                                                   \
  case 1: work(1, __VA_ARGS__); break;                                                             \
  case 2: work(2, __VA_ARGS__); break;                                                             \
  case 3: work(3, __VA_ARGS__); break;                                                             \
  case 4: work(4, __VA_ARGS__); break;                                                             \
  case 5: work(5, __VA_ARGS__); break;                                                             \
  case 6: work(6, __VA_ARGS__); break;                                                             \
  default: work(own, __VA_ARGS__);                                                                 \
  }

void trm_fronts_clear(trm_fronts *k) {
  memset(k->value, 0, k->entries * sizeof *k->value);
}

/* ---- factorization ---- */

TRM_INLINE trm_double2 load(const double *x) {
  return *(const trm_double2 *)x;
}

TRM_INLINE trm_double2 twice(double s) {
  return (trm_double2){s, s};
}

/* The pivot's inverse, 0 where it is lost. */
TRM_INLINE double find_inverse(trm_fronts *k, bool block, int unknown, double pivot) {
  if (block) return 1 / pivot; /* −1 and less */
  double scale = k->scale[unknown];
  trm_pivot_range *range = &k->last;
  bool lost = k->omitted[unknown] ||
              pivot <= TRM_PIVOT_LOST * scale; /* false for NaN: it passes through to the results */
  range->least = scale < range->least ? scale : range->least;
  range->largest = scale > range->largest ? scale : range->largest;
  if (k->omitted[unknown]) return 0;
  if (pivot < range->part * scale) range->part = lost ? 0 : pivot / scale;
  if (scale == 0) range->part = 0;
  return lost ? 0 : 1 / pivot;
}

/* The rows of a front by one another; left of the diagonal nothing is ever read. */
TRM_INLINE void reduce_rows(int own, bool block, trm_fronts *k, const trm_front *f,
                            double *inverse) {
  int size = f->size;
  double *A = k->value + f->value;
#pragma GCC unroll 6
  for (int i = 0; i < own; i++) {
    const double *x = A + i * size;
    double p = inverse[i] = k->inverse[f->first + i] = find_inverse(k, block, f->first + i, x[i]);
#pragma GCC unroll 6
    for (int r = i + 1; r < own; r++) {
      double *restrict y = A + r * size;
      trm_double2 s = twice(x[r] * p);
      for (int j = r & ~1; j < size; j += 2) *(trm_double2 *)(y + j) -= s * load(x + j);
    }
  }
}

/* What is left of the unknowns that these rows meet. */
TRM_INLINE void pass_on(int own, trm_fronts *k, const trm_front *f, const double *inverse,
                        double *l) {
  int size = f->size;
  const double *A = k->value + f->value;
  const trm_run *end = k->run + f->run + f->runs;
  for (const trm_run *r = k->run + f->run; r < end; r++)
    for (int a = 0; a < r->count; a++) {
#pragma GCC unroll 6
      for (int i = 0; i < own; i++) l[i] = A[i * size + r->column + a] * inverse[i];
      const int *target = k->target + r->target;
      for (const trm_run *s = r; s < end; s++, target++) {
        double *restrict to = k->value + *target + a * r->size;
        const double *from = A + s->column;
        for (int j = s == r ? a & ~1 : 0; j < s->count; j += 2) {
          trm_double2 sum = load(to + j);
#pragma GCC unroll 6
          for (int i = 0; i < own; i++) sum -= twice(l[i]) * load(from + i * size + j);
          *(trm_double2 *)(to + j) = sum;
        }
      }
    }
}

/* What a block adds to the pivots of rows. */
TRM_INLINE void add_scale(int own, trm_fronts *k, const trm_front *f, const double *inverse) {
  const trm_run *end = k->run + f->run + f->runs;
  for (const trm_run *r = k->run + f->run; r < end; r++)
    for (int a = 0; a < r->count; a++) {
      const double *A = k->value + f->value + r->column + a;
      for (int i = 0; i < own; i++, A += f->size) k->scale[r->first + a] -= *A * *A * inverse[i];
    }
}

TRM_INLINE void factor_front(int own, trm_fronts *k, const trm_front *f) {
  double of_few[2 * few], *inverse = own <= few ? of_few : k->room, *l = inverse + own;
  if (f->block) {
    reduce_rows(own, true, k, f, inverse);
    add_scale(own, k, f, inverse);
  } else {
    reduce_rows(own, false, k, f, inverse);
  }
  pass_on(own, k, f, inverse, l);
}

/* What blocks that are not kept have added to rows; −1 of those that are. */
static void start_pivots(trm_fronts *k) {
  for (const trm_front *f = k->front; f < k->front + k->count; f++)
    for (int i = 0; i < f->own; i++) {
      double *diagonal = k->value + f->value + i * (f->size + 1);
      if (f->block)
        *diagonal = -1;
      else
        k->scale[f->first + i] = *diagonal;
    }
}

double trm_fronts_factor(trm_fronts *k) {
  k->last = (trm_pivot_range){.part = 1, .least = INFINITY};
  start_pivots(k);
  for (const trm_front *f = k->front; f < k->front + k->count; f++)
    BY_OWN(factor_front, f->own, k, f)
  return k->last.part;
}

/* ---- solution ---- */

/* The second of the last pair may be another front's: it stays as it is, the column being zero. */
TRM_INLINE void solve_forward(int own, const trm_fronts *k, const trm_front *f,
                              double *restrict b) {
  const double *restrict A = k->value + f->value;
  double of_few[2 * few], *s = own <= few ? of_few : k->room;
  memcpy(s, b + f->first, (size_t)own * sizeof *s);
#pragma GCC unroll 6
  for (int i = 0; i < own; i++) {
    s[i] *= k->inverse[f->first + i];
    b[f->first + i] = s[i];
#pragma GCC unroll 6
    for (int j = i + 1; j < own; j++) s[j] -= A[i * f->size + j] * s[i];
  }
  for (const trm_run *r = k->run + f->run; r < k->run + f->run + f->runs; r++)
    for (int j = 0; j < r->count; j += 2) {
      trm_double2 sum = load(b + r->first + j);
#pragma GCC unroll 6
      for (int i = 0; i < own; i++) sum -= twice(s[i]) * load(A + i * f->size + r->column + j);
      *(trm_double2 *)(b + r->first + j) = sum;
    }
}

TRM_INLINE void solve_backward(int own, const trm_fronts *k, const trm_front *f,
                               double *restrict b) {
  const double *restrict A = k->value + f->value;
  trm_double2 of_few[few], *sum = own <= few ? of_few : (trm_double2 *)k->room;
#pragma GCC unroll 6
  for (int i = 0; i < own; i++) sum[i] = twice(0);
  for (const trm_run *r = k->run + f->run; r < k->run + f->run + f->runs; r++)
    for (int j = 0; j < r->count; j += 2) {
      trm_double2 x = load(b + r->first + j);
#pragma GCC unroll 6
      for (int i = 0; i < own; i++) sum[i] += load(A + i * f->size + r->column + j) * x;
    }
#pragma GCC unroll 6
  for (int i = own - 1; i >= 0; i--) {
    double rest = sum[i][0] + sum[i][1];
#pragma GCC unroll 6
    for (int j = i + 1; j < own; j++) rest += A[i * f->size + j] * b[f->first + j];
    b[f->first + i] -= rest * k->inverse[f->first + i];
  }
}

void trm_fronts_solve(const trm_fronts *k, double *b) {
  for (const trm_front *f = k->front; f < k->front + k->count; f++)
    BY_OWN(solve_forward, f->own, k, f, b)
  for (const trm_front *f = k->front + k->count - 1; f >= k->front; f--)
    BY_OWN(solve_backward, f->own, k, f, b)
}
