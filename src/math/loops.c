/* Loops of a spanning tree: each joint that closes one is held against the joints along it. */
#include "math/loops.h"

#include "math/block_tree.h"
#include "math/cholesky.h"
#include "math/double2.h"
#include "math/rank.h"

#include <math.h>
#include <string.h>

static const double much_left = 0.01; /* square of a norm */
/* Blocks of a loop: longer ones are rare and their dense factors no longer cheap. */
enum { longest = 12 };

/* Orthonormal rows over the coordinates of a loop. */
typedef struct basis {
  int count, length;
  double *row; /* count rows of `length` */
  int *from;   /* [count] the constraint rows they were made from */
} basis;

typedef struct loops {
  const trm_structure *structure;
  trm_row_groups groups;
  const double *G;
  double cut;
  double *norm; /* [m] of the rows of G, which is seen with unit norms */
  bool *redundant;
  bool *part;      /* NULL: not asked for */
  basis *grounded; /* [blocks] of the rows that touch one block alone */
  trm_block_tree tree;
  /* one loop */
  int loop[longest], at[longest]; /* its blocks, and where each begins in a row */
  int size;
  basis along;       /* of the joints along it */
  double *candidate; /* rows of the joint in question */
  int *row;          /* which rows they are */
  int most;          /* rows of the largest group */
  /* where parts are asked for: rows of the loop, their Gram matrix, a dependency */
  int *involved;
  double *rows, *gram, *share;
} loops;

/* ---- memory ---- */

static int largest_group(const trm_row_groups *g) {
  int most = 0;
  for (int i = 0; i < g->groups; i++) {
    int rows = g->group_rows.start[i + 1] - g->group_rows.start[i];
    if (rows > most) most = rows;
  }
  return most;
}

static int widest(const trm_structure *s) {
  int width = 0;
  for (int b = 0; b < s->blocks; b++)
    if (trm_block_width(s, b) > width) width = trm_block_width(s, b);
  return width;
}

static bool allocate(loops *l, trm_arena *arena) {
  const trm_structure *s = l->structure;
  int size = s->blocks < longest ? s->blocks : longest;
  size_t blocks = (size_t)s->blocks + 1, length = (size_t)(size * widest(s)) + 1;
  if (!trm_row_groups_find(&l->groups, arena, s)) return false;
  l->most = largest_group(&l->groups);
  l->norm = TRM_NEW(arena, double, s->m + 1);
  l->grounded = TRM_NEW(arena, basis, blocks);
  l->along.row = TRM_NEW(arena, double, length *length);
  l->candidate = TRM_NEW(arena, double, length *(size_t)(l->most + 1));
  l->row = TRM_NEW(arena, int, l->most + 1);
  l->along.from = TRM_NEW(arena, int, length);
  l->involved = TRM_NEW(arena, int, length);
  l->share = TRM_NEW(arena, double, length);
  if (l->part) l->rows = TRM_NEW(arena, double, length *length);
  if (l->part) l->gram = TRM_NEW(arena, double, length *length);
  return !trm_arena_failed(arena);
}

/* ---- rows ---- */

static void subtract_part(int count, const double *q, double *x) {
  trm_pair_axpy(count, -trm_pair_dot(count, q, x), q, x);
}

/* false: not finite */
static bool find_norms(loops *l) {
  trm_jacobian_norms(l->structure, l->G, l->norm);
  for (int r = 0; r < l->structure->m; r++) {
    if (!isfinite(l->norm[r])) return false;
    if (l->norm[r] == 0) l->norm[r] = 1;
  }
  return true;
}

static int place_in_loop(const loops *l, int block) {
  int k = 0;
  while (l->loop[k] != block) k++;
  return l->at[k];
}

/* x: the row over the loop's coordinates */
static void spread_row(const loops *l, int row, double *x) {
  const trm_lists *blocks = &l->groups.row_blocks;
  memset(x, 0, (size_t)l->along.length * sizeof *x);
  for (int k = blocks->start[row]; k < blocks->start[row + 1]; k++) {
    int b = blocks->item[k];
    double *xb = x + place_in_loop(l, b);
    const double *g = l->G + l->groups.row_value[k];
    for (int i = 0; i < trm_block_width(l->structure, b); i++) xb[i] = g[i] / l->norm[row];
  }
}

