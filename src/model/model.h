/* The mechanism as the user described it: names resolved, numbers evaluated, nothing about
 * coordinates. */
#ifndef TRM_MODEL_H
#define TRM_MODEL_H

#include <trammel/model.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/files_read.h"
#include "base/shelf.h"
#include "expression/quantity.h"
#include "expression/series.h"

#define TRM_GROUND (-1)

/* Where a thing stands in the model file; line 0 where it was built by calls. */
typedef struct trm_origin {
  int line, column;
  const char *source; /* its line of the file, which ends at a line break */
  const char *file;   /* NULL: the model's own */
  const char *from;   /* "car.yaml:12:5" where that file is included from there, or NULL */
} trm_origin;

typedef struct trm_point {
  const char *name;
  double u[3]; /* in the frame of its body */
} trm_point;

typedef struct trm_body {
  const char *name;
  double mass;
  double inertia[6]; /* Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass; planar: only Izz */
  double com[3];
  double position[3];
  double angle; /* planar */
  double R[9];  /* body → global, row-major; planar too */
  bool velocity_given, angular_velocity_given;
  double velocity[3], angular_velocity[3];
  double gravity[3]; /* its own or the model's */
  int point_count;
  trm_point *points;
  trm_shape_def shape;
  const char *color;
  trm_origin origin;
} trm_body;

/* One side of a joint or force element. */
typedef struct trm_end {
  int body;    /* or TRM_GROUND */
  double u[3]; /* the point, in the body's frame (ground: global) */
} trm_end;

/* In every trm_quantity of a model slot 0 is t and slot k > 0 is inputs[k − 1]. */

typedef enum trm_measure_kind {
  TRM_MEASURE_TIME,
  TRM_MEASURE_POINT, /* component (0 x, 1 y, 2 z) of the point `end`, its velocity or acceleration
                      */
  TRM_MEASURE_ANGLE, /* planar angle, omega, alpha of body `index` */
  TRM_MEASURE_ORIENTATION, /* body `index`: level 0 quaternion w x y z, 1 omega, 2 alpha, global
                              axes */
  TRM_MEASURE_FREEDOM,     /* joint `index`: component 0 angle/rate, 1 displacement/speed */
  TRM_MEASURE_REACTION, /* joint `index`: component 0…2 force, 3…5 torque, 6 and 7 magnitudes */
  TRM_MEASURE_EFFORT,   /* joint `index` */
  TRM_MEASURE_ELEMENT,  /* force `index`: level 0 length or angle, 1 rate, 2 force or torque */
  TRM_MEASURE_CARDAN,   /* body `index`: component 0 roll, 1 pitch, 2 yaw */
  TRM_MEASURE_EULER,    /* body `index`: component 3 (9 i + 3 j + k) + 0…2, the angles of the axes
                           i, j, k: in drivers only */
  TRM_MEASURE_ROTATION, /* body `index`: component 0…2 of the rotation vector: in drivers only,
                           all three of a body */
  TRM_MEASURE_BODY_AXES,  /* body `index`, in its own axes: component 0…2 velocity or acceleration
                             of the origin `end`, 3…5 angular velocity */
  TRM_MEASURE_HEADING,    /* the same in the frame turned by yaw only: component 0, 1 */
  TRM_MEASURE_DEFLECTION, /* bushing `index`: component 0…2 translation, 3…5 rotation */
  TRM_MEASURE_TIRE,       /* tire `index`: component as in tire/wheel.h */
  TRM_MEASURE_WRENCH,     /* force `index`: component 0…2 force, 3…5 torque */
  TRM_MEASURE_POWER,      /* force `index`: component 0 power, 1 stored energy */
  TRM_MEASURE_KINETIC,    /* body `index` */
  TRM_MEASURE_ENERGY,     /* component 0 kinetic, 1 potential, 2 total, 3 work, 4 error */
  TRM_MEASURE_MOMENTUM,   /* component 0…2 linear, 3…5 angular about the origin */
  TRM_MEASURE_CONSTRAINT, /* component 0 position, 1 velocity */
  TRM_MEASURE_COORDINATE, /* of a system of the user's own: coordinate `index` */
  TRM_MEASURE_MULTIPLIER, /* of it: row `index` */
  TRM_MEASURE_SIGNAL,     /* signal `index`: its value */
  TRM_MEASURE_STATE_RATE, /* signal `index`, a state: its rate */
  TRM_MEASURE_EVENT,      /* event `index`: component 0 count, 1 time of the last one */
  TRM_MEASURE_FORMULA     /* output formula `index`, over measures of any level */
} trm_measure_kind;

