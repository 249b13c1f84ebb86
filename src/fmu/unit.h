/* Units of measures, where the model says in which it is written. */
#ifndef TRM_FMU_UNIT_H
#define TRM_FMU_UNIT_H

#include "model/model.h"

typedef struct trm_fmu_unit {
  const char *name;
  int kg, m, s, rad; /* powers */
  double factor;     /* of it, to what these make */
} trm_fmu_unit;

/* NULL: it has none, or nobody says which. Of one model each unit is one place in memory. Angles
 * are radians always. */
const trm_fmu_unit *trm_fmu_unit_of(const trm_model *model, const trm_measure *measure);

#endif
