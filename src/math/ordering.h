/* An order of the constraint rows that keeps rows sharing a block close together. */
#ifndef TRM_MATH_ORDERING_H
#define TRM_MATH_ORDERING_H

#include "math/structure.h"

/* Reverse Cuthill-McKee over groups of rows that touch the same blocks, in time linear in the size
 * of the panels. order [m]: the row in each place. false: out of memory. */
bool trm_ordering_reduce(const trm_structure *structure, int *order);

#endif
