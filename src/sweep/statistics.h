/* What a study says: moments, shares, correlations and Sobol indices, with intervals of 95 %. */
#ifndef TRM_SWEEP_STATISTICS_H
#define TRM_SWEEP_STATISTICS_H

#include "sweep/sweep.h"

typedef struct trm_statistics trm_statistics;

/* Of all rows of the store, read once or twice: nothing grows with their number. NULL, reported. */
trm_statistics *trm_statistics_create(trm_sweep *sweep, trm_store *store,
                                      trm_diagnostics *diagnostics);
void trm_statistics_free(trm_statistics *statistics); /* accepts NULL */

/* Of all messages. */

/* Into sweep.json, and into the page. */
struct trm_json;
void trm_statistics_write(const trm_sweep *sweep, struct trm_json *json);

#endif
