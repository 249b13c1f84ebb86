/* The parts of the reader: from YAML nodes to definitions. Internal to read*.c. */
#ifndef TRM_MODEL_READ_PARTS_H
#define TRM_MODEL_READ_PARTS_H

#include "base/map.h"
#include "model/read.h"
#include "model/yaml.h"

enum { TRM_READ_AS_WRITTEN = -1 };

typedef enum trm_parameter_state {
  TRM_PARAMETER_PENDING, /* not reached yet */
  TRM_PARAMETER_KNOWN,
  TRM_PARAMETER_BAD /* had an error: what uses it is not reported again */
} trm_parameter_state;

typedef struct trm_parameter_entry {
  const char *name;
  trm_yaml *node;       /* its expression in the file */
  const char *override; /* its expression from outside, or NULL */
  const double *number; /* its value from outside, where that is known, or NULL */
  int component;        /* of a vector, or −1 */
  bool given;           /* its value comes from the file that includes this one */
  trm_parameter_state state;
  double value;
  double move;      /* what of it has come by moving it, see trm_model_near */
  int searched_for; /* mark of the search for circular definitions */
} trm_parameter_entry;

/* How a part stands in the model: x = sign x' + at, component by component. */
typedef struct trm_frame {
  double sign[3], at[3];
  double turn; /* of axial vectors: −1 where it is mirrored */
} trm_frame;

typedef struct trm_reader {
  trm_document document;
  trm_diagnostics *diagnostics; /* the reader's own: sorted before the caller sees them */
  trm_model *model;
  const char *folder;            /* of the file, for tables; NULL: the working directory */
  const char *kind, *name, *key; /* what is being read, for messages: body 'crank': mass */

  int parameter_count, bad_parameters;
  trm_parameter_entry *parameters;
  trm_map *parameter_index;
  trm_map *vector_index; /* names of vectors → their number of components */
  int evaluating;        /* the parameter whose expression is being read, or −1 */
  bool uses_bad;         /* the last expression used a bad parameter */
  bool near;             /* numbers are moved from where they were, see trm_model_near */
  double move;           /* of the last number */
  char reason[256];
  int suggestions, searches; /* made so far */

  /* entries that stand for many, by kind: bodies, joints, forces, shapes on the ground */
  struct trm_repeat **repeats[4];
  int repeat_count[4];
  struct trm_repeat *repeat; /* the one whose entry is being read, or NULL */
  int instance;              /* which of its entries */
  bool has_dollars;          /* the file holds `$(` */
  long generated;            /* entries so far, and the values in them */
  int64_t generated_values;
  trm_map *repeated; /* places in templates → the entry that was reported there */

  /* files that include others */
  struct trm_reader *outer;  /* of the file that includes this one, or NULL */
  struct trm_reader **parts; /* of those that it includes */
  int part_count;
  const char *prefix; /* of the part's names, those of the outer ones before it */
  const char *nest;   /* from the model's folder to that of the part: "" or "parts/" */
  trm_frame frame;
  const char *origin; /* the point of the ground that is the part's origin, where it is needed */
  int all_parts;      /* of the model, in the outermost */
  const char *file, *from; /* of the document, in the finished model; NULL: the model's own */
  trm_shelf *shelf;        /* of what was read, which the model will hold */
  const char *const *overrides;
  bool *override_used;

  int reported;             /* errors */
  bool wrong_usage;         /* an override is wrong */
  bool no_memory;           /* something could not be kept */
  bool building;            /* inside trm_model_finish */
  int wanted;               /* a trm_space other than the file's may be */
  bool symbols;             /* parameters are kept as symbols */
  const trm_model *earlier; /* which has other values of parameters, in the outermost; or NULL */
  int value_count;          /* these values; names stand in overrides, too */
  const char *const *value_names;
  const double *values;
} trm_reader;

/* "body 'crank': mass: …" at a node, or at a character of it. Marks the node as bad. */
__attribute__((format(printf, 3, 4))) void trm_read_error(trm_reader *reader, trm_yaml *node,
                                                          const char *format, ...);
__attribute__((format(printf, 4, 5))) void
trm_read_error_in(trm_reader *reader, trm_yaml *node, size_t offset, const char *format, ...);
/* ", did you mean 'x'?" or "". */
void trm_read_suggest(trm_reader *reader, const char *word, const char *const *names, int count,
                      char *text, size_t size);

