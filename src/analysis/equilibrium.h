/* What is shared of equilibria. */
#ifndef TRM_ANALYSIS_EQUILIBRIUM_H
#define TRM_ANALYSIS_EQUILIBRIUM_H

#include <trammel/analysis.h>

#include "analysis/manifold.h"

/* Fills in `stable` of the equilibrium, or the steady motion, that the manifold is at. */
trm_status trm_equilibrium_judge(trm_manifold *manifold, trm_equilibrium_result *result);

#endif
