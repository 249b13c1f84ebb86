/* Constraint rows that touch the same blocks, joints as the matrices see them. */
#ifndef TRM_MATH_ROW_GROUPS_H
#define TRM_MATH_ROW_GROUPS_H

#include "base/arena.h"
#include "math/structure.h"

/* List i holds item[start[i] … start[i + 1] − 1]. */
typedef struct trm_lists {
  int *start;
  int *item;
} trm_lists;

typedef struct trm_row_groups {
  const trm_structure *structure;
  int groups;
  trm_lists row_blocks;   /* of each row, ascending */
  int *row_value;         /* like row_blocks' items: where the row's entries begin in Cq's values */
  trm_lists group_rows;   /* of each group, ascending */
  trm_lists block_groups; /* of each block */
  int *group_of;          /* [m] */
} trm_row_groups;

/* In time linear in the size of the panels. false: out of memory. */
bool trm_row_groups_find(trm_row_groups *groups, trm_arena *arena, const trm_structure *structure);

static inline int trm_first_row(const trm_row_groups *g, int group) {
  return g->group_rows.item[g->group_rows.start[group]];
}

/* Blocks that a group touches. */
static inline int trm_group_blocks(const trm_row_groups *g, int group, const int **blocks) {
  int row = trm_first_row(g, group), first = g->row_blocks.start[row];
  *blocks = g->row_blocks.item + first;
  return g->row_blocks.start[row + 1] - first;
}

#endif
