/* Cholesky factorization of small dense matrices. */
#include "math/cholesky.h"

#include <math.h>

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* Row i of L but for its diagonal; the pivot there. */
static double eliminate(int n, int i, const double *A, double *L) {
  double *Li = L + i * n;
  for (int j = 0; j < i; j++) Li[j] = (A[i * n + j] - dot(j, Li, L + j * n)) * L[j * n + j];
  return A[i * n + i] - dot(i, Li, Li);
}

double trm_cholesky_factor(int n, const double *A, double *L) {
  double smallest = 1;
  for (int i = 0; i < n; i++) {
    double diagonal = A[i * n + i], pivot = eliminate(n, i, A, L);
    /* written so that a NaN or a zero diagonal counts as lost */
    if (!(pivot >= smallest * diagonal && diagonal > 0))
      smallest = diagonal > 0 ? pivot / diagonal : 0;
    L[i * n + i] = 1 / sqrt(pivot);
  }
  return smallest;
}

int trm_cholesky_bad_pivot(int n, const double *A, double *L) {
  const double lost = 1e-14; /* of the diagonal entry: round-off */
  for (int i = 0; i < n; i++) {
    double diagonal = A[i * n + i], pivot = eliminate(n, i, A, L);
    if (!(pivot > lost * diagonal && diagonal > 0)) return i; /* a NaN is bad, too */
    L[i * n + i] = 1 / sqrt(pivot);
  }
  return -1;
}

void trm_cholesky_forward(int n, const double *L, double *b) {
  for (int i = 0; i < n; i++) b[i] = (b[i] - dot(i, L + i * n, b)) * L[i * n + i];
}

void trm_cholesky_backward(int n, const double *L, double *b) {
  for (int i = n - 1; i >= 0; i--) {
    b[i] *= L[i * n + i];
    for (int j = 0; j < i; j++) b[j] -= L[i * n + j] * b[i];
  }
}
