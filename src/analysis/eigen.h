/* Eigenvalues of a full real matrix that may have zeros of any multiplicity, defective ones among
 * them: these are found first, by ranks, and come out as zeros. */
#ifndef TRM_ANALYSIS_EIGEN_H
#define TRM_ANALYSIS_EIGEN_H

#include <complex.h>
#undef I /* inertias have this name */

#include "base/arena.h"

#define TRM_NO_PART 1e-10 /* of the matrix: a singular value that is none */

typedef struct trm_eigen {
  int n, zeros;
  double complex *value;  /* [n] ordered by size; the first of a pair has im > 0 */
  double complex *vector; /* [n × n] one after the other */
} trm_eigen;

/* A is row-major; what is small beside the whole of it, components measured by unit[n], is none.
 * Balancing would not do here: it makes round-off as large as the rest. False: out of memory, or no
 * convergence. */
bool trm_eigen_find(trm_eigen *eigen, trm_arena *arena, int n, const double *A, const double *unit);

#endif
