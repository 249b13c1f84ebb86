/* What the readers of MJCF's sections share. */
#ifndef TRM_ROBOT_MJCF_H
#define TRM_ROBOT_MJCF_H

#include "robot/robot.h"

typedef struct trm_mjcf {
  trm_robot *robot;
  trm_xml *root;
  double angle;            /* radians of one of the file's */
  const char *euler;       /* sequence: small letters turn with the body */
  const char *mesh_folder; /* "" or with its slash */
  bool strip_path, exact_meshes;
  int inertia_from_geometry; /* 1 always, 0 never, −1 where there is no <inertial> */
  double group[2];           /* of geometry that has mass */
  double least_mass, least_inertia, total_mass;       /* total < 0: as it is */
  int bodies, joints, equalities, tendons, actuators; /* counted so far, as MuJoCo numbers them */
} trm_mjcf;

/* --- mjcf_default.c --- */

bool trm_mjcf_among(const char *words, const char *word); /* they stand between blanks */

/* Classes that an element or those in it name must be there. */
void trm_mjcf_check_classes(const trm_mjcf *m, const trm_xml *element);
/* An attribute of an element, or of its class or a class above. */
const char *trm_mjcf_get(const trm_mjcf *m, const trm_xml *element, const char *name);
double trm_mjcf_number(const trm_mjcf *m, const trm_xml *element, const char *name,
                       double otherwise);
bool trm_mjcf_vector(const trm_mjcf *m, const trm_xml *element, const char *name, int count,
                     double *values);
bool trm_mjcf_is(const trm_mjcf *m, const trm_xml *element, const char *name, const char *value);
/* Its name, or one that is made of its kind and its number; counts it. */
const char *trm_mjcf_name(trm_mjcf *m, const trm_xml *element, int *count);
/* pos and one of quat, axisangle, euler, xyaxes, zaxis */
trm_robot_pose trm_mjcf_pose(const trm_mjcf *m, const trm_xml *element);

/* --- mjcf_mesh.c --- */

/* The triangles of a mesh, and where its mass is; a reason why not, or NULL. */
const char *trm_mjcf_mesh(trm_mjcf *m, const char *name, trm_robot_mesh *mesh,
                          trm_mesh_inertia *how);
/* How a geom's mesh is called: its file or its name; NULL: it has none. */
const char *trm_mjcf_mesh_label(const trm_mjcf *m, const trm_xml *geom);

/* --- mjcf_geometry.c --- */

/* Mass and shape of a body's geometry; `massive`: it makes up the body's mass. */
void trm_mjcf_geometry(trm_mjcf *m, const trm_xml *geom, const trm_robot_pose *frame, int body,
                       bool massive);

/* --- mjcf_body.c --- */

void trm_mjcf_children(trm_mjcf *m, const trm_xml *element, const trm_robot_pose *frame, int body,
                       bool massive);

/* --- mjcf_tendon.c --- */

void trm_mjcf_tendons(trm_mjcf *m, const trm_xml *section);
int trm_mjcf_tendon(const trm_mjcf *m, const char *name); /* −1: none */
/* Marks it as used. */
int trm_mjcf_site(trm_mjcf *m, const char *name); /* −1: none */
/* Says which sites and tendons the model does not need. */
void trm_mjcf_note_unused(trm_mjcf *m);

/* --- mjcf_closure.c --- */

/* A point of the first body stays at one of the second, or (weld) all of it. */
void trm_mjcf_closure(trm_mjcf *m, const trm_xml *at, const char *name, bool weld);

/* --- mjcf_couple.c --- */

bool trm_mjcf_one_freedom(const trm_robot *robot, int joint);
void trm_mjcf_equalities(trm_mjcf *m, const trm_xml *section);
void trm_mjcf_actuators(trm_mjcf *m, const trm_xml *section);

/* --- mjcf_note.c --- */

/* Says which sections and attributes have no counterpart. */
void trm_mjcf_note_others(trm_mjcf *m);

#endif
