/* Simple shapes as triangles. */
#include <math.h>

#include "robot/mesh.h"

enum { ROUND = 24 };

void trm_robot_mesh_box(trm_robot *robot, const double half[3], const trm_robot_pose *pose,
                        trm_robot_mesh *mesh) {
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2) {
      int u = (axis + 1) % 3, v = (axis + 2) % 3;
      double corner[4][3];
      for (int k = 0; k < 4; k++) {
        corner[k][axis] = side * half[axis];
        corner[k][u] = (k == 1 || k == 2 ? side : -side) * half[u];
        corner[k][v] = (k >= 2 ? 1 : -1) * half[v];
      }
      trm_mesh_add(robot, mesh, pose, corner[0], corner[1], corner[2]);
      trm_mesh_add(robot, mesh, pose, corner[0], corner[2], corner[3]);
    }
}

/* A point of the outline from the lower pole (0) to the upper one (ROUND / 2), turned about z. */
static void outline(const double radii[3], double length, bool round, int ring, int turn,
                    double point[3]) {
  const double pi = 3.14159265358979323846;
  int last = ROUND / 2;
  double up = pi * (ring / (double)last - 0.5), around = 2 * pi * turn / ROUND;
  double wide = ring == 0 || ring == last ? 0 : round ? cos(up) : 1;
  point[0] = radii[0] * wide * cos(around);
  point[1] = radii[1] * wide * sin(around);
  double end = 2 * ring > last ? length / 2 : -length / 2;
  point[2] = (round ? radii[2] * sin(up) : 0) + end;
}

void trm_robot_mesh_round(trm_robot *robot, const double radii[3], double length, bool round,
                          const trm_robot_pose *pose, trm_robot_mesh *mesh) {
  for (int ring = 0; ring < ROUND / 2; ring++)
    for (int turn = 0; turn < ROUND; turn++) {
      double p[4][3];
      outline(radii, length, round, ring, turn, p[0]);
      outline(radii, length, round, ring, turn + 1, p[1]);
      outline(radii, length, round, ring + 1, turn + 1, p[2]);
      outline(radii, length, round, ring + 1, turn, p[3]);
      trm_mesh_add(robot, mesh, pose, p[0], p[1], p[2]);
      trm_mesh_add(robot, mesh, pose, p[0], p[2], p[3]);
    }
}
