/* Udwadia-Kalaba with each body's intrinsic rows eliminated first: what is left couples joints
 * only.
 *
 * x = G g + B y: G g satisfies the body's intrinsic rows (unit axes, unit quaternion), B spans what
 * they leave free, with Bᵀ M B = 1. Then K = W Wᵀ with W = Cq B of the joints' rows, and all is
 * exact off the constraints, too. */
#include "solver/reduced.h"

#include <stddef.h>

/* Corrections reach the accuracy of an orthogonal factorization while K still has digits. */
enum { refinements_weak = 2, refinements_most = 6 };
/* A row's diagonal of K below this part of the largest is examined. */
static const double small_row = 1e-6;
/* Of what a row could move: below this it only repeats the body's intrinsic rows. */
static const double vanished_row = 1e-8;

/* The common ones get copies of their own, in which the loops over a body's coordinates unroll. */
enum { NATURAL_PLANAR, UNIT_PLANAR, NATURAL_SPATIAL, EULER_SPATIAL, OTHER };

static const trm_shape shapes[] = {
    [NATURAL_PLANAR] = {2, 4, 3, 1, true, true},
    [UNIT_PLANAR] = {2, 2, 1, 1, true, false}, /* cartesian, Euler parameters */
    [NATURAL_SPATIAL] = {3, 9, 6, 3, true, true},
    [EULER_SPATIAL] = {3, 4, 1, 3, false, false}};

typedef trm_reduced reduced;

/* Found from its number: reading all of it would cost more. */
TRM_INLINE trm_block block_at(trm_shape z, const reduced *self, int b) {
  ptrdiff_t width = z.plain + z.spin, at = b;
  double *cell = self->cell + at * trm_cell_size(z), *h = cell + TRM_CELL, *B = h + z.plain;
  const trm_cell *head = (const trm_cell *)(const void *)cell;
  ptrdiff_t first = head->first, row = first + (at + 1) * z.intrinsic, side = head->side;
  const double *M =
      self->M + (z.diagonal ? at * width + z.plain : (at * width + z.plain) * width + z.plain);
  const double *T = z.axes ? NULL : self->structure->tangent + at * z.spin * z.spin;
  return (trm_block){.rows = head->rows,
                     .row = self->joints.panel_row + first,
                     .place = self->K.panel_place + first,
                     .C = self->Cq + row * width,
                     .M = M,
                     .T = T,
                     .G = z.axes ? NULL : T + z.spin * z.free,
                     .axes = z.axes ? *self->structure->axes + at * width + z.plain : NULL,
                     .duals = z.axes ? B + z.spin * z.free : NULL,
                     .sides = head->sides,
                     .side = self->side + side * trm_side_size(z),
                     .d = self->d + side * z.plain,
                     .h = h,
                     .B = B,
                     .W = self->W + first * self->width};
}

/* d of dots, from the other block's axes */
TRM_INLINE void turn_sides(trm_shape z, const reduced *self, const trm_block *k) {
  ptrdiff_t first = (k->d - self->d) / z.plain;
  const double *side = k->side, *of_other = self->of_other + first * z.plain;
  double *d = k->d;
  for (int i = 0; i < k->sides; i++) {
    int other = self->other[first + i];
    if (trm_is_dot(side) && other < 0)
      memcpy(d, of_other, (size_t)z.plain * sizeof *d);
    else if (trm_is_dot(side))
      trm_axes_carry(z.plain, *self->structure->axes + other + z.plain, of_other, d);
    side += trm_side_size(z);
    of_other += z.plain;
    d += z.plain;
  }
}

/* ---- a segment of blocks ---- */

/* What is asked for, and where it goes. */
typedef struct job {
  reduced *self;
  const double *f, *g; /* f: or NULL */
  double *x, *lambda;  /* lambda: or NULL */
  bool first;          /* not a correction of x */
  const trm_stage *stage;
} job;

