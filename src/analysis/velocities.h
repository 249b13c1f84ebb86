/* Consistent initial velocities. */
#ifndef TRM_ANALYSIS_VELOCITIES_H
#define TRM_ANALYSIS_VELOCITIES_H

#include "solver/solver.h"
#include "system/system.h"

/* q is assembled, the system's position stage is there. Given velocities are kept and the others
 * follow; where that is contradictory everything moves by the smallest mass-weighted change. */
trm_status trm_assemble_velocities(trm_system *system, const double *q, double *v, double *gap,
                                   trm_diagnostics *diagnostics);

#endif