/* read_value.c: each reports what is wrong, leaves the target as it was and returns false. */
bool trm_read_number(trm_reader *reader, trm_yaml *node, double *number);
/* What a number is, or the numbers of a list: those with a unit must have one of this kind. */
typedef enum trm_kind {
  TRM_A_MASS,
  TRM_A_LENGTH,
  TRM_A_TIME,
  TRM_AN_ANGLE,
  TRM_A_VELOCITY,
  TRM_AN_ANGULAR_VELOCITY,
  TRM_AN_ACCELERATION,
  TRM_AN_INERTIA,
  TRM_A_DENSITY
} trm_kind;
void trm_read_unit(trm_reader *reader, trm_yaml *node, trm_kind kind);
bool trm_read_vector(trm_reader *reader, trm_yaml *node, int count, double *vector);
/* A direction, also by its name: x, -y. */
bool trm_read_direction(trm_reader *reader, trm_yaml *node, int count, double *vector);
bool trm_read_list(trm_reader *reader, trm_yaml *node, int count, const char *what);
bool trm_read_text(trm_reader *reader, trm_yaml *node, const char *what, const char **text);
/* A text that refers to a thing of the model. */
bool trm_read_name(trm_reader *reader, trm_yaml *node, const char *what, const char **name);
bool trm_read_formula(trm_reader *reader, trm_yaml *node, trm_value *value);
bool trm_read_map(trm_reader *reader, trm_yaml *node, const char *what);
bool trm_read_evaluate(trm_reader *reader, const char *text, double *number,
                       trm_expression_error *error);
/* Whether a text was cut from an unquoted expression at its commas: "atan2(1". */
bool trm_read_is_cut(const trm_yaml *node);
#define TRM_READ_CUT_HINT "expressions with commas stand in quotes inside [...] or {...}"

/* read_vector.c */
/* How many components a name has that stands for a vector, or 0. */
int trm_vector_dimension(const trm_reader *reader, const char *name, size_t length);
const char *trm_vector_component(trm_arena *arena, const char *name, int k); /* "P.x" */
/* Components of what a text or a list stands for, 0 for a number; nothing is evaluated. */
int trm_vector_of_text(trm_reader *reader, const char *text);
int trm_vector_of_node(trm_reader *reader, const trm_yaml *node);
/* The dimension of the first vector that is named in a text, or 0. */
int trm_vector_named(const trm_reader *reader, const char *text, size_t length);
/* The value of a formula and its number of components; 0: `error` is filled in. */
int trm_vector_evaluate(trm_reader *reader, const char *text, double v[3],
                        trm_expression_error *error);
/* A vector, or a function of vectors, where a number is needed. */
trm_symbol trm_vector_symbol(trm_reader *reader, const char *name, size_t length);

/* read_fields.c */
typedef struct trm_field {
  const char *key;
  void (*read)(trm_reader *reader, trm_yaml *node, void *target); /* NULL: read elsewhere */
  unsigned types;    /* which types of the object have it, one bit each */
  unsigned required; /* which types need it */
} trm_field;

typedef struct trm_schema {
  const trm_field *fields;
  int count;
  const char *(*type_name)(int type); /* NULL behind the last; no function: one type only */
  const char *word;                   /* before the type in messages: "type " */
} trm_schema;

void trm_read_fields(trm_reader *reader, const trm_yaml_pair *object, const trm_schema *schema,
                     int type, void *target);

/* read.c: false where reading on makes no sense. */
bool trm_read_check_root(trm_reader *reader);

/* read_parameters.c: false where there is no memory. */
bool trm_read_declare(trm_reader *reader);
void trm_read_parameters(trm_reader *reader); /* after declaring them */
/* What the finished model's parameters are of one another. False: out of memory. */
bool trm_read_symbols(trm_reader *reader);
void trm_read_unused_overrides(trm_reader *reader);
trm_symbol trm_read_lookup(void *context, const char *name, size_t length);
/* The parameter whose value that looks up, or NULL. */
const trm_parameter_entry *trm_read_parameter(const trm_reader *reader, const char *name,
                                              size_t length);

