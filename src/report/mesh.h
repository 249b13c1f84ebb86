/* Triangles of STL files, for pictures. */
#ifndef TRM_REPORT_MESH_H
#define TRM_REPORT_MESH_H

#include <stdbool.h>

#include "model/model.h"

#define TRM_MESH_MOST 200000 /* triangles: pictures need no more */

typedef struct trm_mesh {
  const char *file;     /* as the model names it */
  const bool *mirrored; /* [3] */
  int count;            /* triangles */
  float *corners;       /* [count × 9] */
} trm_mesh;

/* Reads the meshes of a model, each file and mirror image once, beside the model file; those that
 * cannot be read are warnings, and empty. free with trm_meshes_free. False: no memory. */
bool trm_meshes_read(const trm_model *model, trm_mesh **meshes, int *count,
                     trm_diagnostics *diagnostics);
void trm_meshes_free(trm_mesh *meshes, int count);
/* The mesh of a shape, or −1. */
int trm_mesh_find(const trm_mesh *meshes, int count, const trm_shape_def *shape);

#endif
