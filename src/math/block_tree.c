/* Breadth first from the ground, with arms tied together as they grow. */
#include "math/block_tree.h"

typedef struct growth {
  const trm_row_groups *groups;
  trm_block_tree *tree; /* depth −1: not reached */
  int *joined;          /* [blocks] when; 0: not yet */
} growth;

/* A block that a joint ties to the ground has more than its intrinsic rows by itself. */
static bool is_grounded(const growth *g, int b) {
  const trm_lists *groups = &g->groups->block_groups, *rows = &g->groups->group_rows;
  const int *blocks;
  for (int k = groups->start[b]; k < groups->start[b + 1]; k++) {
    int group = groups->item[k], count = rows->start[group + 1] - rows->start[group];
    if (trm_group_blocks(g->groups, group, &blocks) == 1 && count > g->groups->structure->intrinsic)
      return true;
  }
  return false;
}

static int reach(growth *g, int b, int depth, int end) {
  g->tree->parent[b] = g->tree->parent_group[b] = -1;
  g->tree->depth[b] = depth;
  g->tree->sequence[end] = b;
  return end + 1;
}

/* A block that does not stand on the ground joins through the neighbour that joined last: what
 * grows as two arms side by side is tied together again at each step, and loops stay short. */
static int join_tree(growth *g, int b, int end) {
  const trm_lists *groups = &g->groups->block_groups;
  const int *blocks;
  int latest = 0;
  for (int k = groups->start[b]; k < groups->start[b + 1]; k++) {
    int group = groups->item[k];
    if (trm_group_blocks(g->groups, group, &blocks) != 2) continue;
    int other = blocks[0] == b ? blocks[1] : blocks[0];
    if (g->tree->depth[other] < 0) end = reach(g, other, 1, end);
    if (g->tree->depth[b] == 0 || g->joined[other] <= latest) continue;
    latest = g->joined[other];
    g->tree->parent[b] = other;
    g->tree->parent_group[b] = group;
  }
  if (g->tree->parent[b] >= 0) g->tree->depth[b] = g->tree->depth[g->tree->parent[b]] + 1;
  return end;
}

/* Breadth first from the ground. */
static void grow_tree(growth *g) {
  int blocks = g->groups->structure->blocks, end = 0, at = 0;
  for (int b = 0; b < blocks; b++) g->tree->depth[b] = -1;
  for (int b = 0; b < blocks; b++)
    if (is_grounded(g, b)) end = reach(g, b, 0, end);
  for (int b = 0; b <= blocks; b++) {
    for (; at < end; at++) {
      end = join_tree(g, g->tree->sequence[at], end);
      g->joined[g->tree->sequence[at]] = at + 1;
    }
    if (b < blocks && g->tree->depth[b] < 0) end = reach(g, b, 0, end); /* it floats */
  }
}

bool trm_block_tree_grow(trm_block_tree *tree, trm_arena *arena, const trm_row_groups *groups) {
  int blocks = groups->structure->blocks;
  growth g = {.groups = groups, .tree = tree};
  tree->parent = TRM_NEW(arena, int, blocks + 1);
  tree->parent_group = TRM_NEW(arena, int, blocks + 1);
  tree->depth = TRM_NEW(arena, int, blocks + 1);
  tree->sequence = TRM_NEW(arena, int, blocks + 1);
  g.joined = TRM_NEW(arena, int, blocks + 1);
  if (trm_arena_failed(arena)) return false;
  grow_tree(&g);
  return true;
}
