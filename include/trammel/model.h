/* The mechanism: read from a YAML file, or built call by call.
 *
 *   trm_model *model = trm_model_load("four_bar.yaml", NULL, diagnostics, NULL);
 *
 * or: trm_model_create → trm_model_add_… → trm_model_finish. A finished model is read-only and may
 * be simulated by many threads at once. Definitions are copied, never kept by reference. */
#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/diagnostics.h>
#include <trammel/export.h>
#include <trammel/settings.h>
#include <trammel/tire.h>

TRM_BEGIN_C

typedef struct trm_model trm_model;

typedef enum trm_space { TRM_PLANAR, TRM_SPATIAL } trm_space;

/* A number, or a formula of t, parameters and measures where `text` is set. */
typedef struct trm_value {
  bool given;
  double number;
  const char *text;
} trm_value;

static inline trm_value trm_number(double number) {
  trm_value value = {true, number, NULL};
  return value;
}

static inline trm_value trm_formula(const char *text) {
  trm_value value = {true, 0, text};
  return value;
}

/* Pictures only. */
typedef enum trm_shape_type {
  TRM_SHAPE_LINES, /* default: from the body's origin to its points */
  TRM_SHAPE_BOX,
  TRM_SHAPE_SPHERE,
  TRM_SHAPE_CYLINDER,
  TRM_SHAPE_ROD,
  TRM_SHAPE_PATH,
  TRM_SHAPE_MESH,
  TRM_SHAPE_CONE /* its base at the origin */
} trm_shape_type;

typedef struct trm_shape_def {
  trm_shape_type type;
  double size[3];            /* box: edges; sphere: radius; cylinder, cone: radius, length */
  double axis[3];            /* cylinder, cone */
  int point_count;           /* rod, path */
  const char *const *points; /* rod, path: names of points of the body */
  const char *file;          /* mesh */
  bool mirrored[3];          /* mesh: across these axes of its body */
} trm_shape_def;

typedef struct trm_body_def {
  size_t size; /* of this struct, see export.h */
  const char *name;
  double mass;
  double inertia[6];     /* Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass; planar: only Izz */
  double com[3];         /* centre of mass in the body frame */
  double position[3];    /* of the body frame's origin */
  double orientation[9]; /* rotation matrix, row-major; planar: `angle` counts instead */
  double angle;          /* planar */
  bool velocity_given, angular_velocity_given, gravity_given;
  double velocity[3];         /* of the origin, global axes */
  double angular_velocity[3]; /* global axes; planar: the third */
  double gravity[3];          /* in place of the model's */
  trm_shape_def shape;
  const char *color; /* "#4477aa", or NULL */
} trm_body_def;

typedef enum trm_joint_type {
  TRM_JOINT_REVOLUTE,
  TRM_JOINT_PRISMATIC,
  TRM_JOINT_RIGID,
  TRM_JOINT_POINT_ON_LINE,
  TRM_JOINT_ROLLER,
  TRM_JOINT_DISTANCE,
  TRM_JOINT_COORDINATE,
  TRM_JOINT_GEAR,
  TRM_JOINT_ROLLING,
  TRM_JOINT_DRIVER,
  TRM_JOINT_SPHERICAL, /* from here on: space only */
  TRM_JOINT_UNIVERSAL,
  TRM_JOINT_CYLINDRICAL,
  TRM_JOINT_PLANAR,
  TRM_JOINT_POINT_ON_PLANE,
  TRM_JOINT_PARALLEL,
  TRM_JOINT_PERPENDICULAR,
  TRM_JOINT_SCREW,
  TRM_JOINT_CONSTANT_VELOCITY,
  TRM_JOINT_HALF_SHAFT,
  TRM_JOINT_SHAFT /* both; made by trm_model_add_shaft */
} trm_joint_type;

typedef struct trm_term_def {
  const char *measure; /* a position-level measure: "crank.angle", "rod.B.x", "J.displacement" */
  double factor;
} trm_term_def;

typedef struct trm_joint_def {
  size_t size; /* of this struct, see export.h */
  const char *name;
  trm_joint_type type;
  const char *connect[2]; /* "body.point", "body" (its origin), "ground.point", "ground" */
  bool at_given, axis_given, axes_given;
  double at[3];      /* a global point as written, carried by the sides that name no point */
  double axis[3];    /* global as written; roller: x or y */
  double axes[2][3]; /* body-fixed, one per side */
  trm_value value;   /* distance: its length; coordinate: the sum's value; driver: its law */
  int term_count;    /* coordinate */
  const trm_term_def *terms;
  const char *joints[2]; /* gear */
  double ratio;          /* gear: change of the second's freedom over the first's */
  double radius;         /* rolling */
  double pitch;          /* screw: displacement per turn */
  const char *of; /* driver: "J", "J.angle", "J.displacement", "body.angle", "body.point.x" */
  bool at_second_given;
  double at_second[3]; /* the same of the second side, where the sides are apart */
  trm_value rate; /* driver on velocity level: the law of what `of` names, "body.u", "J.rate" */
} trm_joint_def;

