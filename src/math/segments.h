/* Blocks in groups that share no constraint row: places of the rows are cut into equal segments, a
 * block belongs to the one that all its rows are in, and to the last group, by itself, where it
 * reaches over two. Sums over rows are then the same in whatever order the segments come. */
#ifndef TRM_MATH_SEGMENTS_H
#define TRM_MATH_SEGMENTS_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_segments {
  int count;
  const int *place; /* [count + 1] first row of each */
  const int
      *start; /* [count + 2] first block of each in `block`; at last of those that reach over */
  const int *block; /* [blocks] */
} trm_segments;

/* place: of each panel row */
bool trm_segments_create(trm_segments *segments, trm_arena *arena, const trm_structure *structure,
                         const int *panel_place);

#endif
