/* A run as it was: its steps, and its states at Gauss's points within each. */
#ifndef TRM_ANALYSIS_TRACE_H
#define TRM_ANALYSIS_TRACE_H

#include "analysis/neighbour.h"

enum { TRM_NODES = 4 };

/* Gauss's method with as many stages: order eight. */
typedef struct trm_gauss {
  double c[TRM_NODES], b[TRM_NODES], a[TRM_NODES][TRM_NODES];
} trm_gauss;
trm_gauss trm_gauss_method(void);

typedef struct trm_trace {
  int steps, capacity;
  int size;       /* of a state */
  size_t bytes;   /* of what is kept with a state */
  double *time;   /* [steps + 1] */
  double *states; /* [steps × TRM_NODES × size] */
  char *kept;     /* [(steps + 1) × bytes] at the start of each step, and at the end of the run */
} trm_trace;

/* From the start to `duration`, by the variant's own integrator. */
trm_status trm_trace_run(trm_trace *trace, trm_variant *variant, double duration,
                         trm_diagnostics *diagnostics);
void trm_trace_free(trm_trace *trace);

static inline const double *trm_trace_state(const trm_trace *trace, int step, int node) {
  return trace->states + ((size_t)step * TRM_NODES + (size_t)node) * (size_t)trace->size;
}
static inline const void *trm_trace_kept(const trm_trace *trace, int step) {
  return trace->kept + (size_t)step * trace->bytes;
}

#endif
