/* Triangles of STL and OBJ files and of simple shapes, and the mass within them. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "robot/robot.h"

enum { HEADER = 84, RECORD = 50, MOST_BYTES = 1 << 28, ROUND = 24 };

static bool add(trm_robot *robot, trm_robot_mesh *mesh, double corners[3][3]) {
  if (mesh->count == mesh->room) {
    int room = mesh->room ? 2 * mesh->room : 64;
    double *grown = TRM_NEW(robot->arena, double, 9 * (size_t)room);
    if (!grown) {
      robot->no_memory = true;
      return false;
    }
    if (mesh->count > 0) memcpy(grown, mesh->corners, 9 * (size_t)mesh->count * sizeof(double));
    mesh->corners = grown;
    mesh->room = room;
  }
  memcpy(mesh->corners + 9 * (size_t)mesh->count++, corners, 9 * sizeof(double));
  return true;
}

typedef struct target {
  trm_robot *robot;
  const double *scale;
  const trm_robot_pose *pose;
  trm_robot_mesh *mesh;
} target;

/* A mirror image keeps its outside outside. */
static bool add_scaled(const target *t, double corners[3][3]) {
  double placed[3][3];
  bool mirrored = t->scale[0] * t->scale[1] * t->scale[2] < 0;
  for (int c = 0; c < 3; c++) {
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = corners[c][k] * t->scale[k];
    trm_robot_point(t->pose, v, placed[mirrored ? 2 - c : c]);
  }
  return add(t->robot, t->mesh, placed);
}

static uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static const char *read_binary_stl(const target *t, const unsigned char *bytes) {
  uint32_t count = number_at(bytes + 80);
  for (uint32_t i = 0; i < count; i++) {
    double corners[3][3];
    for (size_t k = 0; k < 9; k++) {
      uint32_t bits = number_at(bytes + HEADER + (size_t)i * RECORD + 12 + 4 * k);
      float value;
      memcpy(&value, &bits, 4);
      if (!isfinite(value)) return "a corner is not finite";
      corners[k / 3][k % 3] = (double)value;
    }
    if (!add_scaled(t, corners)) return "out of memory";
  }
  return NULL;
}

static const char *read_text_stl(const target *t, const char *text) {
  double corners[3][3];
  int corner = 0;
  for (const char *at = text; (at = strstr(at, "vertex"));) {
    at += strlen("vertex");
    for (int k = 0; k < 3; k++) {
      char *end;
      corners[corner][k] = (double)strtof(at, &end);
      if (end == at || !isfinite(corners[corner][k])) return "a vertex has no three numbers";
      at = end;
    }
    corner = (corner + 1) % 3;
    if (corner == 0 && !add_scaled(t, corners)) return "out of memory";
  }
  return NULL;
}

/* One face of an OBJ file: corners by number, from the end where negative, as a fan. */
static const char *read_face(const target *t, const char *at, const double *points, int count) {
  int first = -1, last = -1;
  while (*at && *at != '\n') {
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    if (!*at || *at == '\n') break;
    char *end;
    long number = strtol(at, &end, 10);
    if (end == at) return "a face is no list of numbers";
    long index = number < 0 ? count + number : number - 1;
    if (index < 0 || index >= count) return "a face has a corner that is not there";
    while (*end && !isspace((unsigned char)*end)) end++; /* texture and normal */
    at = end;
    int corner = (int)index;
    if (first < 0) {
      first = corner;
    } else if (last < 0) {
      last = corner;
    } else {
      double corners[3][3];
      const int which[3] = {first, last, corner};
      for (int c = 0; c < 3; c++)
        memcpy(corners[c], points + 3 * (size_t)which[c], sizeof corners[c]);
      if (!add_scaled(t, corners)) return "out of memory";
      last = corner;
    }
  }
  return NULL;
}

