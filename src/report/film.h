/* A scene in memory, and the poses of its bodies. */
#ifndef TRM_REPORT_FILM_H
#define TRM_REPORT_FILM_H

#include <trammel/scene.h>

#include "base/arena.h"
#include "model/model.h"

typedef struct trm_actor {
  const char *name;
  unsigned color; /* 0xrrggbb */
  trm_shape_type shape;
  double size[3], axis[3]; /* as in trm_shape_def */
  int path_count;          /* rod, path */
  double (*path)[3];
  int mesh; /* or −1 */
  int point_count;
  const char **point_names;
  double (*points)[3];
} trm_actor;

/* A joint or a force: one or two ends. */
typedef struct trm_link {
  const char *type;
  int end_count;
  trm_end end[2];
  double axis[2][3]; /* joints: carried by the sides; tires: by the wheel */
  double travel[2];  /* sliders: how far the second goes along the axis, least and most */
  double radius;
  bool spring, damper;
} trm_link;

typedef struct trm_triangles {
  int count;
  float *corners; /* [count × 9] */
  double low[3], high[3];
} trm_triangles;

/* Where a body is: origin and axes as columns of R, row-major. */
typedef struct trm_pose {
  double r[3], R[9];
} trm_pose;

struct trm_scene {
  trm_arena *arena; /* all but what is malloc'ed */
  const char *name;
  int dim;
  double gravity[3];
  trm_actor ground;
  int body_count, joint_count, force_count, mesh_count;
  trm_actor *bodies;
  trm_link *joints, *forces;
  int thing_count; /* on the ground */
  trm_actor *things;
  trm_pose *thing_poses;
  bool follows, directed; /* how it is looked at */
  trm_end follow;
  double from[3];
  trm_triangles *meshes; /* corners: malloc'ed */
  int frame_count, width, pose;
  double *t;     /* [frame_count] */
  float *values; /* [frame_count × width], malloc'ed */
};

/* Ground (−1) is at rest. Between frames: interpolated. */
trm_pose trm_scene_pose(const trm_scene *scene, int body, double t);
void trm_pose_point(const trm_pose *pose, const double u[3], double p[3]);
bool trm_link_is_slider(const trm_link *link);
/* Sets the travel of a slider, over all frames. */
void trm_scene_find_travel(const trm_scene *scene, trm_link *link);
/* The same as numbers x y z, qw qx qy qz of one frame. */
void trm_scene_frame(const trm_scene *scene, int body, int frame, double r[3], double q[4]);

#endif
