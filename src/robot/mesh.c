/* Triangles of a body: collected, joined and written. */
#include "robot/mesh.h"

#include <stdint.h>
#include <string.h>

enum { HEADER = 84, RECORD = 50 };

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

/* A mirror image keeps its outside outside. */
bool trm_mesh_take(const trm_mesh_target *t, double corners[3][3]) {
  double placed[3][3];
  bool mirrored = t->scale[0] * t->scale[1] * t->scale[2] < 0;
  for (int c = 0; c < 3; c++) {
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = corners[c][k] * t->scale[k];
    trm_robot_point(t->pose, v, placed[mirrored ? 2 - c : c]);
  }
  return add(t->robot, t->mesh, placed);
}

const char *trm_mesh_take_faces(const trm_mesh_target *t, int count, const double *points,
                                int face_count, const int *faces) {
  if (face_count == 0) return trm_mesh_take_hull(t, count, points);
  for (int i = 0; i < face_count; i++) {
    double corners[3][3];
    for (int c = 0; c < 3; c++) {
      int corner = faces[3 * (size_t)i + (size_t)c];
      if (corner < 0 || corner >= count) return "a face has a corner that is not there";
      memcpy(corners[c], points + 3 * (size_t)corner, sizeof corners[c]);
    }
    if (!trm_mesh_take(t, corners)) return "out of memory";
  }
  return NULL;
}

void trm_mesh_add(trm_robot *robot, trm_robot_mesh *mesh, const trm_robot_pose *pose,
                  const double a[3], const double b[3], const double c[3]) {
  double corners[3][3];
  trm_robot_point(pose, a, corners[0]);
  trm_robot_point(pose, b, corners[1]);
  trm_robot_point(pose, c, corners[2]);
  add(robot, mesh, corners);
}

void trm_robot_mesh_join(trm_robot *robot, const trm_robot_mesh *from, const trm_robot_pose *pose,
                         trm_robot_mesh *to) {
  for (int i = 0; i < from->count; i++) {
    const double *c = from->corners + 9 * (size_t)i;
    trm_mesh_add(robot, to, pose, c, c + 3, c + 6);
  }
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
