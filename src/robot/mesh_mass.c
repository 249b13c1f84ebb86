/* The mass within triangles, or on them. */
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "robot/robot.h"

static double determinant(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static double area_of(const double *a, const double *b, const double *c) {
  double u[3], v[3], n[3];
  trm_sub(3, b, a, u);
  trm_sub(3, c, a, v);
  trm_cross(u, v, n);
  return trm_norm(3, n) / 2;
}

/* The middle of the surface, by area. */
static void middle_of(const trm_robot_mesh *mesh, double middle[3]) {
  double all = 0, sum[3] = {0, 0, 0};
  for (int i = 0; i < mesh->count; i++) {
    const double *c = mesh->corners + 9 * (size_t)i;
    double area = area_of(c, c + 3, c + 6);
    all += area;
    for (int k = 0; k < 3; k++) sum[k] += area * (c[k] + c[3 + k] + c[6 + k]) / 3;
  }
  for (int k = 0; k < 3; k++) middle[k] = all > 0 ? sum[k] / all : 0;
}

/* Triangles, or tetrahedra from a point to them: how much, ∫ x, ∫ x xᵀ, seen from the point. */
static double sum_pieces(const trm_robot_mesh *mesh, const double from[3], trm_mesh_inertia how,
                         double first[3], double second[3][3]) {
  double all = 0, corners = how == TRM_MESH_SHELL ? 3 : 4;
  memset(first, 0, 3 * sizeof *first);
  memset(second, 0, 3 * sizeof *second);
  for (int i = 0; i < mesh->count; i++) {
    double c[3][3], sum[3];
    for (int k = 0; k < 9; k++)
      c[k / 3][k % 3] = mesh->corners[9 * (size_t)i + (size_t)k] - from[k % 3];
    double v =
        how == TRM_MESH_SHELL ? area_of(c[0], c[1], c[2]) : determinant(c[0], c[1], c[2]) / 6;
    if (how == TRM_MESH_LEGACY) v = fabs(v);
    all += v;
    for (int k = 0; k < 3; k++) {
      sum[k] = c[0][k] + c[1][k] + c[2][k];
      first[k] += v * sum[k] / corners;
    }
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++)
        second[p][q] +=
            v / (corners * (corners + 1)) *
            (sum[p] * sum[q] + c[0][p] * c[0][q] + c[1][p] * c[1][q] + c[2][p] * c[2][q]);
  }
  return all;
}

const char *trm_robot_mesh_mass(trm_robot *robot, const trm_robot_mesh *mesh, trm_mesh_inertia how,
                                trm_robot_mass *mass) {
  double middle[3], first[3], second[3][3];
  *mass = (trm_robot_mass){0};
  if (how == TRM_MESH_CONVEX) {
    trm_robot_mesh hull = {0};
    const char *problem = trm_robot_mesh_hull(robot, 3 * mesh->count, mesh->corners, &hull);
    return problem ? problem : trm_robot_mesh_mass(robot, &hull, TRM_MESH_EXACT, mass);
  }
  middle_of(mesh, middle);
  double volume = sum_pieces(mesh, middle, how, first, second);
  if (!(volume > 0)) return NULL;
  for (int k = 0; k < 3; k++) mass->com[k] = middle[k] + first[k] / volume;
  mass->mass = sum_pieces(mesh, mass->com, how, first, second);
  mass->inertia[0] = second[1][1] + second[2][2];
  mass->inertia[1] = second[0][0] + second[2][2];
  mass->inertia[2] = second[0][0] + second[1][1];
  mass->inertia[3] = -second[0][1];
  mass->inertia[4] = -second[0][2];
  mass->inertia[5] = -second[1][2];
  return NULL;
}
