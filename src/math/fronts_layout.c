/* The spanning tree, the order of elimination and who meets whom, laid out once. */
#include "math/fronts.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "math/block_tree.h"
#include "math/ordering.h"

/* A block is kept that has more rows, for each of its coordinates: measured. */
static const double many_rows = 2.5;
/* Rows of nets that are worth eliminating at once: with more, what they meet leaves the cache. */
enum { most_at_once = 16 };
enum { ground = -1 };

typedef struct plan {
  trm_row_groups groups;
  trm_arena *scratch;
  const bool *kept; /* [blocks] */
  trm_block_tree tree;
  /* the order: nodes are blocks, or groups behind them */
  bool net;              /* no tree: the order of minimum degree, in which no block is kept */
  int *node, nodes;      /* [blocks + groups] in the order of elimination */
  int *turn;             /* [blocks + groups] */
  bool *branch;          /* [groups] of the tree */
  int *closing, *closes; /* [blocks + 1] first group that closes a loop there, [groups] the next */
  /* who meets whom */
  int *neighbour_start, *neighbour; /* [nodes + 1] by turn, ascending */
  int *parent;                      /* [nodes] first of them; −1: none */
  int *mark, *child, *sibling;      /* [nodes] */
  int room;
  /* nodes eliminated together */
  int *front_of, fronts; /* [nodes] */
} plan;

static int blocks_of(const plan *p) {
  return p->groups.structure->blocks;
}

static int rows_of(const plan *p, int group) {
  return p->groups.group_rows.start[group + 1] - p->groups.group_rows.start[group];
}

static int size_of(const plan *p, int node) {
  return node < blocks_of(p) ? trm_block_width(p->groups.structure, node)
                             : rows_of(p, node - blocks_of(p));
}

/* ---- the order of elimination ---- */

static int common_ancestor(const plan *p, int a, int b) {
  while (a != b) {
    if (a < 0 || b < 0) return ground;
    if (p->tree.depth[a] >= p->tree.depth[b])
      a = p->tree.parent[a];
    else
      b = p->tree.parent[b];
  }
  return a;
}

/* The block that the loops of these rows hang on; ground: none, or the rows touch it. */
static int find_top(const plan *p, int group) {
  const int *blocks;
  int count = trm_group_blocks(&p->groups, group, &blocks), top = count > 1 ? blocks[0] : ground;
  for (int i = 1; i < count; i++) top = common_ancestor(p, top, blocks[i]);
  return top;
}

static void append(plan *p, int node) {
  p->turn[node] = p->nodes;
  p->node[p->nodes++] = node;
}

static void append_closing(plan *p, int block) {
  for (int group = p->closing[block < 0 ? blocks_of(p) : block]; group >= 0;
       group = p->closes[group])
    append(p, blocks_of(p) + group);
}

static void order_nodes(plan *p) {
  int blocks = blocks_of(p);
  for (int b = 0; b <= blocks; b++) p->closing[b] = -1;
  for (int b = 0; b < blocks; b++)
    if (p->tree.parent_group[b] >= 0) p->branch[p->tree.parent_group[b]] = true;
  for (int group = p->groups.groups - 1; group >= 0; group--) {
    if (p->branch[group]) continue;
    int top = find_top(p, group), *first = &p->closing[top < 0 ? blocks : top];
    p->closes[group] = *first;
    *first = group;
  }
  for (int i = blocks - 1; i >= 0; i--) {
    int b = p->tree.sequence[i], joint = p->tree.parent_group[b];
    append_closing(p, b);
    if (p->kept[b]) append(p, b);
    if (joint >= 0) append(p, blocks + joint);
  }
  append_closing(p, ground);
}

/* ---- who meets whom ---- */

static bool add_neighbour(plan *p, int at, int turn, int *count) {
  if (turn <= at || p->mark[turn] == at + 1) return true;
  p->mark[turn] = at + 1;
  if (*count == p->room) {
    int *more = TRM_NEW(p->scratch, int, 2 * (size_t)p->room);
    if (!more) return false;
    memcpy(more, p->neighbour, (size_t)*count * sizeof *more);
    p->neighbour = more;
    p->room *= 2;
  }
  int k = (*count)++;
  for (; k > p->neighbour_start[at] && p->neighbour[k - 1] > turn; k--)
    p->neighbour[k] = p->neighbour[k - 1];
  p->neighbour[k] = turn;
  return true;
}

static bool add_groups_of(plan *p, int at, int block, int *count) {
  const trm_lists *l = &p->groups.block_groups;
  bool good = true;
  for (int k = l->start[block]; k < l->start[block + 1] && good; k++)
    good = add_neighbour(p, at, p->turn[blocks_of(p) + l->item[k]], count);
  return good;
}

