/* The files that a model names: tables, tires, roads, meshes, other models. */
#ifndef TRM_MODEL_NAMED_FILES_H
#define TRM_MODEL_NAMED_FILES_H

#include <stdint.h>

#include "model/model.h"

/* A number that the contents of all of them give. */
uint64_t trm_model_named_files(const trm_model *model, uint64_t sum);

#endif
