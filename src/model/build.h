/* The builder: from definitions to the resolved model. Internal to this room. */
#ifndef TRM_MODEL_BUILD_H
#define TRM_MODEL_BUILD_H

#include <string.h>

#include "base/map.h"
#include "expression/unit.h"
#include "model/user.h"

typedef struct trm_point_def {
  const char *body, *name;
  double at[3];
} trm_point_def;

typedef struct trm_initial_def {
  const char *measure;
  double value;
} trm_initial_def;

typedef struct trm_signal_def {
  trm_signal_kind kind;
  const char *name;
  trm_value value, initial; /* value: of a state its rate */
  int argument_count;
  const trm_value *arguments; /* of an input */
} trm_signal_def;

typedef struct trm_metric_def {
  const char *name, *formula;
} trm_metric_def;

/* A selection of measures, or a formula with a name. */
typedef struct trm_output_def {
  const char *name, *formula; /* formula: NULL of a selection */
} trm_output_def;

/* A system of the user's own as it was given. Formulas: those of a file, else callbacks. */
typedef struct trm_user_def {
  trm_system_def def; /* counts, names and start; its arrays are copies */
  const bool *v_given;
  bool formulas, mass_diagonal;
  const trm_value *mass;                        /* [n] where diagonal, else [n × n] */
  const trm_value *force, *position, *velocity; /* a force that is not given is zero */
  trm_value energy;
} trm_user_def;

/* Definitions in the order given, and the state of building. Their texts live in the model's arena.
 */
typedef struct trm_draft {
  trm_model *model;
  trm_arena *arena;       /* of what is made while building; the lists below are on the heap */
  const trm_units *units; /* of numbers with units */
  int value_count, point_count, body_count, joint_count, force_count, shaft_count, initial_count,
      output_count, formula_count;
  trm_parameter *values; /* of the parameters; the last of a name counts */
  trm_point_def *points;
  trm_body_def *bodies;
  trm_joint_def *joints;
  trm_force_def *forces;
  trm_shaft_def *shafts;
  trm_initial_def *initials;
  trm_output_def *outputs; /* formula_count of them are formulas */
  int signal_count, event_count;
  trm_signal_def *signals; /* in the order of the file, inputs first, then variables, then states */
  trm_event_def *events;
  trm_user_def *user;                            /* or NULL */
  trm_value road_height, road_friction;          /* where given */
  const char *road_grid;                         /* or NULL */
  int figure_count, metric_count, scenery_count; /* these lists are in the arena */
  trm_figure_def *figures;
  trm_metric_def *metrics;
  trm_scenery_def *scenery;
  const char *follow; /* or NULL */
  const double *from; /* or NULL */

  trm_diagnostics *diagnostics;
  int errors;
  bool no_memory;
  bool no_size;  /* a definition was not made by trm_default_… */
  long compared; /* words, in search of suggestions: thousands of errors must not take hours */
  const char **parameter_names;
  trm_map *parameters; /* → model->parameters */
  trm_map *inputs;     /* → model->inputs */
  const char *folder;  /* of the model file, for tables */
} trm_draft;

/* A signal is any of them. */
typedef enum trm_item_kind {
  TRM_ITEM_BODY,
  TRM_ITEM_JOINT,
  TRM_ITEM_FORCE,
  TRM_ITEM_SIGNAL,
  TRM_ITEM_EVENT,
  TRM_ITEM_OUTPUT, /* a formula */
  TRM_ITEM_KINDS
} trm_item_kind;

typedef struct trm_item {
  trm_item_kind kind;
  int index;
} trm_item;

/* Names → things; read-only once the model is finished. */
typedef struct trm_index {
  trm_map *items;     /* "crank" → kind and index */
  trm_map *points;    /* "crank.A", "ground.O" → index among the points of that body */
  const char **names; /* energy momentum constraint ground, bodies, joints, forces, signals,
                         events, formulas of outputs: for suggestions */
  int name_count;
} trm_index;

enum { TRM_NAMES_BEFORE_BODIES = 4 };

/* What a message is about: "joints", "joint", its name (ground has none). */
typedef struct trm_subject {
  const char *section, *kind, *name;
} trm_subject;

/* Room for one element more behind `count` of them; NULL when memory is out. */
void *trm_grow(trm_arena *arena, void *items, int count, size_t size);
/* Room for `count` elements at once, to which trm_grow may add. */
void *trm_grow_to(trm_arena *arena, int count, size_t size);
void trm_draft_destroy(trm_model *model);

/* Reports at "section/name/key" a message that starts with "kind 'name'"; format continues it. */
__attribute__((format(printf, 6, 7))) void trm_draft_report(trm_draft *draft, trm_severity severity,
                                                            const trm_subject *subject,
                                                            const char *key, size_t offset,
                                                            const char *format, ...);
__attribute__((format(printf, 3, 4))) void trm_draft_error_at(trm_draft *draft, const char *path,
                                                              const char *format, ...);
