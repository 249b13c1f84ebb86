/* Volume integrals of solids, in closed form; of a mesh by tetrahedra under its triangles. */
#include "model/shape_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression/function.h"
#include "math/vector.h"

/* A piece with its centre c, and second moments about it: `along` n and `across`. */
static void add(trm_moments *m, double volume, const double c[3], const double n[3], double along,
                double across) {
  m->volume += volume;
  for (int i = 0; i < 3; i++) {
    m->first[i] += volume * c[i];
    for (int j = 0; j < 3; j++)
      m->second[i][j] +=
          volume * (c[i] * c[j] + (along - across) * n[i] * n[j] + (i == j ? across : 0));
  }
}

static void unit(const double v[3], double n[3]) {
  double length = trm_norm(3, v);
  for (int k = 0; k < 3; k++) n[k] = length > 0 ? v[k] / length : 0;
}

static const double origin[3];

void trm_moments_box(trm_moments *m, const double e[3]) {
  double volume = e[0] * e[1] * e[2];
  m->volume += volume;
  for (int k = 0; k < 3; k++) m->second[k][k] += volume * e[k] * e[k] / 12;
}

void trm_moments_sphere(trm_moments *m, double r) {
  add(m, 4 * TRM_PI / 3 * r * r * r, origin, origin, r * r / 5, r * r / 5);
}

void trm_moments_cylinder(trm_moments *m, double r, double length, const double axis[3]) {
  double n[3];
  unit(axis, n);
  add(m, TRM_PI * r * r * length, origin, n, length * length / 12, r * r / 4);
}

void trm_moments_cone(trm_moments *m, double r, double height, const double axis[3]) {
  double n[3], c[3];
  unit(axis, n);
  for (int k = 0; k < 3; k++) c[k] = height / 4 * n[k];
  add(m, TRM_PI * r * r * height / 3, c, n, 3 * height * height / 80, 3 * r * r / 20);
}

void trm_moments_rod(trm_moments *m, const double a[3], const double b[3],
                     const trm_section *section) {
  double d[3], n[3], c[3];
  trm_sub(3, b, a, d);
  unit(d, n);
  for (int k = 0; k < 3; k++) c[k] = a[k] + d[k] / 2;
  double length = trm_norm(3, d);
  add(m, section->area * length, c, n, length * length / 12, section->radii / 4);
}

/* An edge and its direction: a closed surface passes each as often forth as back. */
typedef struct edge {
  float ends[6];
  int way;
} edge;

static int compare(const void *a, const void *b) {
  const edge *x = a, *y = b;
  for (int k = 0; k < 6; k++)
    if (x->ends[k] != y->ends[k]) return x->ends[k] < y->ends[k] ? -1 : 1;
  return 0;
}

static edge edge_of(const float *a, const float *b) {
  edge e = {.way = 1}, back = {.way = -1};
  for (int k = 0; k < 3; k++) {
    e.ends[k] = back.ends[k + 3] = a[k];
    e.ends[k + 3] = back.ends[k] = b[k];
  }
  return compare(&e, &back) <= 0 ? e : back;
}

static bool is_closed(const float *corners, int count) {
  size_t edges = 3 * (size_t)count;
  edge *list = malloc((edges + 1) * sizeof *list);
  bool closed = list != NULL;
  for (size_t i = 0; list && i < edges; i++) {
    const float *triangle = corners + 9 * (i / 3);
    list[i] = edge_of(triangle + 3 * (i % 3), triangle + 3 * ((i + 1) % 3));
  }
  if (list) qsort(list, edges, sizeof *list, compare);
  for (size_t i = 0; closed && i < edges;) {
    int sum = 0;
    size_t first = i;
    for (; i < edges && compare(&list[i], &list[first]) == 0; i++) sum += list[i].way;
    bool point = memcmp(list[first].ends, list[first].ends + 3, 3 * sizeof(float)) == 0;
    closed = sum == 0 || point; /* a triangle without area may have such an edge */
  }
  free(list);
  return closed;
}

static double determinant(double v[3][3]) {
  return v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
         v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
         v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
}

bool trm_moments_mesh(trm_moments *m, const float *corners, int count) {
  if (count == 0 || !is_closed(corners, count)) return false;
  for (int t = 0; t < count; t++) {
    double v[3][3];
    for (int k = 0; k < 9; k++) v[k / 3][k % 3] = (double)corners[9 * t + k];
    double volume = determinant(v) / 6;
    m->volume += volume;
    for (int i = 0; i < 3; i++) {
      double sum_i = v[0][i] + v[1][i] + v[2][i];
      m->first[i] += volume * sum_i / 4;
      for (int j = 0; j < 3; j++) {
        double sum_j = v[0][j] + v[1][j] + v[2][j];
        double products = v[0][i] * v[0][j] + v[1][i] * v[1][j] + v[2][i] * v[2][j];
        m->second[i][j] += volume / 20 * (products + sum_i * sum_j);
      }
    }
  }
  return m->volume > 0;
}

void trm_moments_inertia(const trm_moments *m, double mass, double com[3], double inertia[6]) {
  double s[3][3], scale = mass / m->volume;
  for (int k = 0; k < 3; k++) com[k] = m->first[k] / m->volume;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s[i][j] = scale * m->second[i][j] - mass * com[i] * com[j];
  inertia[0] = s[1][1] + s[2][2];
  inertia[1] = s[0][0] + s[2][2];
  inertia[2] = s[0][0] + s[1][1];
  inertia[3] = 0 - s[0][1]; /* of a zero a positive one */
  inertia[4] = 0 - s[0][2];
  inertia[5] = 0 - s[1][2];
}
