/* Forces that nothing holds at a state, beside those that act there. */
#ifndef TRM_ANALYSIS_BALANCE_H
#define TRM_ANALYSIS_BALANCE_H

#include "analysis/manifold.h"

/* What it takes to move a coordinate a little, with the tangents of the manifold's state. */
double trm_balance_little(const trm_manifold *manifold);

/* f [n]: the forces that nothing holds, at rest or at the accelerations that the manifold reacts
 * to. Returns the largest along a freedom, as a part of the largest force that acts: weights, the
 * others, reactions, drags; and where forces cancel, `little`. */
double trm_balance(const trm_manifold *manifold, double little, double *f);

#endif