TRM_INLINE void add_to_fronts(trm_shape z, reduced *self, int b, const trm_block *k,
                              const double *W) {
  const trm_spot *spot = self->K.fronts->spot + self->K.fronts->spot_start[b];
  double *value = self->K.fronts->value;
  bool kept = self->K.fronts->block_place[b] >= 0;
  if (trm_is_linked(z, k) && kept)
    trm_sides_spread(z, k, W, spot, value);
  else if (kept)
    trm_rows_spread(z, k, W, spot, value);
  else if (trm_is_linked(z, k))
    trm_sides_gram(z, k, W, false, NULL, spot, value);
  else
    trm_rows_gram(z, k, W, spot, value);
}

TRM_INLINE void add_to_skyline(trm_shape z, reduced *self, int b, const trm_block *k,
                               const double *W) {
  if (trm_is_linked(z, k))
    trm_sides_gram(z, k, W, true, self->K.line.row, NULL, self->K.line.value);
  else
    trm_skyline_add(&self->K.line, b, k->rows, z.plain + z.free, W);
}

/* Each storage has its own copy. */
TRM_INLINE void factor_block(trm_shape z, reduced *self, int b, bool fronts) {
  trm_block k = block_at(z, self, b);
  int stride = z.diagonal ? 1 : z.plain + z.spin + 1;
  if (!self->ready || !self->structure->mass_constant)
    for (int i = 0; i < z.plain; i++) k.h[i] = 1 / sqrt(k.M[(i - z.plain) * stride]);
  trm_block_orthonormalize(z, &k);
  if (trm_is_linked(z, &k) && self->other) turn_sides(z, self, &k);
  if (trm_is_linked(z, &k))
    trm_sides_reduce(z, &k, k.W);
  else
    trm_rows_reduce(z, &k, k.W);
  if (fronts)
    add_to_fronts(z, self, b, &k, k.W);
  else
    add_to_skyline(z, self, b, &k, k.W);
}

TRM_INLINE void factor_segment(trm_shape z, reduced *self, int segment, bool fronts) {
  const trm_segments *g = &self->segments;
  for (int at = g->start[segment]; at < g->start[segment + 1]; at++)
    factor_block(z, self, g->block[at], fronts);
}

/* eps = Cq x − g, x being started first where it is not there yet */
TRM_INLINE void start_segment(trm_shape z, const job *a, int segment) {
  const reduced *self = a->self;
  const trm_segments *s = &self->segments;
  int width = z.plain + z.spin;
  for (int at = s->start[segment]; at < s->start[segment + 1]; at++) {
    int b = s->block[at];
    trm_block k = block_at(z, self, b);
    double *x = a->x + (ptrdiff_t)b * width;
    if (a->first)
      trm_block_start(z, &k, a->f ? a->f + (ptrdiff_t)b * width : NULL,
                      a->g + (ptrdiff_t)b * z.intrinsic, x);
    trm_block_times(z, &k, x, self->eps);
  }
}

/* eps = −g of the joints, by place */
static void start_gap(const job *a, int begin, int end) {
  const reduced *self = a->self;
  const double *joint = a->g + self->structure->m - self->joints.m;
  const int *order = self->K.order;
  double *eps = self->eps;
  bool all = !self->K.fronts; /* places have a row */
  int r = begin;
  for (; all && r + 1 < end; r += 2) /* read as pairs */
    *(trm_double2 *)(eps + r) = -(trm_double2){joint[order[r]], joint[order[r + 1]]};
  for (; r < end; r++) eps[r] = all || order[r] >= 0 ? -joint[order[r]] : 0;
}

static void add_lambda(const job *a, int begin, int end) {
  const reduced *self = a->self;
  double *joint = a->lambda + self->structure->m - self->joints.m;
  for (int r = begin; r < end; r++) {
    if (self->K.order[r] < 0) continue;
    double *lambda = &joint[self->K.order[r]];
    *lambda = a->first ? self->eps[r] : *lambda + self->eps[r];
  }
}

TRM_INLINE void correct_segment(trm_shape z, const job *a, int segment, bool fronts) {
  const trm_segments *s = &a->self->segments;
  for (int at = s->start[segment]; at < s->start[segment + 1]; at++) {
    int b = s->block[at];
    trm_block k = block_at(z, a->self, b);
    double *x = a->x + (ptrdiff_t)b * (z.plain + z.spin);
    int kept = fronts ? a->self->K.fronts->block_place[b] : -1;
    if (kept >= 0)
      trm_block_move(z, &k, a->self->eps + kept, x);
    else
      trm_block_correct(z, &k, a->self->eps, x);
  }
}

