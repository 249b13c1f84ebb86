/* STL, binary and text. */
#define _POSIX_C_SOURCE 200809L
#include "report/mesh.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/locale.h"

enum { HEADER = 84, RECORD = 50, LONGEST_PATH = 4096, LARGEST_FILE = 1 << 30 };

static uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static float float_at(const unsigned char *bytes) {
  uint32_t bits = number_at(bytes);
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static bool is_binary(const unsigned char *bytes, size_t size) {
  return size >= HEADER && size == HEADER + (size_t)number_at(bytes + 80) * RECORD;
}

static const char *take_binary(trm_mesh *mesh, const unsigned char *bytes) {
  uint32_t count = number_at(bytes + 80);
  if (count > TRM_MESH_MOST) return "it has too many triangles for a picture";
  mesh->corners = malloc(((size_t)count * 9 + 1) * sizeof *mesh->corners);
  if (!mesh->corners) return "out of memory";
  for (uint32_t i = 0; i < count; i++)
    for (size_t k = 0; k < 9; k++)
      mesh->corners[9 * i + k] = float_at(bytes + HEADER + (size_t)i * RECORD + 12 + 4 * k);
  mesh->count = (int)count;
  return NULL;
}

/* Each "vertex x y z"; three make a triangle. */
static const char *take_text(trm_mesh *mesh, const char *text) {
  size_t corners = 0, capacity = 0;
  for (const char *at = text; (at = strstr(at, "vertex")); corners++) {
    if (corners == capacity) {
      if (capacity / 3 > TRM_MESH_MOST) return "it has too many triangles for a picture";
      capacity = capacity ? 2 * capacity : 768;
      float *grown = realloc(mesh->corners, capacity * 3 * sizeof *grown);
      if (!grown) return "out of memory";
      mesh->corners = grown;
    }
    at += strlen("vertex");
    for (size_t k = 0; k < 3; k++) {
      char *end;
      mesh->corners[3 * corners + k] = strtof(at, &end);
      if (end == at) return "a vertex has fewer than three numbers";
      at = end;
    }
  }
  if (corners == 0 || corners % 3 != 0) return "it is no STL file";
  mesh->count = (int)(corners / 3);
  return NULL;
}

static const char *check_finite(const trm_mesh *mesh) {
  for (int i = 0; i < 9 * mesh->count; i++)
    if (!isfinite(mesh->corners[i])) return "a coordinate is no finite number";
  return NULL;
}

static const char *take(trm_mesh *mesh, const trm_file *file) {
  const unsigned char *bytes = (const unsigned char *)file->text;
  const char *problem =
      is_binary(bytes, file->length) ? take_binary(mesh, bytes) : take_text(mesh, file->text);
  return problem ? problem : check_finite(mesh);
}

static void swap_corners(float *a, float *b) {
  for (int k = 0; k < 3; k++) {
    float kept = a[k];
    a[k] = b[k];
    b[k] = kept;
  }
}

/* The corners of a triangle are counted from outside: in a mirror the other way round. */
static void mirror(trm_mesh *mesh) {
  bool turned = mesh->mirrored[0] ^ mesh->mirrored[1] ^ mesh->mirrored[2];
  for (int i = 0; i < 9 * mesh->count; i++)
    if (mesh->mirrored[i % 3]) mesh->corners[i] = -mesh->corners[i];
  for (int i = 0; turned && i < mesh->count; i++)
    swap_corners(mesh->corners + 9 * i + 3, mesh->corners + 9 * i + 6);
}

static void read_mesh(const trm_model *model, trm_mesh *mesh, trm_diagnostics *diagnostics) {
  char path[LONGEST_PATH];
  const char *slash = strrchr(model->file, '/');
  int folder = slash && mesh->file[0] != '/' ? (int)(slash - model->file) + 1 : 0;
  snprintf(path, sizeof path, "%.*s%s", folder, model->file, mesh->file);
  trm_file file = trm_file_read(path, "mesh file", LARGEST_FILE);
  trm_locale caller = trm_locale_begin();
  const char *problem = file.text ? take(mesh, &file) : file.reason;
  trm_locale_end(caller);
  free(file.text);
  if (!problem) {
    mirror(mesh);
    return;
  }
  trm_report(diagnostics, TRM_WARNING, "mesh '%s' is left out of the pictures: %s", path, problem);
  free(mesh->corners);
  mesh->corners = NULL;
  mesh->count = 0;
}

int trm_mesh_find(const trm_mesh *meshes, int count, const trm_shape_def *shape) {
  for (int i = 0; shape->type == TRM_SHAPE_MESH && i < count; i++)
    if (strcmp(meshes[i].file, shape->file) == 0 &&
        memcmp(meshes[i].mirrored, shape->mirrored, sizeof shape->mirrored) == 0)
      return i;
  return -1;
}

bool trm_meshes_read(const trm_model *model, trm_mesh **meshes, int *count,
                     trm_diagnostics *diagnostics) {
  *count = 0;
  *meshes = calloc((size_t)model->body_count + 1, sizeof **meshes);
  if (!*meshes) return false;
  for (int i = 0; i <= model->body_count; i++) {
    const trm_body *body = i < model->body_count ? &model->bodies[i] : &model->ground;
    if (body->shape.type != TRM_SHAPE_MESH || trm_mesh_find(*meshes, *count, &body->shape) >= 0)
      continue;
    trm_mesh *mesh = &(*meshes)[(*count)++];
    mesh->file = body->shape.file;
    mesh->mirrored = body->shape.mirrored;
    read_mesh(model, mesh, diagnostics);
  }
  return true;
}

void trm_meshes_free(trm_mesh *meshes, int count) {
  for (int i = 0; meshes && i < count; i++) free(meshes[i].corners);
  free(meshes);
}
