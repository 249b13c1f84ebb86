/* What a simulation holds. */
#ifndef TRM_ANALYSIS_SIMULATION_H
#define TRM_ANALYSIS_SIMULATION_H

#include <trammel/simulation.h>

#include "analysis/assemble.h"
#include "analysis/film.h"
#include "analysis/grid.h"
#include "analysis/redundancy.h"
#include "integrator/integrator.h"

struct trm_simulation {
  const trm_model *model;
  trm_model *own_model; /* with a parameter changed, or NULL */
  trm_settings asked;   /* as they were given */
  trm_settings settings;
  bool chosen;      /* the integrator was, by `auto` */
  trm_arena *arena; /* everything below */
  trm_system *system;
  trm_solver *solver;
  trm_dynamics dynamics;
  trm_integrator *integrator;
  trm_assembly assembly;
  trm_redundancy redundancy;
  const char **redundant_names; /* [redundancy.group_count] */
  trm_grid grid;                /* steps, or the output times of a variable-step method */

  double *y, *ydot; /* [2n + 1] the state at the current step and its rates */
  double t;
  double start;         /* the energy at the start: tells models apart */
  long step;            /* taken */
  long output;          /* times of the grid that a variable-step method has passed */
  double *at;           /* [2 × (2n + 1)] an interpolated state and its rates */
  bool reactions_ready; /* the multipliers of this state are the minimum-norm ones */

  int measure_count; /* those asked for by name */
  trm_measure *measures;
  int extra_count; /* columns behind the model's own outputs */
  trm_measure *extra;
  trm_film film; /* for pictures; empty unless asked for */

  bool running; /* by trm_simulation_run */
  trm_status status;
  char message[512];
  double energy_initial;
  double wall_seconds, cpu_seconds;
  trm_summary summary;
};

/* state.c: declares what is saved and restored. */
void trm_simulation_keep(trm_simulation *simulation);

/* A measure of the current state, reactions included. */
void trm_simulation_evaluate(trm_simulation *simulation, const trm_measure *measures, int count,
                             double *values);

#endif
