/* The border of W: which rows the others leave little of, and what is left. */
#include "math/local_rank.h"

#include "math/double2.h"

#include <math.h>
#include <string.h>

/* Pivots below this go to the border: far above what round-off grows to along a row of loops, where
 * a dependent row's pivot is nothing else. */
static const double border_pivot = 1e-4;
/* Nothing of a row of unit norm is larger than it: where more seems left, K has lost all digits. */
static const double impossible = 1.5;
/* Far below the round-off of rows of unit norm: here a row of the border ends. */
static const double negligible = 1e-17;
/* K has lost up to half of the digits: each correction gives as many back. */
enum { corrections = 2 };
/* Vectors of full length that Q and T may take: all, or at most some kilobytes for each body. */
enum { full_vectors = 100 };

/* Coordinates, for each row and coordinate of the model: border rows that do not die out would cost
 * the square of the size. */
static const double most_work = 50;
static const double free_work = 1e6;

/* ---- layout ---- */

/* In the order in which the places of the skyline touch them; blocks without rows come last. */
static bool line_up(trm_local_rank *rank, trm_arena *arena) {
  const trm_structure *s = rank->structure;
  const trm_lists *blocks = &rank->groups.row_blocks;
  int count = 0;
  rank->block_at = TRM_NEW(arena, int, s->blocks + 1);
  rank->line_place = TRM_NEW(arena, int, s->blocks + 1);
  rank->line_start = TRM_NEW(arena, int, s->blocks + 1);
  rank->line_at = TRM_NEW(arena, int, s->blocks + 1);
  if (trm_arena_failed(arena)) return false;
  for (int b = 0; b < s->blocks; b++) rank->line_place[b] = -1;
  for (int i = 0; i < s->m; i++)
    for (int t = blocks->start[rank->K.order[i]]; t < blocks->start[rank->K.order[i] + 1]; t++)
      if (rank->line_place[blocks->item[t]] < 0) rank->line_place[blocks->item[t]] = count++;
  for (int b = 0; b < s->blocks; b++)
    if (rank->line_place[b] < 0) rank->line_place[b] = count++;
  for (int b = 0; b < s->blocks; b++) rank->block_at[rank->line_place[b]] = b;
  for (int l = 0; l < s->blocks; l++)
    rank->line_start[l + 1] = rank->line_start[l] + trm_block_width(s, rank->block_at[l]);
  for (int b = 0; b < s->blocks; b++) rank->line_at[b] = rank->line_start[rank->line_place[b]];
  return true;
}

static bool allocate(trm_local_rank *rank, trm_arena *arena) {
  const trm_structure *s = rank->structure;
  size_t n = (size_t)s->n + 1, m = (size_t)s->m + 1;
  rank->capacity = (s->m < full_vectors ? s->m : full_vectors) * (long long)(s->n + s->m);
  rank->W = TRM_NEW(arena, double, s->panel_value[s->blocks] + 1);
  rank->values = TRM_NEW(arena, double, rank->capacity + 1); /* unused pages cost nothing */
  double **const over_n[] = {&rank->y, &rank->free_y, &rank->other, &rank->rho};
  double **const over_m[] = {&rank->scale, &rank->near,  &rank->eps,   &rank->border_mu, &rank->mu,
                             &rank->g,     &rank->z,     &rank->r,     &rank->p,         &rank->Ap,
                             &rank->least, &rank->added, &rank->square};
  for (int i = 0; i < 4; i++) *over_n[i] = TRM_NEW(arena, double, n);
  for (int i = 0; i < 13; i++) *over_m[i] = TRM_NEW(arena, double, m);
  rank->row = TRM_NEW(arena, trm_border_row, m);
  rank->left_out = TRM_NEW(arena, bool, m);
  return !trm_arena_failed(arena);
}

