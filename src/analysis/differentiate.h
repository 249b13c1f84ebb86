/* A run and its derivatives by parameters. */
#ifndef TRM_ANALYSIS_DIFFERENTIATE_H
#define TRM_ANALYSIS_DIFFERENTIATE_H

#include "analysis/neighbour.h"

typedef enum trm_derivation { TRM_CHEAPEST, TRM_FORWARD, TRM_ADJOINT } trm_derivation;

/* What is asked for of the run from its start: value [asked], gradient [asked × count]. With no
 * parameters it is a run alone. *by: the method, and which it was. */
trm_status trm_differentiate(const trm_model *model, const trm_settings *settings,
                             const trm_asked *asked, int count, const char *const *parameters,
                             trm_derivation *by, double *value, double *gradient,
                             trm_diagnostics *diagnostics);

/* The same by one method each; settings as trm_differentiate makes them, parameters of the model.
 */
trm_status trm_differentiate_forward(const trm_model *model, const trm_settings *settings,
                                     const trm_asked *asked, int count,
                                     const char *const *parameters, double *value, double *gradient,
                                     trm_diagnostics *diagnostics);
trm_status trm_differentiate_adjoint(const trm_model *model, const trm_settings *settings,
                                     const trm_asked *asked, int count,
                                     const char *const *parameters, double *value, double *gradient,
                                     trm_diagnostics *diagnostics);
/* Why that cannot be done; false: it can, as far as can be told before. */
bool trm_adjoint_refuses(const trm_model *model, const trm_asked *asked, char *why, size_t size);

#endif
