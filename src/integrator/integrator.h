/* Advancing a state by one step. One file per family. */
#ifndef TRM_INTEGRATOR_H
#define TRM_INTEGRATOR_H

#include <trammel/results.h>

#include "integrator/dynamics.h"
#include "integrator/implicit.h"

/* A Runge-Kutta method: a is strictly lower triangular, stages × stages. */
typedef struct trm_tableau {
  int order, stages;
  const double *a, *b, *c;
} trm_tableau;

extern const trm_tableau trm_euler, trm_rk4, trm_rk6, trm_dopri5, trm_dop853;

typedef struct trm_integrator trm_integrator;

/* From t to *end with step h; a variable-step method goes as far as it sees fit, at most to *end,
 * and says how far. The new state is left in trial and rates. */
typedef bool (*trm_step)(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                         double h, const double *y, const double *ydot);

/* An embedded pair and its interpolant. Its rows are over the stages of the tableau, the rates at
 * the end of the step, and the stages that only the interpolant needs. */
typedef struct trm_pair {
  const trm_tableau *tableau;
  const double *error;  /* [stages + 1] */
  const double *coarse; /* [stages + 1] a second one, of lower order, or NULL */
  int more;             /* stages that only the interpolant needs */
  const double *more_a; /* [more × (stages + 1 + more)] */
  const double *more_c; /* [more] */
  const double *dense;  /* [(parts − 4) × (stages + 1 + more)] */
} trm_pair;

extern const trm_pair trm_pair_dopri5, trm_pair_dop853;

/* What a method tells the step control. */
typedef struct trm_control {
  int order; /* of the local error */
  int parts; /* of the interpolant */
  /* the step into trial and rates, which are on the constraints; false: see system->error */
  bool (*attempt)(trm_integrator *integrator, trm_dynamics *dynamics, double t, double h,
                  const double *y, const double *ydot);
  /* its error in units of the tolerance */
  double (*estimate)(trm_integrator *integrator, trm_dynamics *dynamics, double h, const double *y,
                     const double *ydot);
  void (*keep_dense)(trm_integrator *integrator, double t, double h, const double *y,
                     const double *ydot);
  /* what the interpolant still needs, where keep_dense has left it incomplete */
  bool (*complete)(trm_integrator *integrator, trm_dynamics *dynamics);
  const trm_pair *pair;                       /* NULL: another method */
  void (*accept)(trm_integrator *integrator); /* NULL: nothing to do */
  bool predicts;                              /* the error from the last two, else PI control */
  double steady;                              /* growth below it is not worth another step length */
} trm_control;

extern const trm_control trm_dopri5_control, trm_dop853_control, trm_implicit_control,
    trm_radau5_control;

typedef struct trm_method_class {
  const char *name;
  trm_step step;
  const trm_tableau *tableau; /* the method itself, or the one that starts a multistep method */
  int steps;                  /* of a multistep method, else 0 */
  double stable; /* how far its stability reaches along the negative real axis, in 1/h */
  const trm_control *control; /* of a method that chooses its steps by default, else NULL */
  const trm_scheme *scheme;   /* of an implicit method, else NULL */

  /* what waits for the assembled state, or NULL; false: out of memory */
  bool (*start)(trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena, double t,
                const double *y);
  /* of a method by SUNDIALS, else NULL: the state at t within the last step */
  void (*interpolate)(const trm_integrator *integrator, double t, double *y);
} trm_method_class;

/* Of an embedded pair: whether stability limits its steps, and who takes them then. */
typedef struct trm_stiffness {
  int limited, smooth; /* steps that an eigenvalue limits, others in a row since the last */
  int since_estimate;  /* steps since the last estimate */
  long limits;         /* those of stiff motion, by the pair */
  double reach;        /* h |λ| of such steps, the mean of late */
  double since;        /* when it was so first */

  trm_integrator *other;    /* for stiff motion; NULL: none */
  trm_arena *arena;         /* where it starts when it is needed */
  bool stiffly;             /* it takes the steps, and took the last one */
  bool has_gained;          /* longer steps by it, since it last took over */
  int failures;             /* to gain, in a row */
  double gain;              /* its step over that of the pair */
  double limited_to_switch; /* limited steps until it takes over */
  double *direction;        /* [size] that of the fastest motion */
  double *perturbed;        /* [size] rates along it */
  long steps;               /* by the other */
  int switches;             /* over and back */
  double times[TRM_SWITCHES];
} trm_stiffness;

struct trm_integrator {
  const trm_method_class *type;
  trm_implicit *implicit; /* NULL: explicit */
  const double *weights;  /* [steps], newest first */
  int size;
  struct trm_pool *pool;
  const double *correction; /* [size] spread over the step at hand, or NULL */
  double *k;                /* [stages × size] */
  double *trial;            /* [size] the stage, then the new state */
  double *rates;            /* [size] its rates */
  double **history;         /* [steps − 1] rates of earlier states, newest first */
  int known;                /* how many of them */
  bool fresh;               /* a method with a start of its own forgets at the next step */