typedef enum trm_force_type {
  TRM_FORCE_FORCE,
  TRM_FORCE_TORQUE,
  TRM_FORCE_SPRING_DAMPER,
  TRM_FORCE_TORSION_SPRING_DAMPER,
  TRM_FORCE_ACTUATOR,
  TRM_FORCE_BUSHING,
  TRM_FORCE_LOAD,
  TRM_FORCE_TIRE /* space only */
} trm_force_type;

typedef struct trm_force_def {
  size_t size; /* of this struct, see export.h */
  const char *name;
  trm_force_type type;
  const char *connect[2]; /* force: "body.point" in connect[0]; torque, tire: the body there */
  const char *of; /* actuator of a joint's freedom: "J", "J.angle", "J.displacement", else NULL */
  const char *between[2]; /* torsion spring between two angles: "J", "J.angle", else NULL */
  bool at_given;
  double at[3];
  bool body_frame;     /* force, torque: components in body axes */
  trm_value value[3];  /* force, load: components; torque: planar [2]; actuator: [0] */
  trm_value torque[3]; /* load: components; planar [2] */
  trm_value stiffness; /* springs */
  trm_value damping;
  double bushing_stiffness[36]; /* 6 × 6 row-major, translations then rotations (planar: 3 × 3 in
                                   the first 9: x, y, angle) */
  double bushing_damping[36];
  double preload[6];     /* force and torque on the second at rest, bushing axes */
  double orientation[9]; /* of the bushing axes, global as written, row-major */
  double axis[3];        /* torsion spring in space: global as written; tire: in the wheel's axes */
  bool axis_given;
  trm_value free; /* free length or angle; not given: the length as written, or angle 0 */
  bool at_second_given;
  double at_second[3]; /* the same as `at` of the second side, where the sides are apart */
  const char *centre;  /* tire: a point of the wheel; NULL: its origin */
  const char *file;    /* tire: a property file, relative to the model file or, built by calls, to
                          the working directory */
  trm_tire_side side;  /* tire: left or right */
  int scale_count;     /* tire: factors on the scaling coefficients of its file, "LKY" say */
  const char *const *scale_names;
  const double *scales;
} trm_force_def;

/* An inertia with one rotation and no place: its angle counts wherever a joint's freedom does. */
typedef struct trm_shaft_def {
  size_t size; /* of this struct, see export.h */
  const char *name;
  double inertia;
  bool rate_given;
  double rate; /* at the start */
} trm_shaft_def;

/* A thing that stands on the ground, in pictures only. */
typedef struct trm_scenery_def {
  size_t size; /* of this struct, see export.h */
  const char *name;
  trm_shape_def shape; /* a rod or path: of points of the ground, or of `path` */
  double position[3];
  double orientation[9]; /* rotation matrix, row-major */
  const char *color;     /* "#4477aa", or NULL */
  int path_count;
  const double (*path)[3];
} trm_scenery_def;

/* A figure of the report: formulas of t, parameters and measures. */
typedef struct trm_figure_def {
  size_t size;              /* of this struct, see export.h */
  const char *name, *title; /* no title: the name */
  const char *x;            /* NULL: t */
  int count;
  const char *const *y;          /* [count] */
  const char *const *labels;     /* [count] of the curves, or NULL: their formulas */
  const char *x_label, *y_label; /* or NULL */
} trm_figure_def;

typedef enum trm_crossing { TRM_BOTH, TRM_RISING, TRM_FALLING } trm_crossing;

/* A state, and what an event makes of it. */
typedef struct trm_set_def {
  const char *state;
  trm_value value; /* may use what a variable may */
} trm_set_def;

/* A formula goes through zero. */
typedef struct trm_event_def {
  size_t size; /* of this struct, see export.h */
  const char *name;
  trm_value when;
  trm_crossing direction;
  bool stop; /* ends the run */
  int set_count;
  const trm_set_def *sets;
} trm_event_def;

TRM_API void trm_body_init(trm_body_def *defaults, size_t size);
static inline trm_body_def trm_default_body(void) {
  trm_body_def defaults;
  trm_body_init(&defaults, sizeof defaults);
  return defaults;
}
TRM_API void trm_joint_init(trm_joint_def *defaults, size_t size);
static inline trm_joint_def trm_default_joint(void) {
  trm_joint_def defaults;
  trm_joint_init(&defaults, sizeof defaults);
  return defaults;
}
TRM_API void trm_force_init(trm_force_def *defaults, size_t size);
static inline trm_force_def trm_default_force(void) {
  trm_force_def defaults;
  trm_force_init(&defaults, sizeof defaults);
  return defaults;
}
TRM_API void trm_shaft_init(trm_shaft_def *defaults, size_t size);
static inline trm_shaft_def trm_default_shaft(void) {
  trm_shaft_def defaults;
  trm_shaft_init(&defaults, sizeof defaults);
  return defaults;
}

