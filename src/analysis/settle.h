/* Searches for states in which nothing changes. */
#ifndef TRM_ANALYSIS_SETTLE_H
#define TRM_ANALYSIS_SETTLE_H

#include <trammel/analysis.h>

#include "analysis/manifold.h"

/* From the manifold's state, with `most` iterations. The best state is left in it. False: out of
 * memory, or a state cannot be evaluated. */
bool trm_settle_at_rest(trm_manifold *manifold, int most, trm_equilibrium_result *result);
bool trm_settle_steady(trm_manifold *manifold, int most, trm_equilibrium_result *result);

#endif