trm_local_rank *trm_local_rank_create(trm_arena *arena, const trm_structure *s) {
  trm_local_rank *rank = TRM_NEW(arena, trm_local_rank, 1);
  if (!rank) return NULL;
  rank->structure = s;
  rank->limit = s->m;
  rank->cut = TRM_RANK_CUT;
  if (!trm_skyline_create(&rank->K, arena, s, false, NULL)) return NULL;
  rank->K.cut = border_pivot;
  for (int i = 0; i < s->m; i++)
    if (i - rank->K.first[i] > rank->reach) rank->reach = i - rank->K.first[i];
  bool made =
      allocate(rank, arena) && trm_row_groups_find(&rank->groups, arena, s) && line_up(rank, arena);
  return made ? rank : NULL;
}

/* ---- what is left of a row ---- */

static void widen(trm_span *span, int begin, int end) {
  if (begin < span->begin) span->begin = begin;
  if (end > span->end) span->end = end;
}

/* near = K \ near, as far as it goes: beyond a whole profile of negligible values all are. */
static trm_span solve_near(trm_local_rank *rank, trm_span span) {
  const trm_skyline *K = &rank->K;
  double *c = rank->near;
  int i = span.begin, quiet = 0;
  for (; i < K->size && (i < span.end || quiet <= rank->reach); i++) {
    const double *x = K->value + K->row[i];
    int first = K->first[i] > span.begin ? K->first[i] : span.begin;
    c[i] -= trm_pair_dot(i - first, x + first, c + first);
    quiet = fabs(c[i]) <= negligible ? quiet + 1 : 0;
  }
  int end = i;
  for (i = span.begin; i < end; i++) c[i] *= K->pivot_inverse[i];
  for (i = end - 1, quiet = 0; i >= 0 && (i >= span.begin || quiet <= rank->reach); i--) {
    const double *x = K->value + K->row[i];
    quiet = fabs(c[i]) <= negligible ? quiet + 1 : 0;
    for (int j = K->first[i]; j < i && c[i] != 0; j++) c[j] -= x[j] * c[i];
  }
  int below = i + 1 > rank->reach ? i + 1 - rank->reach : 0;
  memset(c + below, 0, (size_t)(i + 1 - below) * sizeof *c);
  return (trm_span){i + 1, end};
}

/* rho += factor × the row in a place; lines: of blocks */
static void add_row(trm_local_rank *rank, int place, double factor, trm_span *lines) {
  const trm_structure *s = rank->structure;
  const trm_lists *blocks = &rank->groups.row_blocks;
  int row = rank->K.order[place];
  for (int t = blocks->start[row]; t < blocks->start[row + 1]; t++) {
    int b = blocks->item[t], line = rank->line_place[b];
    const double *w = rank->W + rank->groups.row_value[t];
    double *rho = rank->rho + rank->line_start[line];
    for (int k = 0; k < trm_block_width(s, b); k++) rho[k] += factor * w[k];
    widen(lines, line, line + 1);
  }
}

/* near += W_factored rho, within the blocks that rho is in */
static trm_span multiply_near(trm_local_rank *rank, trm_span lines) {
  const trm_structure *s = rank->structure;
  trm_span span = {s->m, 0};
  for (int l = lines.begin; l < lines.end; l++) {
    int b = rank->block_at[l], width = trm_block_width(s, b);
    const double *w = rank->W + s->panel_value[b], *rho = rank->rho + rank->line_start[l];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, w += width) {
      int place = rank->K.panel_place[p];
      if (!trm_is_factored(rank, place)) continue;
      rank->near[place] += trm_pair_dot(width, w, rho);
      widen(&span, place, place + 1);
    }
  }
  return span;
}

/* rho: the row without its part in the factored rows' space */
static trm_span leave_factored(trm_local_rank *rank, int place) {
  trm_span lines = {rank->structure->blocks, 0};
  add_row(rank, place, 1, &lines);
  for (int k = 0; k <= corrections; k++) {
    trm_span span = multiply_near(rank, lines);
    if (span.begin >= span.end) break;
    span = solve_near(rank, span);
    for (int i = span.begin; i < span.end; i++)
      if (rank->near[i] != 0) add_row(rank, i, -rank->near[i], &lines);
    memset(rank->near + span.begin, 0, (size_t)(span.end - span.begin) * sizeof *rank->near);
  }
  return (trm_span){rank->line_start[lines.begin], rank->line_start[lines.end]};
}

