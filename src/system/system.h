/* A model compiled in one formulation: offsets, sparsity, constraint rows, and the arrays of one
 * evaluation. */
#ifndef TRM_SYSTEM_H
#define TRM_SYSTEM_H

#include "constraint/primitive.h"
#include "force/element.h"
#include "math/structure.h"
#include "model/user.h"
#include "system/state.h"

/* A condition on the initial state beside the joints: a scalar, or its rate, has a value. */
typedef struct trm_condition {
  trm_measure measure; /* of position level */
  double value;
  bool rate;
} trm_condition;

/* How a body's own frame and inertia map to the frame it lives in. */
typedef struct trm_principal {
  double axes[3][3]; /* principal axes in the body's frame (space) */
  double I[3];       /* true principal moments */
  bool massless[3];  /* about which axes; planar: the third */
} trm_principal;

/* A formula made of pieces. */
typedef struct trm_piecewise {
  trm_expression *formula;
  const char *owner; /* the force, joint or equation it is of */
  trm_origin origin;
  unsigned long branch;
  bool changes; /* its last two evaluations were on different pieces */
} trm_piecewise;

typedef struct trm_system trm_system;
struct trm_tangent;

/* By a state: a row has −slope z at its own level, and −slope ż one level above. Of a row of
 * position level z is a filter's value, and ż its rate, which is a state, too. */
typedef struct trm_law_slope {
  int primitive, row, state, rate; /* rate: the state whose rate enters the accelerations */
  double slope;
} trm_law_slope;

/* What measures in a row share. */
typedef struct trm_reading {
  double parts[16]; /* components of one quantity */
  int body;         /* whose accelerations these are; none: −2 */
  double ddx[3], dda[3][3];
} trm_reading;

/* How the states of a run are evaluated: whole, or, of a mechanism in natural coordinates, by its
 * links, straight from q and v (links.c). Then frames and Cq are stale until somebody asks. */
typedef struct trm_evaluation {
  /* for a correction: C, and all that a factorization reads */
  bool (*position)(trm_system *system, double t, const double *q);
  /* for accelerations there: Q, Qd and power */
  bool (*velocity)(trm_system *system, const double *v);
  /* T and V there */
  void (*energies)(trm_system *system, double *T, double *V);
  /* within a step, instead of the first two: no C, and the bodies' own Qd when their turn has come,
   * by `fill` (solver.h). NULL: the first two must do */
  bool (*stage)(trm_system *system, double t, const double *q, const double *v);
  void (*fill)(void *system, int count, const int *bodies);
  /* Before such a stage at the end of a step: brings q and v onto all constraints, and tells what
   * is left of their violation. NULL or false: that takes a projection */
  bool (*normalize)(trm_system *system, double *q, double *v);
} trm_evaluation;

extern const trm_evaluation trm_evaluation_whole, trm_evaluation_links, trm_evaluation_tree;