typedef struct trm_measure {
  const char *name; /* as in the results' header */
  trm_measure_kind kind;
  int index;   /* body, joint or force */
  trm_end end; /* POINT */
  int component;
  int level;     /* 0 position, 1 velocity, 2 acceleration or force level */
  bool together; /* another component of the quantity before it in a list */
} trm_measure;

/* Of one of the twelve sequences of axes; roll, pitch and yaw are one of them. */
bool trm_measure_is_euler(const trm_measure *measure);
/* Place and angle or quaternion of a body into a list; where it goes on. */
trm_measure *trm_measures_add_pose(trm_measure *next, int body, int dim);

/* Finds which of a list belong together: such are evaluated once. */
void trm_measures_group(trm_measure *measures, int count);

typedef struct trm_term {
  trm_measure measure;
  double factor;
} trm_term;

typedef struct trm_joint {
  const char *name;
  trm_joint_type type;
  trm_end end[2];
  double axis[2][3];  /* unit, carried by each side, in its frame (where the type has an axis) */
  trm_quantity value; /* distance: length (default filled in); coordinate, driver: value */
  bool of_rate;       /* driver on velocity level: value is that of a velocity */
  double radius;      /* rolling */
  bool disc;          /* rolling in space: a disc about axis[1], else a sphere */
  double pitch;       /* screw */
  int term_count;     /* coordinate: as given; gear: J2 − ratio J1; driver: the one driven */
  trm_term *terms;
  trm_origin origin;
} trm_joint;

/* A bushing's matrices, in axes carried by the first: planar 3 × 3, in space 6 × 6. */
typedef struct trm_bushing {
  double K[36], D[36], preload[6];
  double axes[3][3]; /* of the bushing, in the first's frame */
} trm_bushing;

typedef struct trm_force {
  const char *name;
  trm_force_type type;
  const struct trm_element_class *own; /* an element in place of its type's, or NULL */
  trm_end end[2];                      /* force, torque: end[0] */
  int joint;   /* actuator of a joint, torsion spring between two, else −1 */
  int against; /* torsion spring: the other joint, whose angle counts from this one's, else −1 */
  int freedom; /* of that joint: 0 angle, 1 displacement */
  bool body_frame;
  trm_quantity value[6]; /* force, then torque */
  double axis[3];        /* torsion spring in space: unit, carried by the first, in its frame; tire:
                            of spin, in the wheel's */
  const trm_tire *tire;  /* or NULL */
  trm_tire_side side;    /* of the car, of a tire */
  trm_bushing *bushing;  /* or NULL */
  trm_quantity stiffness, damping, free; /* free: filled in where not given */
  trm_origin origin;
} trm_force;

/* The road: slot 0 of its formulas is x, slot 1 is y. */
typedef struct trm_ground_form {
  trm_quantity height, friction;
} trm_ground_form;

/* A property file that tires share. */
typedef struct trm_tire_file {
  const char *path;
  const trm_tire *tire; /* NULL: it has errors */
  bool shared;          /* it lies on the shelf */
} trm_tire_file;

typedef enum trm_signal_kind {
  TRM_SIGNAL_INPUT,
  TRM_SIGNAL_VARIABLE,
  TRM_SIGNAL_STATE
} trm_signal_kind;

/* A named quantity of the model. Each has a slot of its own, and so has a state's rate. */
typedef struct trm_signal {
  const char *name;
  trm_signal_kind kind;
  trm_quantity value;   /* an input's or variable's own; a state's rate */
  trm_quantity initial; /* of a state */
  int slot;             /* of its value; rate_slot: of a state's rate */
  int rate_slot;
  int state;               /* which of the states */
  int smooth;              /* of a smooth(x, tau): the signal that is its rate, else 0 */
  int argument_count;      /* of an input: what a function in its place is of */
  trm_quantity *arguments; /* [argument_count] */
  int used_count;          /* slots that `value` and the arguments use */
  const int *used;
  int base_count;  /* what it hangs on, through other signals: slots of states and of */
  const int *base; /* measures of the motion */
  trm_origin origin;
} trm_signal;

/* In place of an input's formula. */
typedef struct trm_own_function {
  trm_input_function function; /* NULL: none */
  void *context;
} trm_own_function;

typedef struct trm_set {
  int state;          /* which of the states */
  trm_quantity value; /* what it becomes */
} trm_set;

typedef struct trm_event {
  const char *name;
  trm_quantity when;
  trm_crossing direction;
  bool stop;
  int set_count;
  trm_set *sets;
  trm_origin origin;
} trm_event;

typedef struct trm_initial {
  trm_measure measure; /* position or velocity level */
  double value;
  trm_origin origin;
} trm_initial;

