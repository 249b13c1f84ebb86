/* Udwadia-Kalaba with each body's own rows eliminated first: what is left couples joints only.
 *
 * x = G g + B y: G g meets the body's own (intrinsic) rows, B spans what they leave free, with
 * Bᵀ M B = 1. Then K = W Wᵀ with W = Cq B of the joints' rows, and all is exact off the
 * constraints, too. */
#include "math/double2.h"
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
} shape;

/* The common ones get copies of their own, in which the loops over a body's coordinates unroll. */
typedef enum kind { NATURAL_PLANAR, UNIT_PLANAR, NATURAL_SPATIAL, EULER_SPATIAL, OTHER } kind;

static const shape shapes[] = {[NATURAL_PLANAR] = {2, 4, 3, 1, true},
                               [UNIT_PLANAR] = {2, 2, 1, 1, true}, /* cartesian, Euler parameters */
                               [NATURAL_SPATIAL] = {3, 9, 6, 3, true},
                               [EULER_SPATIAL] = {3, 4, 1, 3, false}};

/* What belongs to one block. */
typedef struct block {
  int rows;         /* of joints */
  const int *row;   /* [rows] as numbered in `joints` */
  const int *place; /* [rows] in K */
  int C, M;         /* where they start: its joints' rows, and M behind the plain coordinates */
  const double *T, *G;
  double *h; /* [plain] 1/√M */
  double *B; /* [free × spin], column after column */
  double *W; /* [rows × (plain + free)] */
} block;

typedef struct reduced {
  const trm_structure *structure;
  shape shape;
  kind kind;
  trm_structure joints; /* the other rows over the free coordinates */
  trm_skyline K;
  block *blocks;
  const double *M, *Cq; /* of the last factorization */
  double *h, *B, *W;    /* of all blocks */
  double *eps;          /* [joints.m] by place */
  bool ready;           /* a constant M was seen */
  bool weak;            /* refine */
} reduced;

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
TRM_INLINE void orthonormalize(shape z, const block *k, const double *M) {
  double MB[MAX_SPIN];
  for (int c = 0; c < z.free; c++) {
    double *B = k->B + c * z.spin;
    memcpy(B, k->T + c * z.spin, (size_t)z.spin * sizeof *B);
    mass_times(z, M, B, MB);
    for (int l = 0; l < c; l++) {
      const double *other = k->B + l * z.spin;
      trm_pair_axpy(z.spin, -trm_pair_dot(z.spin, other, MB), other, B);
    }
    if (c > 0) mass_times(z, M, B, MB);
    double scale = 1 / sqrt(trm_pair_dot(z.spin, B, MB));
#pragma GCC unroll 9
    for (int i = 0; i < z.spin; i++) B[i] *= scale;
  }
}