/* What mechanisms and systems of the user's own do each in their way. */
typedef struct trm_system_class {
  const trm_evaluation *least; /* the one that evaluates no more than steps need */
  void (*written)(const trm_system *system, double *q);
  void (*given_velocities)(const trm_system *system, const double *q, double *v);
  /* the poses of another system of the same model; turns are counted */
  void (*from_frames)(const trm_system *system, const trm_system *from, double *q);
  /* and its rates, at the position of the same poses; NULL: it has bodies' own coordinates */
  void (*from_rates)(const trm_system *system, const trm_system *from, double *v);
  bool (*position)(trm_system *system, double t, const double *q);
  bool (*velocity)(trm_system *system, const double *v);
  void (*drop_rates)(trm_system *system);
  void (*take_velocity)(trm_system *system, const double *v);
  void (*take_position)(trm_system *system, const double *q);
  double (*free_motion)(const trm_system *system); /* NULL: Q is over the bodies' own coordinates */
  void (*complete_frames)(trm_system *system);     /* NULL: they always are */
  void (*find_motion)(trm_system *system);         /* NULL: a is over the bodies' own coordinates */
  void (*times)(const trm_system *system, const double *x, double *y); /* y = Cq x */
  /* Cq v + Ct, or the value itself of constraints that are not linear in v */
  void (*residual)(const trm_system *system, const double *v, double *residual);
  bool (*linearize)(trm_system *system, const double *v); /* NULL: all are linear */
  double (*power)(const trm_system *system);
  double (*power_by_lambda)(const trm_system *system, int row); /* its derivative */
  void (*accept)(trm_system *system, double fastest);
  unsigned long (*branch)(trm_system *system, double t, const double *q, const double *v);
  double (*kinetic)(const trm_system *system);
  double (*potential)(const trm_system *system);
  /* at least the component it names, of a vector all; parts are zero before */
  void (*measure)(const trm_system *system, const trm_measure *measure, trm_reading *reading);
  bool (*gradient)(const trm_system *system, const trm_measure *measure, double *row);
  bool (*tangent)(trm_system *system, const double *a, const double *lambda,
                  struct trm_tangent *tangent);
  void (*slope)(const trm_system *system, struct trm_tangent *tangent, const double *x,
                double *slope);
  int (*row_group)(const trm_system *system, int row);
  void (*group_name)(const trm_system *system, int group, char *text, size_t size);
  void (*coordinate_name)(const trm_system *system, int coordinate, char *text, size_t size);
  /* the first of a body, and of what an intrinsic row is over */
  int (*body_coordinate)(const trm_system *system, int body);
  int (*row_coordinate)(const trm_system *system, int row);
  void (*explain)(trm_system *system, double violation, double *q);
} trm_system_class;

extern const trm_system_class trm_mechanism, trm_mechanism_linked; /* by links as well */
extern const trm_system_class trm_mechanism_tree;                  /* in coordinates of joints */
extern const trm_system_class trm_generic_linear, trm_generic_nonlinear; /* velocity constraints */

/* What an event has done. */
typedef struct trm_event_record {
  double count, time; /* of the last; NaN before the first */
} trm_event_record;

/* What somebody outside has set an input to. */
typedef struct trm_given_input {
  bool over; /* it has been */
  double value;
} trm_given_input;

struct trm_system {
  const trm_system_class *type;
  const trm_model *model;
  trm_arena *arena;
  trm_structure structure;
  int states; /* of the model: z, behind v wherever the velocity stage is given v */
  int n,
      m; /* coordinates, constraint rows: intrinsic first, then joint by joint, then conditions */
  double size;          /* residuals below its round-off are met */
  double *span;         /* [n] how far a coordinate may be moved to look around */
  bool *rate_row;       /* [m] rows of velocity level: their C is zero */
  bool *timed_row;      /* [m] rows with a law of time, as far as is known */
  double inconsistency; /* the gap of such rows as written */
  bool *inconsistent;   /* [m] redundant rows that do not fit the others exactly; NULL: all do */
  int groups;           /* joints, or constraints of a generic system */
  bool has_energy;      /* else only the kinetic one is known */

  /* a generic system */
  struct trm_generic *generic;

  /* a mechanism */
  trm_inertia *inertia;     /* [bodies] with the fictitious inertia of massless rotations */
  trm_principal *principal; /* [bodies] */
  bool repair;              /* s CᵢᵀCᵢ is added to a singular M */
  int *massless_axis;       /* [massless] which principal axis */
  double *weight_force; /* [n] generalized forces of gravity: constant, x is the centre of mass */
  int primitive_count;
  trm_primitive *primitives; /* in the order of their rows */
  int *first_primitive;      /* [joints + 1] the joint's primitives */
  const trm_quantity **law;  /* [primitives] a time law, or NULL where the value is constant */
  bool filtered;             /* laws hang on states */
  int law_slope_count;       /* how laws change with the states that they hang on */
  struct trm_law_slope *law_slopes;
  double *law_states;            /* [states] at the position stage, see trm_system_take_states */
  trm_jet *law_slots;            /* [1 + inputs] of t, and of the variables that laws need */
  bool *rate_only;               /* [primitives] a condition on a rate */
  trm_scalar *body_angle;        /* [bodies] planar */
  double *part_far;              /* by part of the bodies, of the joints: see `far` */
  double (*quaternion)[4];       /* [bodies] of the accepted state, for a continuous sign (space) */
  double (*rotation)[3];         /* [bodies] rotation vectors that drivers prescribe (space) */
  double (*spin)[3];             /* [bodies] ω of it: how far a body has turned since */
  trm_winding (*cardan)[2];      /* [bodies] directions of yaw and roll in it (space) */
  bool *counts_cardan;           /* [bodies] somebody asks for these: see trm_system_expect */
  trm_scalar *freedom;           /* [joints × 2] angle, displacement; only those the joint has */
  struct trm_links *links;       /* the primitives as they are evaluated */
  struct trm_spanning *spanning; /* of coordinates of joints: the tree that they span; or NULL */
  trm_element *elements;         /* [forces] */
  int piecewise_count;           /* formulas that may jump or bend */
  trm_piecewise *piecewise;

