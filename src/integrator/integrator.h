/* Advancing a state by one step. One file per family. */
#ifndef TRM_INTEGRATOR_H
#define TRM_INTEGRATOR_H

#include "integrator/dynamics.h"

/* A Runge-Kutta method: a is strictly lower triangular, stages × stages. */
typedef struct trm_tableau {
  int order, stages;
  const double *a, *b, *c;
} trm_tableau;

extern const trm_tableau trm_euler, trm_rk4, trm_rk6;

typedef struct trm_integrator {
  const char *name;
  const trm_tableau *tableau; /* the method itself, or the one that starts a multistep method */
  int steps;                  /* of a multistep method, else 0 */
  const double *weights;      /* [steps], newest first */
  int size;
  double *k;        /* [stages × size] */
  double *trial;    /* [size] the stage, then the new state */
  double *rates;    /* [size] its rates */
  double **history; /* [steps − 1] rates of earlier states, newest first */
  int known;        /* how many of them */
} trm_integrator;

/* NULL: no such method, or out of memory. */
trm_integrator *trm_integrator_create(const char *name, trm_arena *arena, int size);

/* From t to t + h, called `end` so that time does not drift. y and its rates ydot are replaced; on
 * failure they stay as they are. */
bool trm_integrator_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double end,
                         double h, double *y, double *ydot);

/* Forgets the history: the next step starts afresh. */
void trm_integrator_restart(trm_integrator *integrator);

/* the families */
bool trm_runge_kutta_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double end,
                          double h, double *y, double *ydot);
bool trm_adams_bashforth_step(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                              double end, double h, double *y, double *ydot);
const double *trm_adams_bashforth_weights(int steps);

#endif
