/* A robot as a file describes it, in one form for all formats: bodies at their places in the
 * configuration as written, joints between them, and what could not be taken over. */
#ifndef TRM_ROBOT_ROBOT_H
#define TRM_ROBOT_ROBOT_H

#include <stdbool.h>
#include <stdio.h>

#include "robot/xml.h"

#define TRM_ROBOT_WORLD (-1)

typedef struct trm_robot_pose {
  double x[3], R[3][3]; /* columns of R: the axes */
} trm_robot_pose;

/* About the centre of mass, in the axes of the frame that it is given in:
 * xx yy zz xy xz yz as entries of the tensor. */
typedef struct trm_robot_mass {
  double mass, com[3], inertia[6];
} trm_robot_mass;

/* Triangles in the frame of their body, corners one after another. */
typedef struct trm_robot_mesh {
  int count, room; /* triangles */
  double *corners; /* [9 count] */
} trm_robot_mesh;

typedef struct trm_robot_body {
  const char *name;    /* as the file has it */
  const char *label;   /* as the model has it */
  const trm_xml *at;   /* NULL: it stands in no file */
  trm_robot_pose pose; /* in the world */
  trm_robot_mass own;  /* in its own frame */
  double gravity;      /* factor of gravity; 1 */
  int fixed_to;        /* the body it is a part of, TRM_ROBOT_WORLD, or itself */
  bool filler;         /* between two joints of one body: no thing of its own */
  trm_robot_mesh mesh;
} trm_robot_body;

typedef enum trm_robot_joint_type {
  TRM_ROBOT_FREE,
  TRM_ROBOT_FIXED,
  TRM_ROBOT_REVOLUTE,
  TRM_ROBOT_PRISMATIC,
  TRM_ROBOT_SPHERICAL,
  TRM_ROBOT_PLANAR
} trm_robot_joint_type;

typedef struct trm_robot_joint {
  const char *name, *label;
  const trm_xml *at;
  trm_robot_joint_type type;
  int parent, child;               /* bodies */
  bool closes;                     /* a loop: the child hangs on another joint */
  double anchor[3], axis[3];       /* in the world */
  double gap[3];                   /* from the anchor to where the child's point is written */
  double damping, stiffness, rest; /* rest: the freedom where the spring is relaxed */
  double armature;
  double offset; /* what the file calls the freedom's value as written */
} trm_robot_joint;

#define TRM_ROBOT_LIST(type, plural)                                                               \
  int type##_count, type##_room;                                                                   \
  trm_robot_##type *plural

/* Of a sum over changes of freedoms from the configuration as written. */
typedef struct trm_robot_term {
  int joint;
  double factor;
} trm_robot_term;

typedef struct trm_robot_sum {
  TRM_ROBOT_LIST(term, terms);
} trm_robot_sum;

/* Of a path, straight between points of two bodies. */
typedef struct trm_robot_segment {
  int bodies[2];
  double ends[2][3]; /* in the world */
  double factor;
} trm_robot_segment;

/* sum = value */
typedef struct trm_robot_coupling {
  const char *name, *label;
  const trm_xml *at;
  trm_robot_sum sum;
  double value;
} trm_robot_coupling;

/* length = offset + sum + Σ factor × length of a segment; it pulls with its stiffness times what
 * it is beyond the range `rest`, and with its damping */
typedef struct trm_robot_tendon {
  const char *name, *label;
  const trm_xml *at;
  trm_robot_sum sum;
  TRM_ROBOT_LIST(segment, segments);
  double offset, stiffness, damping, rest[2];
  bool pulls;   /* a spring, a damper or an actuator */
  bool coupled; /* a coupling is made of it */
} trm_robot_tendon;

/* What stands between the input and the effort: nothing, a lag of first order, an integral. */
typedef enum trm_robot_activation {
  TRM_ROBOT_DIRECT,
  TRM_ROBOT_LAGGING,
  TRM_ROBOT_INTEGRATED
} trm_robot_activation;

