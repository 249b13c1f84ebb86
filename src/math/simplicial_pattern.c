/* Neighbours of constraint rows through the blocks they share. */
#include "math/simplicial_pattern.h"

#include <amd.h>
#include <limits.h>
#include <string.h>

#include "math/row_groups.h"

/* Each neighbour once; neighbour == NULL: counted only. */
static int list_neighbours(const trm_row_groups *g, int row, int *seen, int *neighbour) {
  const trm_structure *s = g->structure;
  int count = 0;
  for (int t = g->row_blocks.start[row]; t < g->row_blocks.start[row + 1]; t++) {
    int b = g->row_blocks.item[t];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++) {
      int other = s->panel_row[p];
      if (seen[other] == row + 1) continue;
      seen[other] = row + 1;
      if (neighbour) neighbour[count] = other;
      count++;
    }
  }
  return count;
}

static bool find_neighbours(trm_row_pattern *k, trm_arena *arena, const trm_structure *s) {
  trm_row_groups groups;
  int *seen = TRM_NEW(arena, int, s->m + 1);
  long long total = 0;
  k->start = TRM_NEW(arena, int, s->m + 1);
  if (!seen || !k->start || !trm_row_groups_find(&groups, arena, s)) return false;
  for (int row = 0; row < s->m; row++) {
    total += list_neighbours(&groups, row, seen, NULL);
    if (total > INT_MAX) return false;
    k->start[row + 1] = (int)total;
  }
  k->neighbour = TRM_NEW(arena, int, total + 1);
  if (!k->neighbour) return false;
  memset(seen, 0, (size_t)s->m * sizeof *seen);
  for (int row = 0; row < s->m; row++)
    list_neighbours(&groups, row, seen, k->neighbour + k->start[row]);
  return true;
}

bool trm_row_pattern_find(trm_row_pattern *k, trm_arena *arena, const trm_structure *s) {
  double info[AMD_INFO];
  k->order = TRM_NEW(arena, int, s->m + 1);
  if (!k->order || !find_neighbours(k, arena, s)) return false;
  if (amd_order(s->m, k->start, k->neighbour, k->order, NULL, info) < AMD_OK) return false;
  k->operations = info[AMD_NDIV] + 2 * info[AMD_NMULTSUBS_LU];
  return true;
}
