/* Sums over a few doubles, two in one register: the compiler may not reorder a sum into this by
 * itself. Forced inline so that a known size unrolls. */
#ifndef TRM_MATH_PAIR_H
#define TRM_MATH_PAIR_H

typedef double trm_pair __attribute__((vector_size(16), aligned(8), may_alias));

#define TRM_INLINE static inline __attribute__((always_inline))

TRM_INLINE double trm_pair_dot(int size, const double *a, const double *b) {
  trm_pair sum = {0, 0};
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2)
    sum += *(const trm_pair *)(a + k) * *(const trm_pair *)(b + k);
  double tail = size % 2 ? a[size - 1] * b[size - 1] : 0;
  return sum[0] + sum[1] + tail;
}

/* y = a b, entry by entry */
TRM_INLINE void trm_pair_times(int size, const double *a, const double *b, double *y) {
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2)
    *(trm_pair *)(y + k) = *(const trm_pair *)(a + k) * *(const trm_pair *)(b + k);
  if (size % 2) y[size - 1] = a[size - 1] * b[size - 1];
}

/* y −= a b, entry by entry */
TRM_INLINE void trm_pair_subtract(int size, const double *a, const double *b, double *y) {
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2)
    *(trm_pair *)(y + k) -= *(const trm_pair *)(a + k) * *(const trm_pair *)(b + k);
  if (size % 2) y[size - 1] -= a[size - 1] * b[size - 1];
}

/* y += s x */
TRM_INLINE void trm_pair_axpy(int size, double s, const double *x, double *y) {
  trm_pair both = {s, s};
#pragma GCC unroll 6
  for (int k = 0; k + 1 < size; k += 2) *(trm_pair *)(y + k) += both * *(const trm_pair *)(x + k);
  if (size % 2) y[size - 1] += s * x[size - 1];
}

#endif