#define TRM_DRAFT_ERROR(draft, subject, key, ...)                                                  \
  trm_draft_report((draft), TRM_ERROR, (subject), (key), 0, __VA_ARGS__)

static inline bool trm_text_is(const char *name, const char *text, size_t length) {
  return strncmp(name, text, length) == 0 && name[length] == '\0';
}

/* names.c */
bool trm_is_reserved(const char *name);
const char *trm_join(trm_arena *arena, const char *a, size_t length, const char *b); /* "a.b" */
bool trm_draft_index(trm_draft *draft);
/* "body", "joint", "force", "input", … */
const char *trm_item_kind_name(const trm_model *model, trm_item item);
bool trm_index_find(const trm_model *model, const char *name, size_t length, trm_item *item);
int trm_index_point(const trm_model *model, const char *text, size_t length);
/* ", did you mean 'x'?" or "" */
void trm_suggest_item(const trm_model *model, trm_item_kind kind, const char *word, size_t length,
                      char *text, size_t size);
void trm_suggest(const trm_model *model, const char *word, size_t length, const char *const *names,
                 int count, char *text, size_t size);
void trm_list_points(const trm_body *body, char *text, size_t size);

/* check.c */
void trm_draft_bodies(trm_draft *draft);
bool trm_draft_finite(trm_draft *draft, const trm_subject *subject, const char *key, double number);
bool trm_draft_vector(trm_draft *draft, const trm_subject *subject, const char *key,
                      const double vector[3]);

/* inertia.c, orientation.c */
void trm_draft_inertia(trm_draft *draft, const trm_subject *subject, const double inertia[6]);
/* R: the rotation nearest to a matrix that is one to 1e-6. */
bool trm_draft_orientation(trm_draft *draft, const trm_subject *subject, const double from[9],
                           double R[9]);

/* shaft.c */
/* The bodies and joints that shafts are, behind the others. */
void trm_draft_shafts(trm_draft *draft);
void trm_draft_shaft_joint(trm_draft *draft, trm_joint *joint);

/* connect.c */
typedef struct trm_side {
  const char *text, *key; /* "crank.A", "connect/1" */
  const double *at;       /* where not NULL, what a side without a point means */
} trm_side;
bool trm_draft_end(trm_draft *draft, const trm_subject *subject, const trm_side *side,
                   trm_end *end);
bool trm_draft_ends(trm_draft *draft, const trm_subject *subject, const char *const connect[2],
                    const double *at, const double *at_second, trm_end end[2]);
/* A unit vector of any length but zero. */
bool trm_draft_direction(trm_draft *draft, const trm_subject *subject, const char *key,
                         const double from[3], double to[3]);
/* Global components in the axes of a body as written, and back. */
void trm_into_body(const trm_model *model, int body, const double v[3], double local[3]);
void trm_from_body(const trm_model *model, int body, const double local[3], double v[3]);
void trm_end_as_written(const trm_model *model, const trm_end *end, double r[3]);
/* 0 where the points coincide up to round-off */
double trm_distance_as_written(const trm_model *model, const trm_end end[2]);
/* Of the second's point across the line through the first's along `axis`; 0 up to round-off. */
double trm_offset_as_written(const trm_model *model, const trm_end end[2], const double axis[3]);
/* Of the second's point above the plane through the first's across `axis`; 0 up to round-off. */
double trm_height_as_written(const trm_model *model, const trm_end end[2], const double axis[3]);

/* axes.c */
bool trm_joint_has_axis(const trm_model *model, trm_joint_type type);
/* axis[2] of a joint whose type has one, as unit vectors carried by the two sides. */
bool trm_draft_axes(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                    trm_joint *joint);
/* Whether the axes of a type that keeps an angle between them can be brought to it. */
void trm_draft_axes_angle(trm_draft *draft, const trm_subject *subject, const trm_joint *joint);

/* rolling.c */
void trm_draft_rolling(trm_draft *draft, const trm_subject *subject,
                       const trm_joint_def *definition, trm_joint *joint, bool connected);

/* joint.c: whether a distance is positive */
void trm_draft_length(trm_draft *draft, const trm_subject *subject, double length,
                      const char *when);

/* bushing.c */
void trm_draft_bushing(trm_draft *draft, const trm_subject *subject,
                       const trm_force_def *definition, trm_force *force);

/* embed.c: a planar model as a spatial one; before trm_model_finish. */
void trm_draft_embed(trm_draft *draft);

/* freedom.c */
typedef struct trm_freedom {
  int joint, component; /* 0 angle, 1 displacement */
} trm_freedom;
/* "J", "J.angle", "J.displacement" */
bool trm_draft_freedom(trm_draft *draft, const trm_subject *subject, const char *key,
                       const char *text, trm_freedom *freedom);
void trm_draft_gear(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                    trm_joint *joint);
/* driven: what is driven so far → the driver */
/* Rotation vectors are driven whole. */
void trm_draft_rotations(trm_draft *draft);
void trm_draft_driver(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                      trm_joint *joint, trm_map *driven);

