/* Laws of joints that no motion can follow. */
#ifndef TRM_ANALYSIS_JUMPS_H
#define TRM_ANALYSIS_JUMPS_H

#include "model/model.h"

/* TRM_BAD_MODEL, reported, where a law of time jumps within the duration; a warning where its rate
 * does. */
trm_status trm_refuse_jumps(const trm_model *model, double duration, trm_diagnostics *diagnostics);

#endif
