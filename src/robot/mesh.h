/* Triangles on their way from a file or a shape to the body that has them. */
#ifndef TRM_ROBOT_MESH_H
#define TRM_ROBOT_MESH_H

#include "robot/robot.h"

typedef struct trm_mesh_target {
  trm_robot *robot;
  const double *scale; /* [3] */
  const trm_robot_pose *pose;
  trm_robot_mesh *mesh;
} trm_mesh_target;

/* A corner each in a row, scaled and placed. False: no memory. */
bool trm_mesh_take(const trm_mesh_target *target, double corners[3][3]);

/* Adds a triangle in the frame of the pose. */
void trm_mesh_add(trm_robot *robot, trm_robot_mesh *mesh, const trm_robot_pose *pose,
                  const double a[3], const double b[3], const double c[3]);

/* Faces with corners by number, three each; where there is none, the convex hull. A reason why not,
 * or NULL. */
const char *trm_mesh_take_faces(const trm_mesh_target *target, int count, const double *points,
                                int face_count, const int *faces);
const char *trm_mesh_take_hull(const trm_mesh_target *target, int count, const double *points);

/* What a COLLADA file shows; a reason why not, or NULL. */
const char *trm_mesh_collada(const trm_mesh_target *target, const char *path);

#endif