/* formula.c */
typedef enum trm_formula_use {
  TRM_USE_TIME,   /* a joint: its second derivative is needed */
  TRM_USE_RATE,   /* a driver on velocity level: its first derivative is needed */
  TRM_USE_MOTION, /* a force, variable or rate */
  TRM_USE_INPUT,  /* of time alone */
  TRM_USE_START   /* a state's initial value: of the assembled motion and of inputs */
} trm_formula_use;
/* The slot of a measure, new where it has none yet; 0: out of memory. */
int trm_draft_slot(trm_draft *draft, const trm_measure *measure, const char *name, size_t length);
bool trm_draft_quantity(trm_draft *draft, const trm_subject *subject, const char *key,
                        const trm_value *value, trm_formula_use use, trm_quantity *quantity);

/* smooth.c */
/* The slot of a call like "smooth(u, 0.1)", new where it has none yet. The formula of its rate, and
 * of x at the start, are parsed by `parse`: there `smooth` is 1 + the signal, else 0. */
typedef trm_expression *(*trm_smooth_parse)(void *context, const char *text, int smooth,
                                            trm_expression_error *error);
trm_symbol trm_draft_smooth(trm_draft *draft, const char *text, size_t length,
                            trm_smooth_parse parse, void *context, char *reason, size_t size);

/* signal.c */
/* Names and slots; false: out of memory. */
bool trm_draft_declare_signals(trm_draft *draft);
void trm_draft_signals(trm_draft *draft);
/* A state without a name of the user's, behind all others; −1: out of memory. */
int trm_draft_add_state(trm_draft *draft, const char *name);
/* law.c, after the signals */
void trm_draft_laws(trm_draft *draft);
void trm_draft_events(trm_draft *draft); /* event.c */
const char *trm_signal_kind_name(trm_signal_kind kind);

/* user.c, user_formulas.c: a system of the user's own */
void trm_draft_user(trm_draft *draft);
void trm_draft_user_formulas(trm_draft *draft);
void trm_user_destroy(struct trm_user *user); /* its formulas; accepts NULL */

/* settings.c */
const char *trm_method_name(const char *key, const char *name);

void trm_draft_joints(trm_draft *draft);
void trm_draft_forces(trm_draft *draft);
/* tire.c, road.c */
void trm_draft_tire(trm_draft *draft, const trm_force_def *definition, trm_force *force);
void trm_draft_road(trm_draft *draft);
void trm_draft_initials(trm_draft *draft);

/* "tool.zxz2" in space; whether such an angle has a value in the orientation as written. */
bool trm_euler_find(const trm_model *model, const char *of, trm_measure *measure);
bool trm_draft_determined(trm_draft *draft, const trm_subject *subject, const char *key,
                          const trm_measure *measure);
void trm_draft_outputs(trm_draft *draft);

/* output_formula.c: of the outputs, in their order; all measures are known. */
void trm_draft_formulas(trm_draft *draft);
void trm_formulas_destroy(trm_model *model);

/* figures.c: behind the outputs, to which it adds what it uses. */
void trm_draft_figures(trm_draft *draft);
void trm_figures_destroy(trm_model *model); /* their formulas */
/* A name in a formula over results that is no measure: parameters, or `others`, may be meant.
 * `reason`, of `size`, says why there is no such measure, and is written over. */
trm_symbol trm_draft_unknown(trm_draft *draft, const char *name, size_t length,
                             const char *const *others, int count, char *reason, size_t size);
/* scenery.c */
void trm_draft_scenery(trm_draft *draft);

/* draft.c */
/* formula.c: the value of "3 mm"; names for which `taken` holds are refused as units. */
typedef bool trm_name_taken(void *context, const char *name, size_t length);
trm_symbol trm_draft_unit(const trm_draft *draft, const char *text, size_t length,
                          trm_name_taken *taken, void *context, char *reason, size_t size);
/* color.c: "#4682b4" of "steelblue", any other text as it is; the name that was meant, or NULL. */
const char *trm_color_hex(const char *text);
const char *trm_color_nearest(const char *text);
const char *trm_draft_keep(trm_draft *draft, const char *text); /* a copy; NULL stays NULL */
trm_shape_def trm_draft_keep_shape(trm_draft *draft, const trm_shape_def *shape);
/* What a program's definition has; a lack of its size is remembered. */
void trm_draft_take(trm_draft *draft, void *own, size_t full, const void *definition);

/* measure.c */
/* Pose, velocity and acceleration of a body, behind *count of a list with room for them. */
bool trm_measure_select_motion(trm_model *model, int body, trm_measure *list, int *count);
/* Reaction and effort of a joint in the same way; a shaft's rotation. */
bool trm_measure_select_forces(trm_model *model, int joint, trm_measure *list, int *count);
const char *trm_measure_level_name(const trm_measure *measure);
/* A position or angle of a body, point or joint freedom: what constraints are made of. */
bool trm_measure_is_coordinate(const trm_measure *measure);
bool trm_is_body_measure(const trm_model *model, const char *name, size_t length);

#endif
