/* Events: formulas that go through zero. They stand between a method and its caller, so that every
 * method has them: a step that passes one is taken again, to just behind it. */
#ifndef TRM_INTEGRATOR_EVENT_H
#define TRM_INTEGRATOR_EVENT_H

#include "integrator/integrator.h"

typedef struct trm_events {
  int count;
  int *side;      /* [count] of zero where each was last: −1, 1; 0: it has not left zero yet */
  int *fired;     /* [count] times within the step at hand */
  double until;   /* its end */
  bool pending;   /* the last step has ended at one */
  int *due;       /* [count] whether it has been passed there */
  int stopped;    /* 1 + the event that ends the run; 0: none */
  int *from;      /* [count] sides at the start of the stretch in which one is passed */
  double *value;  /* [count] */
  double *before; /* [count] the same before an input was set */
  double *reach;  /* [count] at a firing: what is no farther from zero has not left it */
  bool *rests;    /* [count] so near was it set by itself when it fired last */
  double *at;     /* [size] a state in between */
} trm_events;

/* For a step from (t, y) to *end, which has left trial and rates: where an event lies within, the
 * state just behind the first one takes their place. False: see system->error. */
bool trm_events_locate(trm_integrator *integrator, trm_dynamics *dynamics, trm_step step, double t,
                       double *end, const double *y, const double *ydot);

#endif
