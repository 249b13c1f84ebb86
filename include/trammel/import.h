/* Robots from other people's files: URDF, MJCF and SDF become a model file. */
#ifndef TRAMMEL_IMPORT_H
#define TRAMMEL_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/diagnostics.h>
#include <trammel/export.h>

TRM_BEGIN_C

/* Strings are used during the call only. */
typedef struct trm_import_options {
  size_t size;                 /* of this struct, see export.h */
  bool floating;               /* URDF: the base is free; else it is fixed to the ground */
  bool balance_inertia;        /* impossible inertias become those of a ball */
  bool meshes;                 /* write shapes beside the model, for pictures */
  const char *const *packages; /* NULL-terminated folders of package:// paths; NULL: none */
} trm_import_options;

TRM_API void trm_import_options_init(trm_import_options *defaults, size_t size);
static inline trm_import_options trm_default_import_options(void) {
  trm_import_options defaults;
  trm_import_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* Reads a robot (<robot>: URDF, <mujoco>: MJCF, <sdf>: SDF) and writes a model file, with its
 * shapes as STL files in a folder beside it. What could not be taken over is a warning each, and a
 * comment at the head of the model. */
TRM_API trm_status trm_import(const char *file, const trm_import_options *options,
                              const char *model, trm_diagnostics *diagnostics);

TRM_END_C

#endif
