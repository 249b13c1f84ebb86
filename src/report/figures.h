/* The figures of a model over the rows of a run. */
#ifndef TRM_REPORT_FIGURES_H
#define TRM_REPORT_FIGURES_H

#include <trammel/results.h>

#include "model/model.h"
#include "report/excerpt.h"
#include "result/json.h"

/* An excerpt of the results with a column for each formula of the figures, named by its text.
 * False: no memory. */
bool trm_figures_excerpt(const trm_model *model, const trm_results *results, trm_excerpt *excerpt);
/* Titles, labels, and which columns of that table are drawn. */
void trm_figures_write(const trm_model *model, trm_json *json);

#endif
