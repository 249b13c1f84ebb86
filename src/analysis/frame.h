/* The frame about which small motions go on by constant coefficients. */
#ifndef TRM_ANALYSIS_FRAME_H
#define TRM_ANALYSIS_FRAME_H

#include "analysis/steady.h"

#define TRM_STEADY 1e-6 /* of the largest velocity and acceleration: more is not steady */

/* Of the manifold's state, which has its accelerations: of all motions that the mechanism does not
 * notice in any state, the one that goes with it. `off`: by how much it does not, as a part of the
 * largest velocity and acceleration. False: out of memory, or the state cannot be evaluated. */
bool trm_frame_find(trm_steady *frame, trm_manifold *manifold, double *off);

#endif
