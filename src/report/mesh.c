/* Meshes of a model, for pictures. */
#define _POSIX_C_SOURCE 200809L
#include "report/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/locale.h"
#include "base/stl.h"

enum { LONGEST_PATH = 4096, LARGEST_FILE = 1 << 30 };

static const char *take(trm_mesh *mesh, const trm_file *file) {
  trm_stl stl = {.most = TRM_MESH_MOST};
  const char *problem = trm_stl_parse(&stl, file->text, file->length);
  mesh->corners = stl.corners;
  mesh->count = stl.count;
  return problem;
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