  bool frames_stale, rows_stale; /* the system's own: see trm_system_complete_frames and _rows */

  /* position stage */
  double t;
  trm_motion motion;
  double *M;       /* structure->mass_value */
  double *C;       /* [m] */
  double *Cq;      /* structure->panel_value */
  double *Ct;      /* [m] */
  double *N;       /* structure->massless_value */
  double *tangent; /* structure->tangent, or NULL */

  /* velocity stage */
  const double *v;
  double *slots;               /* [1 + inputs] t and the measures that formulas use */
  double *formula_slots;       /* the measures that one formula of the outputs uses */
  struct trm_signals *signals; /* NULL: the model has none */
  double *state_rate;          /* [states] ż */
  double *Q;                   /* [n] applied and velocity-quadratic inertia forces */
  double *Qd;                  /* [m] */
  double *massless_bias;       /* [massless] */
  double power; /* of what is not in the potential; drivers add theirs once lambda is known */

  /* acceleration stage, filled by the solver's caller */
  const double *a; /* [n] where they are */
  double *lambda;  /* [m] */

  /* what goes with the accepted state */
  double accepted_t; /* where turns were counted last */
  double followed_t; /* the state accepted last */
  double far;        /* how far directions were from their poles there, of 1 */
  double work, energy0;
  double velocity_violation;       /* ‖Cq v + Ct‖ */
  trm_event_record *event_records; /* [events] */
  trm_given_input *given_inputs;   /* [signals] of inputs */

  char error[512]; /* why a stage failed */
  trm_place place; /* and where that stands in the model file; line 0: nowhere */
};

/* All memory comes from the arena. keep_singular: a singular M stays as it is. NULL: out of memory.
 */
trm_system *trm_system_create(const trm_model *model, const trm_coordinates *coordinates,
                              bool keep_singular, const trm_condition *conditions,
                              int condition_count, trm_arena *arena);

/* Declares what goes with the accepted state, beside (t, q, v, z), to be kept with it. */
void trm_system_keep(trm_system *system);
/* Only what an evaluation of another state needs to know of it: how far angles have turned. */
void trm_system_keep_turns(trm_system *system, trm_arena *arena);

/* The configuration as written, and the velocities given with the bodies at another one. */
void trm_system_written(const trm_system *system, double *q);
void trm_system_given_velocities(const trm_system *system, const double *q, double *v);

/* The poses of another system of the same model as coordinates; its turns, and what its events have
 * counted, are taken over. */
void trm_system_from_frames(const trm_system *system, const trm_system *from, double *q);
void trm_system_from_rates(const trm_system *system, const trm_system *from, double *v);
void trm_system_take_turns(trm_system *system, const trm_system *from);
/* M, C, Cq, Ct, N at (t, q); q must stay until the next position stage. False: see system->error.
 */
bool trm_system_position(trm_system *system, double t, const double *q);
/* The states z behind v[n] that laws of joints hang on, for the position stages to come. */
void trm_system_take_states(trm_system *system, const double *v);
/* Fills law_slopes at the state of the last velocity stage. */
void trm_system_law_slopes(trm_system *system);
/* Empties the rows of velocity level until the next position stage: they do not bind positions. */
void trm_system_drop_rates(trm_system *system);
/* Q, Qd and power at v, ż at (v, z), after the position stage; z[states] stands behind v[n]. */
bool trm_system_velocity(trm_system *system, const double *v);
/* Velocity constraints that are not linear: their rows of Cq and Ct are taken at v from here on. To
 * be called after the position stage, before Cq is factored. */
