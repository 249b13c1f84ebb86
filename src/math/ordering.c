/* Reverse Cuthill-McKee ordering of constraint rows; neighbours are found through the blocks they
 * share. */
#include "math/ordering.h"

#include "math/row_groups.h"

/* A handful of restarts finds an end of the graph; more never paid. */
enum { peripheral_restarts = 8 };

typedef struct graph {
  trm_row_groups rows;
  int *degree;     /* [groups] rows it meets, counted block by block */
  int *seen_group; /* [groups] last sweep that met it, 0: none */
  int *seen_block; /* [blocks] */
  int *queue;      /* [groups] the order found so far */
  int sweep;
} graph;

typedef struct levels {
  int end;        /* of the sweep in the queue */
  int last_start; /* of the last level in the queue */
  int depth;
} levels;

static bool allocate(graph *g, trm_arena *arena) {
  int m = g->rows.structure->m;
  g->degree = TRM_NEW(arena, int, m + 1);
  g->seen_group = TRM_NEW(arena, int, m + 1);
  g->seen_block = TRM_NEW(arena, int, g->rows.structure->blocks + 1);
  g->queue = TRM_NEW(arena, int, m + 1);
  return !trm_arena_failed(arena);
}

static void find_degrees(graph *g) {
  const trm_lists *blocks = &g->rows.row_blocks;
  for (int group = 0; group < g->rows.groups; group++) {
    int row = trm_first_row(&g->rows, group);
    for (int k = blocks->start[row]; k < blocks->start[row + 1]; k++)
      g->degree[group] += trm_panel_rows(g->rows.structure, blocks->item[k]);
  }
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
  int row = trm_first_row(&g->rows, group), begin = end;
  for (int k = g->rows.row_blocks.start[row]; k < g->rows.row_blocks.start[row + 1]; k++) {
    int b = g->rows.row_blocks.item[k];
    if (g->seen_block[b] == g->sweep) continue;
    g->seen_block[b] = g->sweep;
    for (int i = g->rows.block_groups.start[b]; i < g->rows.block_groups.start[b + 1]; i++) {
      int next = g->rows.block_groups.item[i];
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
  for (int i = g->rows.groups - 1; i >= 0; i--) {
    int group = g->queue[i];
    for (int k = g->rows.group_rows.start[group]; k < g->rows.group_rows.start[group + 1]; k++)
      order[at++] = g->rows.group_rows.item[k];
  }
}

static bool reduce(graph *g, trm_arena *arena, const trm_structure *s, int *order) {
  if (!trm_row_groups_find(&g->rows, arena, s) || !allocate(g, arena)) return false;
  find_degrees(g);
  for (int group = 0, end = 0; group < g->rows.groups; group++)
    if (!g->seen_group[group]) end = order_component(g, group, end);
  write_reversed(g, order);
  return true;
}

bool trm_ordering_reduce(const trm_structure *structure, int *order) {
  graph g = {0};
  trm_arena *scratch = trm_arena_create();
  bool done = scratch && reduce(&g, scratch, structure, order);
  trm_arena_destroy(scratch);
  return done;
}