  /* variable step */
  bool variable;
  const trm_control *control; /* NULL: fixed */
  double rtol, atol, largest; /* largest step, or infinite */
  double next;                /* the step to try; 0: find one */
  double error, before;       /* of the last accepted step, for the controller; and its length */
  double *estimate;           /* [size] */
  double from, length;        /* the last step */
  double *after_change;       /* [3 × size] a state and rates behind a change of piece */
  double *dense;              /* [parts × size] its interpolant */
  double *spare;              /* [(4 + stages) × size] of pairs with stages for it: a finer one */
  bool complete;              /* it is */
  bool ended_at_bend;         /* the last step ended where a formula bends */
  bool slides;                /* a formula would switch for ever, the message says which */
  double longest_step;        /* so far */
  int tiny_steps;             /* next to nothing, in a row */
  bool regular;               /* no rank had to be decided at its end */
  double taken;               /* from velocities next to a singular position, of what may be */
  long rejections, restarts;

  /* of implicit methods: Newton's, those with an old Jacobian and a new step, and steps cut */
  long jacobians, iterations, refactorizations, cuts;

  trm_linear linear; /* as the settings say */
  void *own;         /* of methods with a start */

  trm_stiffness *stiffness; /* NULL: no explicit pair */

  struct trm_events *events; /* NULL: the model has none, or somebody else watches them */

  /* by SUNDIALS */
  long projections;           /* that made the method start afresh */
  trm_integrator *substitute; /* what crosses singular positions in its place */
  bool substituted;           /* it took the last step */
  double largest_pivot;       /* the largest of the least pivots */
  int own_steps;              /* steps since then */
  double longest;             /* of its last steps */
  long substitutions;         /* steps by it */
};

const trm_method_class *trm_integrator_find(const char *name); /* NULL: no such method */
/* With fixed steps: its error falls like hᵖ. */
int trm_integrator_order(const trm_method_class *type);

/* NULL: out of memory. */
trm_integrator *trm_integrator_create(const trm_settings *settings, trm_arena *arena,
                                      trm_dynamics *dynamics);

/* y and its rates ydot are exchanged for the new ones; on failure they stay as they are and
 * system->error says why.
 */
bool trm_integrator_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                         double h, double **y, double **ydot);

/* From the assembled state on; false: out of memory. */
bool trm_integrator_start(trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena,
                          double t, const double *y);

/* Of a pair that shall go over to radau5 where the motion is stiff, and back, unless the settings
 * are not for that; false: out of memory. */
bool trm_integrator_add_stiff_method(trm_integrator *integrator, const trm_settings *settings,
                                     trm_arena *arena, trm_dynamics *dynamics);

/* event.c. Watches the model's events: a step ends just behind one. False: out of memory. */
bool trm_integrator_watch(trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena);
/* From a state on that no step has led to. False: see system->error. */
bool trm_events_begin(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                      const double *y);
/* The events that the last step has ended at, in the order of the file: states in y change, and
 * with them its rates. False: see system->error. */
bool trm_events_fire(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *y,
                     double *ydot);
bool trm_events_are_due(const trm_integrator *integrator); /* there are such */
/* Somebody outside sets an input (one of the signals): what goes through zero by that is to be
 * fired next. */
void trm_events_set_input(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                          const double *y, int input, double value);
/* Whether what one watches has not left zero yet. */
bool trm_events_are_at_zero(const trm_integrator *integrator);
/* The event among the last ones fired that ends the run; −1: none. */
int trm_events_stopped(const trm_integrator *integrator);
static inline bool trm_integrator_has_stopped(const trm_integrator *integrator) {
  return integrator->events && trm_events_stopped(integrator) >= 0;
}

/* With that of what takes steps in the method's place. */
typedef struct trm_work {
  long jacobians, iterations, refactorizations, cuts, rejections, restarts;
} trm_work;
trm_work trm_integrator_work(const trm_integrator *integrator);

/* Forgets the history: the next step starts afresh. */
void trm_integrator_restart(trm_integrator *integrator);

/* Evaluates what the interpolant of the last step still needs; false: see system->error. */
bool trm_integrator_complete(trm_integrator *integrator, trm_dynamics *dynamics);
/* The state at t within the last step of a variable-step method, not yet corrected. */
void trm_integrator_interpolate(const trm_integrator *integrator, double t, double *y);

/* Over a singular position from t, of about h and at most `most`, on the cubic of the last step and
 * TRM_LONGEST_CROSSING lengths of it, into trial and rates; false: it would leave the tolerance,
 * and *h is the shortest way across, infinite where none was found. regular: the end of the step
 * that it stands for. */
#define TRM_LONGEST_CROSSING 10
bool trm_can_cross_singular(const trm_integrator *integrator, const trm_dynamics *dynamics);
bool trm_cross_singular(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *h,
                        double most, bool regular, const double *y);