static inline bool trm_system_is_linear(const trm_system *system) {
  return !system->type->linearize;
}
bool trm_system_linearize(trm_system *system, const double *v);
/* What energies and measures of velocity level go by, without the rest of the velocity stage. */
void trm_system_take_velocity(trm_system *system, const double *v);
/* The same at another position, without the rest of the position stage; the velocity comes next. */
void trm_system_take_position(trm_system *system, const double *q);
/* What a least evaluation leaves out: what measures are taken from, and what ranks are decided by.
 */
void trm_system_complete_frames(trm_system *system);
void trm_system_complete_rows(trm_system *system);
/* Accelerations and reactions of the bodies, before measures of them are taken. */
void trm_system_find_motion(trm_system *system);
/* y = Cq x */
void trm_system_jacobian_times(const trm_system *system, const double *x, double *y);
/* The same, and Cq v + Ct, by the numbers in Cq. */
void trm_rows_times(const trm_system *system, const double *x, double *y);
void trm_rows_residual(const trm_system *system, const double *v, double *residual);
/* Blocks that forces and joints are written over: of the bodies, or all of a generic system's. */
static inline int trm_system_blocks(const trm_system *system) {
  return system->spanning ? system->motion.bodies : system->structure.blocks;
}
static inline int trm_system_width(const trm_system *system) {
  return system->spanning ? system->motion.nq : system->n / system->structure.blocks;
}
/* ‖C‖ of the position stage, and ‖Cq v + Ct‖ with the residual left in `residual` [m]; inconsistent
 * rows do not count. */
double trm_system_violation(const trm_system *system);
/* What a residual of a row is measured by: a length by the model's own; directions and intrinsic
 * rows are pure numbers; a row of the user's own is as large as its terms. */
double trm_system_row_unit(const trm_system *system, int row);
/* ‖C‖ with each row in its unit: the same in whatever units the model is written. */
double trm_system_gap(const trm_system *system);
double trm_system_velocity_residual(const trm_system *system, const double *v, double *residual);
/* s of the s CᵢᵀCᵢ in a body's M; 0 where M is not repaired. */
double trm_system_repair(const trm_system *system, int body);
/* By time laws, which take power. */
bool trm_system_is_driven(const trm_system *system);
/* The row's constraint is another one at another time, though its rate may be zero just now. */
bool trm_system_row_moves(const trm_system *system, int row);
/* Power of what is not in the potential, time-dependent constraints included; needs λ. */
double trm_system_power(const trm_system *system);
double trm_system_power_by_lambda(const trm_system *system, int row);
/* Counts turns: the state of the last position stage is accepted. */
void trm_system_accept(trm_system *system);
/* The same, where they can have changed: no coordinate has been faster since they were counted, in
 * its span a second. */
void trm_system_follow(trm_system *system, double fastest);

/* t, the measures that formulas use, from the motion's current frames, and the signals; states are
 * behind v. */
void trm_system_fill_slots(trm_system *system, const double *v);
/* A number that stays the same while every formula stays on its piece. */
bool trm_system_has_branches(const trm_system *system);
unsigned long trm_system_branch(trm_system *system, double t, const double *q, const double *v);
/* Of every event: what it watches, at any state. After it the position and velocity stages are to
 * be repeated. */
void trm_system_watch(trm_system *system, double t, const double *q, const double *v,
                      double *values);
/* What an event makes of the states at (t, q, v, z), into z behind v. False: see system->error. */
bool trm_system_set_states(trm_system *system, int event, double t, const double *q, double *v);
/* States at the start, behind v[n]: from the assembled motion. False: see system->error. */
bool trm_system_start_states(trm_system *system, double t, const double *q, double *v);
/* Formulas keep to the pieces that they are on there, or that those of another system of the same
 * form keep to; the branch stays free. Not where a formula cannot.
 * False: out of memory. */
