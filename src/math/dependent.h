/* Coordinates that the constraints determine once the others are given. */
#ifndef TRM_MATH_DEPENDENT_H
#define TRM_MATH_DEPENDENT_H

#include "math/structure.h"

/* One coordinate for each row of Cq that is not skipped, in the order of the rows: the largest
 * pivots of a sparse elimination row by row. scale [n] is what makes coordinates comparable.
 * false: out of memory. */
bool trm_dependent_choose(const trm_structure *structure, const double *Cq, const double *scale,
                          const bool *skip, int *coordinate);

#endif
