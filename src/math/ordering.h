/* An order of the constraint rows that keeps rows sharing a block close together. */
#ifndef TRM_MATH_ORDERING_H
#define TRM_MATH_ORDERING_H

#include "math/row_groups.h"

/* Reverse Cuthill-McKee over groups of rows that touch the same blocks, in time linear in the size
 * of the panels. order [m]: the row in each place. false: out of memory. */
bool trm_ordering_reduce(const trm_structure *structure, int *order);

/* Minimum degree: the group in each place, in the order of an elimination with little fill. false:
 * out of memory, or too many neighbours. */
bool trm_ordering_disentangle(const trm_row_groups *groups, trm_arena *scratch, int *order);

#endif