bool trm_system_can_fix_branches(const trm_system *system);
bool trm_system_fix_branches(trm_system *system, double t, const double *q, const double *v);
bool trm_system_fix_branches_like(trm_system *system, const trm_system *other);
void trm_system_free_branches(trm_system *system);
/* Which formula goes to its next piece between two sets of slots, the first on which others may
 * hang, and where. −1: none, or nothing passes zero there. */
int trm_system_find_switch(const trm_system *system, const double *before, const double *behind,
                           trm_switch *at);
/* The formula that was on another piece the last time but one. NULL: none was. */
const trm_piecewise *trm_system_changes(const trm_system *system);

/* After the velocity stage. */
double trm_system_kinetic(const trm_system *system);
double trm_system_potential(const trm_system *system);
double trm_system_energy(const trm_system *system);
void trm_system_momentum(const trm_system *system, double p[3], double l[3]);
double trm_system_body_kinetic(const trm_system *system, int body);
/* I ω of a body with its true inertia. */
void trm_system_spin_momentum(const trm_system *system, int body, const double w[3], double l[3]);
/* row[n] = ∂measure/∂v, after the position stage; false where it is no quantity of velocity level.
 */
bool trm_system_gradient(const trm_system *system, const trm_measure *measure, double *row);

/* A measure after the acceleration stage; levels 0 and 1 need the position and velocity stages
 * only. */
double trm_system_measure(const trm_system *system, const trm_measure *measure);
/* It will be asked for: turns that only it needs are counted from here on. */
void trm_system_expect(trm_system *system, const trm_measure *measure);
/* A list of them: neighbours that are components of one quantity have it evaluated once. */
void trm_system_measures(const trm_system *system, const trm_measure *measures, int count,
                         double *values);

/* The joint, or the constraint of a generic system, that a row belongs to; −1: intrinsic or a
 * condition. */
int trm_system_row_group(const trm_system *system, int row);
/* "A"; "constraint 1" */
void trm_system_group_name(const trm_system *system, int group, char *text, size_t size);
/* "body 'crank'"; "coordinate 'x'" */
void trm_system_coordinate_name(const trm_system *system, int coordinate, char *text, size_t size);
/* "t = …: " and the message, into system->error; false. */
__attribute__((format(printf, 3, 4))) bool trm_system_fail(trm_system *system, double t,
                                                           const char *format, ...);
/* Why the constraints cannot be met at q, into system->error; q is lost. */
void trm_system_explain(trm_system *system, double violation, double *q);

/* Names the force or joint most responsible for a residual: of a coordinate's equation, or, with
 * coordinate < 0, of a constraint row. After the velocity stage; Q is lost. */
void trm_system_name_cause(trm_system *system, int coordinate, int row, char *text, size_t size);

/* Bodies that a correction had to stretch are made rigid again and the position stage repeated:
 * what then stays open are the joints. */
void trm_system_make_rigid(trm_system *system, double *q);

/* parts of compilation, in their own files */
trm_system *trm_generic_create(const trm_model *model, const trm_condition *conditions,
                               int condition_count, trm_arena *arena);
bool trm_system_arrays(trm_system *system);
bool trm_system_bodies(trm_system *system);
trm_marker trm_system_point(const trm_system *system, const trm_end *end);
trm_marker trm_system_axis(const trm_system *system, int body, const double u[3]);
/* The body's orientation as a quaternion (w, x, y, z), its sign continued from the accepted one. */
void trm_system_orientation(const trm_system *system, int body, double p[4]);
/* The state of the frames is accepted; returns how far directions of which turns are counted are
 * from their poles. */
double trm_system_accept_orientation(trm_system *system, int body);
bool trm_system_joints(trm_system *system, const trm_condition *conditions, int count);
bool trm_system_forces(trm_system *system);
bool trm_system_pieces(trm_system *system);
unsigned long trm_pieces_branch(trm_system *system, const double *slots);
bool trm_system_layout(trm_system *system);
bool trm_system_weigh_rows(trm_system *system);
/* The angle of the second relative to the first, zero as written, about an axis of the first's
 * frame in space. */
void trm_system_angle(const trm_system *system, int first, int second, const double axis[3],
                      trm_scalar *scalar);
trm_scalar trm_system_scalar(const trm_system *system, const trm_measure *measure);

#endif
