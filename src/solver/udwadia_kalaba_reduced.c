/* Udwadia-Kalaba with each body's own rows eliminated first: what is left couples joints only.
 *
 * x = G g + B y: G g meets the body's own (intrinsic) rows, B spans what they leave free, with
 * Bᵀ M B = 1. Then K = W Wᵀ with W = Cq B of the joints' rows, and all is exact off the
 * constraints, too. */
#include "base/parallel.h"
#include "math/axes.h"
#include "math/segments.h"
#include "math/skyline.h"
#include "solver/solver.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Two corrections reach the accuracy of an orthogonal factorization while K still has digits. */
enum { refinements = 2 };
/* A row's diagonal of K below this part of the largest is looked at closely. */
static const double small_row = 1e-6;
/* Of what a row could move: below this it only repeats the body's own rows. */
static const double vanished_row = 1e-8;

enum { MAX_PLAIN = 3, MAX_SPIN = 9, MAX_OWN = 6, MAX_FREE = 3 };

/* Of a block: `plain` coordinates its own rows leave alone, then `spin` others. */
typedef struct shape {
  int plain, spin, own, free; /* free = spin − own */
  int diagonal;               /* M is */
  int axes;                   /* the spin coordinates are */
} shape;

/* The common ones get copies of their own, in which the loops over a body's coordinates unroll. */
typedef enum kind { NATURAL_PLANAR, UNIT_PLANAR, NATURAL_SPATIAL, EULER_SPATIAL, OTHER } kind;

static const shape shapes[] = {
    [NATURAL_PLANAR] = {2, 4, 3, 1, true, true},
    [UNIT_PLANAR] = {2, 2, 1, 1, true, false}, /* cartesian, Euler parameters */
    [NATURAL_SPATIAL] = {3, 9, 6, 3, true, true},
    [EULER_SPATIAL] = {3, 4, 1, 3, false, false}};

/* What belongs to one block, found from its number: reading it would cost more. */
typedef struct block {
  int rows;            /* of joints */
  const int *row;      /* [rows] as numbered in `joints` */
  const int *place;    /* [rows] in K */
  const double *C;     /* its joints' rows of Cq */
  const double *M;     /* behind the plain coordinates */
  const double *T, *G; /* where the spin coordinates are no axes */
  const double *axes;  /* where they are */
  double *duals;       /* [spin] vectors dual to them */
  double *h;           /* [plain] 1/√M */
  double *B;           /* [free × spin], column after column */
  double *W;           /* [rows × (plain + free)] */
} block;

typedef struct reduced {
  const trm_structure *structure;
  shape shape;
  kind kind;
  trm_structure joints; /* the other rows over the free coordinates */
  trm_skyline K;
  trm_segments segments;
  const double *M, *Cq; /* of the last factorization */
  double *h, *B, *W;    /* of all blocks */
  double *duals;        /* of all blocks, or NULL */
  double *eps;          /* [joints.m] by place */
  bool ready;           /* a constant M was seen */
  bool weak;            /* refine */
  bool own;             /* the own rows' λ is wanted */
} reduced;

TRM_INLINE block block_at(shape z, const reduced *self, int b) {
  int width = z.plain + z.spin, first = self->joints.panel_start[b];
  ptrdiff_t at = b, row = first + (at + 1) * z.own;
  const double *M =
      self->M + (z.diagonal ? at * width + z.plain : (at * width + z.plain) * width + z.plain);
  const double *T = z.axes ? NULL : self->structure->tangent + at * z.spin * z.spin;
  return (block){.rows = self->joints.panel_start[b + 1] - first,
                 .row = self->joints.panel_row + first,
                 .place = self->K.panel_place + first,
                 .C = self->Cq + row * width,
                 .M = M,
                 .T = T,
                 .G = z.axes ? NULL : T + z.spin * z.free,
                 .axes = z.axes ? *self->structure->axes + at * width + z.plain : NULL,
                 .duals = z.axes ? self->duals + at * z.spin : NULL,
                 .h = self->h + at * z.plain,
                 .B = self->B + at * z.spin * z.free,
                 .W = self->W + (ptrdiff_t)first * (z.plain + z.free)};
}

