/* How small motions about a state go on, as a matrix over the basis of a manifold. */
#ifndef TRM_ANALYSIS_MODES_H
#define TRM_ANALYSIS_MODES_H

#include <trammel/analysis.h>

#include "analysis/eigen.h"
#include "analysis/manifold.h"
#include "analysis/steady.h"

/* A [size²] row-major: ċ = A c of motions Σ c × direction, in the frame of the steady motion where
 * there is one. `left`: what leaves the manifold, as a part of the largest rate. */
void trm_manifold_matrix(trm_manifold *manifold, const trm_steady *steady, double *A, double *left);

/* Of a state at rest: forces do not begin to move it. */
bool trm_manifold_is_balanced(const trm_manifold *manifold);

/* Eigenvalues of it. False: out of memory, or no convergence. */
bool trm_manifold_eigen(trm_manifold *manifold, const double *A, trm_arena *arena,
                        trm_eigen *eigen);

/* Whether motions about the equilibrium with these eigenvalues stay near it. */
trm_answer trm_stability(trm_manifold *manifold, const trm_eigen *eigen, bool at_rest);

#endif
