/* Reading a model file. The public entry is trm_model_load. */
#ifndef TRM_MODEL_READ_H
#define TRM_MODEL_READ_H

#include "model/model.h"

#define TRM_MODEL_FILE_LIMIT (64 * 1024 * 1024) /* bytes: far above any written-out model */

#endif
