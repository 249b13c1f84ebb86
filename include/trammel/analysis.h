/* Questions to a mechanism beside its motion: where it comes to rest, how it vibrates, and what it
 * is near a state as a linear system. All at the state that the simulation has. */
#ifndef TRAMMEL_ANALYSIS_H
#define TRAMMEL_ANALYSIS_H

#include <stddef.h>
#include <trammel/export.h>
#include <trammel/simulation.h>

TRM_BEGIN_C

/* ---- a linear system ---- */

/* Names are NULL-terminated lists; NULL: none. */
typedef struct trm_linear_options {
  size_t size; /* of this struct, see export.h */
  const char *const *inputs;
  const char *const *outputs; /* measures; NULL: none */
  const char *const *states;  /* independent positions; NULL: chosen from joints and bodies */
} trm_linear_options;

TRM_API void trm_linear_options_init(trm_linear_options *defaults, size_t size);
static inline trm_linear_options trm_default_linear_options(void) {
  trm_linear_options defaults;
  trm_linear_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* ẋ = A x + B u, y = C x + D u: changes of states, inputs and outputs. Row-major. The states are
 * measures: independent positions, their rates, then the model's own. */
typedef struct trm_linear_model {
  int state_count, input_count, output_count;
  int positions, velocities; /* of the states */
  const char *const *states, *const *inputs, *const *outputs;
  const double *A, *B, *C, *D;
  double time;
  bool steady; /* A stays as it is: at rest in equilibrium, or in the frame of a steady motion */
} trm_linear_model;

/* On the constraint manifold at the simulation's state, which may move: about a steady motion
 * changes are those seen in the frame that goes with it, about any other one A is that of the
 * moment. NULL, reported, where that
 * cannot be done. options and status may be NULL. */
TRM_API trm_linear_model *trm_simulation_linearize(trm_simulation *simulation,
                                                   const trm_linear_options *options,
                                                   trm_diagnostics *diagnostics,
                                                   trm_status *status);
TRM_API void trm_linear_model_destroy(trm_linear_model *linear); /* accepts NULL */
TRM_API trm_status trm_linear_model_write_json(const trm_linear_model *linear, const char *path,
                                               trm_diagnostics *diagnostics);

/* For MATLAB, Octave and SciPy: A, B, C, D, states, inputs, outputs, time. */
TRM_API trm_status trm_linear_model_write_mat(const trm_linear_model *linear, const char *path,
                                              trm_diagnostics *diagnostics);

/* C (iω − A)⁻¹ B + D from one input to one output, ω in rad/s. False: iω is an eigenvalue. */
TRM_API bool trm_linear_model_response(const trm_linear_model *linear, int input, int output,
                                       double omega, double *re, double *im);

/* ---- derivatives along a direction ---- */

typedef struct trm_differential trm_differential;

/* At the simulation's state, of the rates there and of so many measures by their handles. It holds
 * as long as the simulation stays there, and is to be destroyed before it moves on. NULL, reported,
 * where that cannot be done. */
TRM_API trm_differential *trm_simulation_differentiate(trm_simulation *simulation,
                                                       int measure_count, const int *measures,
                                                       trm_diagnostics *diagnostics,
                                                       trm_status *status);
TRM_API void trm_differential_destroy(trm_differential *differential); /* accepts NULL */

/* A change of the time, of the state (q, v, z) or NULL, and of every input or NULL. */
typedef struct trm_change {
  double time;
  const double *state;  /* [trm_simulation_state_size], in any direction */
  const double *inputs; /* in the order of trm_model_input_name */
} trm_change;

/* How the rates (trm_simulation_derivatives) change with it, and measures and what events watch
 * (trm_simulation_watch) after the state was set, which projects it. Each may be NULL. */
TRM_API trm_status trm_differential_along(trm_differential *differential, const trm_change *change,
                                          double *rates, double *measures, double *events,
                                          trm_diagnostics *diagnostics);

/* ---- equilibrium ---- */

typedef struct trm_equilibrium_options {
  size_t size;    /* of this struct, see export.h */
  bool steady;    /* a relative equilibrium: steady motion in the frame that goes with it */
  int iterations; /* at most */
} trm_equilibrium_options;

TRM_API void trm_equilibrium_options_init(trm_equilibrium_options *defaults, size_t size);
static inline trm_equilibrium_options trm_default_equilibrium_options(void) {
  trm_equilibrium_options defaults;
  trm_equilibrium_options_init(&defaults, sizeof defaults);
  return defaults;
}

typedef enum trm_answer { TRM_NO = 0, TRM_YES = 1, TRM_UNDECIDED = -1 } trm_answer;

typedef struct trm_equilibrium_result {
  size_t size; /* of this struct, see export.h */
  bool found, steady;
  double residual; /* the largest unbalanced force, as a part of the largest force */
  int iterations;
  trm_answer stable; /* undecided where a direction is neutral */
} trm_equilibrium_result;

/* Brings the simulation to rest in the equilibrium that forces lead to from its state, or into the
 * nearest steady motion. TRM_FAILED, reported, where none is found: the state then stays. The
 * result's size must be set, as trm_default_equilibrium_result does. */
TRM_API trm_status trm_simulation_settle(trm_simulation *simulation,
                                         const trm_equilibrium_options *options,
                                         trm_equilibrium_result *result,
                                         trm_diagnostics *diagnostics);
static inline trm_equilibrium_result trm_default_equilibrium_result(void) {
  trm_equilibrium_result result = {sizeof result, false, false, 0, 0, TRM_UNDECIDED};
  return result;
}
/* With the measures at the simulation's state: the model's outputs, and all joints' reactions. */
TRM_API trm_status trm_equilibrium_write_json(trm_simulation *simulation,
                                              const trm_equilibrium_result *result,
                                              const char *path, trm_diagnostics *diagnostics);

/* ---- equilibria over a parameter ---- */

typedef struct trm_path_options {
  size_t size; /* of this struct, see export.h */
  const char *parameter;
  double first, last;
  int count;   /* values from the first to the last, both of them included */
  int most;    /* points */
  bool steady; /* steady motions: sought one after the other, the branch is not followed */
} trm_path_options;

TRM_API void trm_path_options_init(trm_path_options *defaults, size_t size);
static inline trm_path_options trm_default_path_options(void) {
  trm_path_options defaults;
  trm_path_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* Points of the branch in its order: at the values asked for, however often it passes them, and
 * where it turns. */
typedef struct trm_path {
  int count;
  bool complete;            /* it was followed to one of the ends */
  const double *values;     /* [count] of the parameter */
  const trm_answer *stable; /* [count] */
  const bool *turning;      /* [count] */
  int measure_count;        /* the model's outputs */
  const char *const *names; /* [measure_count] */
  const double *measures;   /* see trm_path_measure */
} trm_path;

/* From the equilibrium at the first value, on to the last, or back to the first. NULL, reported,
 * where there is none to begin with. The simulation is left anywhere. */
TRM_API trm_path *trm_simulation_follow(trm_simulation *simulation, const trm_path_options *options,
                                        trm_diagnostics *diagnostics, trm_status *status);
TRM_API double trm_path_measure(const trm_path *path, int measure, int point);
TRM_API void trm_path_destroy(trm_path *path); /* accepts NULL */
TRM_API trm_status trm_path_write_json(const trm_path *path, const char *parameter,
                                       const char *file, trm_diagnostics *diagnostics);

/* ---- modes ---- */

typedef struct trm_modes_options {
  size_t size; /* of this struct, see export.h */
  int count;   /* the lowest of them; 0: all. A pair is never split */
  bool steady; /* about a steady motion, in the frame that goes with it */
} trm_modes_options;

TRM_API void trm_modes_options_init(trm_modes_options *defaults, size_t size);
static inline trm_modes_options trm_default_modes_options(void) {
  trm_modes_options defaults;
  trm_modes_options_init(&defaults, sizeof defaults);
  return defaults;
}

typedef struct trm_mode {
  double re, im, frequency, damping; /* frequency = |λ|/2π, damping = −re/|λ|, 0 where λ = 0 */
  const double *shape;               /* [2 × measures] re, im; the largest is 1 + 0i */
  const double *motion; /* [12 × bodies] re, im of the origin's displacement and of the rotation, in
                         * the shape's unit; NULL: the model is large, or has no bodies */
} trm_mode;

typedef struct trm_modes {
  int degrees_of_freedom;
  int zero_modes;        /* among all there are */
  int total;             /* eigenvalues: freedoms of position and velocity, and states */
  int count;             /* of those found here */
  const trm_mode *modes; /* ordered by |λ|, both of a conjugate pair */
  int measure_count;
  const char *const *measures; /* of the shapes: positions, and the model's states */
} trm_modes;

/* About the simulation's state: an equilibrium, or any state at rest; a moving one must be steady.
 * NULL, reported, where that cannot be done. */
TRM_API trm_modes *trm_simulation_modes(trm_simulation *simulation,
                                        const trm_modes_options *options,
                                        trm_diagnostics *diagnostics, trm_status *status);
TRM_API void trm_modes_destroy(trm_modes *modes); /* accepts NULL */
/* A page that shows each mode moving, of a model with bodies that is not large. */
TRM_API trm_status trm_modes_write_page(const trm_modes *modes, trm_simulation *simulation,
                                        const char *path, trm_diagnostics *diagnostics);
/* For MATLAB, Octave and SciPy: eigenvalues, frequency, damping, measures, shapes by column. */
TRM_API trm_status trm_modes_write_mat(const trm_modes *modes, const char *path,
                                       trm_diagnostics *diagnostics);
TRM_API trm_status trm_modes_write_json(const trm_modes *modes, const char *at, const char *path,
                                        trm_diagnostics *diagnostics);

/* ---- actuators in place of drivers ---- */

/* At the simulation's state: the efforts of actuators (measures of position level, joints with one
 * freedom, springs and actuators along their length) that do what the drivers do, of least norm
 * where there are several. left: what they cannot do, as a part of what is needed; worst: the
 * driver along which most is left. */
TRM_API trm_status trm_simulation_actuate(trm_simulation *simulation, const char *const *actuators,
                                          int count, double *efforts, double *left,
                                          const char **worst, trm_diagnostics *diagnostics);

/* ---- measured markers ---- */

/* Values of measures at times: coordinates of points, angles, freedoms of joints. */
typedef struct trm_marker_options {
  size_t size; /* of this struct, see export.h */
  int count, rows;
  const char *const *measures; /* [count] of position level */
  const double *weights;       /* [count] of each; NULL: 1 */
  const double *t;             /* [rows] */
  const double *values;        /* [rows × count]; NaN: not seen then */
} trm_marker_options;

TRM_API void trm_marker_options_init(trm_marker_options *defaults, size_t size);
static inline trm_marker_options trm_default_marker_options(void) {
  trm_marker_options defaults;
  trm_marker_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* The motion on the constraints that comes nearest: Σ (weight × gap)² is least at each time. */
typedef struct trm_marker_fit {
  int rows, count;
  const char *const *names; /* [count] independent measures that the markers determine */
  const double *values;     /* [rows × count] */
  const double *rms;        /* [rows] weighted mean of the gaps */
  const double *left;       /* [rows × markers] gaps */
  int undetermined;         /* freedoms that no marker tells of */
} trm_marker_fit;

/* From the simulation's state on, which stays. NULL, reported, where that cannot be done. */
TRM_API trm_marker_fit *trm_simulation_fit_markers(trm_simulation *simulation,
                                                   const trm_marker_options *options,
                                                   trm_diagnostics *diagnostics,
                                                   trm_status *status);
TRM_API void trm_marker_fit_destroy(trm_marker_fit *fit); /* accepts NULL */

/* ---- derivatives of a motion ---- */

typedef struct trm_sensitivity_options {
  size_t size;            /* of this struct, see export.h */
  const char *of;         /* a formula of measures, parameters and t, at the end; or NULL */
  const char *integral;   /* the same, integrated over the run; or NULL */
  const char *const *wrt; /* parameters, NULL-terminated */
  const char *method;     /* "forward", "adjoint", or NULL: whichever costs less */
  trm_progress progress;  /* asked once a step, or NULL; false: stop, TRM_INTERRUPTED */
  void *context;
} trm_sensitivity_options;

TRM_API void trm_sensitivity_options_init(trm_sensitivity_options *defaults, size_t size);
static inline trm_sensitivity_options trm_default_sensitivity_options(void) {
  trm_sensitivity_options defaults;
  trm_sensitivity_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* value = of at the end + ∫ integral dt, and its derivative by each parameter. */
typedef struct trm_sensitivity {
  double value;
  const char *method;
  int count;
  const char *const *parameters; /* [count] */
  const double *gradient;        /* [count] */
} trm_sensitivity;

/* Of the run of this simulation's model with its settings from the start, to rtol and atol; the
 * simulation itself stays where it is. NULL, reported, where that cannot be done. */
TRM_API trm_sensitivity *trm_simulation_sensitivity(const trm_simulation *simulation,
                                                    const trm_sensitivity_options *options,
                                                    trm_diagnostics *diagnostics,
                                                    trm_status *status);
TRM_API void trm_sensitivity_destroy(trm_sensitivity *sensitivity); /* accepts NULL */
TRM_API trm_status trm_sensitivity_write_json(const trm_sensitivity *sensitivity, const char *path,
                                              trm_diagnostics *diagnostics);

/* ---- optimum ---- */

/* A term of what is to be small, or a condition, whose value is the left side less the right one.
 */
typedef struct trm_optimum_goal {
  const char *formula;
  bool condition;
  double weight; /* of a term */
  double start, value;
} trm_optimum_goal;

/* What the search from one start has led to; NaN and NULL: to nothing. */
typedef struct trm_optimum_start {
  const char *status;
  double value;
  const double *values; /* [count] */
} trm_optimum_start;

/* Of the model's section `optimize`. */
typedef struct trm_optimum {
  const char *status; /* "found", "limit" (too many evaluations), "interrupted", "failed" */
  double value, start_value;
  int count;
  const char *const *parameters; /* [count] */
  const double *values, *start;  /* [count] */
  int evaluations, gradients;    /* those of an earlier log included */
  const trm_model *model;        /* with these values; it lives as long as the optimum */
  const char *method;            /* "slsqp", "mma" */
  int goal_count;                /* terms, then conditions */
  const trm_optimum_goal *goals;
  int start_count;
  const trm_optimum_start *starts;
  int points;               /* measured, of a fit; 0: there is no record */
  double deviation;         /* of a measurement of weight one, by what is left */
  const double *covariance; /* [count²] of the estimates; NULL: they are not all determined */
} trm_optimum;

/* After each evaluation; return false to stop: the best so far is then given. */
typedef bool (*trm_optimize_progress)(void *context, int evaluation, double value);

/* With exact derivatives. settings == NULL: the model's own. log: a file that keeps every
 * evaluation, and from which the same search goes on, or NULL. NULL, reported, where the section
 * is wrong or the start cannot be evaluated. */
TRM_API trm_optimum *trm_model_optimize(const trm_model *model, const trm_settings *settings,
                                        int most, const char *log, trm_optimize_progress progress,
                                        void *context, trm_diagnostics *diagnostics,
                                        trm_status *status);
TRM_API void trm_optimum_destroy(trm_optimum *optimum); /* accepts NULL */
TRM_API trm_status trm_optimum_write_json(const trm_optimum *optimum, const char *path,
                                          trm_diagnostics *diagnostics);

TRM_END_C

#endif