/* Through a block that is not kept all its joints meet. */
static bool add_neighbours(plan *p, int at, int *count) {
  int node = p->node[at], blocks = blocks_of(p);
  const int *of;
  bool good = true;
  if (node < blocks) return add_groups_of(p, at, node, count);
  for (int k = trm_group_blocks(&p->groups, node - blocks, &of) - 1; k >= 0 && good; k--)
    good = p->kept[of[k]] ? add_neighbour(p, at, p->turn[of[k]], count)
                          : add_groups_of(p, at, of[k], count);
  return good;
}

static double count_operations(int own, int size) {
  double sum = 0;
  for (int k = 0; k < own; k++) sum += (double)(size - k) * (size - k);
  return sum;
}

static double count_products(const plan *p) {
  const trm_structure *s = p->groups.structure;
  double sum = 0;
  for (int b = 0; b < s->blocks; b++) {
    double rows = trm_panel_rows(s, b);
    if (!p->kept[b]) sum += trm_block_width(s, b) * rows * rows;
  }
  return sum;
}

/* −1: out of memory; more than `most`: not all are found */
static double find_neighbours(plan *p, double most) {
  double operations = count_products(p);
  for (int i = 0; i < p->nodes; i++) p->child[i] = -1;
  for (int at = 0, count = 0; at < p->nodes && operations <= most; at++) {
    int size = size_of(p, p->node[at]);
    bool good = add_neighbours(p, at, &count);
    for (int c = p->child[at]; c >= 0; c = p->sibling[c])
      for (int k = p->neighbour_start[c]; k < p->neighbour_start[c + 1] && good; k++)
        good = add_neighbour(p, at, p->neighbour[k], &count);
    if (!good) return -1;
    p->neighbour_start[at + 1] = count;
    for (int k = p->neighbour_start[at]; k < count; k++)
      size += size_of(p, p->node[p->neighbour[k]]);
    operations += count_operations(size_of(p, p->node[at]), size);
    p->parent[at] = count > p->neighbour_start[at] ? p->neighbour[p->neighbour_start[at]] : -1;
    if (p->parent[at] < 0) continue;
    p->sibling[at] = p->child[p->parent[at]];
    p->child[p->parent[at]] = at;
  }
  return operations;
}

/* Any order will do where no block is kept. */
static bool order_net(plan *p) {
  int *order = TRM_NEW(p->scratch, int, p->groups.groups + 1);
  if (!order || !trm_ordering_disentangle(&p->groups, p->scratch, order)) return false;
  for (int i = 0; i < p->groups.groups; i++) append(p, blocks_of(p) + order[i]);
  return true;
}

static bool make_plan(plan *p, const trm_structure *s, bool keep) {
  if (!trm_row_groups_find(&p->groups, p->scratch, s)) return false;
  int groups = p->groups.groups, nodes = s->blocks + groups;
  int **of_nodes[] = {&p->node, &p->turn,  &p->neighbour_start, &p->parent,
                      &p->mark, &p->child, &p->sibling,         &p->front_of};
  for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++)
    *of_nodes[i] = TRM_NEW(p->scratch, int, nodes + 2);
  p->room = 4 * nodes + 4;
  p->closing = TRM_NEW(p->scratch, int, s->blocks + 1);
  p->closes = TRM_NEW(p->scratch, int, groups + 1);
  p->branch = TRM_NEW(p->scratch, bool, groups + 1);
  p->neighbour = TRM_NEW(p->scratch, int, p->room);
  bool *kept = TRM_NEW(p->scratch, bool, s->blocks + 1);
  if (trm_arena_failed(p->scratch)) return false;
  for (int b = 0; b < s->blocks; b++)
    kept[b] = keep && trm_panel_rows(s, b) > many_rows * trm_block_width(s, b);
  p->kept = kept;
  if (p->net) return order_net(p);
  if (!trm_block_tree_grow(&p->tree, p->scratch, &p->groups)) return false;
  order_nodes(p);
  return true;
}

/* The next meets all that this one does: they are eliminated at once. */
static bool joins_next(const plan *p, int at, int own) {
  const int *start = p->neighbour_start + at;
  return p->net && p->parent[at] == at + 1 && start[1] - start[0] == start[2] - start[1] + 1 &&
         own + size_of(p, p->node[at + 1]) <= most_at_once;
}

