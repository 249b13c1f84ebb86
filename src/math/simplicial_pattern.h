/* Which rows of K meet, and the order that a minimum degree ordering (AMD) puts them in. */
#ifndef TRM_MATH_SIMPLICIAL_PATTERN_H
#define TRM_MATH_SIMPLICIAL_PATTERN_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_row_pattern {
  int *start; /* [m + 1] of each row's neighbours, itself included */
  int *neighbour;
  int *order;        /* [m] the row in each place */
  double operations; /* that a factorization in this order takes */
} trm_row_pattern;

/* false: out of memory, or too many */
bool trm_row_pattern_find(trm_row_pattern *pattern, trm_arena *arena,
                          const trm_structure *structure);

#endif