/* Next to it, as a multiple of the tolerance. */
double trm_allowed_crossing(const trm_integrator *integrator, const trm_system *system);

/* Whether a formula leaves its piece within the step from (t, y); *at: how far from its start. */
bool trm_find_change(trm_integrator *integrator, trm_dynamics *dynamics, double t, double h,
                     const double *y, double *at);
/* Whether both ends of the step to trial are on the same two pieces as far as round-off tells, and
 * its rates do not jump between them: of what is zero but for round-off. */
bool trm_change_is_noise(trm_integrator *integrator, trm_dynamics *dynamics, double t, double h,
                         const double *y);
#define TRM_STRAIGHT 1e-5 /* of usual steps: so far the motion is straight */
/* How far along the rates from trial at t the first change is; INFINITY: beyond most. */
double trm_time_to_change(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                          double most);
/* Whether accelerations jump there. */
bool trm_rates_jump(trm_integrator *integrator, trm_dynamics *dynamics, double t, double way);
/* Over a change which is just ahead of trial at t; the next step starts afresh on the new piece.
 * False with a message where that leads straight back, within the time near (a sliding mode). */
bool trm_cross_change(trm_integrator *integrator, trm_dynamics *dynamics, double t, double way,
                      double near);

#define TRM_LOOSER "a looser rtol or atol may help, or a force is not smooth"

typedef struct trm_failure {
  const char *what; /* "the iteration does not converge" */
  double step;      /* the smallest tried */
  double residual;  /* in its unit, "" or " of …" */
  const char *unit;
  int coordinate, row; /* that it is of; coordinate < 0: a constraint's row */
  const char *advice;  /* unless the position is singular */
} trm_failure;

/* Residual and place of the largest of errors [at->work] in units of the tolerance. */
void trm_failure_of(trm_failure *failure, const trm_layout *at, const double *relative);
/* Into system->error, at the last good state y; rates: room for [size]. False. */
bool trm_explain(trm_dynamics *dynamics, double t, const double *y, double *rates,
                 const trm_failure *failure);
/* The same where steps of about h lead nowhere. */
bool trm_explain_tiny_steps(trm_dynamics *dynamics, double t, const double *y, double h);

/* 1/tolerance of the i-th entry of a state: coordinates and velocities by their own size, and atol
 * of the model's length where they are lengths; the work by the largest energy so far. Zero of what
 * nobody reads. */
double trm_error_weight(const trm_integrator *integrator, const trm_dynamics *dynamics, int i,
                        double value);
/* The error in integrator->estimate, in units of the tolerance. What the stabilization takes away
 * only needs to be met to the root of it: all there is where drivers leave no freedom. */
double trm_step_error(trm_integrator *integrator, trm_dynamics *dynamics, const double *y);
/* The cubic through both ends of the step and their rates; its other parts are zero. */
void trm_keep_cubic(trm_integrator *integrator, double t, double h, const double *y,
                    const double *ydot);

/* interpolant.c: of a pair, complete and of eight parts. Where stiffness spoils it, it is led
 * through two states within the step, each reached by a step of its own. */
void trm_refine_interpolant(trm_integrator *integrator, trm_dynamics *dynamics);

/* Why the integrator cannot go with another setting, *key (may be NULL); NULL: it can. */
const char *trm_integrator_refuses(const trm_settings *settings, const char **key);

/* the families */
bool trm_runge_kutta_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                          double h, const double *y, const double *ydot);
bool trm_adams_bashforth_step(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                              double *end, double h, const double *y, const double *ydot);
bool trm_variable_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                       double h, const double *y, const double *ydot);
/* stiffness.c: a variable step of a pair that watches for stiffness */
/* The other method takes its memory when it is first needed. False: out of memory. */
bool trm_stiffness_has_started(const trm_integrator *integrator);
bool trm_stiffness_start(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                         const double *y);
bool trm_stiffness_create(trm_integrator *integrator, trm_arena *arena);
bool trm_stiffness_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                        double h, const double *y, const double *ydot);
bool trm_implicit_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                       double h, const double *y, const double *ydot);
const double *trm_adams_bashforth_weights(int steps);

/* sundials.c: CVODE and IDA, which differ in how they start */
bool trm_sundials_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                       double h, const double *y, const double *ydot);
void trm_sundials_interpolate(const trm_integrator *integrator, double t, double *y);
/* cvode.c: BDF with projection, Adams */
bool trm_cvode_start_bdf(trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena,
                         double t, const double *y);
bool trm_cvode_start_adams(trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena,
                           double t, const double *y);
/* ida.c: BDF on the stabilized index-2 form */
bool trm_ida_start(trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena, double t,
                   const double *y);

/* radau5.c */
bool trm_radau5_start(trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena,
                      double t, const double *y);
bool trm_radau5_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                     double h, const double *y, const double *ydot);

#endif
