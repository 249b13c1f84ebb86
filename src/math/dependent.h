/* Coordinates that the constraints determine once the others are given. */
#ifndef TRM_MATH_DEPENDENT_H
#define TRM_MATH_DEPENDENT_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_dependent trm_dependent;

/* NULL: out of memory. */
trm_dependent *trm_dependent_create(trm_arena *arena, const trm_structure *structure);

/* dependent [n]: a coordinate for each row of Cq that is not skipped, the largest pivots of an
 * elimination along the mechanism; scale [n] is what makes coordinates comparable. How many there
 * are: fewer than rows where some say nothing new. */
int trm_dependent_choose(trm_dependent *chooser, const double *Cq, const double *scale,
                         const bool *skip, bool *dependent);

#endif