/* Nodes become fronts; from now on `neighbour` is of these. */
static void join_nodes(plan *p) {
  int count = 0, begin = 0;
  for (int at = 0, own = 0; at < p->nodes; at++) {
    own += size_of(p, p->node[at]);
    p->front_of[at] = p->fronts;
    if (at + 1 < p->nodes && joins_next(p, at, own)) continue;
    p->fronts++;
    own = 0;
  }
  for (int at = 0; at < p->nodes; at++) {
    int end = p->neighbour_start[at + 1];
    if (at + 1 == p->nodes || p->front_of[at + 1] != p->front_of[at]) { /* the last of its front */
      int first = count;
      for (int k = begin; k < end; k++) {
        int front = p->front_of[p->neighbour[k]];
        if (count == first || p->neighbour[count - 1] != front) p->neighbour[count++] = front;
      }
      p->neighbour_start[p->front_of[at] + 1] = count;
    }
    begin = end;
  }
}

/* ---- storage ---- */

/* order, and the places of rows and blocks */
static bool place_unknowns(trm_fronts *k, trm_arena *arena, const plan *p, trm_front *front) {
  const trm_structure *s = p->groups.structure;
  const trm_lists *rows = &p->groups.group_rows;
  int *order = TRM_NEW(arena, int, k->size + 1), *place = TRM_NEW(p->scratch, int, s->m + 1);
  int *panel_place = TRM_NEW(arena, int, s->panel_start[s->blocks] + 1);
  int *block_place = TRM_NEW(arena, int, s->blocks + 1);
  if (!order || !place || !panel_place || !block_place) return false;
  for (int b = 0; b < s->blocks; b++) block_place[b] = -1;
  for (int at = 0, first = 0; at < p->nodes; at++) {
    int node = p->node[at], group = node - s->blocks, size = size_of(p, node);
    trm_front *f = &front[p->front_of[at]];
    if (f->own == 0) f->first = first;
    f->own += size;
    f->block = group < 0;
    if (group < 0) block_place[node] = first;
    for (int i = 0; i < size; i++, first++) {
      order[first] = group < 0 ? -1 : rows->item[rows->start[group] + i];
      if (group >= 0) place[order[first]] = first;
    }
  }
  for (int i = 0; i < s->panel_start[s->blocks]; i++) panel_place[i] = place[s->panel_row[i]];
  k->order = order;
  k->panel_place = panel_place;
  k->block_place = block_place;
  return true;
}

static int in_pairs(int count) {
  return count + count % 2;
}

/* Of the front `of`, in the front `at`. */
static int column_in(const plan *p, const trm_front *front, int at, int of) {
  if (of == at) return 0;
  int column = in_pairs(front[at].own);
  for (int k = p->neighbour_start[at]; p->neighbour[k] != of; k++)
    column += in_pairs(front[p->neighbour[k]].own);
  return column;
}

/* false: more entries than an int counts */
static bool lay_rows(trm_fronts *k, const plan *p, trm_front *front) {
  long long entries = 0;
  for (int at = 0; at < p->fronts; at++) {
    trm_front *f = &front[at];
    f->size = in_pairs(f->own);
    for (int i = p->neighbour_start[at]; i < p->neighbour_start[at + 1]; i++)
      f->size += in_pairs(front[p->neighbour[i]].own);
    f->value = (int)entries;
    f->run = p->neighbour_start[at];
    f->runs = p->neighbour_start[at + 1] - f->run;
    entries += (long long)f->own * f->size;
    if (entries > INT_MAX) return false;
  }
  k->entries = (size_t)entries;
  return true;
}

/* Where what is left of pairs goes: to the rows of the one that is eliminated first. */
static void lay_targets(const plan *p, const trm_front *front, trm_run *run, int *target) {
  int count = 0;
  for (int at = 0; at < p->fronts; at++)
    for (int i = p->neighbour_start[at]; i < p->neighbour_start[at + 1]; i++) {
      const trm_front *neighbour = &front[p->neighbour[i]];
      run[i] = (trm_run){neighbour->first, neighbour->own, column_in(p, front, at, p->neighbour[i]),
                         neighbour->size, count};
      for (int j = i; j < p->neighbour_start[at + 1]; j++)
        target[count++] = neighbour->value + column_in(p, front, p->neighbour[i], p->neighbour[j]);
    }
}

static long long count_targets(const plan *p) {
  long long count = 0;
  for (int at = 0; at < p->fronts; at++) {
    long long runs = p->neighbour_start[at + 1] - p->neighbour_start[at];
    count += runs * (runs + 1) / 2;
  }
  return count;
}

