/* What is compiled and assembled: system, solver, stabilizer, redundancy and a consistent state. A
 * run, and every other analysis, works on it. */
#ifndef TRM_ANALYSIS_ENGINE_H
#define TRM_ANALYSIS_ENGINE_H

#include "analysis/assemble.h"
#include "analysis/redundancy.h"
#include "integrator/integrator.h"

typedef struct trm_engine {
  const trm_model *model;
  trm_settings settings; /* resolved */
  trm_arena *arena;      /* everything below */
  trm_system *system;
  trm_solver *solver;
  trm_dynamics dynamics;
  trm_assembly assembly;
  trm_redundancy redundancy;
  const char **redundant_names; /* [redundancy.group_count] */

  double t, *y, *ydot;   /* [dynamics.size] the state and its rates */
  double *at;            /* [2 × dynamics.size] room for another one */
  bool reactions_ready;  /* the multipliers of this state are the minimum-norm ones */
  double energy_initial; /* NaN: the system gives none */
  double start;          /* a number that the initial state and the masses give */
} trm_engine;

/* settings: resolved and checked. NULL, reported but for memory, where it cannot be assembled. */
trm_engine *trm_engine_create(const trm_model *model, const trm_settings *settings,
                              trm_diagnostics *diagnostics, trm_status *status);
void trm_engine_destroy(trm_engine *engine); /* accepts NULL */

/* Evaluates the state again, so that its measures hold. */
void trm_engine_return(trm_engine *engine);
/* Measures of the state that was evaluated last, reactions included. */
void trm_engine_measures(trm_engine *engine, const trm_measure *measures, int count,
                         double *values);
/* Declares its state to be saved and restored. */
void trm_engine_keep(trm_engine *engine);

#endif
