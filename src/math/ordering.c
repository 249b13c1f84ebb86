/* Reverse Cuthill-McKee ordering of constraint rows; neighbours are found through the blocks they
 * share. */
#include "math/ordering.h"

#include "base/arena.h"

#include <string.h>

/* A handful of restarts finds an end of the graph; more never paid. */
enum { peripheral_restarts = 8 };

typedef struct lists {
  int *start; /* [count + 1] */
  int *item;
} lists;

typedef struct graph {
  const trm_structure *structure;
  int groups;
  lists row_blocks;   /* of each row, ascending */
  lists group_rows;   /* of each group, ascending */
  lists block_groups; /* of each block */
  int *group_of;      /* [m] */
  int *degree;        /* [groups] rows it meets, counted block by block */
  int *seen_group;    /* [groups] last sweep that met it, 0: none */
  int *seen_block;    /* [blocks] */
  int *queue;         /* [groups] the order found so far */
  int sweep;
} graph;

typedef struct levels {
  int end;        /* of the sweep in the queue */
  int last_start; /* of the last level in the queue */
  int depth;
} levels;

static int *ints(trm_arena *arena, int count) {
  return TRM_NEW(arena, int, count + 1);
}

static bool allocate(graph *g, trm_arena *arena) {
  const trm_structure *s = g->structure;
  int touches = s->panel_start[s->blocks];
  lists *all[] = {&g->row_blocks, &g->group_rows, &g->block_groups};
  const int counts[] = {s->m, s->m, s->blocks}, items[] = {touches, s->m, touches};
  for (int i = 0; i < 3; i++) {
    all[i]->start = ints(arena, counts[i] + 1);
    all[i]->item = ints(arena, items[i]);
    if (!all[i]->start || !all[i]->item) return false;
  }
  g->group_of = ints(arena, s->m);
  g->degree = ints(arena, s->m);
  g->seen_group = ints(arena, s->m);
  g->seen_block = ints(arena, s->blocks);
  g->queue = ints(arena, s->m);
  return g->group_of && g->degree && g->seen_group && g->seen_block && g->queue;
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

static void list_row_blocks(graph *g) {
  const trm_structure *s = g->structure;
  lists *l = &g->row_blocks;
  for (int p = 0; p < s->panel_start[s->blocks]; p++) l->start[s->panel_row[p] + 1]++;
  accumulate(l->start, s->m);
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      l->item[l->start[s->panel_row[p]]++] = b;
  rewind_starts(l->start, s->m);
}

static bool same_blocks(const lists *l, int a, int b) {
  int length = l->start[a + 1] - l->start[a];
  if (l->start[b + 1] - l->start[b] != length) return false;
  return memcmp(l->item + l->start[a], l->item + l->start[b], (size_t)length * sizeof(int)) == 0;
}

static unsigned hash_blocks(const lists *l, int row) {
  unsigned hash = 2166136261u;
  for (int k = l->start[row]; k < l->start[row + 1]; k++)
    hash = (hash ^ (unsigned)l->item[k]) * 16777619u;
  return hash ^ hash >> 15;
}

/* Rows with equal block sets become one group: they have the same neighbours. */
static bool find_groups(graph *g, trm_arena *arena) {
  int m = g->structure->m;
  unsigned size = 16;
  while (size < 2u * (unsigned)m) size *= 2;
  int *table = TRM_NEW(arena, int, size); /* a row of the group + 1, 0: free */
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
  return true;
}

static void list_group_rows(graph *g) {
  int m = g->structure->m;
  lists *l = &g->group_rows;
  for (int row = 0; row < m; row++) l->start[g->group_of[row] + 1]++;
  accumulate(l->start, g->groups);
  for (int row = 0; row < m; row++) l->item[l->start[g->group_of[row]]++] = row;
  rewind_starts(l->start, g->groups);
}

static int first_row(const graph *g, int group) {
  return g->group_rows.item[g->group_rows.start[group]];
}

static void list_block_groups(graph *g) {
  const lists *rows = &g->row_blocks;
  lists *l = &g->block_groups;
  for (int pass = 0; pass < 2; pass++) {
    for (int group = 0; group < g->groups; group++) {
      int row = first_row(g, group);
      for (int k = rows->start[row]; k < rows->start[row + 1]; k++) {
        int b = rows->item[k];
        if (pass == 0) {
          l->start[b + 1]++;
          g->degree[group] += trm_panel_rows(g->structure, b);
        } else {
          l->item[l->start[b]++] = group;
        }
      }
    }
    if (pass == 0) accumulate(l->start, g->structure->blocks);
  }
  rewind_starts(l->start, g->structure->blocks);
}

/* Stable, and short lists in all but the hub of a star, whose K is dense anyway. */
static void sort_by_degree(const int *degree, int *group, int count) {
  for (int i = 1; i < count; i++) {
    int moved = group[i], k = i;
    for (; k > 0 && degree[group[k - 1]] > degree[moved]; k--) group[k] = group[k - 1];
    group[k] = moved;
  }
}

/* Appends the unseen neighbours of a group; each block is opened once, so a sweep is linear. */
static int append_neighbours(graph *g, int group, int end) {
  int row = first_row(g, group), begin = end;
  for (int k = g->row_blocks.start[row]; k < g->row_blocks.start[row + 1]; k++) {
    int b = g->row_blocks.item[k];
    if (g->seen_block[b] == g->sweep) continue;
    g->seen_block[b] = g->sweep;
    for (int i = g->block_groups.start[b]; i < g->block_groups.start[b + 1]; i++) {
      int next = g->block_groups.item[i];
      if (g->seen_group[next] == g->sweep) continue;
      g->seen_group[next] = g->sweep;
      g->queue[end++] = next;
    }
  }
  sort_by_degree(g->degree, g->queue + begin, end - begin);
  return end;
}

/* Breadth first from root, into the queue from begin on. */
static levels breadth_first(graph *g, int root, int begin) {
  levels l = {begin + 1, begin, 0};
  g->sweep++;
  g->queue[begin] = root;
  g->seen_group[root] = g->sweep;
  for (int at = begin, level_end = begin + 1; at < l.end; at++) {
    if (at == level_end) {
      l.last_start = level_end;
      level_end = l.end;
      l.depth++;
    }
    l.end = append_neighbours(g, g->queue[at], l.end);
  }
  return l;
}

static int least_degree(const graph *g, int begin, int end) {
  int best = g->queue[begin];
  for (int i = begin + 1; i < end; i++)
    if (g->degree[g->queue[i]] < g->degree[best]) best = g->queue[i];
  return best;
}

/* Starting far out makes the levels, and with them the profile, narrow. */
static int order_component(graph *g, int root, int begin) {
  levels best = breadth_first(g, root, begin);
  for (int i = 0; i < peripheral_restarts; i++) {
    int candidate = least_degree(g, best.last_start, best.end);
    levels l = breadth_first(g, candidate, begin);
    bool deeper = l.depth > best.depth;
    best = l;
    if (!deeper) break;
  }
  return best.end;
}

static void write_reversed(const graph *g, int *order) {
  int at = 0;
  for (int i = g->groups - 1; i >= 0; i--) {
    int group = g->queue[i];
    for (int k = g->group_rows.start[group]; k < g->group_rows.start[group + 1]; k++)
      order[at++] = g->group_rows.item[k];
  }
}

static bool reduce(graph *g, trm_arena *arena, int *order) {
  if (!allocate(g, arena)) return false;
  list_row_blocks(g);
  if (!find_groups(g, arena)) return false;
  list_group_rows(g);
  list_block_groups(g);
  for (int group = 0, end = 0; group < g->groups; group++)
    if (!g->seen_group[group]) end = order_component(g, group, end);
  write_reversed(g, order);
  return true;
}

bool trm_ordering_reduce(const trm_structure *structure, int *order) {
  graph g = {.structure = structure};
  trm_arena *scratch = trm_arena_create();
  bool done = scratch && reduce(&g, scratch, order);
  trm_arena_destroy(scratch);
  return done;
}