/* effort on the joint or tendon = gain × activation + bias[0] + bias[1] × its freedom or length
 * + bias[2] × the rate of that */
typedef struct trm_robot_actuator {
  const char *name, *label;
  const trm_xml *at;
  int joint, tendon; /* one of them −1 */
  trm_robot_activation activation;
  double lag, gain, bias[3];
} trm_robot_actuator;

/* A point of a body, by name. */
typedef struct trm_robot_site {
  const char *name;
  const trm_xml *at;
  int body;
  bool used;
  trm_robot_pose pose; /* in the world */
} trm_robot_site;

typedef struct trm_robot {
  trm_arena *arena;
  trm_diagnostics *diagnostics;
  const char *file, *name, *kind;
  bool si;                     /* its numbers are, says the standard of its kind */
  bool coloured;               /* somewhere */
  bool floating, balance;      /* options */
  const char *const *packages; /* folders, or NULL */
  double gravity[3];
  TRM_ROBOT_LIST(body, bodies);
  TRM_ROBOT_LIST(joint, joints);
  TRM_ROBOT_LIST(coupling, couplings);
  TRM_ROBOT_LIST(tendon, tendons);
  TRM_ROBOT_LIST(actuator, actuators);
  TRM_ROBOT_LIST(site, sites);
  int note_count, note_room;
  const char **notes;
  bool filled; /* a body has a mass that only stands for none */
  bool no_memory;
} trm_robot;

/* Every list grows by one; a zeroed entry, NULL: no memory. The second: its name, place. */
trm_robot_body *trm_robot_add_body(trm_robot *robot, const char *name, const trm_xml *at);
trm_robot_joint *trm_robot_add_joint(trm_robot *robot, const char *name, const trm_xml *at);
trm_robot_coupling *trm_robot_add_coupling(trm_robot *robot, const char *name, const trm_xml *at);
trm_robot_tendon *trm_robot_add_tendon(trm_robot *robot, const char *name, const trm_xml *at);
trm_robot_actuator *trm_robot_add_actuator(trm_robot *robot, const char *name, const trm_xml *at);
trm_robot_site *trm_robot_add_site(trm_robot *robot, const char *name, const trm_xml *at);
trm_robot_segment *trm_robot_add_segment(trm_robot *robot, trm_robot_tendon *tendon);
/* A joint that is there already gets the factor added. */
void trm_robot_add_term(trm_robot *robot, trm_robot_sum *sum, int joint, double factor);
/* change of `second` = value + ratio × change of `first` */
void trm_robot_follow(trm_robot *robot, trm_robot_coupling *coupling, int second, int first,
                      double ratio);

/* What is not in the model as it is in the file: a warning here, a comment there. */
__attribute__((format(printf, 3, 4))) void trm_robot_note(trm_robot *robot, const trm_xml *at,
                                                          const char *format, ...);
/* "light 'lamp' is not taken over"; name may be NULL */
void trm_robot_note_dropped(trm_robot *robot, const trm_xml *at, const char *kind,
                            const char *name);
__attribute__((format(printf, 3, 4))) void trm_robot_error(trm_robot *robot, const trm_xml *at,
                                                           const char *format, ...);
/* A blank in place of a control character, which no model may have. */
char trm_robot_printable(char c);
/* Exactly `count` numbers of an attribute; false where it is not given or wrong, which is said. */
bool trm_robot_vector(trm_robot *robot, const trm_xml *at, const char *name, const char *text,
                      int count, double *values);
int trm_robot_find_body(const trm_robot *robot, const char *name);  /* −2: none */
int trm_robot_find_joint(const trm_robot *robot, const char *name); /* −1: none */

/* --- the formats --- */

void trm_robot_read_urdf(trm_robot *robot, const trm_xml *root);
void trm_robot_read_mjcf(trm_robot *robot, trm_xml *root);
void trm_robot_read_sdf(trm_robot *robot, const trm_xml *root);