TRM_API void trm_scenery_init(trm_scenery_def *defaults, size_t size);
static inline trm_scenery_def trm_default_scenery(void) {
  trm_scenery_def defaults;
  trm_scenery_init(&defaults, sizeof defaults);
  return defaults;
}
TRM_API void trm_figure_init(trm_figure_def *defaults, size_t size);
static inline trm_figure_def trm_default_figure(void) {
  trm_figure_def defaults;
  trm_figure_init(&defaults, sizeof defaults);
  return defaults;
}
TRM_API void trm_event_init(trm_event_def *defaults, size_t size);
static inline trm_event_def trm_default_event(void) {
  trm_event_def defaults;
  trm_event_init(&defaults, sizeof defaults);
  return defaults;
}

TRM_API trm_model *trm_model_create(trm_space space);
TRM_API void trm_model_destroy(trm_model *model); /* accepts NULL */

TRM_API void trm_model_set_name(trm_model *model, const char *name, const char *description);
TRM_API void trm_model_set_gravity(trm_model *model, const double gravity[3]);
TRM_API void trm_model_set_settings(trm_model *model, const trm_settings *settings);
TRM_API void trm_model_set_parameter(trm_model *model, const char *name, double value);
/* Duplicate and malformed names, unknown bodies and the like are reported by trm_model_finish. */
TRM_API void trm_model_add_point(trm_model *model, const char *body, const char *name,
                                 const double at[3]);
TRM_API void trm_model_add_body(trm_model *model, const trm_body_def *definition);
TRM_API void trm_model_add_joint(trm_model *model, const trm_joint_def *definition);
TRM_API void trm_model_add_force(trm_model *model, const trm_force_def *definition);
TRM_API void trm_model_add_shaft(trm_model *model, const trm_shaft_def *definition);
/* Signals: a number or formula of t; a formula over anything below acceleration level; a state that
 * is integrated with the motion, `initial` of parameters and the assembled motion, `rate` a formula
 * or not given. */
TRM_API void trm_model_add_input(trm_model *model, const char *name, const trm_value *value);
/* One that a function may be put in place of: a function of t and of these formulas, which may use
 * what a variable may. */
TRM_API void trm_model_add_input_of(trm_model *model, const char *name, const trm_value *value,
                                    int count, const trm_value *arguments);
TRM_API void trm_model_add_variable(trm_model *model, const char *name, const trm_value *value);
TRM_API void trm_model_add_state(trm_model *model, const char *name, const trm_value *initial,
                                 const trm_value *rate);
TRM_API void trm_model_add_event(trm_model *model, const trm_event_def *definition);
/* The road that tires roll on: its height and its friction (times that of a tire's test road) as
 * formulas of x and y, or its height as a grid in a file. NULL: z = 0, friction 1. */
TRM_API void trm_model_set_road(trm_model *model, const trm_value *height, const char *grid,
                                const trm_value *friction);
TRM_API void trm_model_add_initial(trm_model *model, const char *measure, double value);
/* Where a simulation begins: in the assembled state, or in the equilibrium or steady motion that is
 * found from it. */
typedef enum trm_start { TRM_START_WRITTEN, TRM_START_EQUILIBRIUM, TRM_START_STEADY } trm_start;
TRM_API void trm_model_set_start(trm_model *model, trm_start start);
TRM_API void trm_model_add_output(trm_model *model, const char *selection);
/* A column of its own: a formula over measures of any level, and a measure of this name. */
TRM_API void trm_model_add_output_formula(trm_model *model, const char *name, const char *formula);
TRM_API void trm_model_set_ground_shape(trm_model *model, const trm_shape_def *shape,
                                        const char *color);
TRM_API void trm_model_add_scenery(trm_model *model, const trm_scenery_def *definition);
/* How pictures look at it: follow a body or point ("car", "car.seat"; NULL: everything is shown),
 * from a direction (NULL: chosen), with arrows of the elements' forces from the beginning. */
TRM_API void trm_model_set_view(trm_model *model, const char *follow, const double from[3],
                                bool forces);

/* Figures of the report; what they and the metrics use is recorded behind the outputs. */
TRM_API void trm_model_add_figure(trm_model *model, const trm_figure_def *definition);
/* A number of the summary, a formula over the rows of a run: "max(abs(rod.B.x))". */
TRM_API void trm_model_add_metric(trm_model *model, const char *name, const char *formula);

