/* The mass within triangles. */
#include <math.h>
#include <string.h>

#include "robot/robot.h"

static double determinant(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* The middle of the surface, by area. */
static void middle_of(const trm_robot_mesh *mesh, double middle[3]) {
  double all = 0, sum[3] = {0, 0, 0};
  for (int i = 0; i < mesh->count; i++) {
    const double *c = mesh->corners + 9 * (size_t)i;
    double u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = c[3 + k] - c[k], v[k] = c[6 + k] - c[k];
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    all += area;
    for (int k = 0; k < 3; k++) sum[k] += area * (c[k] + c[3 + k] + c[6 + k]) / 3;
  }
  for (int k = 0; k < 3; k++) middle[k] = all > 0 ? sum[k] / all : 0;
}

/* Tetrahedra from a point to all triangles: volume, ∫ x, ∫ x xᵀ, seen from the point. */
static double sum_tetrahedra(const trm_robot_mesh *mesh, const double from[3], bool exact,
                             double first[3], double second[3][3]) {
  double volume = 0;
  memset(first, 0, 3 * sizeof *first);
  memset(second, 0, 3 * sizeof *second);
  for (int i = 0; i < mesh->count; i++) {
    double c[3][3], sum[3];
    for (int k = 0; k < 9; k++)
      c[k / 3][k % 3] = mesh->corners[9 * (size_t)i + (size_t)k] - from[k % 3];
    double v = determinant(c[0], c[1], c[2]) / 6;
    if (!exact) v = fabs(v);
    volume += v;
    for (int k = 0; k < 3; k++) {
      sum[k] = c[0][k] + c[1][k] + c[2][k];
      first[k] += v * sum[k] / 4;
    }
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++)
        second[p][q] +=
            v / 20 * (sum[p] * sum[q] + c[0][p] * c[0][q] + c[1][p] * c[1][q] + c[2][p] * c[2][q]);
  }
  return volume;
}

trm_robot_mass trm_robot_mesh_mass(const trm_robot_mesh *mesh, bool exact) {
  trm_robot_mass mass = {0};
  double middle[3], first[3], second[3][3];
  middle_of(mesh, middle);
  double volume = sum_tetrahedra(mesh, middle, exact, first, second);
  if (!(volume > 0)) return mass;
  for (int k = 0; k < 3; k++) mass.com[k] = middle[k] + first[k] / volume;
  mass.mass = sum_tetrahedra(mesh, mass.com, exact, first, second);
  mass.inertia[0] = second[1][1] + second[2][2];
  mass.inertia[1] = second[0][0] + second[2][2];
  mass.inertia[2] = second[0][0] + second[1][1];
  mass.inertia[3] = -second[0][1];
  mass.inertia[4] = -second[0][2];
  mass.inertia[5] = -second[1][2];
  return mass;
}
