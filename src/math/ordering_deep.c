/* Rows subtree by subtree: depth first. */
#include "math/block_tree.h"
#include "math/ordering.h"

/* place [blocks]: children before their parent; child, next [blocks + 1] */
static void number_blocks(const int *parent, int blocks, int *child, int *next, int *place) {
  int count = 0;
  for (int b = 0; b <= blocks; b++) child[b] = -1;
  for (int b = blocks - 1; b >= 0; b--) {
    int *first = &child[parent[b] < 0 ? blocks : parent[b]];
    next[b] = *first;
    *first = b;
  }
  for (int b = child[blocks]; b >= 0; b = next[b] >= 0 ? next[b] : parent[b]) {
    while (child[b] >= 0) { /* down, and not here again */
      int first = child[b];
      child[b] = -1;
      b = first;
    }
    place[b] = count++;
  }
}

static int first_place(const trm_row_groups *g, const int *place, int row) {
  int first = g->structure->blocks;
  for (int t = g->row_blocks.start[row]; t < g->row_blocks.start[row + 1]; t++)
    if (place[g->row_blocks.item[t]] < first) first = place[g->row_blocks.item[t]];
  return first;
}

/* by counting; start [blocks + 2], zero */
static void sort_rows(const trm_row_groups *g, const int *place, int *start, int *order) {
  const trm_structure *s = g->structure;
  for (int row = 0; row < s->m; row++) start[first_place(g, place, row) + 1]++;
  for (int b = 0; b <= s->blocks; b++) start[b + 1] += start[b];
  for (int row = 0; row < s->m; row++) order[start[first_place(g, place, row)]++] = row;
}

bool trm_ordering_descend(const trm_row_groups *g, int *order) {
  trm_arena *scratch = trm_arena_create();
  trm_block_tree tree;
  int blocks = g->structure->blocks;
  int *child = scratch ? TRM_NEW(scratch, int, blocks + 1) : NULL;
  int *next = scratch ? TRM_NEW(scratch, int, blocks + 1) : NULL;
  int *place = scratch ? TRM_NEW(scratch, int, blocks + 1) : NULL;
  int *start = scratch ? TRM_NEW(scratch, int, blocks + 2) : NULL;
  bool found = child && next && place && start && trm_block_tree_grow(&tree, scratch, g);
  if (found) {
    number_blocks(tree.parent, blocks, child, next, place);
    sort_rows(g, place, start, order);
  }
  trm_arena_destroy(scratch);
  return found;
}
