/* The lowest modes of a large model at rest, by ARPACK's implicitly restarted Arnoldi method on the
 * inverse: one sparse factorization, then a solution for each vector. */
#ifndef TRM_ANALYSIS_MODES_SPARSE_H
#define TRM_ANALYSIS_MODES_SPARSE_H

#include "analysis/eigen.h"
#include "analysis/engine.h"
#include "system/tangent.h"

/* Models of more coordinates are taken for large. */
enum { TRM_MODES_LARGE = 2500 };

/* `count` eigenvalues next to zero into eigen->value, their changes of q into eigen->vector [count
 * × n], and the tangent that they belong to. False: see system->error. */
bool trm_modes_sparse(trm_engine *engine, int count, trm_arena *arena, trm_eigen *eigen,
                      trm_tangent **tangent);

#endif