/* ---- the border ---- */

/* Twice is enough for orthogonal vectors (Kahan); t by border row. */
static void leave_border(trm_local_rank *rank, int k, double *t) {
  trm_border_row *row = &rank->row[k];
  row->first = k;
  for (int pass = 0; pass < 2; pass++)
    for (int j = k - 1; j >= 0 && rank->row[j].farthest > row->span.begin; j--) {
      const trm_border_row *other = &rank->row[j];
      trm_span o = other->span;
      int begin = o.begin > row->span.begin ? o.begin : row->span.begin;
      int end = o.end < row->span.end ? o.end : row->span.end;
      if (other->size == 0 || begin >= end) continue;
      const double *q = rank->values + other->q - o.begin;
      double part = trm_pair_dot(end - begin, q + begin, rank->rho + begin);
      trm_pair_axpy(o.end - o.begin, -part, q + o.begin, rank->rho + o.begin);
      t[j] += part;
      if (j < row->first) row->first = j;
      widen(&row->span, o.begin, o.end);
    }
}

static void trim(trm_span *span, const double *rho) {
  while (span->begin < span->end && fabs(rho[span->begin]) <= negligible) span->begin++;
  while (span->begin < span->end && fabs(rho[span->end - 1]) <= negligible) span->end--;
}

/* false: no room for it */
static bool keep(trm_local_rank *rank, int k, double size, const double *t) {
  trm_border_row *row = &rank->row[k];
  int length = row->span.end - row->span.begin;
  if (rank->used + length + (k - row->first) > rank->capacity) return false;
  row->q = rank->used;
  row->t = rank->used += length;
  for (int i = 0; i < length; i++) rank->values[row->q + i] = rank->rho[row->span.begin + i] / size;
  memcpy(rank->values + row->t, t + row->first, (size_t)(k - row->first) * sizeof *t);
  rank->used += k - row->first;
  row->size = size;
  return true;
}

static void add_border_row(trm_local_rank *rank, int k) {
  trm_border_row *row = &rank->row[k];
  double *t = rank->eps; /* zero between uses */
  row->size = 0;
  row->farthest = k > 0 ? rank->row[k - 1].farthest : 0;
  if (row->excluded) return;
  trm_span touched = row->span = leave_factored(rank, row->place);
  leave_border(rank, k, t);
  rank->work += row->span.end - touched.begin;
  widen(&touched, row->span.begin, row->span.end);
  trim(&row->span, rank->rho);
  double *rho = rank->rho + row->span.begin;
  double size = sqrt(trm_pair_dot(row->span.end - row->span.begin, rho, rho));
  double most = free_work + most_work * (rank->structure->n + rank->structure->m);
  if (!(size < impossible) || rank->work > most) rank->undecidable = true;
  if (size > rank->cut && !rank->undecidable && keep(rank, k, size, t)) {
    rank->rank++;
    if (row->span.end > row->farthest) row->farthest = row->span.end;
  }
  memset(t + row->first, 0, (size_t)(k - row->first) * sizeof *t);
  memset(rank->rho + touched.begin, 0, (size_t)(touched.end - touched.begin) * sizeof *rho);
}

void trm_local_rank_build(trm_local_rank *rank) {
  rank->used = 0;
  rank->work = 0;
  rank->rank = rank->structure->m - rank->border;
  memset(rank->eps, 0, (size_t)rank->structure->m * sizeof *rank->eps);
  for (int k = 0; k < rank->border && !rank->undecidable; k++) add_border_row(rank, k);
}

