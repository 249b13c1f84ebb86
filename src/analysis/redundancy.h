/* Redundancy and freedoms, in the initial configuration and in a generic one nearby. */
#ifndef TRM_ANALYSIS_REDUNDANCY_H
#define TRM_ANALYSIS_REDUNDANCY_H

#include "solver/solver.h"
#include "system/system.h"

typedef struct trm_redundancy {
  int at_start, generic; /* rank of Cq */
  int group_count;       /* joints, or constraints, that take part in a redundancy */
  int *groups;           /* which */
  bool *redundant;       /* [m] rows that the others determine, m − generic of them */
} trm_redundancy;

/* q is assembled. The factorization is left at q. */
bool trm_find_redundancy(trm_system *system, trm_solver *solver, const double *q,
                         trm_redundancy *found);

#endif