typedef struct trm_parameter {
  const char *name;
  double value;
} trm_parameter;

/* A file that was read. */
typedef struct trm_source {
  const char *file, *text;
} trm_source;

/* A thing on the ground, for pictures. */
typedef struct trm_scenery {
  const char *name, *color;
  trm_shape_def shape;
  double position[3], R[9];
  int path_count; /* rod, path: points in global axes */
  double (*path)[3];
} trm_scenery;

typedef struct trm_view {
  bool follows, directed, forces;
  trm_end follow;
  double from[3]; /* unit */
} trm_view;

/* A column that is a formula: slot k is measures[k]. */
typedef struct trm_output_formula {
  const char *name;
  trm_expression *formula;
  int count;
  trm_measure *measures;
} trm_output_formula;

/* Slot k of a figure's or metric's formula is column k of the results: t, then the outputs. */
typedef struct trm_figure_curve {
  const char *text;        /* a measure, or a formula */
  const char *label;       /* in the legend */
  int column;              /* of a measure, else −1 */
  trm_expression *formula; /* where it is no measure */
} trm_figure_curve;

typedef struct trm_figure {
  const char *name, *title, *x_label, *y_label;
  trm_figure_curve x;
  int count;
  trm_figure_curve *y;
} trm_figure;

typedef struct trm_metric {
  const char *name;
  trm_series *formula; /* its results: the metrics before it */
} trm_metric;

struct trm_model {
  trm_arena *arena; /* all of the below lives here, formulas excepted */
  const char *name, *description;
  const char *file; /* "" where built by calls */
  const char *text; /* of the file, or "" */
  int part_count;   /* files included in it, each as often as it is */
  struct trm_source *parts;
  const char *units; /* system of its numbers, where the file says so or has units, else NULL */
  trm_files files;   /* everything that was read: model, parts, tables, tires */
  const char **overrides; /* NULL-terminated; NULL where built by calls */
  trm_shelf *shelf;       /* what it was read from; NULL where built by calls */
  bool no_outputs;        /* those made of it by other values have none but the time */
  trm_space space;
  int dim;       /* 2 or 3 */
  bool embedded; /* a planar model in space: its bodies keep their planar angles beside the rest */
  double gravity[3];
  bool finished;
  struct trm_user *user; /* a system of the user's own in place of bodies, or NULL */

  int body_count, joint_count, force_count;
  int shaft_count; /* the last bodies, at the ground's origin, on the last joints: nobody sees them
                    */
  trm_body *bodies;
  trm_body ground; /* name "ground", points, shape */
  trm_joint *joints;
  trm_force *forces;

  trm_ground_form road;
  int tire_count;
  trm_tire_file *tires;

  int parameter_count;
  trm_parameter *parameters;
  bool symbols; /* formulas of forces and signals are kept with parameters as symbols, too: slot 0
                   is t, slot 1 + k parameters[k], inputs are behind them */
  trm_expression **parameter_symbols; /* [parameter_count] of them themselves, where they are
                                         formulas of others, else NULL; NULL: not kept */
  int input_count;                    /* measures that formulas use */
  trm_measure *inputs;
  int signal_count;  /* inputs, variables, states, then value and rate of each smooth(x, tau) */
  int named_signals; /* those before these */
  trm_signal *signals;
  int *signal_order;           /* in which their values can be found */
  trm_own_function *functions; /* [signal_count] */
  int law_signal_count;        /* what laws of joints need: states, then variables in that order */
  int *law_signals;
  int state_count;
  const int *states; /* which of the signals */
  int event_count;
  trm_event *events;
  int *start_order; /* [states] which of the signals: initial values that others need first */
  trm_start start;
  int initial_count;
  trm_initial *initials;
  int output_count; /* expanded: the columns after t */
  trm_measure *outputs;
  int formula_count; /* of the outputs that are formulas */
  trm_output_formula *formulas;
  int most_slots; /* of one of them */

  int figure_count, metric_count;
  trm_figure *figures;
  trm_metric *metrics;
  int scenery_count;
  trm_scenery *scenery;
  trm_view view;

  struct trm_optimize *optimize; /* what is to become best, or NULL */

  const char *reference; /* a file of expected results, or NULL */
  double reference_tolerance;
  trm_origin *setting_origins; /* of each key of `simulate`, by trm_key_get; NULL: none is known */

  double length; /* a characteristic length, > 0: turns torques into forces in norms */
  trm_settings settings;
  struct trm_index *index; /* names → things */
  struct trm_draft *draft; /* definitions collected until trm_model_finish; NULL after it */
};

