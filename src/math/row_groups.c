/* Rows with the same blocks, found by hashing. */
#include "math/row_groups.h"

#include <stdlib.h>
#include <string.h>

static bool allocate(trm_row_groups *g, trm_arena *arena) {
  const trm_structure *s = g->structure;
  int touches = s->panel_start[s->blocks];
  trm_lists *all[] = {&g->row_blocks, &g->group_rows, &g->block_groups};
  const int counts[] = {s->m, s->m, s->blocks}, items[] = {touches, s->m, touches};
  for (int i = 0; i < 3; i++) {
    all[i]->start = TRM_NEW(arena, int, counts[i] + 2);
    all[i]->item = TRM_NEW(arena, int, items[i] + 1);
    if (!all[i]->start || !all[i]->item) return false;
  }
  g->group_of = TRM_NEW(arena, int, s->m + 1);
  g->row_value = TRM_NEW(arena, int, touches + 1);
  return g->group_of && g->row_value;
}

/* counts in start[1 …] become starts */
static void accumulate(int *start, int count) {
  for (int i = 0; i < count; i++) start[i + 1] += start[i];
}

/* filling moved every start to its end: move them back */
static void rewind_starts(int *start, int count) {
  memmove(start + 1, start, (size_t)count * sizeof *start);
  start[0] = 0;
}

static void list_row_blocks(trm_row_groups *g) {
  const trm_structure *s = g->structure;
  trm_lists *l = &g->row_blocks;
  for (int p = 0; p < s->panel_start[s->blocks]; p++) l->start[s->panel_row[p] + 1]++;
  accumulate(l->start, s->m);
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++) {
      int at = l->start[s->panel_row[p]]++;
      l->item[at] = b;
      g->row_value[at] = s->panel_value[b] + (p - s->panel_start[b]) * trm_block_width(s, b);
    }
  rewind_starts(l->start, s->m);
}

static bool same_blocks(const trm_lists *l, int a, int b) {
  int length = l->start[a + 1] - l->start[a];
  if (l->start[b + 1] - l->start[b] != length) return false;
  return memcmp(l->item + l->start[a], l->item + l->start[b], (size_t)length * sizeof(int)) == 0;
}

static unsigned hash_blocks(const trm_lists *l, int row) {
  unsigned hash = 2166136261u;
  for (int k = l->start[row]; k < l->start[row + 1]; k++)
    hash = (hash ^ (unsigned)l->item[k]) * 16777619u;
  return hash ^ hash >> 15;
}

/* Rows with equal block sets become one group: they have the same neighbours. */
static bool find_groups(trm_row_groups *g) {
  int m = g->structure->m;
  unsigned size = 16;
  while (size < 2u * (unsigned)m) size *= 2;
  int *table = calloc(size, sizeof *table); /* a row of the group + 1, 0: free */
  if (!table) return false;
  for (int row = 0; row < m; row++) {
    unsigned slot = hash_blocks(&g->row_blocks, row) & (size - 1);
    while (table[slot] && !same_blocks(&g->row_blocks, table[slot] - 1, row))
      slot = (slot + 1) & (size - 1);
    if (!table[slot]) {
      table[slot] = row + 1;
      g->group_of[row] = g->groups++;
    } else {
      g->group_of[row] = g->group_of[table[slot] - 1];
    }
  }
  free(table);
  return true;
}

static void list_group_rows(trm_row_groups *g) {
  int m = g->structure->m;
  trm_lists *l = &g->group_rows;
  for (int row = 0; row < m; row++) l->start[g->group_of[row] + 1]++;
  accumulate(l->start, g->groups);
  for (int row = 0; row < m; row++) l->item[l->start[g->group_of[row]]++] = row;
  rewind_starts(l->start, g->groups);
}

static void list_block_groups(trm_row_groups *g) {
  trm_lists *l = &g->block_groups;
  const int *blocks;
  for (int group = 0; group < g->groups; group++)
    for (int k = trm_group_blocks(g, group, &blocks) - 1; k >= 0; k--) l->start[blocks[k] + 1]++;
  accumulate(l->start, g->structure->blocks);
  for (int group = 0; group < g->groups; group++)
    for (int k = trm_group_blocks(g, group, &blocks) - 1; k >= 0; k--)
      l->item[l->start[blocks[k]]++] = group;
  rewind_starts(l->start, g->structure->blocks);
}

bool trm_row_groups_find(trm_row_groups *g, trm_arena *arena, const trm_structure *s) {
  *g = (trm_row_groups){.structure = s};
  if (!allocate(g, arena)) return false;
  list_row_blocks(g);
  if (!find_groups(g)) return false;
  list_group_rows(g);
  list_block_groups(g);
  return true;
}