/* W = C B */
TRM_INLINE void reduce_rows(shape z, const block *k, const double *C) {
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

/* x: what meets the own rows and, along what they leave free, M x = f */
TRM_INLINE void start_block(shape z, const block *k, const double *M, const double *f,
                            const double *g, double *x) {
  double spin[MAX_SPIN] = {0}, force[MAX_SPIN];
#pragma GCC unroll 6
  for (int r = 0; r < z.own; r++) trm_pair_axpy(z.spin, g[r], k->G + r * z.spin, spin);
  lack_of_force(z, M, f ? f + z.plain : NULL, spin, force);
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
TRM_INLINE void multiply_block(shape z, const block *k, const double *C, const double *x,
                               double *eps) {
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
TRM_INLINE void own_lambda(shape z, const block *k, const double *M, const double *C,
                           const double *f, const double *x, const double *joint, double *lambda) {
  double force[MAX_SPIN];
  lack_of_force(z, M, f ? f + z.plain : NULL, x + z.plain, force);
  for (int r = 0; r < k->rows; r++)
    trm_pair_axpy(z.spin, joint[k->row[r]], C + r * (z.plain + z.spin) + z.plain, force);
#pragma GCC unroll 6
  for (int r = 0; r < z.own; r++) lambda[r] = -trm_pair_dot(z.spin, k->G + r * z.spin, force);
}

/* ---- all blocks ---- */

TRM_INLINE void factor_blocks(shape z, reduced *self) {
  int stride = z.diagonal ? 1 : z.plain + z.spin + 1;
  bool plain = !self->ready || !self->structure->mass_constant;
  for (int b = 0; b < self->joints.blocks; b++) {
    const block *k = &self->blocks[b];
    const double *M = self->M + k->M;
    for (int i = 0; i < z.plain && plain; i++) k->h[i] = 1 / sqrt(M[(i - z.plain) * stride]);
    orthonormalize(z, k, M);
    reduce_rows(z, k, self->Cq + k->C);
  }
  self->ready = true;
}

TRM_INLINE void correct(shape z, reduced *self, double *x) {
  trm_skyline_solve(&self->K, self->eps);
  for (int b = 0; b < self->joints.blocks; b++)
    correct_block(z, &self->blocks[b], self->eps, x + b * (z.plain + z.spin));
}

/* eps = −g of the joints, by place */
static void start_gap(reduced *self, const double *g) {
  const double *joint = g + self->structure->m - self->K.size;
  for (int r = 0; r < self->K.size; r++) self->eps[r] = -joint[self->K.order[r]];
}

/* lambda: of the joints, or NULL */
static void add_lambda(const reduced *self, double *lambda) {
  for (int r = 0; r < self->K.size && lambda; r++) lambda[self->K.order[r]] += self->eps[r];
}

TRM_INLINE void solve_with(shape z, reduced *self, const double *f, const double *g, double *x,
                           double *lambda) {
  int width = z.plain + z.spin, blocks = self->joints.blocks;
  double *joint = lambda ? lambda + blocks * z.own : NULL;
  start_gap(self, g);
  for (int b = 0; b < blocks; b++) {
    const block *k = &self->blocks[b];
    double *xb = x + b * width;
    start_block(z, k, self->M + k->M, f ? f + b * width : NULL, g + b * z.own, xb);
    multiply_block(z, k, self->Cq + k->C, xb, self->eps);
  }
  correct(z, self, x);
  if (joint) memset(joint, 0, (size_t)self->K.size * sizeof *joint);
  add_lambda(self, joint);
  for (int i = 0; self->weak && i < refinements; i++) {
    start_gap(self, g);
    for (int b = 0; b < blocks; b++)
      multiply_block(z, &self->blocks[b], self->Cq + self->blocks[b].C, x + b * width, self->eps);
    correct(z, self, x);
    add_lambda(self, joint);
  }
  for (int b = 0; b < blocks && lambda; b++) {
    const block *k = &self->blocks[b];
    own_lambda(z, k, self->M + k->M, self->Cq + k->C, f ? f + b * width : NULL, x + b * width,
               joint, lambda + b * z.own);
  }
}

static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  reduced *self = data;
  switch (self->kind) {
  case NATURAL_PLANAR: solve_with(shapes[NATURAL_PLANAR], self, f, g, x, lambda); break;
  case UNIT_PLANAR: solve_with(shapes[UNIT_PLANAR], self, f, g, x, lambda); break;
  case NATURAL_SPATIAL: solve_with(shapes[NATURAL_SPATIAL], self, f, g, x, lambda); break;
  case EULER_SPATIAL: solve_with(shapes[EULER_SPATIAL], self, f, g, x, lambda); break;
  default: solve_with(self->shape, self, f, g, x, lambda);
  }
}

/* A row's entries against what they would move if nothing held them. */
static bool repeats_own_rows(const reduced *self, int joint) {
  shape z = self->shape;
  double left = 0, could = 0;
  for (int b = 0; b < self->joints.blocks; b++) {
    const block *k = &self->blocks[b];
    double size = trm_pair_dot(z.spin * z.free, k->B, k->B);
    for (int r = 0; r < k->rows; r++) {
      if (k->row[r] != joint) continue;
      const double *W = k->W + r * (z.plain + z.free);
      const double *C = self->Cq + k->C + r * (z.plain + z.spin) + z.plain;
      left += trm_pair_dot(z.plain + z.free, W, W);
      could += size * trm_pair_dot(z.spin, C, C);
    }
  }
  return left <= vanished_row * could;
}

/* A row that only repeats its body's own rows leaves round-off, which K alone cannot tell. */
static bool has_vanished_row(const reduced *self) {
  const trm_skyline *K = &self->K;
  double largest = 0;
  for (int i = 0; i < K->size; i++) {
    double diagonal = K->value[K->row[i] + i];
    if (diagonal > largest) largest = diagonal;
  }
  for (int i = 0; i < K->size; i++)
    if (K->value[K->row[i] + i] < small_row * largest && repeats_own_rows(self, K->order[i]))
      return true;
  return false;
}

static trm_pivots factor(void *data, const double *M, const double *Cq) {
  reduced *self = data;
  self->M = M;
  self->Cq = Cq;
  switch (self->kind) {
  case NATURAL_PLANAR: factor_blocks(shapes[NATURAL_PLANAR], self); break;
  case UNIT_PLANAR: factor_blocks(shapes[UNIT_PLANAR], self); break;
  case NATURAL_SPATIAL: factor_blocks(shapes[NATURAL_SPATIAL], self); break;
  case EULER_SPATIAL: factor_blocks(shapes[EULER_SPATIAL], self); break;
  default: factor_blocks(self->shape, self);
  }
  trm_skyline_assemble(&self->K, &self->joints, self->W);
  if (has_vanished_row(self)) return TRM_PIVOTS_LOST;
  trm_pivots pivots = trm_skyline_factor(&self->K);
  self->weak = pivots != TRM_PIVOTS_SOUND;
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
  for (int i = 0; i < own; i++)
    if (rows[i]) return;
  trm_skyline_omit(&self->K, rows + own);
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

static void lay_out_block(const reduced *self, int b) {
  const trm_structure *s = self->structure, *j = &self->joints;
  shape z = self->shape;
  int width = z.plain + z.spin, first = j->panel_start[b];
  const double *T = s->tangent + (ptrdiff_t)b * z.spin * z.spin;
  self->blocks[b] = (block){.rows = j->panel_start[b + 1] - first,
                            .row = j->panel_row + first,
                            .place = self->K.panel_place + first,
                            .C = s->panel_value[b] + z.own * width,
                            .M = s->mass_value[b] + z.plain * (z.diagonal ? 1 : width + 1),
                            .T = T,
                            .G = T + z.spin * z.free,
                            .h = self->h + (ptrdiff_t)b * z.plain,
                            .B = self->B + (ptrdiff_t)b * z.spin * z.free,
                            .W = self->W + j->panel_value[b]};
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
  self->shape = (shape){s->plain, spin, s->own, free, s->mass_diagonal};
  self->kind = find_kind(self->shape);
  if (!lay_out_joints(self, arena)) return NULL;
  const trm_structure *j = &self->joints;
  size_t blocks = (size_t)s->blocks;
  self->blocks = TRM_NEW(arena, block, blocks + 1);
  self->h = TRM_NEW(arena, double, blocks *(size_t)s->plain + 1);
  self->B = TRM_NEW(arena, double, blocks *(size_t)(spin * free) + 1);
  self->W = TRM_NEW(arena, double, j->panel_value[j->blocks] + 1);
  self->eps = TRM_NEW(arena, double, j->m + 1);
  if (!self->blocks || !self->h || !self->B || !self->W || !self->eps) return NULL;
  if (!trm_skyline_create(&self->K, arena, j, linear == TRM_LINEAR_DENSE)) return NULL;
  for (int b = 0; b < s->blocks; b++) lay_out_block(self, b);
  return self;
}

const trm_solver_class trm_udwadia_kalaba_reduced = {
    .name = "udwadia-kalaba",
    .create = create,
    .factor = factor,
    .solve = solve,
    .expect = expect,
    .omit = omit,
    .skips_lambda = true,
};
