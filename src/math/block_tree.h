/* A spanning tree of the blocks along rows that touch two of them, rooted in the ground. */
#ifndef TRM_MATH_BLOCK_TREE_H
#define TRM_MATH_BLOCK_TREE_H

#include "math/row_groups.h"

typedef struct trm_block_tree {
  int *parent;       /* [blocks] −1: the ground */
  int *parent_group; /* [blocks] of rows; −1: none */
  int *depth;        /* [blocks] */
  int *sequence;     /* [blocks] each behind its parent */
} trm_block_tree;

/* false: out of memory */
bool trm_block_tree_grow(trm_block_tree *tree, trm_arena *arena, const trm_row_groups *groups);

#endif
