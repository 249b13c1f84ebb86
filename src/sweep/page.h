/* The page of a study. */
#ifndef TRM_SWEEP_PAGE_H
#define TRM_SWEEP_PAGE_H

#include "sweep/sweep.h"

/* With as many of the rows as a page can draw, evenly taken. */
trm_status trm_sweep_write_page(trm_sweep *sweep, trm_store *store, const char *path,
                                trm_diagnostics *diagnostics);

/* What sweep.json and the page say alike. */
struct trm_json;
void trm_sweep_write_facts(const trm_sweep *sweep, struct trm_json *json);

#endif