TRM_INLINE void intrinsic_segment(trm_shape z, const job *a, int segment) {
  const trm_segments *s = &a->self->segments;
  int width = z.plain + z.spin;
  const double *joint = a->lambda + (ptrdiff_t)a->self->joints.blocks * z.intrinsic;
  for (int at = s->start[segment]; at < s->start[segment + 1]; at++) {
    int b = s->block[at];
    ptrdiff_t q = (ptrdiff_t)b * width;
    trm_block k = block_at(z, a->self, b);
    trm_block_intrinsic(z, &k, a->self->K.order, a->f ? a->f + q : NULL, a->x + q, joint,
                        a->lambda + (ptrdiff_t)b * z.intrinsic);
  }
}

/* Each kind of block gets its own copy of the loops. */
#define BY_KIND(work, self, ...)                                                                   \
  switch ((self)->kind) {                                                                          \
  case NATURAL_PLANAR: work(shapes[NATURAL_PLANAR], __VA_ARGS__); break;                           \
  case UNIT_PLANAR: work(shapes[UNIT_PLANAR], __VA_ARGS__); break;                                 \
  case NATURAL_SPATIAL: work(shapes[NATURAL_SPATIAL], __VA_ARGS__); break;                         \
  case EULER_SPATIAL: work(shapes[EULER_SPATIAL], __VA_ARGS__); break;                             \
  default: work((self)->shape, __VA_ARGS__);                                                       \
  }

static void factor_to_fronts(reduced *self, int segment) {
  trm_fronts_clear(self->K.fronts);
  BY_KIND(factor_segment, self, self, segment, true)
}

static void factor_to_skyline(reduced *self, int segment) {
  const int *place = self->segments.place + segment;
  if (segment < self->segments.count) trm_skyline_clear(&self->K.line, place[0], place[1]);
  BY_KIND(factor_segment, self, self, segment, false)
}

static void factor_part(void *data, int segment) {
  reduced *self = data;
  (self->K.fronts ? factor_to_fronts : factor_to_skyline)(self, segment);
}

static void start_part(void *data, int segment) {
  job *a = data;
  const trm_segments *s = &a->self->segments;
  if (segment < s->count) start_gap(a, s->place[segment], s->place[segment + 1]);
  BY_KIND(start_segment, a->self, a, segment)
}

/* All that comes before the factorization of K, while the blocks are in the cache. */
static void stage_part(void *data, int segment) {
  const job *a = data;
  const trm_segments *s = &a->self->segments;
  int first = s->start[segment];
  a->stage->fill(a->stage->context, s->start[segment + 1] - first, s->block + first);
  factor_part(a->self, segment);
  start_part(data, segment);
}

static void correct_by_fronts(const job *a, int segment) {
  BY_KIND(correct_segment, a->self, a, segment, true)
}

static void correct_by_skyline(const job *a, int segment) {
  BY_KIND(correct_segment, a->self, a, segment, false)
}

static void correct_part(void *data, int segment) {
  job *a = data;
  const trm_segments *s = &a->self->segments;
  if (segment < s->count && a->lambda) add_lambda(a, s->place[segment], s->place[segment + 1]);
  (a->self->K.fronts ? correct_by_fronts : correct_by_skyline)(a, segment);
}

static void intrinsic_part(void *data, int segment) {
  job *a = data;
  BY_KIND(intrinsic_segment, a->self, a, segment)
}

/* ---- all blocks ---- */

static void work_behind(const reduced *self, trm_part *work, void *data, int segment) {
  const trm_segments *s = &self->segments;
  int behind = s->count + segment;
  if (s->start[behind] < s->start[behind + 1]) work(data, behind);
}

/* The segments, then the blocks that reach over several: nothing reaches over a single one. */
static void for_all(const reduced *self, trm_part *work, void *data) {
  int count = self->segments.count;
  trm_parallel(self->structure->pool, count, work, data);
  for (int i = 0; i < count && count > 1; i++) work_behind(self, work, data, i);
}

/* Blocks make rows of K or of eps, which are eliminated in turn as soon as they are complete. */
typedef struct forth {
  reduced *self;
  trm_part *work;
  void *data;
  bool factor;
  double *eps;
} forth;