/* --- pose.c --- */

trm_robot_pose trm_robot_identity(void);
trm_robot_pose trm_robot_compose(const trm_robot_pose *a, const trm_robot_pose *b);
void trm_robot_turn(const trm_robot_pose *pose, const double v[3], double out[3]);
void trm_robot_point(const trm_robot_pose *pose, const double v[3], double out[3]);
/* b as seen from a */
trm_robot_pose trm_robot_relative(const trm_robot_pose *a, const trm_robot_pose *b);
void trm_robot_about(const double axis[3], double angle, double R[3][3]);
/* About x, then y, then z, all of them fixed. */
void trm_robot_roll_pitch_yaw(const double rpy[3], double R[3][3]);
void trm_robot_quaternion(const double q[4], double R[3][3]); /* false lengths are made one */
void trm_robot_product(double a[3][3], double b[3][3], double c[3][3]);

/* --- mass.c --- */

/* The same mass seen from outside the frame. */
trm_robot_mass trm_robot_mass_in(const trm_robot_pose *frame, const trm_robot_mass *mass);
void trm_robot_mass_add(trm_robot_mass *sum, const trm_robot_mass *more);
/* False: no body has this inertia. */
bool trm_robot_mass_possible(const trm_robot_mass *mass);
/* All principal moments become their mean. */
void trm_robot_mass_balance(trm_robot_mass *mass);
/* Neither the mass nor a principal moment is less. */
void trm_robot_mass_bound(trm_robot_mass *mass, double least_mass, double least_moment);

/* --- mesh_*.c --- */

/* Adds the triangles of an STL, OBJ, MSH or COLLADA file; a reason why not, or NULL. */
const char *trm_robot_mesh_read(trm_robot *robot, const char *path, const double scale[3],
                                const trm_robot_pose *pose, trm_robot_mesh *mesh);
void trm_robot_mesh_box(trm_robot *robot, const double half[3], const trm_robot_pose *pose,
                        trm_robot_mesh *mesh);
/* An ellipsoid with its upper half moved up and its lower half down by `length` / 2 along z: a
 * capsule; `round` false: a cylinder. */
void trm_robot_mesh_round(trm_robot *robot, const double radii[3], double length, bool round,
                          const trm_robot_pose *pose, trm_robot_mesh *mesh);
void trm_robot_mesh_join(trm_robot *robot, const trm_robot_mesh *from, const trm_robot_pose *pose,
                         trm_robot_mesh *to);
/* Adds the convex hull of points; a reason why not, or NULL. */
const char *trm_robot_mesh_hull(trm_robot *robot, int count, const double *points,
                                trm_robot_mesh *mesh);

typedef enum trm_mesh_inertia {
  TRM_MESH_LEGACY, /* a tetrahedron of positive volume from the centre of mass to each triangle */
  TRM_MESH_EXACT,  /* within a surface that is closed and faces outward */
  TRM_MESH_CONVEX, /* within the convex hull */
  TRM_MESH_SHELL   /* on the surface */
} trm_mesh_inertia;
/* Of density 1; a reason why not, or NULL. */
const char *trm_robot_mesh_mass(trm_robot *robot, const trm_robot_mesh *mesh, trm_mesh_inertia how,
                                trm_robot_mass *mass);
bool trm_robot_mesh_write(const trm_robot_mesh *mesh, const char *path);

/* --- finish.c --- */

/* Joins what does not move relative to each other, gives massless bodies between joints a little
 * mass, checks inertias. */
void trm_robot_finish(trm_robot *robot);

/* --- label.c --- */

/* Names that a model may have, each once. False: no memory. */
bool trm_robot_label(trm_robot *robot);

/* --- write.c --- */

/* The model; meshes lie in the folder `meshes`, relative to it (NULL: none). */
void trm_robot_write(const trm_robot *robot, const char *meshes, FILE *file);

#endif
