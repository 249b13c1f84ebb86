/* Minimum degree (AMD) over groups of rows, which meet where they share a block. */
#include <amd.h>
#include <limits.h>
#include <string.h>

#include "math/ordering.h"

/* Each neighbour once; neighbour == NULL: counted only. */
static int list_neighbours(const trm_row_groups *g, int group, int *seen, int *neighbour) {
  const trm_lists *groups = &g->block_groups;
  const int *blocks;
  int count = 0;
  for (int b = trm_group_blocks(g, group, &blocks) - 1; b >= 0; b--)
    for (int k = groups->start[blocks[b]]; k < groups->start[blocks[b] + 1]; k++) {
      int other = groups->item[k];
      if (seen[other] == group + 1) continue;
      seen[other] = group + 1;
      if (neighbour) neighbour[count] = other;
      count++;
    }
  return count;
}

bool trm_ordering_disentangle(const trm_row_groups *g, trm_arena *scratch, int *order) {
  int *seen = TRM_NEW(scratch, int, g->groups + 1), *start = TRM_NEW(scratch, int, g->groups + 1);
  long long total = 0;
  if (!seen || !start) return false;
  for (int group = 0; group < g->groups; group++) {
    total += list_neighbours(g, group, seen, NULL);
    if (total > INT_MAX) return false;
    start[group + 1] = (int)total;
  }
  int *neighbour = TRM_NEW(scratch, int, total + 1);
  if (!neighbour) return false;
  memset(seen, 0, (size_t)g->groups * sizeof *seen);
  for (int group = 0; group < g->groups; group++)
    list_neighbours(g, group, seen, neighbour + start[group]);
  return amd_order(g->groups, start, neighbour, order, NULL, NULL) >= AMD_OK;
}
