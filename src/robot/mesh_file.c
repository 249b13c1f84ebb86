/* Triangles of STL, OBJ and MSH files. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "robot/mesh.h"

enum { HEADER = 84, RECORD = 50, MOST_BYTES = 1 << 28 };

static uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static const char *read_binary_stl(const trm_mesh_target *t, const unsigned char *bytes) {
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
    if (!trm_mesh_take(t, corners)) return "out of memory";
  }
  return NULL;
}

static const char *read_text_stl(const trm_mesh_target *t, const char *text) {
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
    if (corner == 0 && !trm_mesh_take(t, corners)) return "out of memory";
  }
  return NULL;
}

/* One face of an OBJ file: corners by number, from the end where negative, as a fan. */
static const char *read_face(const trm_mesh_target *t, const char *at, const double *points,
                             int count) {
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
      if (!trm_mesh_take(t, corners)) return "out of memory";
      last = corner;
    }
  }
  return NULL;
}

static const char *read_obj(const trm_mesh_target *t, const char *text) {
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

/* As MuJoCo has them: four counts, corners, normals, places in pictures, faces. */
static const char *read_msh(const trm_mesh_target *t, const unsigned char *bytes, size_t length) {
  enum { COUNTS = 16 };
  static const char wrong[] = "it is no MSH file as MuJoCo has them";
  if (length < COUNTS) return wrong;
  size_t count = number_at(bytes), normals = number_at(bytes + 4), places = number_at(bytes + 8);
  size_t face_count = number_at(bytes + 12), most = MOST_BYTES;
  if (count == 0 || count > most || normals > most || places > most || face_count > most ||
      length != COUNTS + 4 * (3 * count + 3 * normals + 2 * places + 3 * face_count))
    return wrong;
  const unsigned char *end = bytes + length - 12 * face_count;
  double *points = malloc(3 * count * sizeof *points);
  int *faces = malloc(3 * face_count * sizeof *faces + 1);
  const char *problem = points && faces ? NULL : "out of memory";
  for (size_t i = 0; !problem && i < 3 * count; i++) {
    uint32_t bits = number_at(bytes + COUNTS + 4 * i);
    float value;
    memcpy(&value, &bits, 4);
    points[i] = (double)value;
    if (!isfinite(value)) problem = "a corner is not finite";
  }
  for (size_t i = 0; !problem && i < 3 * face_count; i++)
    faces[i] = number_at(end + 4 * i) < count ? (int)number_at(end + 4 * i) : -1;
  if (!problem) problem = trm_mesh_take_faces(t, (int)count, points, (int)face_count, faces);
  free(points);
  free(faces);
  return problem;
}

static bool ends_with(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  if (length < tail) return false;
  for (size_t i = 0; i < tail; i++)
    if (tolower((unsigned char)path[length - tail + i]) != ending[i]) return false;
  return true;
}

static const char *read_file(const trm_mesh_target *t, const char *path) {
  bool stl = ends_with(path, ".stl"), obj = ends_with(path, ".obj");
  if (ends_with(path, ".dae")) return trm_mesh_collada(t, path);
  bool msh = ends_with(path, ".msh");
  if (!stl && !obj && !msh) return "only STL, OBJ, MSH and COLLADA files (.dae) are read";
  trm_file file = trm_file_read(path, "mesh", MOST_BYTES);
  if (!file.text) return "it cannot be read";
  const unsigned char *bytes = (const unsigned char *)file.text;
  bool binary = stl && file.length >= HEADER &&
                file.length >= HEADER + (size_t)number_at(bytes + 80) * RECORD &&
                (strncmp(file.text, "solid", 5) != 0 || memchr(file.text, '\0', file.length));
  const char *problem = obj      ? read_obj(t, file.text)
                        : msh    ? read_msh(t, bytes, file.length)
                        : binary ? read_binary_stl(t, bytes)
                                 : read_text_stl(t, file.text);
  free(file.text);
  return problem;
}

const char *trm_robot_mesh_read(trm_robot *robot, const char *path, const double scale[3],
                                const trm_robot_pose *pose, trm_robot_mesh *mesh) {
  const trm_mesh_target t = {robot, scale, pose, mesh};
  int before = mesh->count;
  const char *problem = read_file(&t, path);
  if (problem) mesh->count = before; /* no half meshes */
  return problem;
}