static void forth_part(void *data, int segment) {
  const forth *f = data;
  f->work(f->data, segment);
}

static void eliminate(void *data, int segment) {
  const forth *f = data;
  work_behind(f->self, f->work, f->data, segment);
  trm_skyline_advance(&f->self->K.line, f->self->segments.complete[segment], f->factor, f->eps);
}

static void go_forth(reduced *self, trm_part *work, void *data, bool factor, double *eps) {
  trm_skyline_begin(&self->K.line, factor);
  if (self->segments.count == 1) {
    work(data, 0);
    trm_skyline_advance(&self->K.line, self->K.line.size, factor, eps);
    return;
  }
  trm_turns_behind(self->turns, self->structure->pool, forth_part, eliminate,
                   &(forth){self, work, data, factor, eps});
}

/* K is factored by itself when all is there: in parts that threads work on, or front by front. */
static bool is_apart(const reduced *self) {
  return self->K.fronts || (self->structure->pool && self->K.line.parts > 1);
}

static void return_part(void *data, int segment) {
  const job *a = data;
  const int *place = a->self->segments.place + segment;
  trm_skyline_retreat(&a->self->K.line, place[0], place[1], a->self->eps);
}

/* One thread has the rows in its cache when all are done, and goes through the blocks in order. */
static void go_back(job *a) {
  reduced *self = a->self;
  trm_pool *pool = self->structure->pool;
  if (pool) {
    trm_skyline_scale(&self->K.line, self->eps);
    trm_turns_before(self->turns, pool, return_part, correct_part, a);
    for (int i = 0; i < self->segments.count; i++) work_behind(self, correct_part, a, i);
  } else {
    trm_skyline_return(&self->K.line, self->eps);
    for_all(self, correct_part, a);
  }
}

static void find_correction(job *a) {
  reduced *self = a->self;
  if (is_apart(self)) {
    trm_gram_solve(&self->K, self->eps);
    for_all(self, correct_part, a);
  } else {
    go_back(a);
  }
  a->first = false;
}

static void start_all(job *a) {
  reduced *self = a->self;
  if (is_apart(self))
    for_all(self, start_part, a);
  else
    go_forth(self, start_part, a, false, self->eps);
}

static void refine(job *a) {
  double part = trm_gram_pivots(&a->self->K)->part;
  int refinements = part < TRM_PIVOT_DOUBT  ? refinements_most
                    : part < TRM_PIVOT_WEAK ? refinements_weak
                                            : 0;
  for (int i = 0; i < refinements; i++) {
    start_all(a);
    find_correction(a);
  }
}

static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  reduced *self = data;
  job a = {self, f, g, x, lambda, true, NULL};
  start_all(&a);
  find_correction(&a);
  refine(&a);
  if (lambda && self->wants_intrinsic) for_all(self, intrinsic_part, &a);
}

/* ---- two projections at once ---- */

TRM_INLINE void start_both(trm_shape z, const reduced *self, const double *const g[2],
                           double *const x[2]) {
  const double *of_joints[2];
  trm_double2 *eps = (trm_double2 *)self->eps;
  ptrdiff_t width = z.plain + z.spin, first = self->structure->m - self->joints.m;
  for (int k = 0; k < 2; k++) of_joints[k] = g[k] + first;
  for (int r = 0; r < self->K.places; r++) {
    int row = self->K.order[r];
    eps[r] = -(trm_double2){of_joints[0][row], of_joints[1][row]};
  }
  for (int b = 0; b < self->joints.blocks; b++) {
    trm_block k = block_at(z, self, b);
    double *x0 = x[0] + b * width, *x1 = x[1] + b * width;
    trm_block_start(z, &k, NULL, g[0] + (ptrdiff_t)b * z.intrinsic, x0);
    trm_block_start(z, &k, NULL, g[1] + (ptrdiff_t)b * z.intrinsic, x1);
    trm_block_times_both(z, &k, x0, x1, eps);
  }
}

