/* More LAPACK routines: eigenvalues, singular values, complex systems. */
#ifndef TRM_MATH_LAPACK_EIGEN_H
#define TRM_MATH_LAPACK_EIGEN_H

#include <complex.h>
#undef I /* inertias have this name */

#include "math/lapack.h"

/* A x = λ x */
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *A, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t, size_t);
/* A = U diag(s) Vᵀ */
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *A,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t, size_t);
/* A x = b */
void zgesv_(const int *n, const int *nrhs, double complex *A, const int *lda, int *pivot,
            double complex *B, const int *ldb, int *info);
#define dgeev_(...)  TRM_LAPACK((dgeev_)(__VA_ARGS__))
#define dgesvd_(...) TRM_LAPACK((dgesvd_)(__VA_ARGS__))
#define zgesv_(...)  TRM_LAPACK((zgesv_)(__VA_ARGS__))

#endif
