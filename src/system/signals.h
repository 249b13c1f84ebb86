/* Inputs, variables and states: formulas in the order in which they need one another, each
 * evaluated once a stage. Internal to this room. */
#ifndef TRM_SYSTEM_SIGNALS_H
#define TRM_SYSTEM_SIGNALS_H

#include "force/element.h"
#include "system/system.h"

typedef struct trm_signals {
  double **slope;         /* [signals][base_count] ∂value by what it hangs on */
  double *gradient, *sum; /* [1 + slots]; the sum is zero between uses */
  double *argument, *by;  /* of a function in an input's place, and its derivatives by them */
} trm_signals;

static inline bool trm_is_signal(const trm_measure *measure) {
  return measure->kind == TRM_MEASURE_SIGNAL || measure->kind == TRM_MEASURE_STATE_RATE;
}

/* Of the tangent: which block a state is in. */
static inline int trm_signals_block(const trm_system *sys, int state) {
  return trm_system_blocks(sys) + state / trm_system_width(sys);
}

/* False: out of memory. */
bool trm_signals_create(trm_system *system);
bool trm_events_create(trm_system *system); /* events.c */
/* Their slots, and the rates of the states z; the slots of the motion's measures are filled. */
void trm_signals_fill(trm_system *system, const double *z);
/* False: see system->error. */
bool trm_signals_are_finite(trm_system *system);

/* For the slots as they are: what the next two go by. */
void trm_signals_differentiate(trm_system *system);
/* q += scale ∂slot/∂q, v += scale ∂slot/∂(v, z) of a signal's slot */
void trm_signals_slope(const trm_system *system, int slot, double scale, trm_row *q, trm_row *v);
/* The rows of the states: −∂g/∂q and −∂g/∂(v, z). False: see system->error. */
bool trm_signals_tangent(trm_system *system, trm_force_tangent *to);

#endif