static const char *read_obj(const target *t, const char *text) {
  int count = 0, room = 0;
  double *points = NULL;
  const char *problem = NULL;
  for (const char *at = text; at && *at && !problem; at = strchr(at, '\n'), at = at ? at + 1 : at) {
    while (*at == ' ' || *at == '\t') at++;
    if (at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) {
      if (count == room) {
        room = room ? 2 * room : 256;
        double *grown = realloc(points, 3 * (size_t)room * sizeof *points);
        if (!grown) {
          problem = "out of memory";
          break;
        }
        points = grown;
      }
      const char *number = at + 1;
      for (int k = 0; k < 3; k++) {
        char *end;
        points[3 * (size_t)count + (size_t)k] = (double)strtof(number, &end);
        if (end == number) problem = "a vertex has no three numbers";
        number = end;
      }
      count++;
    } else if (at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) {
      problem = read_face(t, at + 1, points, count);
    }
  }
  free(points);
  return problem;
}

static bool ends_with(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  if (length < tail) return false;
  for (size_t i = 0; i < tail; i++)
    if (tolower((unsigned char)path[length - tail + i]) != ending[i]) return false;
  return true;
}

const char *trm_robot_mesh_read(trm_robot *robot, const char *path, const double scale[3],
                                const trm_robot_pose *pose, trm_robot_mesh *mesh) {
  bool stl = ends_with(path, ".stl"), obj = ends_with(path, ".obj");
  if (!stl && !obj) return "only STL and OBJ files are read";
  trm_file file = trm_file_read(path, "mesh", MOST_BYTES);
  if (!file.text) return "it cannot be read";
  const unsigned char *bytes = (const unsigned char *)file.text;
  const target t = {robot, scale, pose, mesh};
  bool binary = stl && file.length >= HEADER &&
                file.length >= HEADER + (size_t)number_at(bytes + 80) * RECORD &&
                (strncmp(file.text, "solid", 5) != 0 || memchr(file.text, '\0', file.length));
  const char *problem = obj      ? read_obj(&t, file.text)
                        : binary ? read_binary_stl(&t, bytes)
                                 : read_text_stl(&t, file.text);
  free(file.text);
  return problem;
}

static void add_placed(trm_robot *robot, trm_robot_mesh *mesh, const trm_robot_pose *pose,
                       const double a[3], const double b[3], const double c[3]) {
  double corners[3][3];
  trm_robot_point(pose, a, corners[0]);
  trm_robot_point(pose, b, corners[1]);
  trm_robot_point(pose, c, corners[2]);
  add(robot, mesh, corners);
}

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
      add_placed(robot, mesh, pose, corner[0], corner[1], corner[2]);
      add_placed(robot, mesh, pose, corner[0], corner[2], corner[3]);
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
      add_placed(robot, mesh, pose, p[0], p[1], p[2]);
      add_placed(robot, mesh, pose, p[0], p[2], p[3]);
    }
}

void trm_robot_mesh_join(trm_robot *robot, const trm_robot_mesh *from, const trm_robot_pose *pose,
                         trm_robot_mesh *to) {
  for (int i = 0; i < from->count; i++) {
    const double *c = from->corners + 9 * (size_t)i;
    add_placed(robot, to, pose, c, c + 3, c + 6);
  }
}

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

static void put(unsigned char *bytes, uint32_t value) {
  for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)(value >> 8 * k);
}

bool trm_robot_mesh_write(const trm_robot_mesh *mesh, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  unsigned char header[HEADER] = "Trammel";
  put(header + 80, (uint32_t)mesh->count);
  bool good = fwrite(header, HEADER, 1, file) == 1;
  for (int i = 0; good && i < mesh->count; i++) {
    unsigned char record[RECORD] = {0};
    for (size_t k = 0; k < 9; k++) {
      float value = (float)mesh->corners[9 * (size_t)i + k];
      uint32_t bits;
      memcpy(&bits, &value, 4);
      put(record + 12 + 4 * k, bits);
    }
    good = fwrite(record, RECORD, 1, file) == 1;
  }
  return fclose(file) == 0 && good;
}