static trm_fronts *lay_out(trm_arena *arena, const plan *p) {
  const trm_structure *s = p->groups.structure;
  long long targets = count_targets(p);
  int most = 0;
  trm_fronts *k = TRM_NEW(arena, trm_fronts, 1);
  trm_front *front = TRM_NEW(arena, trm_front, p->fronts + 1);
  trm_run *run = TRM_NEW(arena, trm_run, p->neighbour_start[p->fronts] + 1);
  int *target = targets < INT_MAX ? TRM_NEW(arena, int, targets + 1) : NULL;
  if (!k || !front || !run || !target) return NULL;
  *k = (trm_fronts){.size = s->m, .count = p->fronts, .front = front, .run = run, .target = target};
  for (int b = 0; b < s->blocks; b++) k->size += p->kept[b] ? trm_block_width(s, b) : 0;
  if (!place_unknowns(k, arena, p, front) || !lay_rows(k, p, front)) return NULL;
  lay_targets(p, front, run, target);
  for (int at = 0; at < p->fronts; at++)
    if (front[at].own > most) most = front[at].own;
  k->value = TRM_NEW(arena, double, k->entries + 1);
  k->inverse = TRM_NEW(arena, double, k->size + 1);
  k->scale = TRM_NEW(arena, double, k->size + 1);
  k->omitted = TRM_NEW(arena, bool, k->size + 1);
  k->room = TRM_NEW(arena, double, 2 * most + 2);
  return trm_arena_failed(arena) ? NULL : k;
}

/* Of two orders the one with fewer operations; NULL: out of memory, or none has fewer than most */
static const plan *choose_plan(plan *tree, plan *net, const trm_structure *s, double most,
                               bool keep, bool *good) {
  double by_tree = make_plan(tree, s, keep) ? find_neighbours(tree, most) : -1, by_net = INFINITY;
  if (net->net && by_tree >= 0 && make_plan(net, s, false))
    by_net = find_neighbours(net, fmin(most, by_tree));
  *good = by_tree >= 0 && by_net >= 0;
  if (!*good || fmin(by_tree, by_net) > most) return NULL;
  plan *best = by_net < by_tree ? net : tree;
  join_nodes(best);
  return best;
}

bool trm_fronts_create(trm_fronts **fronts, trm_arena *arena, const trm_structure *structure,
                       double most, bool keep, bool net) {
  plan by_tree = {.scratch = trm_arena_create()}, by_net = {.net = net};
  if (net) by_net.scratch = trm_arena_create();
  bool good = by_tree.scratch && (by_net.scratch || !net);
  const plan *p = good ? choose_plan(&by_tree, &by_net, structure, most, keep, &good) : NULL;
  *fronts = p ? lay_out(arena, p) : NULL;
  trm_arena_destroy(by_tree.scratch);
  trm_arena_destroy(by_net.scratch);
  return good && (*fronts || !p);
}

/* Of two places that one block has in common. */
static trm_spot find_spot(const trm_fronts *k, int a, int b) {
  int low = 0, high = k->count - 1, first = a < b ? a : b, second = a < b ? b : a;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (k->front[middle].first <= first)
      low = middle;
    else
      high = middle - 1;
  }
  const trm_front *f = &k->front[low];
  const trm_run *run = k->run + f->run;
  int column = second - f->first;
  if (column >= f->own) {
    while (second < run->first || second >= run->first + run->count) run++;
    column = run->column + second - run->first;
  }
  int at = f->value + (first - f->first) * f->size + column;
  return a < b ? (trm_spot){at, f->size, 1} : (trm_spot){at, 1, f->size};
}

bool trm_fronts_aim(trm_fronts *k, trm_arena *arena, int blocks, const int *start,
                    const int *place) {
  int *spot_start = TRM_NEW(arena, int, blocks + 1);
  long long count = 0;
  for (int b = 0; b < blocks && spot_start; b++) {
    long long rows = start[b + 1] - start[b];
    spot_start[b] = (int)count;
    count += k->block_place[b] < 0 ? rows * (rows + 1) / 2 : rows;
    if (count > INT_MAX) return false;
  }
  trm_spot *spot = spot_start ? TRM_NEW(arena, trm_spot, count + 1) : NULL;
  k->spot = spot;
  k->spot_start = spot_start;
  for (int b = 0; b < blocks && spot; b++)
    for (int r = start[b]; r < start[b + 1]; r++)
      if (k->block_place[b] >= 0)
        *spot++ = find_spot(k, place[r], k->block_place[b]);
      else
        for (int c = start[b]; c <= r; c++) *spot++ = find_spot(k, place[r], place[c]);
  return spot != NULL;
}

void trm_fronts_omit(trm_fronts *k, const bool *rows) {
  for (int i = 0; i < k->size; i++) k->omitted[i] = k->order[i] >= 0 && rows && rows[k->order[i]];
}