/* ---- one block ---- */

/* y = M x over the spin coordinates */
TRM_INLINE void mass_times(shape z, const double *M, const double *x, double *y) {
  if (z.diagonal) {
    trm_pair_times(z.spin, M, x, y);
    return;
  }
  for (int i = 0; i < z.spin; i++) y[i] = trm_pair_dot(z.spin, M + i * (z.plain + z.spin), x);
}

/* B: the columns of T made orthonormal under M, one after the other; they nearly are orthogonal. */
TRM_INLINE void orthonormalize(shape z, const block *k) {
  double MB[MAX_SPIN], turns[MAX_FREE * MAX_SPIN];
  if (z.axes) {
    trm_axes_turns(z.plain, k->axes, turns);
    trm_axes_duals(z.plain, k->axes, k->duals);
  }
  const double *T = z.axes ? turns : k->T;
  for (int c = 0; c < z.free; c++) {
    double *B = k->B + c * z.spin;
    memcpy(B, T + c * z.spin, (size_t)z.spin * sizeof *B);
    mass_times(z, k->M, B, MB);
    for (int l = 0; l < c; l++) {
      const double *other = k->B + l * z.spin;
      trm_pair_axpy(z.spin, -trm_pair_dot(z.spin, other, MB), other, B);
    }
    if (c > 0) mass_times(z, k->M, B, MB);
    double scale = 1 / sqrt(trm_pair_dot(z.spin, B, MB));
#pragma GCC unroll 9
    for (int i = 0; i < z.spin; i++) B[i] *= scale;
  }
}

/* W = C B */
TRM_INLINE void reduce_rows(shape z, const block *k) {
  const double *C = k->C;
  double *W = k->W;
  for (int r = 0; r < k->rows; r++, C += z.plain + z.spin, W += z.plain + z.free) {
#pragma GCC unroll 3
    for (int i = 0; i < z.plain; i++) W[i] = C[i] * k->h[i];
#pragma GCC unroll 3
    for (int c = 0; c < z.free; c++)
      W[z.plain + c] = trm_pair_dot(z.spin, C + z.plain, k->B + c * z.spin);
  }
}

/* force = M x − f over the spin coordinates */
TRM_INLINE void lack_of_force(shape z, const double *M, const double *f, const double *x,
                              double *force) {
  mass_times(z, M, x, force);
  if (f) trm_pair_axpy(z.spin, -1, f, force);
}

/* spin = G g */
TRM_INLINE void meet_own_rows(shape z, const block *k, const double *g, double *spin) {
  if (z.axes) {
    trm_axes_deform(z.plain, k->duals, g, spin);
    return;
  }
  memset(spin, 0, (size_t)z.spin * sizeof *spin);
#pragma GCC unroll 6
  for (int r = 0; r < z.own; r++) trm_pair_axpy(z.spin, g[r], k->G + r * z.spin, spin);
}

/* x: what meets the own rows and, along what they leave free, M x = f */
TRM_INLINE void start_block(shape z, const block *k, const double *f, const double *g, double *x) {
  double spin[MAX_SPIN], force[MAX_SPIN];
  meet_own_rows(z, k, g, spin);
  lack_of_force(z, k->M, f ? f + z.plain : NULL, spin, force);
#pragma GCC unroll 3
  for (int c = 0; c < z.free; c++) {
    const double *B = k->B + c * z.spin;
    trm_pair_axpy(z.spin, -trm_pair_dot(z.spin, B, force), B, spin);
  }
  if (f) {
    trm_pair_times(z.plain, k->h, f, x);
    trm_pair_times(z.plain, k->h, x, x);
  } else {
    memset(x, 0, (size_t)z.plain * sizeof *x);
  }
  memcpy(x + z.plain, spin, (size_t)z.spin * sizeof *x);
}

/* eps += C x; the plain part by itself where pairs would not be those that x was written in: a load
 * across two stores waits for both */