/* The section `optimize`: texts as written. */
typedef struct trm_optimize {
  int vary_count;
  const char **vary; /* [vary_count] parameters, and their bounds */
  double (*bounds)[2];
  int term_count;
  const char **terms; /* [term_count] of what is to be small */
  double *weights;
  int condition_count;
  const char **conditions; /* [condition_count] "final(car.y) >= 1" */
  const char *method;      /* "slsqp" or "mma" */
  int starts;              /* of the search: as written, and others within the bounds */
  const char *record;      /* a file with measured columns to fit, or NULL */
  int weight_count;        /* of its columns; others count once */
  const char **weighted;
  double *column_weights;
} trm_optimize;

/* The functions in place of inputs. to: may be NULL. */
void trm_model_take_functions(trm_model *to, const trm_model *from);

/* A model that was read, with other values of parameters: what is on its shelf is not read again.
 * Any number of threads may make them of one model. NULL where there are errors. */
trm_model *trm_model_with(const trm_model *model, int count, const char *const *parameters,
                          const double *values, trm_diagnostics *diagnostics, trm_status *status);
/* Its formulas keep parameters as symbols. */
trm_model *trm_model_with_symbols(const trm_model *model, int count, const char *const *parameters,
                                  const double *values, trm_diagnostics *diagnostics,
                                  trm_status *status);
/* One next to it: numbers of the model are moved from where they are along the derivatives of their
 * formulas by the parameters, so that it is there wherever the formulas have derivatives. Formulas
 * that stay formulas have the other values. */
trm_model *trm_model_near(const trm_model *model, bool symbols, int count,
                          const char *const *parameters, const double *values,
                          trm_diagnostics *diagnostics, trm_status *status);
/* In place of all outputs the time, in models made of it: plots and metrics add the columns that
 * they need. */
void trm_model_leave_out_outputs(trm_model *model);

/* A number that all it was read from gives, files as they were; overrides are not in it. */
uint64_t trm_model_mix(const trm_model *model);

/* The step of a fixed-step method: the one given, else 1e-3. */
/* A program's settings with what this version adds; size 0: they have none. */
trm_settings trm_settings_take(const trm_settings *settings);
double trm_settings_step(const trm_settings *settings);
bool trm_settings_takes_text(const char *key); /* a name, not a number */

/* Reports that a setting does not suit the model, or does not go with another one (NULL: there is
 * none), at its key where both are the model's own. TRM_BAD_MODEL then, else TRM_BAD_USAGE. */
__attribute__((format(printf, 6, 7))) trm_status
trm_refuse_setting(const trm_model *model, const trm_settings *settings, const char *key,
                   const char *other, trm_diagnostics *diagnostics, const char *format, ...);

/* For messages about what stands there. */
static inline trm_place trm_origin_place(const trm_model *model, trm_origin origin) {
  const char *file = origin.file ? origin.file : model->file;
  return (trm_place){origin.line ? file : NULL, origin.line, origin.column, origin.source,
                     origin.from};
}

trm_place trm_initial_place(const trm_model *model, const char *measure);

/* Bodies that the user gave: shafts have no place. */
static inline int trm_model_placed(const trm_model *model) {
  return model->body_count - model->shaft_count;
}

/* Freedoms of a joint type: bit 0 angle, bit 1 displacement. */
int trm_joint_freedoms(trm_joint_type type);
/* Those that can be asked for in the model's space: rolling has some in the plane only. */
int trm_model_freedoms(const trm_model *model, trm_joint_type type);
/* Whether the joint's reaction (fx fy tz), its effort or both are measures. */
bool trm_joint_has_reaction(trm_joint_type type);
/* Not of the driver of a shaft: what acts on a shaft has no place and no direction. */
bool trm_model_has_reaction(const trm_model *model, const trm_joint *joint);
bool trm_joint_has_effort(trm_joint_type type);
bool trm_joint_is_for(trm_joint_type type, trm_space space);

const char *trm_joint_type_name(trm_joint_type type);
bool trm_joint_type_find(const char *name, trm_joint_type *type);
const char *trm_force_type_name(trm_force_type type);

/* Looks up one full measure ("rod.B.vx"); its name is left NULL, the caller has it.
 * On failure returns false and writes a reason with a suggestion. */
bool trm_measure_find(const trm_model *model, const char *text, size_t length, trm_measure *measure,
                      char *reason, size_t reason_size);

/* Appends every measure a selection names ("crank", "A", "energy", "rod.B.x") to *list
 * (arena-grown). */
bool trm_measure_select(trm_model *model, const char *selection, trm_measure **list, int *count,
                        char *reason, size_t reason_size);

#endif
