/* What a simulation holds. */
#ifndef TRM_ANALYSIS_SIMULATION_H
#define TRM_ANALYSIS_SIMULATION_H

#include <trammel/simulation.h>

#include <stdint.h>

#include "analysis/engine.h"
#include "analysis/estimate.h"
#include "analysis/film.h"
#include "analysis/grid.h"
#include "analysis/marks.h"

/* How far a run has come. */
typedef struct trm_course {
  long step;   /* taken */
  long output; /* times of the grid that a variable-step method has passed */
} trm_course;

/* Who looks at every state that a run goes through. The system is evaluated there; where it has to
 * be evaluated elsewhere it is brought back. False: see system->error, the run fails. */
typedef struct trm_observer {
  void *context;
  /* a step from there has ended */
  bool (*step)(void *context, struct trm_simulation *simulation, double from);
  /* events have changed the state */
  bool (*jump)(void *context, struct trm_simulation *simulation);
} trm_observer;

struct trm_simulation {
  trm_engine *engine;
  const trm_observer *observer; /* NULL: nobody */
  trm_model *own_model;         /* with a parameter changed, or NULL */
  trm_settings asked;           /* as they were given */
  bool chosen;                  /* the integrator was, by `auto` */
  trm_integrator *integrator;
  trm_grid grid; /* steps, or the output times of a variable-step method */
  trm_course *course;

  int measure_count; /* those asked for by name */
  trm_measure *measures;
  int extra_count; /* columns behind the model's own outputs */
  trm_measure *extra;
  trm_film film;               /* for pictures; empty unless asked for */
  trm_marks marks;             /* for the estimate; empty unless asked for */
  trm_error_estimate estimate; /* of the last run's error */

  struct trm_checkpoints *checkpoints; /* for long runs; NULL: none are kept */

  bool running; /* by trm_simulation_run */
  trm_status status;
  char message[512];
  double wall_seconds, cpu_seconds;
  double *metrics;           /* [model's metric_count] of the last run; NULL: it kept no rows */
  const char **metric_names; /* of the model */
  trm_summary summary;
};

/* A step, to `until` at the latest. One of a method with variable steps may end at events: rows
 * before them come first, then trm_simulation_fire. */
trm_status trm_simulation_move(trm_simulation *simulation, double until,
                               trm_diagnostics *diagnostics);

/* To where it was when trm_kept_save wrote these bytes of its engine's arena. */
void trm_simulation_put_back(trm_simulation *simulation, const void *kept, size_t size);
/* A number that the model and the methods give. */
uint64_t trm_simulation_fingerprint(const trm_simulation *simulation);

#endif
