/* A model in motion. create → (step | run) → destroy. One simulation belongs to one thread at a
 * time. */
#ifndef TRAMMEL_SIMULATION_H
#define TRAMMEL_SIMULATION_H

#include <trammel/export.h>
#include <trammel/model.h>
#include <trammel/results.h>

TRM_BEGIN_C

typedef struct trm_simulation trm_simulation;

/* Compiles the model for the chosen coordinates and assembles the initial state. settings == NULL:
 * the model's own. NULL where that fails; notes and warnings say what assembly moved. status may be
 * NULL. */
TRM_API trm_simulation *trm_simulation_create(const trm_model *model, const trm_settings *settings,
                                              trm_diagnostics *diagnostics, trm_status *status);
/* Why these methods cannot be combined; NULL: they can. */
TRM_API const char *trm_simulation_refusal(const trm_settings *settings);
TRM_API void trm_simulation_destroy(trm_simulation *simulation); /* accepts NULL */

/* One step of the integrator. After a failure the state is the last good one. */
TRM_API trm_status trm_simulation_step(trm_simulation *simulation, trm_diagnostics *diagnostics);
/* The same, shortened where it would go beyond the time `until`. */
TRM_API trm_status trm_simulation_step_to(trm_simulation *simulation, double until,
                                          trm_diagnostics *diagnostics);
TRM_API double trm_simulation_time(const trm_simulation *simulation);

/* Steps until the time is `until`, the last one shortened to end there; or to an event that stops,
 * which is no failure. The next call goes on from there. */
TRM_API trm_status trm_simulation_advance(trm_simulation *simulation, double until,
                                          trm_diagnostics *diagnostics);
/* The same, but where it comes to events they wait, and *due tells so: trm_simulation_fire acts on
 * them, as the next step would. Methods of fixed steps act on them within their steps. */
TRM_API trm_status trm_simulation_approach(trm_simulation *simulation, double until, bool *due,
                                           trm_diagnostics *diagnostics);
TRM_API trm_status trm_simulation_fire(trm_simulation *simulation, trm_diagnostics *diagnostics);
/* The event that has ended the last step or run; NULL: none. */
TRM_API const char *trm_simulation_stopped(const trm_simulation *simulation);

/* An input by name; −1: there is none. Set from outside, it has this value from then on in place of
 * its formula, which is a part of the state; a multistep method starts afresh. */
TRM_API int trm_simulation_input(const trm_simulation *simulation, const char *name);
TRM_API void trm_simulation_set_input(trm_simulation *simulation, int input, double value);

/* The state (q, v, z): coordinates of the formulation, their velocities, and what is integrated
 * beside them: the model's states in the order of its file, then the work of forces that are not in
 * the potential. */
TRM_API int trm_simulation_state_size(const trm_simulation *simulation);
TRM_API void trm_simulation_get_state(const trm_simulation *simulation, double *time,
                                      double *state);
/* Sets it, projected onto the constraints; counted turns go on from the last state to the nearest.
 * On failure the state stays as it was. */
TRM_API trm_status trm_simulation_set_state(trm_simulation *simulation, double time,
                                            const double *state, trm_diagnostics *diagnostics);
/* The rates (v, q̈, ż) at any finite state; the simulation's own stays. */
TRM_API trm_status trm_simulation_derivatives(trm_simulation *simulation, double time,
                                              const double *state, double *rates,
                                              trm_diagnostics *diagnostics);

/* Events under an integrator of one's own: what each watches at the current state (values: as many
 * as the model has events), and what happens where one is passed: its states are set. */
TRM_API void trm_simulation_watch(trm_simulation *simulation, double *values);
TRM_API trm_status trm_simulation_pass(trm_simulation *simulation, int event,
                                       trm_diagnostics *diagnostics);

/* All that the next steps depend on, the history of a multistep method included: a simulation of
 * the same model and settings, restored from it, goes on bit by bit as the saved one. Methods by
 * SUNDIALS (adams, bdf, ida) start afresh: to their tolerance. Returns the size that is needed,
 * and writes where there is room for it; 0: out of memory. */
TRM_API size_t trm_simulation_save(const trm_simulation *simulation, void *bytes, size_t room);
/* TRM_BAD_USAGE, reported, where it was saved of another model, version or machine. */
TRM_API trm_status trm_simulation_restore(trm_simulation *simulation, const void *bytes,
                                          size_t size, trm_diagnostics *diagnostics);

/* Another value of a parameter of a model that was read. No file is read again, of the model, its
 * parts, tables, tires or meshes, though they may have changed or be gone; the model keeps them,
 * and the formulas as they were parsed. The mechanism is assembled anew at t = 0, and handles of
 * measures stay. The simulation then has a model of its own. On failure all stays as it was. */
