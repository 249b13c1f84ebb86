/* Which outputs hang on which inputs directly, without a state between: what a tool that couples
 * FMUs must know to find algebraic loops. */
#ifndef TRM_FMU_DIRECT_H
#define TRM_FMU_DIRECT_H

#include "model/model.h"

/* direct[inputs], in the order of the model's inputs. Where it cannot be told, all are. False: out
 * of memory. */
bool trm_fmu_direct(const trm_model *model, const trm_measure *measure, bool *direct);

#endif
