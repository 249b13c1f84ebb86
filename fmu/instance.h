/* One instance of an FMU: the same for FMI 2 and 3, co-simulation and model exchange. */
#ifndef TRM_FMU_INSTANCE_H
#define TRM_FMU_INSTANCE_H

#include <trammel/trammel.h>

#include "fmu/plan.h"

typedef void (*trm_fmu_say)(void *context, bool error, const char *message);

typedef struct trm_fmu {
  trm_fmu_plan plan;
  char *folder; /* of the resources, with a slash behind it */
  trm_fmu_say say;
  void *context;
  trm_diagnostics *diagnostics;

  trm_model *model;
  trm_simulation *simulation;
  bool stale;         /* a parameter was set since they were made */
  double *parameters; /* [parameters.count] */
  bool *chosen;       /* [parameters.count] set from outside */
  double *inputs;     /* [inputs.count] */
  bool *driven;       /* [inputs.count] set from outside */
  int *input_handles, *output_handles, *input_measures;

  double tolerance; /* relative, of the tool; 0: not told */
  double t;
  double *x;     /* [states] as the tool has set them */
  bool ahead;    /* the simulation is not at (t, x) yet */
  double *rates; /* [states] */
  bool rates_known;
  double *indicators;             /* [events] */
  int *sides;                     /* [events] of zero, where each was last */
  bool states_changed;            /* by a projection or an event: to be told */
  bool exchange;                  /* model exchange */
  bool initializing;              /* there are derivatives by parameters */
  bool running;                   /* parameters stay as they are */
  trm_differential *differential; /* at (t, x), or NULL */
} trm_fmu;

/* location: a path or file: address of the resources. NULL, said, where it cannot be made. */
trm_fmu *trm_fmu_create(const char *location, const char *token, bool exchange, trm_fmu_say say,
                        void *context);
void trm_fmu_destroy(trm_fmu *fmu);
bool trm_fmu_reset(trm_fmu *fmu);

bool trm_fmu_start(trm_fmu *fmu, double start, double tolerance);
bool trm_fmu_initialize(trm_fmu *fmu); /* parameters have been set */
/* Brings the simulation to where the tool has set time and states. */
bool trm_fmu_catch_up(trm_fmu *fmu);
/* Says an error; false. */
bool trm_fmu_complain(trm_fmu *fmu, const char *message);
bool trm_fmu_check(trm_fmu *fmu, trm_status status); /* says what there is to say */

bool trm_fmu_get(trm_fmu *fmu, unsigned reference, double *value);
bool trm_fmu_set(trm_fmu *fmu, unsigned reference, double value);

/* derivative.c: sums over the knowns of ∂unknown/∂known times its seed. */
bool trm_fmu_along(trm_fmu *fmu, const unsigned *unknowns, size_t unknown_count,
                   const unsigned *knowns, size_t known_count, const double *seed, double *values);
/* The same the other way round: sums over the unknowns. */
bool trm_fmu_against(trm_fmu *fmu, const unsigned *unknowns, size_t unknown_count,
                     const unsigned *knowns, size_t known_count, const double *seed,
                     double *values);

/* Co-simulation. *stopped: an event has ended it before `until`. With *due not NULL events wait
 * where it comes to them. */
bool trm_fmu_advance(trm_fmu *fmu, double until, bool *stopped, bool *due);
bool trm_fmu_fire(trm_fmu *fmu, bool *stopped); /* acts on them */

/* Model exchange. */
void trm_fmu_set_time(trm_fmu *fmu, double t);
void trm_fmu_set_states(trm_fmu *fmu, const double *x);
bool trm_fmu_get_rates(trm_fmu *fmu, double *rates);
bool trm_fmu_get_indicators(trm_fmu *fmu, double *values);
/* The step is accepted: projected where it has left the constraints by more than the tolerance. */
bool trm_fmu_complete(trm_fmu *fmu, bool *event);
/* Events passed since the last call. */
bool trm_fmu_handle_events(trm_fmu *fmu, bool *changed, bool *stopped);

/* Everything, exactly. The size it needs; written where there is room. */
size_t trm_fmu_save(trm_fmu *fmu, void *bytes, size_t room);
bool trm_fmu_restore(trm_fmu *fmu, const void *bytes, size_t size);

/* The same as an object that the tool holds, free() it; *state may be one that is used again. */
typedef struct trm_fmu_state {
  size_t size;
  char bytes[];
} trm_fmu_state;

bool trm_fmu_state_take(trm_fmu *fmu, void **state);
bool trm_fmu_state_return(trm_fmu *fmu, const void *state);
bool trm_fmu_state_write(const void *state, void *bytes, size_t room);
bool trm_fmu_state_read(const void *bytes, size_t size, void **state);

#endif