TRM_API trm_status trm_simulation_set_parameter(trm_simulation *simulation, const char *name,
                                                double value, trm_diagnostics *diagnostics);

/* A measure by name ("rod.B.x"): its handle, or −1 with a diagnostic; then its value at the current
 * state. Turns of roll and yaw are counted from here on, unless the model asks for them itself. */
TRM_API int trm_simulation_find(trm_simulation *simulation, const char *measure,
                                trm_diagnostics *diagnostics);
TRM_API double trm_simulation_get(trm_simulation *simulation, int handle);

/* One more column for trm_simulation_run, unless the model's outputs have it. False: an unknown
 * measure, or no memory. */
TRM_API bool trm_simulation_record(trm_simulation *simulation, const char *measure,
                                   trm_diagnostics *diagnostics);

/* Has the next trm_simulation_run keep frames for pictures, at most so many: every body's pose, the
 * joints' forces, energies and violations. 0: none, the default. */
TRM_API void trm_simulation_keep_frames(trm_simulation *simulation, int most);

/* Has the next trm_simulation_run keep, every so many seconds of the clock and where it is stopped,
 * all that it needs to go on: in two files of this folder in turn, `0` and `1`. For results that
 * are streamed. */
TRM_API trm_status trm_simulation_keep_checkpoints(trm_simulation *simulation, const char *folder,
                                                   double seconds, trm_diagnostics *diagnostics);
/* Has the next trm_simulation_run go on from the newest checkpoint of that folder: all it leaves is
 * bit by bit what a run without a break leaves (SUNDIALS methods: to their tolerance). *time: from
 * where; NaN, with TRM_OK: there is no checkpoint yet, it starts at the beginning. TRM_BAD_USAGE,
 * reported: it is of another model, version or kind of machine, or damaged. */
TRM_API trm_status trm_simulation_resume(trm_simulation *simulation, trm_results *results,
                                         const char *folder, double *time,
                                         trm_diagnostics *diagnostics);

/* Called once a step; return false to stop there. */
typedef bool (*trm_progress)(void *context, double time, double fraction);

/* Runs to the end of the duration, recording a row at every output time. results may be NULL. */
TRM_API trm_status trm_simulation_run(trm_simulation *simulation, trm_results *results,
                                      trm_progress progress, void *context,
                                      trm_diagnostics *diagnostics);

/* Has the next trm_simulation_run keep what trm_simulation_estimate compares: up to 32 MB. */
TRM_API void trm_simulation_keep_marks(trm_simulation *simulation);
/* After a run to the end: estimates its error by other runs of the same model from t = 0, without
 * inputs set from outside. The summary then has it, and judges by it. */
TRM_API trm_status trm_simulation_estimate(trm_simulation *simulation, trm_progress progress,
                                           void *context, trm_diagnostics *diagnostics);

/* Of the run so far; strings belong to the simulation. A run is "doubtful" where its violations,
 * its energy balance or its estimated error are beyond the limits in docs/results.md. */
TRM_API const trm_summary *trm_simulation_summary(trm_simulation *simulation);

/* What `trammel check` tells. */
typedef struct trm_inspection {
  size_t size; /* of this struct, see export.h */
  int bodies, coordinates, constraints, rank, redundant, degrees_of_freedom;
  int rank_at_start;      /* below `rank` where the start is a singular configuration */
  double position_gap;    /* ‖C‖ as written */
  double velocity_gap;    /* ‖Cq v + Ct‖ as written */
  double moved;           /* largest displacement of a body origin by assembly */
  double turned;          /* largest rotation by assembly */
  const char *moved_body; /* which body (or coordinate) moved most, or NULL */
  int redundant_joints;   /* joints (or constraints) that take part in a redundancy */
  double memory;          /* bytes of the model and of the simulation */
  int shafts;
  int joints;            /* drivers and gears included */
  int joint_constraints; /* their rows; the others are the coordinates' own */
  bool locked;           /* no degrees of freedom and no driver: nothing can move */
} trm_inspection;
TRM_API void trm_simulation_inspect_into(const trm_simulation *simulation,
                                         trm_inspection *inspection, size_t size);
static inline trm_inspection trm_simulation_inspect(const trm_simulation *simulation) {
  trm_inspection inspection;
  trm_simulation_inspect_into(simulation, &inspection, sizeof inspection);
  return inspection;
}
TRM_API const char *trm_simulation_redundant_joint(const trm_simulation *simulation, int index);
/* Which way a planar linkage bends at its revolute joints between two bodies: the angle, positive
 * to the left, from the line that comes to the joint to the one that leaves it, in the state at
 * hand. NULL behind the last. */
TRM_API const char *trm_simulation_bend(const trm_simulation *simulation, int index, double *angle);

TRM_END_C

#endif
