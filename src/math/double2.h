/* Sums over a few doubles, two in one register: the compiler may not reorder a sum into this by
 * itself. Forced inline so that a known size unrolls. */
#ifndef TRM_MATH_DOUBLE2_H
#define TRM_MATH_DOUBLE2_H

typedef double trm_double2 __attribute__((vector_size(16), aligned(8), may_alias));

#define TRM_INLINE static inline __attribute__((always_inline))

/* One to four pairs side by side get copies of their own. */
#define TRM_BY_PAIRS(work, pairs, ...)                                                             \
  switch (pairs) {                                                                                 \
  case 1: work(1, __VA_ARGS__); break;                                                             \
  case 2: work(2, __VA_ARGS__); break;                                                             \
  case 3: work(3, __VA_ARGS__); break;                                                             \
  default: work(4, __VA_ARGS__);                                                                   \
  }

/* Common widths of blocks get copies of their own. */
#define TRM_BY_WIDTH(work, width, ...)                                                             \
  switch (width) {                                                                                 \
  case 1: work(1, __VA_ARGS__); break;                                                             \
  case 2: work(2, __VA_ARGS__); break;                                                             \
  case 3: work(3, __VA_ARGS__); break;                                                             \
  case 4: work(4, __VA_ARGS__); break;                                                             \
  case 6: work(6, __VA_ARGS__); break;                                                             \
  case 12: work(12, __VA_ARGS__); break;                                                           \
  default: work(width, __VA_ARGS__);                                                               \
  }

/* Nothing is added to zero first: the compiler may not leave that out, and it takes as long as any
 * sum. */
TRM_INLINE double trm_pair_dot(int size, const double *a, const double *b) {
  if (size < 2) return size == 1 ? a[0] * b[0] : 0;
  trm_double2 sum = *(const trm_double2 *)a * *(const trm_double2 *)b;
#pragma GCC unroll 6
  for (int k = 2; k + 1 < size; k += 2)
    sum += *(const trm_double2 *)(a + k) * *(const trm_double2 *)(b + k);
  double pairs = sum[0] + sum[1];
  return size % 2 ? pairs + a[size - 1] * b[size - 1] : pairs;
}

/* y = x */
TRM_INLINE void trm_pair_copy(int size, const double *x, double *y) {
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2) *(trm_double2 *)(y + k) = *(const trm_double2 *)(x + k);
  if (size % 2) y[size - 1] = x[size - 1];
}

/* y = a b, entry by entry */
TRM_INLINE void trm_pair_times(int size, const double *a, const double *b, double *y) {
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2)
    *(trm_double2 *)(y + k) = *(const trm_double2 *)(a + k) * *(const trm_double2 *)(b + k);
  if (size % 2) y[size - 1] = a[size - 1] * b[size - 1];
}

/* y −= a b, entry by entry */
TRM_INLINE void trm_pair_subtract(int size, const double *a, const double *b, double *y) {
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2)
    *(trm_double2 *)(y + k) -= *(const trm_double2 *)(a + k) * *(const trm_double2 *)(b + k);
  if (size % 2) y[size - 1] -= a[size - 1] * b[size - 1];
}

/* z = y + s x */
TRM_INLINE void trm_pair_sum(int size, double s, const double *x, const double *y, double *z) {
  trm_double2 both = {s, s};
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2)
    *(trm_double2 *)(z + k) = *(const trm_double2 *)(y + k) + both * *(const trm_double2 *)(x + k);
  if (size % 2) z[size - 1] = y[size - 1] + s * x[size - 1];
}

/* y += s x */
TRM_INLINE void trm_pair_axpy(int size, double s, const double *x, double *y) {
  trm_pair_sum(size, s, x, y, y);
}

#endif
