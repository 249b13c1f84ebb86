/* Functional mock-up units: a model as a component of other tools, FMI 2.0 and 3.0. */
#ifndef TRAMMEL_FMU_H
#define TRAMMEL_FMU_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/export.h>
#include <trammel/model.h>

TRM_BEGIN_C

/* Strings are used during the call only. */
typedef struct trm_fmu_options {
  size_t size;                 /* of this struct, see export.h */
  int version;                 /* 2 or 3 */
  bool co_simulation;          /* it brings its own integrator */
  bool model_exchange;         /* the tool integrates */
  const char *const *settings; /* NULL-terminated "step=1e-3", of its integrator; NULL: none */
  const char *binary;          /* the library that every FMU holds: libtrammel_fmu.so */
} trm_fmu_options;

TRM_API void trm_fmu_options_init(trm_fmu_options *defaults, size_t size);
static inline trm_fmu_options trm_default_fmu_options(void) {
  trm_fmu_options defaults;
  trm_fmu_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* Writes NAME.fmu of a model file; overrides as in trm_model_load. Inputs, parameters that are
 * numbers, and the columns of the results are its variables. All files that the model is read from
 * travel with it. Reports what went wrong: TRM_BAD_MODEL where the model cannot be read,
 * TRM_IO_ERROR where the FMU cannot be written. */
TRM_API trm_status trm_fmu_write(const char *model, const char *const *overrides,
                                 const trm_fmu_options *options, const char *path,
                                 trm_diagnostics *diagnostics);
/* Whether this library was built with minizip, which writes the archive. */
TRM_API bool trm_fmu_can_write(void);

TRM_END_C

#endif
