/* Cholesky factorization of small dense matrices: a LAPACK call costs more than the arithmetic. */
#ifndef TRM_MATH_CHOLESKY_H
#define TRM_MATH_CHOLESKY_H

/* A = L Lᵀ, row-major, lower part; L's diagonal holds its inverse. Returns the smallest pivot of A
 * relative to A's own diagonal entry. A and L may be the same array. */
double trm_cholesky_factor(int n, const double *A, double *L);

/* The same where A may turn out not to be positive definite: the first row whose pivot says so, or
 * −1. */
int trm_cholesky_bad_pivot(int n, const double *A, double *L);

/* b = L \ b */
void trm_cholesky_forward(int n, const double *L, double *b);
/* b = Lᵀ \ b */
void trm_cholesky_backward(int n, const double *L, double *b);

#endif
