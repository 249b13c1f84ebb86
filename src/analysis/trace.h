/* A run as it was: its steps, and its states at Gauss's points within each. */
#ifndef TRM_ANALYSIS_TRACE_H
#define TRM_ANALYSIS_TRACE_H

#include "analysis/neighbour.h"
#include "analysis/spill.h"

enum { TRM_NODES = 4 };

/* Gauss's method with as many stages: order eight. */
typedef struct trm_gauss {
  double c[TRM_NODES], b[TRM_NODES], a[TRM_NODES][TRM_NODES];
} trm_gauss;
trm_gauss trm_gauss_method(void);

/* An event at the end of a step, or a formula that jumps there. */
typedef struct trm_jump {
  int step;
  int event;              /* −1: a formula */
  bool stop;              /* the run ends with it */
  double t;               /* where `before` is: of a formula shortly before the end of the step */
  double *before, *after; /* [size] states; after an event with what it sets */
  char *turns;            /* [bytes] after it */
} trm_jump;

/* Of a run that needs more than `room` bytes only a piece is at hand. The others are in a file, or,
 * where there is none, run again: what that takes is kept of each. */
typedef struct trm_trace {
  int steps;          /* of the run */
  int first;          /* of those at hand */
  int most;           /* at hand: the length of a piece */
  int capacity;       /* steps that there is memory for */
  int times;          /* the same, of `time` */
  int size;           /* of a state */
  size_t bytes;       /* of turns that are counted with a state */
  size_t whole;       /* of all that is kept with it */
  trm_arena *counted; /* where turns are declared */
  double *time;       /* [steps + 1] */
  double *states;     /* [most × TRM_NODES × size] */
  char *turns;      /* [(most + 1) × bytes] at the start of each step, and at the end of the run */
  char *starts;     /* [pieces × whole] at the start of each piece */
  trm_spill *spill; /* pieces before that at hand, or NULL: they are run again */
  char *here;       /* [whole] at the start of the step at hand */
  double *room;     /* [4 size] */
  double duration;
  int jump_count; /* in the order of the run */
  trm_jump *jumps;
} trm_trace;

#define TRM_TRACE_ROOM ((size_t)256 << 20) /* bytes: more are not needed to be fast */

/* From the start to `duration`, by the variant's own integrator. Its last piece is at hand. To who
 * may stop it, it is the first half of the way. */
trm_status trm_trace_run(trm_trace *trace, trm_variant *variant, const trm_asked *asked,
                         double duration, size_t room, trm_diagnostics *diagnostics);
/* Brings the piece with a step to hand; what has to be run again is by the variant of the run. */
trm_status trm_trace_reach(trm_trace *trace, trm_variant *variant, int step,
                           trm_diagnostics *diagnostics);
void trm_trace_free(trm_trace *trace);
/* What is kept with a state: turns that are counted, and how often events were. */
void trm_trace_declare(trm_system *system, trm_arena *arena);

static inline const double *trm_trace_state(const trm_trace *trace, int step, int node) {
  return trace->states +
         ((size_t)(step - trace->first) * TRM_NODES + (size_t)node) * (size_t)trace->size;
}
static inline const void *trm_trace_turns(const trm_trace *trace, int step) {
  return trace->turns + (size_t)(step - trace->first) * trace->bytes;
}

#endif
