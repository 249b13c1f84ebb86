/* What is kept of a run: formulas over it, found at every accepted step while it goes on. */
#ifndef TRM_SWEEP_RECORD_H
#define TRM_SWEEP_RECORD_H

#include "analysis/simulation.h"
#include "expression/series_stream.h"

/* Shared by all runs of a study. */
typedef struct trm_records {
  int count;
  const char **names;  /* as columns are called */
  const char **texts;  /* as they were given */
  trm_series **series; /* [count] variables: measures; results: parameters, metrics, records */
  int measure_count;   /* that they use */
  const char **measures;
  bool rows; /* a metric of the model is among them, which needs rows */
} trm_records;

/* Texts are FORMULA or NAME=FORMULA; a formula may use the names before it. False, all errors
 * reported as of `option`, where one is wrong; freed in any case. */
bool trm_records_parse(trm_records *records, const trm_model *model, const char *option, int count,
                       const char *const *texts, trm_arena *arena, trm_diagnostics *diagnostics);
void trm_records_free(trm_records *records);

/* Of one thread. */
typedef struct trm_recorder trm_recorder;

/* NULL: out of memory. */
trm_recorder *trm_recorder_create(const trm_records *records);
void trm_recorder_destroy(trm_recorder *recorder); /* accepts NULL */

/* From the start of a simulation of the model with other parameters; TRM_NO_MEMORY, or a measure is
 * there no more. */
bool trm_recorder_begin(trm_recorder *recorder, trm_simulation *simulation);
/* The values at the end; metrics: the model's, or NULL. */
void trm_recorder_values(trm_recorder *recorder, const trm_model *model, const double *metrics,
                         double *values);

#endif
