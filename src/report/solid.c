/* Triangles of boxes, balls, cylinders, rods and plates. */
#include "report/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

enum { SIDES = 12, RINGS = 8, MANY = 400 };

static void triangle(trm_solid *solid, const double a[3], const double b[3], const double c[3]) {
  if (solid->count == solid->capacity) {
    int wanted = solid->capacity ? 2 * solid->capacity : 64;
    float *larger = realloc(solid->corners, (size_t)wanted * 9 * sizeof *larger);
    if (!larger) {
      solid->no_memory = true;
      return;
    }
    solid->corners = larger;
    solid->capacity = wanted;
  }
  float *corner = solid->corners + 9 * (size_t)solid->count++;
  for (int k = 0; k < 3; k++) {
    corner[k] = (float)a[k];
    corner[3 + k] = (float)b[k];
    corner[6 + k] = (float)c[k];
  }
}

static void quad(trm_solid *solid, const double a[3], const double b[3], const double c[3],
                 const double d[3]) {
  triangle(solid, a, b, c);
  triangle(solid, a, c, d);
}

/* Two directions across an axis of unit length. */
static void across(const double axis[3], double e[3], double f[3]) {
  int least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
  if (fabs(axis[2]) < fabs(axis[least])) least = 2;
  for (int k = 0; k < 3; k++) e[k] = (k == least) - axis[least] * axis[k];
  double size = trm_norm(3, e);
  for (int k = 0; k < 3; k++) e[k] /= size;
  trm_cross(axis, e, f);
}

static void ring_point(const double middle[3], const double e[3], const double f[3], double radius,
                       int index, int sides, double p[3]) {
  double angle = 2 * acos(-1) * index / sides;
  for (int k = 0; k < 3; k++) p[k] = middle[k] + radius * (cos(angle) * e[k] + sin(angle) * f[k]);
}

static void tube(trm_solid *solid, const double a[3], const double b[3], double radius, int sides) {
  double axis[3], e[3], f[3];
  trm_sub(3, b, a, axis);
  double length = trm_norm(3, axis);
  if (length == 0) return;
  for (int k = 0; k < 3; k++) axis[k] /= length;
  across(axis, e, f);
  for (int i = 0; i < sides; i++) {
    double p[4][3];
    ring_point(a, e, f, radius, i, sides, p[0]);
    ring_point(a, e, f, radius, i + 1, sides, p[1]);
    ring_point(b, e, f, radius, i + 1, sides, p[2]);
    ring_point(b, e, f, radius, i, sides, p[3]);
    quad(solid, p[0], p[1], p[2], p[3]);
    triangle(solid, a, p[1], p[0]);
    triangle(solid, b, p[3], p[2]);
  }
}

static void ball_point(double radius, int ring, int index, double p[3]) {
  double pi = acos(-1), height = pi * ring / RINGS, angle = 2 * pi * index / SIDES;
  p[0] = radius * sin(height) * cos(angle);
  p[1] = radius * sin(height) * sin(angle);
  p[2] = radius * cos(height);
}

static void ball(trm_solid *solid, double radius) {
  for (int ring = 0; ring < RINGS; ring++)
    for (int i = 0; i < SIDES; i++) {
      double p[4][3];
      ball_point(radius, ring, i, p[0]);
      ball_point(radius, ring + 1, i, p[1]);
      ball_point(radius, ring + 1, i + 1, p[2]);
      ball_point(radius, ring, i + 1, p[3]);
      if (ring + 1 < RINGS) triangle(solid, p[0], p[1], p[2]);
      if (ring > 0) triangle(solid, p[0], p[2], p[3]);
    }
}

static void box(trm_solid *solid, const double size[3], double least) {
  static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  double corner[8][3];
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) corner[i][k] = (i >> k & 1 ? 0.5 : -0.5) * fmax(size[k], least);
  for (int i = 0; i < 6; i++)
    quad(solid, corner[faces[i][0]], corner[faces[i][1]], corner[faces[i][2]], corner[faces[i][3]]);
}

static void path(trm_solid *solid, const trm_actor *actor, double radius, int sides) {
  int count = actor->path_count;
  for (int i = 0; i + 1 < count; i++)
    tube(solid, actor->path[i], actor->path[i + 1], radius, sides);
  if (count < 4 || memcmp(actor->path[0], actor->path[count - 1], sizeof *actor->path) != 0) return;
  for (int i = 1; i + 2 < count; i++)
    triangle(solid, actor->path[0], actor->path[i], actor->path[i + 1]);
}

static void cylinder(trm_solid *solid, const trm_actor *actor) {
  double a[3], b[3], size = trm_norm(3, actor->axis);
  for (int k = 0; k < 3; k++) {
    double axis = size > 0 ? actor->axis[k] / size : k == 2;
    a[k] = -axis * actor->size[1] / 2;
    b[k] = axis * actor->size[1] / 2;
  }
  tube(solid, a, b, actor->size[0], 2 * SIDES);
}

static void lines(trm_solid *solid, const trm_actor *actor, double radius, int sides) {
  static const double origin[3] = {0, 0, 0};
  for (int i = 0; i < actor->point_count; i++) tube(solid, origin, actor->points[i], radius, sides);
  if (solid->count == 0) ball(solid, 2 * radius);
}

static void cone(trm_solid *solid, const trm_actor *actor) {
  static const double base[3] = {0, 0, 0};
  double axis[3], tip[3], e[3], f[3], size = trm_norm(3, actor->axis);
  for (int k = 0; k < 3; k++) {
    axis[k] = size > 0 ? actor->axis[k] / size : k == 2;
    tip[k] = axis[k] * actor->size[1];
  }
  across(axis, e, f);
  for (int i = 0; i < SIDES; i++) {
    double p[2][3];
    for (int k = 0; k < 2; k++) ring_point(base, e, f, actor->size[0], i + k, SIDES, p[k]);
    triangle(solid, p[0], p[1], tip);
    triangle(solid, base, p[1], p[0]);
  }
}

void trm_solid_of(const trm_scene *scene, const trm_actor *actor, double radius, trm_solid *solid) {
  int sides = scene->body_count > MANY ? 4 : SIDES;
  switch (actor->shape) {
  case TRM_SHAPE_LINES: lines(solid, actor, radius, sides); break;
  case TRM_SHAPE_BOX: box(solid, actor->size, radius); break;
  case TRM_SHAPE_SPHERE: ball(solid, actor->size[0]); break;
  case TRM_SHAPE_CYLINDER: cylinder(solid, actor); break;
  case TRM_SHAPE_CONE: cone(solid, actor); break;
  case TRM_SHAPE_ROD:
  case TRM_SHAPE_PATH: path(solid, actor, radius, sides); break;
  case TRM_SHAPE_MESH:
    for (int i = 0; actor->mesh >= 0 && actor->mesh < scene->mesh_count &&
                    i < scene->meshes[actor->mesh].count;
         i++) {
      double p[9];
      for (int k = 0; k < 9; k++) p[k] = scene->meshes[actor->mesh].corners[9 * i + k];
      triangle(solid, p, p + 3, p + 6);
    }
    break;
  }
}
