/* The LAPACK routines in use, by their Fortran names; the last arguments are the lengths of the
 * character arguments. */
#ifndef TRM_MATH_LAPACK_H
#define TRM_MATH_LAPACK_H

#include <stddef.h>

/* A P = Q R */
void dgeqp3_(const int *m, const int *n, double *A, const int *lda, int *pivot, double *tau,
             double *work, const int *lwork, int *info);
/* C = Q C, Qᵀ C */
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
             const double *A, const int *lda, const double *tau, double *C, const int *ldc,
             double *work, const int *lwork, int *info, size_t, size_t);
/* x = T \ x */
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *A,
            const int *lda, double *x, const int *incx, size_t, size_t, size_t);
/* A = P L U */
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info, size_t);
/* X = A \ B of a band matrix */
void dgbsv_(const int *n, const int *kl, const int *ku, const int *nrhs, double *A, const int *lda,
            int *pivot, double *B, const int *ldb, int *info);
/* A = V diag(w) Vᵀ */
void dsyev_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t, size_t);
/* least squares of least norm by a complete orthogonal factorization */
void dgelsy_(const int *m, const int *n, const int *nrhs, double *A, const int *lda, double *B,
             const int *ldb, int *pivot, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

/* A serial OpenBLAS hands one buffer to two threads: its routines are then called one at a time. */
void trm_lapack_begin(void);
void trm_lapack_end(void);
#define TRM_LAPACK(call) (trm_lapack_begin(), (call), trm_lapack_end())
#define dgeqp3_(...)     TRM_LAPACK((dgeqp3_)(__VA_ARGS__))
#define dormqr_(...)     TRM_LAPACK((dormqr_)(__VA_ARGS__))
#define dtrsv_(...)      TRM_LAPACK((dtrsv_)(__VA_ARGS__))
#define dgetrf_(...)     TRM_LAPACK((dgetrf_)(__VA_ARGS__))
#define dgetrs_(...)     TRM_LAPACK((dgetrs_)(__VA_ARGS__))
#define dgbsv_(...)      TRM_LAPACK((dgbsv_)(__VA_ARGS__))
#define dsyev_(...)      TRM_LAPACK((dsyev_)(__VA_ARGS__))
#define dgelsy_(...)     TRM_LAPACK((dgelsy_)(__VA_ARGS__))

#endif
