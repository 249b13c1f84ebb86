/* A run and its derivatives by parameters. */
#ifndef TRM_ANALYSIS_DIFFERENTIATE_H
#define TRM_ANALYSIS_DIFFERENTIATE_H

#include "analysis/neighbour.h"

/* What is asked for of the run from its start: value [asked], gradient [asked × count]. With no
 * parameters it is a run alone. */
trm_status trm_differentiate(const trm_model *model, const trm_settings *settings,
                             const trm_asked *asked, int count, const char *const *parameters,
                             double *value, double *gradient, trm_diagnostics *diagnostics);

#endif
