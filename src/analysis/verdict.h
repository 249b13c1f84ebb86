/* Whether a run that came to its end is to be trusted. */
#ifndef TRM_ANALYSIS_VERDICT_H
#define TRM_ANALYSIS_VERDICT_H

#include <stddef.h>

#include "analysis/simulation.h"

/* True: it is not, and `text` says why and what to do. */
bool trm_verdict_doubts(trm_simulation *simulation, char *text, size_t size);

#endif