/* Expected results: a CSV file, relative to the model file or, built by calls, to the working
 * directory. */
TRM_API void trm_model_set_reference(trm_model *model, const char *file, double tolerance);

/* Resolves every name and checks every number; reports all errors. */
TRM_API trm_status trm_model_finish(trm_model *model, trm_diagnostics *diagnostics);

/* Reads, builds and finishes. overrides: NULL-terminated "NAME=VALUE" strings, or NULL: parameters,
 * and "inputs.NAME=FORMULA" or "inputs.NAME=FILE.csv" (columns t and NAME) for inputs;
 * "drivers.MEASURE=FILE.csv" adds a driver of a position, whose law is the quintic spline through
 * that column: its name is "drive_" and the measure with _ for dots.
 * NULL where there are errors; status (may be NULL) tells TRM_IO_ERROR, TRM_NO_MEMORY and
 * TRM_BAD_USAGE (a wrong override) from TRM_BAD_MODEL. */
TRM_API trm_model *trm_model_load(const char *path, const char *const *overrides,
                                  trm_diagnostics *diagnostics, trm_status *status);
/* The same of a text in memory; name: what messages call the file, and where files beside it are
 * looked for ("folder/name.yaml"). */
TRM_API trm_model *trm_model_load_text(const char *yaml, const char *name,
                                       const char *const *overrides, trm_diagnostics *diagnostics,
                                       trm_status *status);
/* The same in a given space. A planar model in space has the same motion: its bodies are thin
 * plates held in the plane z = 0. A spatial model in the plane is TRM_BAD_USAGE. */
TRM_API trm_model *trm_model_load_as(const char *path, const char *const *overrides,
                                     trm_space space, trm_diagnostics *diagnostics,
                                     trm_status *status);

TRM_API const char *trm_model_name(const trm_model *model);
TRM_API const char *trm_model_description(const trm_model *model); /* "" where there is none */
TRM_API trm_space trm_model_space(const trm_model *model);
TRM_API int trm_model_body_count(const trm_model *model);
TRM_API const char *trm_model_body_name(const trm_model *model, int body);
/* Centre of mass in the body frame; inertia about it, Ixx Iyy Izz Ixy Ixz Iyz, planar: only Izz.
 * False where there is no body of this index. */
TRM_API bool trm_model_body_mass(const trm_model *model, int body, double *mass, double com[3],
                                 double inertia[6]);
/* False where the model names none; the path of the file is ready to be opened. */
TRM_API bool trm_model_reference(const trm_model *model, const char **file, double *tolerance);
TRM_API const trm_settings *trm_model_settings(const trm_model *model);

/* Parameters with the values they have, inputs, columns of the results behind t, and events; NULL
 * and NaN where there is none of this index. */
TRM_API int trm_model_parameter_count(const trm_model *model);
TRM_API const char *trm_model_parameter_name(const trm_model *model, int parameter);
TRM_API double trm_model_parameter_value(const trm_model *model, int parameter);
TRM_API int trm_model_input_count(const trm_model *model);
TRM_API const char *trm_model_input_name(const trm_model *model, int input);
/* How many formulas the function of an input is of. */
TRM_API int trm_model_input_arguments(const trm_model *model, int input);

/* A controller or force law in C: the value of an input at t, where the formulas that it is of have
 * these values. Called in every stage of every step, by all threads that simulate the model.
 * gradient, where it is not NULL: its derivatives by the arguments may be left there; those that
 * are not are found by differences. */
typedef double (*trm_input_function)(void *context, double t, const double *arguments,
                                     double *gradient);
/* In place of the input's formula, in this model and in those made of it by other parameters, from
 * the next simulation on; NULL: the formula again. */
TRM_API trm_status trm_model_set_input_function(trm_model *model, const char *input,
                                                trm_input_function function, void *context,
                                                trm_diagnostics *diagnostics);
TRM_API int trm_model_driver_count(const trm_model *model); /* joints that are drivers */
TRM_API const char *trm_model_driver_name(const trm_model *model, int driver);
TRM_API int trm_model_output_count(const trm_model *model);
TRM_API const char *trm_model_output_name(const trm_model *model, int output);
TRM_API int trm_model_event_count(const trm_model *model);
TRM_API const char *trm_model_event_name(const trm_model *model, int event);
TRM_API trm_crossing trm_model_event_direction(const trm_model *model, int event);
TRM_API bool trm_model_event_stops(const trm_model *model, int event); /* it ends the run */
/* The files it was read from: itself, parts, tables, tires. */
TRM_API int trm_model_file_count(const trm_model *model);
TRM_API const char *trm_model_file(const trm_model *model, int file);

TRM_END_C

#endif
