/* Blocks in groups that share no constraint row: places of the rows are cut into equal segments,
 * and a block belongs to the one that all its rows are in. Those that reach over several come
 * behind, by the last segment they reach. Sums over rows are then the same in whatever order the
 * segments come, and where a segment and what reaches back from it are done in turn. */
#ifndef TRM_MATH_SEGMENTS_H
#define TRM_MATH_SEGMENTS_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_segments {
  int count;
  const int *place;    /* [count + 1] first row of each */
  const int *start;    /* [2 count + 1] first block of each in `block`, then of those behind each */
  const int *block;    /* [blocks] */
  const int *complete; /* [count] rows that no block behind a segment adds to */
} trm_segments;

/* panel_place: of each panel row; NULL: all blocks and places are one segment */
bool trm_segments_create(trm_segments *segments, trm_arena *arena, const trm_structure *structure,
                         int places, const int *panel_place);

#endif