TRM_INLINE void correct_both(trm_shape z, const reduced *self, double *const x[2]) {
  ptrdiff_t width = z.plain + z.spin;
  for (int b = 0; b < self->joints.blocks; b++) {
    trm_block k = block_at(z, self, b);
    trm_block_correct_both(z, &k, (const trm_double2 *)self->eps, x[0] + b * width,
                           x[1] + b * width);
  }
}

/* Of small systems: large ones have their rows in the cache but for a while. */
static bool project_both(void *data, const double *const g[2], double *const x[2]) {
  reduced *self = data;
  if (self->K.fronts || self->segments.count > 1 || self->K.line.last.part < TRM_PIVOT_WEAK)
    return false;
  BY_KIND(start_both, self, self, g, x)
  trm_skyline_solve_many(&self->K.line, 1, self->eps);
  BY_KIND(correct_both, self, self, x)
  return true;
}

/* ---- the rest ---- */

/* A joint's row over one block as it would be in Cq; false: it has none. */
static bool find_row(const reduced *self, const trm_block *k, int joint, double *row) {
  trm_shape z = self->shape;
  for (int r = 0; r < k->rows && !trm_is_linked(z, k); r++)
    if (k->row[r] == joint) {
      memcpy(row, k->C + r * (z.plain + z.spin), (size_t)(z.plain + z.spin) * sizeof *row);
      return true;
    }
  for (int s = 0; s < k->sides && trm_is_linked(z, k); s++) {
    const double *side = k->side + s * trm_side_size(z);
    int first = self->K.order[trm_seat_of(side)->place], i = joint - first;
    double unit[TRM_MAX_PLAIN] = {0};
    union {
      trm_seat seat;
      double record[TRM_SEAT + TRM_MAX_PLAIN];
    } alone;
    if (i < 0 || i >= trm_seat_rows(z, side)) continue;
    trm_block one = *k;
    one.sides = 1;
    one.side = memcpy(alone.record, side, (size_t)trm_side_size(z) * sizeof *side);
    alone.seat.place = 0;
    one.d += s * z.plain;
    unit[i] = 1;
    memset(row, 0, (size_t)(z.plain + z.spin) * sizeof *row);
    trm_sides_pull(z, &one, NULL, unit, row);
    return true;
  }
  return false;
}

/* Of K the column of each pull, side by side in each place of pulls->room. */
TRM_INLINE void start_pulls(trm_shape z, const reduced *self, const trm_pulls *pulls, int width) {
  trm_block k = {0};
  for (int i = 0, last = -1; i < pulls->touches; i++) {
    const trm_touch *t = &pulls->touch[i];
    double *column = pulls->room + t->pull;
    if (t->row < z.intrinsic) continue; /* it does not pull at what is free */
    if (t->block != last) {
      last = t->block;
      k = block_at(z, self, last);
    }
    if (trm_is_linked(z, &k))
      trm_sides_column(z, &k, k.place[t->row - z.intrinsic], width, column);
    else
      trm_rows_column(z, &k, t->row - z.intrinsic, width, column);
  }
}

static bool solve_pulls(void *data, const trm_pulls *pulls, double *lambda) {
  reduced *self = data;
  const trm_skyline *K = &self->K.line;
  if (self->K.fronts || K->last.part < TRM_PIVOT_WEAK || self->wants_intrinsic) return false;
  int width = pulls->count == 1 ? 1 : 2 * pulls->pairs;
  double *from = memset(pulls->room, 0, (size_t)(K->size * width) * sizeof *from);
  BY_KIND(start_pulls, self, self, pulls, width)
  if (pulls->count == 1)
    trm_skyline_solve(K, from);
  else
    trm_skyline_solve_many(K, pulls->pairs, from);
  lambda += (self->structure->m - K->size) * 2 * pulls->pairs;
  for (int r = 0; r < K->size; r++, from += width)
    trm_pair_copy(width, from, lambda + K->order[r] * 2 * pulls->pairs);
  return true;
}