static void leave_block(const basis *ground, double *x) {
  bool touched = false;
  for (int i = 0; i < ground->length; i++) touched |= x[i] != 0;
  for (int i = 0; i < ground->count && touched; i++)
    subtract_part(ground->length, ground->row + i * ground->length, x);
}

/* What the loop's rows leave of x, of unit norm; twice is enough for orthogonal vectors (Kahan),
 * and once where much is left. */
static void leave_loop(const loops *l, double *x) {
  double square = 0;
  for (int pass = 0; pass < 2 && square < much_left; pass++) {
    for (int k = 0; k < l->size; k++) leave_block(&l->grounded[l->loop[k]], x + l->at[k]);
    for (int i = 0; i < l->along.count; i++)
      subtract_part(l->along.length, l->along.row + i * l->along.length, x);
    square = trm_pair_dot(l->along.length, x, x);
  }
}

/* x, of some size, joins the rows of a basis. */
static void join(basis *b, int row, const double *x, double size) {
  double *to = b->row + b->count * b->length;
  b->from[b->count++] = row;
  for (int i = 0; i < b->length; i++) to[i] = x[i] / size;
}

/* Independent rows of the loop into `involved` and `rows`; how many */
static int list_involved(loops *l) {
  int count = 0;
  for (int k = 0; k <= l->size; k++) {
    const basis *b = k < l->size ? &l->grounded[l->loop[k]] : &l->along;
    for (int i = 0; i < b->count; i++) l->involved[count++] = b->from[i];
  }
  for (int i = 0; i < count; i++) spread_row(l, l->involved[i], l->rows + i * l->along.length);
  return count;
}

/* Which rows the first `found` candidates depend on, by least squares among the loop's rows. */
static void mark_parts(loops *l, int found) {
  int count = list_involved(l), length = l->along.length;
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++)
      l->gram[i * count + j] = trm_pair_dot(length, l->rows + i * length, l->rows + j * length);
  trm_cholesky_factor(count, l->gram, l->gram);
  for (int r = 0; r < found; r++) {
    spread_row(l, l->row[r], l->candidate);
    for (int i = 0; i < count; i++)
      l->share[i] = trm_pair_dot(length, l->rows + i * length, l->candidate);
    trm_cholesky_forward(count, l->gram, l->share);
    trm_cholesky_backward(count, l->gram, l->share);
    l->part[l->row[r]] = true;
    for (int i = 0; i < count; i++)
      if (fabs(l->share[i]) > TRM_RANK_PART) l->part[l->involved[i]] = true;
  }
}

/* The candidates that stand out most join first; what is left of the last ones is nothing. */
static int take_candidates(loops *l, basis *b, int count, bool mark) {
  int length = b->length, found = 0;
  for (; count > 0; count--) {
    int best = 0;
    double square = -1;
    for (int i = 0; i < count; i++) {
      double size = trm_pair_dot(length, l->candidate + i * length, l->candidate + i * length);
      if (size <= square) continue;
      square = size;
      best = i;
    }
    if (!(square > l->cut * l->cut)) break;
    join(b, l->row[best], l->candidate + best * length, sqrt(square));
    memcpy(l->candidate + best * length, l->candidate + (count - 1) * length,
           (size_t)length * sizeof *l->candidate);
    l->row[best] = l->row[count - 1];
    const double *q = b->row + (b->count - 1) * length;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < count - 1; i++) subtract_part(length, q, l->candidate + i * length);
  }
  for (int i = 0; i < count && mark; i++, found++) l->redundant[l->row[i]] = true;
  if (l->part && found > 0) mark_parts(l, found);
  return found;
}

/* Rows of a group, as they are in the loop without what it already has. */
static int list_candidates(loops *l, int group) {
  const trm_lists *rows = &l->groups.group_rows;
  int count = 0;
  for (int k = rows->start[group]; k < rows->start[group + 1]; k++) {
    int row = rows->item[k];
    if (l->redundant[row]) continue;
    double *x = l->candidate + count * l->along.length;
    spread_row(l, row, x);
    leave_loop(l, x);
    l->row[count++] = row;
  }
  return count;
}