TRM_INLINE void multiply_block(shape z, const block *k, const double *x, double *eps) {
  const double *C = k->C;
  int apart = z.plain % 2 ? z.plain : 0, width = z.plain + z.spin;
  for (int r = 0; r < k->rows; r++, C += width) {
    double sum = trm_pair_dot(width - apart, C + apart, x + apart);
#pragma GCC unroll 3
    for (int i = 0; i < apart; i++) sum += C[i] * x[i];
    eps[k->place[r]] += sum;
  }
}

/* x −= B Wᵀ eps */
TRM_INLINE void correct_block(shape z, const block *k, const double *eps, double *x) {
  double y[MAX_PLAIN + MAX_FREE] = {0};
  int width = z.plain + z.free;
  for (int r = 0; r < k->rows; r++) trm_pair_axpy(width, eps[k->place[r]], k->W + r * width, y);
  trm_pair_subtract(z.plain, k->h, y, x);
#pragma GCC unroll 3
  for (int c = 0; c < z.free; c++)
    trm_pair_axpy(z.spin, -y[z.plain + c], k->B + c * z.spin, x + z.plain);
}

/* The own rows' λ = Gᵀ (f − M x − Cᵀ λ of the joints). */
TRM_INLINE void own_lambda(shape z, const block *k, const double *f, const double *x,
                           const double *joint, double *lambda) {
  double force[MAX_SPIN];
  lack_of_force(z, k->M, f ? f + z.plain : NULL, x + z.plain, force);
  for (int r = 0; r < k->rows; r++)
    trm_pair_axpy(z.spin, joint[k->row[r]], k->C + r * (z.plain + z.spin) + z.plain, force);
  if (z.axes) {
    trm_axes_stress(z.plain, k->duals, force, lambda);
    for (int r = 0; r < z.own; r++) lambda[r] = -lambda[r];
    return;
  }
#pragma GCC unroll 6
  for (int r = 0; r < z.own; r++) lambda[r] = -trm_pair_dot(z.spin, k->G + r * z.spin, force);
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

TRM_INLINE void factor_segment(shape z, reduced *self, int segment) {
  const trm_segments *g = &self->segments;
  bool plain = !self->ready || !self->structure->mass_constant;
  int stride = z.diagonal ? 1 : z.plain + z.spin + 1;
  for (int at = g->start[segment]; at < g->start[segment + 1]; at++) {
    int b = g->block[at];
    block k = block_at(z, self, b);
    for (int i = 0; i < z.plain && plain; i++) k.h[i] = 1 / sqrt(k.M[(i - z.plain) * stride]);
    orthonormalize(z, &k);
    reduce_rows(z, &k);
  }
  trm_skyline_add(&self->K, &self->joints, self->W, g->start[segment + 1] - g->start[segment],
                  g->block + g->start[segment]);
}

/* eps = Cq x − g, x being started first where it is not there yet */
TRM_INLINE void start_segment(shape z, const job *a, int segment) {
  const reduced *self = a->self;
  const trm_segments *s = &self->segments;
  int width = z.plain + z.spin;
  for (int at = s->start[segment]; at < s->start[segment + 1]; at++) {
    int b = s->block[at];
    block k = block_at(z, self, b);
    double *x = a->x + (ptrdiff_t)b * width;
    if (a->first)
      start_block(z, &k, a->f ? a->f + (ptrdiff_t)b * width : NULL, a->g + (ptrdiff_t)b * z.own, x);
    multiply_block(z, &k, x, self->eps);
  }
}

/* eps = −g of the joints, by place */
static void start_gap(const job *a, int begin, int end) {
  const reduced *self = a->self;
  const double *joint = a->g + self->structure->m - self->K.size;
  for (int r = begin; r < end; r++) self->eps[r] = -joint[self->K.order[r]];
}

static void add_lambda(const job *a, int begin, int end) {
  const reduced *self = a->self;
  double *joint = a->lambda + self->structure->m - self->K.size;
  for (int r = begin; r < end; r++) {
    double *lambda = &joint[self->K.order[r]];
    *lambda = a->first ? self->eps[r] : *lambda + self->eps[r];
  }
}

TRM_INLINE void correct_segment(shape z, const job *a, int segment) {
  const trm_segments *s = &a->self->segments;
  for (int at = s->start[segment]; at < s->start[segment + 1]; at++) {
    int b = s->block[at];
    block k = block_at(z, a->self, b);
    correct_block(z, &k, a->self->eps, a->x + (ptrdiff_t)b * (z.plain + z.spin));
  }
}

TRM_INLINE void own_segment(shape z, const job *a, int segment) {
  const trm_segments *s = &a->self->segments;
  int width = z.plain + z.spin;
  const double *joint = a->lambda + (ptrdiff_t)a->self->joints.blocks * z.own;
  for (int at = s->start[segment]; at < s->start[segment + 1]; at++) {
    int b = s->block[at];
    ptrdiff_t q = (ptrdiff_t)b * width;
    block k = block_at(z, a->self, b);
    own_lambda(z, &k, a->f ? a->f + q : NULL, a->x + q, joint, a->lambda + (ptrdiff_t)b * z.own);
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

static void factor_part(void *data, int segment) {
  reduced *self = data;
  if (segment < self->segments.count)
    trm_skyline_clear(&self->K, self->segments.place[segment], self->segments.place[segment + 1]);
  BY_KIND(factor_segment, self, self, segment)
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

static void correct_part(void *data, int segment) {
  job *a = data;
  const trm_segments *s = &a->self->segments;
  if (segment < s->count && a->lambda) add_lambda(a, s->place[segment], s->place[segment + 1]);
  BY_KIND(correct_segment, a->self, a, segment)
}

static void own_part(void *data, int segment) {
  job *a = data;
  BY_KIND(own_segment, a->self, a, segment)
}

/* ---- all blocks ---- */

/* The segments, then the blocks that reach over two. */
static void for_all(const reduced *self, trm_part *work, void *data) {
  const trm_segments *s = &self->segments;
  trm_parallel(self->structure->pool, s->count, work, data);
  if (s->start[s->count] < s->start[s->count + 1]) work(data, s->count);
}

static void finish(job *a) {
  trm_skyline_solve(&a->self->K, a->self->eps);
  for_all(a->self, correct_part, a);
  a->first = false;
}

static void refine(job *a) {
  for (int i = 0; a->self->weak && i < refinements; i++) {
    for_all(a->self, start_part, a);
    finish(a);
  }
}

static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  reduced *self = data;
  job a = {self, f, g, x, lambda, true, NULL};
  for_all(self, start_part, &a);
  finish(&a);
  refine(&a);
  if (lambda && self->own) for_all(self, own_part, &a);
}

/* A row's entries against what they would move if nothing held them. */
static bool repeats_own_rows(const reduced *self, int joint) {
  shape z = self->shape;
  double left = 0, could = 0;
  for (int b = 0; b < self->joints.blocks; b++) {
    block k = block_at(z, self, b);
    double size = trm_pair_dot(z.spin * z.free, k.B, k.B);
    for (int r = 0; r < k.rows; r++) {
      if (k.row[r] != joint) continue;
      const double *W = k.W + r * (z.plain + z.free);
      const double *C = k.C + r * (z.plain + z.spin) + z.plain;
      left += trm_pair_dot(z.plain + z.free, W, W);
      could += size * trm_pair_dot(z.spin, C, C);
    }
  }
  return left <= vanished_row * could;
}

/* A row that only repeats its body's own rows leaves round-off, which K alone cannot tell. */
static bool has_vanished_row(const reduced *self) {
  const trm_skyline *K = &self->K;
  double small = small_row * K->last.largest;
  if (!(K->last.least < small)) return false;
  for (int i = 0; i < K->size; i++)
    if (K->value[K->row[i] + i] < small && repeats_own_rows(self, K->order[i])) return true;
  return false;
}

static trm_pivots factor_K(reduced *self) {
  self->ready = true;
  trm_pivots pivots = trm_skyline_factor(&self->K);
  self->weak = pivots != TRM_PIVOTS_SOUND;
  return has_vanished_row(self) ? TRM_PIVOTS_LOST : pivots;
}

static trm_pivots factor(void *data, const double *M, const double *Cq) {
  reduced *self = data;
  self->M = M;
  self->Cq = Cq;
  for_all(self, factor_part, self);
  return factor_K(self);
}

static trm_pivots accelerate(void *data, const trm_stage *stage) {
  reduced *self = data;
  job a = {self, stage->f, stage->g, stage->x, NULL, true, stage};
  self->M = stage->M;
  self->Cq = stage->Cq;
  for_all(self, stage_part, &a);
  trm_pivots pivots = factor_K(self);
  if (pivots == TRM_PIVOTS_LOST) return pivots;
  finish(&a);
  refine(&a);
  return pivots;
}

static void expect(void *data, int redundant) {
  reduced *self = data;
  self->K.redundant = redundant;
}

/* A body's own rows cannot be left out: then the pivots must tell. */
static void omit(void *data, const bool *rows) {
  reduced *self = data;
  int own = self->structure->m - self->K.size;
  const bool *joint = memchr(rows, true, (size_t)own) ? NULL : rows + own;
  trm_skyline_omit(&self->K, joint);
}

static void want_own(void *data, bool wanted) {
  reduced *self = data;
  self->own = wanted;
}

/* ---- layout ---- */

static bool lay_out_joints(reduced *self, trm_arena *arena) {
  const trm_structure *s = self->structure;
  shape z = self->shape;
  int blocks = s->blocks, width = z.plain + z.free;
  int *q_start = TRM_NEW(arena, int, blocks + 1), *panel_value = TRM_NEW(arena, int, blocks + 1);
  int *panel_start = TRM_NEW(arena, int, blocks + 1);
  int *panel_row = TRM_NEW(arena, int, s->panel_start[blocks] + 1), count = 0;
  if (!q_start || !panel_value || !panel_start || !panel_row) return false;
  for (int b = 0; b < blocks; b++) {
    for (int p = s->panel_start[b] + z.own; p < s->panel_start[b + 1]; p++)
      panel_row[count++] = s->panel_row[p] - blocks * z.own;
    q_start[b + 1] = (b + 1) * width;
    panel_start[b + 1] = count;
    panel_value[b + 1] = count * width;
  }
  self->joints = (trm_structure){.n = blocks * width,
                                 .m = s->m - blocks * z.own,
                                 .blocks = blocks,
                                 .q_start = q_start,
                                 .panel_start = panel_start,
                                 .panel_row = panel_row,
                                 .panel_value = panel_value};
  return true;
}

static kind find_kind(shape z) {
  for (int i = 0; i < OTHER; i++)
    if (memcmp(&shapes[i], &z, sizeof z) == 0) return (kind)i;
  return OTHER;
}

static void *create(trm_arena *arena, const trm_structure *s, trm_linear linear) {
  reduced *self = TRM_NEW(arena, reduced, 1);
  if (!self) return NULL;
  int spin = trm_block_width(s, 0) - s->plain, free = spin - s->own;
  self->structure = s;
  self->own = true;
  self->shape = (shape){s->plain, spin, s->own, free, s->mass_diagonal, s->axes != NULL};
  self->kind = find_kind(self->shape);
  if (!lay_out_joints(self, arena)) return NULL;
  const trm_structure *j = &self->joints;
  size_t blocks = (size_t)s->blocks;
  self->h = TRM_NEW(arena, double, blocks *(size_t)s->plain + 1);
  self->B = TRM_NEW(arena, double, blocks *(size_t)(spin * free) + 1);
  self->W = TRM_NEW(arena, double, j->panel_value[j->blocks] + 1);
  self->eps = TRM_NEW(arena, double, j->m + 1);
  if (s->axes) self->duals = TRM_NEW(arena, double, blocks *(size_t)spin + 1);
  if (!self->h || !self->B || !self->W || !self->eps || (s->axes && !self->duals)) return NULL;
  if (!trm_skyline_create(&self->K, arena, j, linear == TRM_LINEAR_DENSE)) return NULL;
  self->K.pool = s->pool;
  return trm_segments_create(&self->segments, arena, j, self->K.panel_place) ? self : NULL;
}

const trm_solver_class trm_udwadia_kalaba_reduced = {
    .name = "udwadia-kalaba",
    .create = create,
    .factor = factor,
    .solve = solve,
    .expect = expect,
    .omit = omit,
    .want_own = want_own,
    .accelerate = accelerate,
    .skips_lambda = true,
};