/* A row's entries against what they would move without the intrinsic rows: [2] of each place. */
static void weigh_small_rows(const reduced *self, double small) {
  trm_shape z = self->shape;
  memset(self->weight, 0, 2 * (size_t)self->K.places * sizeof *self->weight);
  for (int b = 0; b < self->joints.blocks; b++) {
    trm_block k = block_at(z, self, b), one = k;
    double row[TRM_MAX_PLAIN + TRM_MAX_SPIN], W[TRM_MAX_PLAIN + TRM_MAX_FREE];
    double size = trm_pair_dot(z.spin * z.free, k.B, k.B);
    for (int r = 0; r < k.rows; r++) {
      double *weight = self->weight + 2 * k.place[r];
      if (!(trm_gram_diagonal(&self->K, k.place[r]) < small) || !find_row(self, &k, k.row[r], row))
        continue;
      one.rows = 1;
      one.C = row;
      trm_rows_reduce(z, &one, W);
      weight[0] += trm_pair_dot(z.plain + z.free, W, W);
      weight[1] += size * trm_pair_dot(z.spin, row + z.plain, row + z.plain);
    }
  }
}

/* A row that only repeats its body's intrinsic rows leaves round-off, which K alone cannot tell. */
static bool has_vanished_row(const reduced *self) {
  const trm_pivot_range *last = trm_gram_pivots(&self->K);
  double small = small_row * last->largest;
  if (!(last->least < small)) return false;
  weigh_small_rows(self, small);
  for (int i = 0; i < self->K.places; i++)
    if (trm_gram_diagonal(&self->K, i) < small &&
        self->weight[2 * i] <= vanished_row * self->weight[2 * i + 1])
      return true;
  return false;
}

/* K, and with eps what is to be solved for. */
static double factor_all(reduced *self, trm_part *work, void *data, double *eps) {
  if (is_apart(self)) {
    for_all(self, work, data);
    trm_gram_factor(&self->K, NULL);
  } else {
    go_forth(self, work, data, true, eps);
  }
  self->ready = true;
  return has_vanished_row(self) ? 0 : trm_gram_pivots(&self->K)->part;
}

static double factor(void *data, const double *M, const double *Cq) {
  reduced *self = data;
  self->M = M;
  self->Cq = Cq;
  return factor_all(self, factor_part, self, NULL);
}

static double accelerate(void *data, const trm_stage *stage) {
  reduced *self = data;
  job a = {self, stage->f, stage->g, stage->x, NULL, true, stage};
  self->M = stage->M;
  self->Cq = stage->Cq;
  double part = factor_all(self, stage_part, &a, self->eps);
  if (part == 0) return part;
  find_correction(&a);
  refine(&a);
  return part;
}

/* Blocks' intrinsic rows are never left out. */
static void omit(void *data, const bool *rows) {
  reduced *self = data;
  trm_gram_omit(&self->K, rows + self->structure->m - self->joints.m);
}

static void want_intrinsic(void *data, bool wanted) {
  reduced *self = data;
  self->wants_intrinsic = wanted;
}

static int find_kind(trm_shape z) {
  for (int i = 0; i < OTHER; i++)
    if (memcmp(&shapes[i], &z, sizeof z) == 0) return i;
  return OTHER;
}

static void *create(trm_arena *arena, const trm_structure *s, trm_linear linear) {
  static const trm_storage storage[] = {[TRM_LINEAR_AUTO] = TRM_CHEAPER,
                                        [TRM_LINEAR_DENSE] = TRM_FULL_SKYLINE,
                                        [TRM_LINEAR_SPARSE] = TRM_FRONTS};
  reduced *self = trm_reduced_lay_out(arena, s, storage[linear]);
  if (self) self->kind = find_kind(self->shape);
  return self;
}

/* A row that the ground takes part in may depend on others as long as a kept block is held. */
static bool fall_back(void *data) {
  reduced *self = data;
  reduced *plain =
      self->K.fronts ? trm_reduced_lay_out(self->arena, self->structure, TRM_SKYLINE) : NULL;
  if (!plain) return false;
  plain->kind = self->kind;
  plain->wants_intrinsic = self->wants_intrinsic;
  *self = *plain;
  return true;
}

const trm_solver_class trm_udwadia_kalaba_reduced = {
    .name = "udwadia-kalaba",
    .create = create,
    .factor = factor,
    .solve = solve,
    .omit = omit,
    .fall_back = fall_back,
    .want_intrinsic = want_intrinsic,
    .solve_pulls = solve_pulls,
    .accelerate = accelerate,
    .project_both = project_both,
    .skips_lambda = true,
    .refines = true,
};
