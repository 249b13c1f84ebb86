/* Coordinates that the constraints determine once the others are given. */
#ifndef TRM_MATH_DEPENDENT_H
#define TRM_MATH_DEPENDENT_H

#include "math/structure.h"

/* dependent [n]: a coordinate for each row of Cq that is not skipped: the pivots of its LU
 * factorization; scale [n] is what makes coordinates comparable. How many there are: fewer than
 * rows where some say nothing new, −1 where memory is out. */
int trm_dependent_choose(const trm_structure *structure, const double *Cq, const double *scale,
                         const bool *skip, bool *dependent);

#endif
