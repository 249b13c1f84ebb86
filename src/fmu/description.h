/* modelDescription.xml. */
#ifndef TRM_FMU_DESCRIPTION_H
#define TRM_FMU_DESCRIPTION_H

#include <stdio.h>
#include <trammel/fmu.h>

#include "fmu/plan.h"
#include "fmu/unit.h"

typedef struct trm_fmu_facts {
  const trm_fmu_plan *plan;
  const trm_fmu_options *options;
  const char *name, *description;    /* of the model */
  const char *identifier;            /* of the binary: a name in C */
  const double *parameters, *inputs; /* start values */
  const trm_fmu_unit *time;          /* units, or NULL */
  const trm_fmu_unit *const *units;  /* [outputs] */
  const bool *direct;                /* [outputs × inputs] the first hangs on the second */
  int coordinates;                   /* n: of the states n are q, n are v */
  double duration, tolerance;
} trm_fmu_facts;

void trm_fmu_describe(const trm_fmu_facts *facts, FILE *file);

#endif
