/* Rows that depend on others of their own loop: most redundancies are of this kind, and need no
 * factorization of the whole. */
#ifndef TRM_MATH_LOOPS_H
#define TRM_MATH_LOOPS_H

#include "math/structure.h"

/* redundant [m]: rows of a twist's G that others, all of them outside this set, determine within
 * one short loop of blocks; how many there are, or −1: out of memory or not finite. cut: as in
 * trm_rank. part [m], or NULL: rows that take part in such a dependency. */
int trm_loops_find(const trm_structure *rows, const double *G, double cut, bool *redundant,
                   bool *part);

#endif