/* read_repeat.c: reads each entry of bodies, joints or forces, repeated ones many times. */
typedef void trm_read_entry(trm_reader *reader, const trm_yaml_pair *entry);
void trm_read_entries(trm_reader *reader, trm_yaml *section, trm_read_entry *read);
/* repeat_bind.c */
/* Whether a message at a node is to be made: the same mistake in many entries of a template is one.
 */
bool trm_repeat_reports(trm_reader *reader, const trm_yaml *node);
/* How many entries the key of a section stands for; `next` counts the templates passed. */
int trm_repeat_count(const trm_reader *reader, int kind, const trm_yaml *key, int *next);
/* repeat_text.c: a formula with the values of the indices in it. */
const char *trm_repeat_formula(trm_reader *reader, const char *text);

/* read_origin.c: tells the finished model where its parts stand in the file. */
trm_status trm_read_origins(trm_reader *reader);

/* Sections of the file. */
void trm_read_ground(trm_reader *reader, const trm_yaml_pair *section);
void trm_read_bodies(trm_reader *reader, trm_yaml *section);
void trm_read_shape(trm_reader *reader, trm_yaml *node, trm_shape_def *shape);
void trm_read_joints(trm_reader *reader, trm_yaml *section);
void trm_read_forces(trm_reader *reader, trm_yaml *section);
void trm_read_shafts(trm_reader *reader, trm_yaml *section);
void trm_read_inputs(trm_reader *reader, trm_yaml *section);
/* read_input.c: inputs that come from outside the file. */
bool trm_read_is_input(const char *override);
void trm_read_input_override(trm_reader *reader, const char *name, trm_value *value);
void trm_read_unused_inputs(trm_reader *reader);

/* read_optimize.c */
void trm_read_optimize(trm_reader *reader, trm_yaml *section);

/* read_motion.c: "drivers.MEASURE=FILE.csv" */
bool trm_read_is_motion(const char *override);
void trm_read_motion(trm_reader *reader);
void trm_read_variables(trm_reader *reader, trm_yaml *section);
void trm_read_states(trm_reader *reader, trm_yaml *section);
void trm_read_events(trm_reader *reader, trm_yaml *section);
void trm_read_system(trm_reader *reader, const trm_yaml_pair *section);
void trm_read_road(trm_reader *reader, const trm_yaml_pair *section);
void trm_read_reference(trm_reader *reader, const trm_yaml_pair *section);
void trm_read_simulate(trm_reader *reader, trm_yaml *section);
void trm_read_plots(trm_reader *reader, trm_yaml *section);
void trm_read_metrics(trm_reader *reader, trm_yaml *section);
void trm_read_scenery(trm_reader *reader, trm_yaml *section);
void trm_read_view(trm_reader *reader, const trm_yaml_pair *section);

/* read_connect.c: what joints and forces have in common. */
void trm_read_connect(trm_reader *reader, trm_yaml *node, const char *connect[2]);
/* One point for both sides, or a list of two. */
void trm_read_at(trm_reader *reader, trm_yaml *node, bool *given, double at[3], bool *second_given,
                 double second[3]);
/* The type under `type:`. One that is misspelt is reported and guessed; −1: reported, no guess.
 * is_for: whether a type exists in a space; NULL: all do. */
int trm_read_type(trm_reader *reader, const trm_yaml_pair *object,
                  const char *(*type_name)(int type), bool (*is_for)(int type, trm_space space));

/* read_pose.c: `pose: {file: …}` of the driver `pair`: six drivers. */
void trm_read_pose_driver(trm_reader *reader, const trm_yaml_pair *pair, trm_yaml *node);
/* `rotation: [x, y, z]` of it: three. */
void trm_read_rotation_driver(trm_reader *reader, const trm_yaml_pair *pair, trm_yaml *node);

/* How many joints an entry stands for: one, but for these. */
int trm_read_joint_count(const trm_yaml *entry);

/* read_orientation.c: any of its forms as a rotation matrix. */
void trm_read_orientation(trm_reader *reader, trm_yaml *node, double R[9]);

/* read_file.c */
trm_status trm_read_file(trm_document *document, trm_diagnostics *diagnostics);

/* read_locate.c: a trm_locator; the line is TRM_READ_DROPPED for what only follows from a reported
 * error. */
enum { TRM_READ_DROPPED = -1 };
trm_place trm_read_locate(void *context, const char *path, size_t offset);

#endif