static int count_larger(const trm_local_rank *rank, double size) {
  int count = 0;
  for (int k = 0; k < rank->border; k++) count += rank->row[k].size > size;
  return count;
}

/* More rows than the mechanism has in general: those that stand out least are its errors. */
static void keep_limit(trm_local_rank *rank) {
  int most = rank->limit - (rank->structure->m - rank->border);
  if (rank->rank <= rank->limit) return;
  double low = log(rank->cut), high = 0;
  for (int i = 0; i < 50; i++) {
    double middle = (low + high) / 2;
    *(count_larger(rank, exp(middle)) > most ? &low : &high) = middle;
  }
  for (int k = 0; k < rank->border; k++) rank->row[k].excluded = rank->row[k].size <= exp(high);
  trm_local_rank_build(rank);
}

/* ---- factorization ---- */

/* Rows of unit norm; false: not finite */
static bool equilibrate(trm_local_rank *rank) {
  const trm_structure *s = rank->structure;
  double *norm = rank->eps, *w = rank->W;
  trm_jacobian_norms(s, w, norm);
  for (int i = 0; i < s->m; i++) {
    double size = norm[rank->K.order[i]];
    if (!isfinite(size)) return false;
    rank->scale[i] = size > 0 ? 1 / size : 1;
  }
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      for (int k = 0; k < trm_block_width(s, b); k++) *w++ *= rank->scale[rank->K.panel_place[p]];
  return true;
}

/* Known rows are left out, by decree, or decided like all others. */
static void decide(trm_local_rank *rank, bool with_known) {
  const trm_structure *s = rank->structure;
  bool *omitted = rank->K.omitted;
  for (int i = 0; i < s->m; i++)
    omitted[i] = rank->known && !with_known && rank->known[rank->K.order[i]];
  rank->border = 0;
  rank->undecidable = false;
  trm_skyline_assemble(&rank->K, s, rank->W);
  trm_skyline_factor(&rank->K);
  for (int i = 0; i < s->m; i++)
    if (!trm_is_factored(rank, i))
      rank->row[rank->border++] = (trm_border_row){.place = i, .excluded = omitted[i]};
  trm_local_rank_build(rank);
  if (!rank->undecidable) keep_limit(rank);
}

/* Elsewhere than where they were found the known rows may make up for others: if the rank is less
 * than it can be, they are examined, too. */
static bool decide_without_known(trm_local_rank *rank) {
  if (!rank->known) return false;
  decide(rank, false);
  return !rank->undecidable && (rank->known_here || rank->rank == rank->limit || rank->too_long);
}

static void list_out(trm_local_rank *rank) {
  memset(rank->left_out, 0, (size_t)rank->structure->m * sizeof *rank->left_out);
  rank->distance = 1;
  for (int k = 0; k < rank->border; k++) {
    double size = rank->row[k].size;
    rank->left_out[rank->K.order[rank->row[k].place]] = size == 0;
    if (size > 0 && size < rank->distance) rank->distance = size;
  }
}

static void decide_all(trm_local_rank *rank) {
  if (!rank->valid || decide_without_known(rank)) return;
  decide(rank, true);
  if (!rank->undecidable || !rank->known) return;
  rank->too_long = true;
  decide(rank, false);
}

void trm_local_rank_decide(trm_local_rank *rank, const double *G) {
  const trm_structure *s = rank->structure;
  memcpy(rank->W, G, (size_t)s->panel_value[s->blocks] * sizeof *G);
  rank->valid = equilibrate(rank);
  rank->rank = s->m; /* where it is not valid, nothing can be said */
  rank->border = 0;
  rank->undecidable = false;
  decide_all(rank);
  list_out(rank);
}

bool trm_local_rank_doubt(trm_local_rank *rank, const double *y, const double *g) {
  if (!rank->valid || rank->undecidable || rank->distance >= TRM_RANK_DOUBT) return false;
  int before = rank->rank;
  trm_local_rank_exclude(rank, y, g);
  list_out(rank);
  return rank->rank < before;
}
