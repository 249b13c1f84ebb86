/* What an FMU is made of: written beside its model by the exporter, read by its binary.
 *
 * Value references count through time, parameters, inputs, outputs, states, their derivatives and
 * event indicators, in this order. */
#ifndef TRM_FMU_PLAN_H
#define TRM_FMU_PLAN_H

#include <stdbool.h>

#define TRM_FMU_PLAN "trammel.txt" /* in the resources */

typedef struct trm_fmu_names {
  int count;
  char **names;
} trm_fmu_names;

typedef struct trm_fmu_plan {
  char *model;            /* its file, relative to the resources */
  char *token;            /* guid */
  trm_fmu_names sets;     /* "NAME=VALUE" */
  trm_fmu_names settings; /* "step=1e-3" */
  trm_fmu_names parameters, inputs, outputs;
  int states, events;
} trm_fmu_plan;

typedef enum trm_fmu_kind {
  TRM_FMU_TIME,
  TRM_FMU_PARAMETER,
  TRM_FMU_INPUT,
  TRM_FMU_OUTPUT,
  TRM_FMU_STATE,
  TRM_FMU_DERIVATIVE,
  TRM_FMU_INDICATOR,
  TRM_FMU_KINDS /* how many */
} trm_fmu_kind;

bool trm_fmu_plan_read(trm_fmu_plan *plan, const char *path);
bool trm_fmu_names_add(trm_fmu_names *names, const char *name);
void trm_fmu_plan_free(trm_fmu_plan *plan);

int trm_fmu_count(const trm_fmu_plan *plan, trm_fmu_kind kind);
unsigned trm_fmu_reference(const trm_fmu_plan *plan, trm_fmu_kind kind, int index);
/* TRM_FMU_KINDS: there is no such variable. */
trm_fmu_kind trm_fmu_find(const trm_fmu_plan *plan, unsigned reference, int *index);

#endif