/* ---- loops ---- */

static void start_loop(loops *l, int count, const int *blocks) {
  l->size = count;
  l->along.count = l->along.length = 0;
  for (int k = 0; k < count; k++) {
    l->loop[k] = blocks[k];
    l->at[k] = l->along.length;
    l->along.length += trm_block_width(l->structure, blocks[k]);
  }
}

/* Rows that touch one block alone: of joints with the ground. */
static int take_block(loops *l, int group, int b) {
  start_loop(l, 1, &b);
  return take_candidates(l, &l->grounded[b], list_candidates(l, group), true);
}

/* From both ends to where the branches meet, or to the ground; false: too long */
static bool follow_loop(loops *l, int a, int b) {
  int blocks[longest], count = 0;
  while (a != b) {
    bool first = b < 0 || (a >= 0 && l->tree.depth[a] >= l->tree.depth[b]);
    int *end = first ? &a : &b;
    if (count == longest) return false;
    blocks[count++] = *end;
    *end = l->tree.parent[*end];
  }
  if (a >= 0 && count == longest) return false;
  if (a >= 0) blocks[count++] = a;
  start_loop(l, count, blocks);
  return true;
}

/* A joint of two blocks: held against the rows along its loop. */
static int take_joint(loops *l, int group, const int *blocks) {
  if (!follow_loop(l, blocks[0], blocks[1])) return 0;
  for (int k = 0; k < l->size; k++) {
    int joint = l->tree.parent_group[l->loop[k]];
    bool inside = joint >= 0 && joint != group;
    for (int i = 0; i < l->size && inside; i++) {
      if (l->loop[i] != l->tree.parent[l->loop[k]]) continue;
      take_candidates(l, &l->along, list_candidates(l, joint), false);
      break;
    }
  }
  return take_candidates(l, &l->along, list_candidates(l, group), true);
}

/* ---- all groups ---- */

static bool is_branch(const loops *l, int group, const int *blocks) {
  return l->tree.parent_group[blocks[0]] == group || l->tree.parent_group[blocks[1]] == group;
}

static bool make_room_for_grounded(loops *l, trm_arena *arena) {
  const trm_lists *rows = &l->groups.group_rows;
  const int *blocks;
  for (int group = 0; group < l->groups.groups; group++) {
    if (trm_group_blocks(&l->groups, group, &blocks) != 1) continue;
    int width = trm_block_width(l->structure, blocks[0]);
    int count = rows->start[group + 1] - rows->start[group], most = count < width ? count : width;
    basis *ground = &l->grounded[blocks[0]];
    *ground = (basis){.length = width,
                      .row = TRM_NEW(arena, double, most *width),
                      .from = TRM_NEW(arena, int, most + 1)};
    if (!ground->row || !ground->from) return false;
  }
  return true;
}

/* What is taken first is kept: single blocks, then branches, then what closes loops. */
static int take_groups(loops *l) {
  const int *blocks;
  int found = 0;
  for (int pass = 0; pass < 3; pass++)
    for (int group = 0; group < l->groups.groups; group++) {
      int count = trm_group_blocks(&l->groups, group, &blocks);
      if (count == 1 && pass == 0) found += take_block(l, group, blocks[0]);
      if (count == 2 && pass == (is_branch(l, group, blocks) ? 1 : 2))
        found += take_joint(l, group, blocks);
    }
  return found;
}

static int find(loops *l, trm_arena *arena) {
  if (!allocate(l, arena) || !make_room_for_grounded(l, arena) || !find_norms(l)) return -1;
  return trm_block_tree_grow(&l->tree, arena, &l->groups) ? take_groups(l) : -1;
}

int trm_loops_find(const trm_structure *structure, const double *G, double cut, bool *redundant,
                   bool *part) {
  loops l = {.structure = structure, .G = G, .cut = cut, .redundant = redundant, .part = part};
  memset(redundant, 0, (size_t)structure->m * sizeof *redundant);
  if (part) memset(part, 0, (size_t)structure->m * sizeof *part);
  trm_arena *scratch = trm_arena_create();
  int found = scratch ? find(&l, scratch) : -1;
  trm_arena_destroy(scratch);
  return found;
}
