/* What the readers of SDF share: frames, which its poses are relative to. */
#ifndef TRM_ROBOT_SDF_H
#define TRM_ROBOT_SDF_H

#include "robot/robot.h"

enum { TRM_SDF_WORLD = -1, TRM_SDF_NONE = -2 };

typedef enum trm_sdf_kind {
  TRM_SDF_MODEL,
  TRM_SDF_LINK,
  TRM_SDF_JOINT,
  TRM_SDF_FRAME
} trm_sdf_kind;

typedef struct trm_sdf_frame {
  trm_sdf_kind kind;
  const char *scope, *name;  /* "arm::hand::" and "finger" */
  const trm_xml *at, *posed; /* its element, and the one that has its pose: of an include */
  double version;            /* of its file */
  int body;                  /* of a link */
  bool fixed;                /* of a model: static */
  trm_robot_pose pose;       /* in the world */
  enum { TRM_SDF_WAITING, TRM_SDF_OPEN, TRM_SDF_PLACED } state;
} trm_sdf_frame;

typedef struct trm_sdf {
  trm_robot *robot;
  int count, room;
  trm_sdf_frame *frames;
  int include_depth;
} trm_sdf;

/* Zeroed but for these; NULL: no memory, or the name is taken, which is said. */
trm_sdf_frame *trm_sdf_add(trm_sdf *sdf, trm_sdf_kind kind, const char *scope, const char *name,
                           const trm_xml *at);
/* As seen from a scope: a name in it, "__model__" or "world". */
int trm_sdf_find(const trm_sdf *sdf, const char *scope, const char *name);
/* The body that a frame is a part of: TRM_ROBOT_WORLD, −2: none. */
int trm_sdf_body(const trm_sdf *sdf, int frame);
/* Its place in the world, and of all that it is relative to; an error where they form a ring. */
trm_robot_pose trm_sdf_place(trm_sdf *sdf, int frame);
/* The child <pose> of an element, as it stands there. */
trm_robot_pose trm_sdf_pose(trm_sdf *sdf, const trm_xml *parent);

/* Text and numbers of a child element, which need not be there. */
const char *trm_sdf_text(const trm_xml *parent, const char *name);
double trm_sdf_number(trm_sdf *sdf, const trm_xml *parent, const char *name, double otherwise);
bool trm_sdf_true(const trm_xml *parent, const char *name);

/* Place, mass and shapes of a link. */
void trm_sdf_read_link(trm_sdf *sdf, int frame);
/* Joints of all models, when all frames are placed. */
void trm_sdf_read_joints(trm_sdf *sdf);
/* Elements that are not in the list, which ends with NULL, by name and line. */
void trm_sdf_note_others(trm_sdf *sdf, const trm_xml *parent, const char *const *known);

#endif
