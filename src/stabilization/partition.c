/* Robust generalized coordinate partitioning (001 sec. 4): dependent coordinates are the pivots of
 * Cq's LU factors and kept while they are well conditioned; corrections move only
 * them. With W the scaled Cq whose independent columns are zero, dx = Wᵀ (W Wᵀ)⁻¹ C moves the
 * dependent ones alone, as the inverse of their square part would, and W Wᵀ has the pattern of
 * K whichever they are. */
#include <math.h>
#include <string.h>

#include "math/dependent.h"
#include "math/gram.h"
#include "stabilization/partition.h"

/* Of the least pivot when they were chosen: below it the choice is made anew. */
static const double poor = 0.5;
/* Of the best choice so far: below it a singular position is near, and all coordinates move. */
static const double ill = 0.25;
/* Where the dependent coordinates must move this much farther than all of them would, by the mass
 * norm, all of them do: errors across the constraints would turn into errors along the motion. */
static const double farthest = 2;
/* W Wᵀ has squares for pivots: two corrections give back the digits. */
enum { corrections = 2 };

typedef struct partition {
  bool *dependent; /* [n] */
  bool made;       /* a choice that can be used */
  trm_gram K;
  bool weak;         /* its solutions are to be corrected */
  double *W;         /* in the layout of Cq */
  double *scale;     /* [n] 1/√M */
  double *row_scale; /* [m] 1/norm of Cq's rows under it */
  double *gap;       /* [m] what is to be taken back, then its multipliers */
  double *lambda;    /* [m] by place */
  double *x;         /* [n] dx over the scale */
  double chosen;     /* its least pivot when it was made */
  double best;       /* of all choices */
  long choices;      /* of the stabilizer's rows, when it was made */
  long made_anew;    /* how often it was made */
  double least;      /* its least pivot now */
} partition;

static void restored(void *data) {
  const trm_stabilizer *st = data;
  partition *own = st->own;
  if (own->best > 0) trm_gram_omit(&own->K, st->redundant);
}

static bool create(trm_stabilizer *st, trm_arena *arena, const trm_settings *settings) {
  partition *own = st->own = TRM_NEW(arena, partition, 1);
  const trm_structure *s = &st->system->structure;
  size_t n = (size_t)s->n + 1, m = (size_t)s->m + 1;
  bool dense = trm_linear_find(settings->linear) == TRM_LINEAR_DENSE;
  if (!own) return false;
  own->dependent = TRM_KEEP_NEW(arena, bool, n);
  TRM_KEEP(arena, own->made);
  TRM_KEEP(arena, own->chosen);
  TRM_KEEP(arena, own->best);
  TRM_KEEP(arena, own->least);
  TRM_KEEP(arena, own->choices);
  trm_keep_derived(arena, restored, st);
  own->W = TRM_NEW(arena, double, s->panel_value[s->blocks] + 1);
  own->scale = TRM_KEEP_NEW(arena, double, n);
  own->row_scale = TRM_NEW(arena, double, m);
  own->gap = TRM_NEW(arena, double, m);
  own->lambda = TRM_NEW(arena, double, m);
  own->x = TRM_NEW(arena, double, n);
  return !trm_arena_failed(arena) && trm_gram_create(&own->K, arena, s, dense);
}

void trm_partition_weigh(const trm_system *sys, double *scale) {
  trm_mass_of_coordinates(&sys->structure, sys->M, scale);
  for (int i = 0; i < sys->n; i++) scale[i] = scale[i] > 0 ? 1 / sqrt(scale[i]) : 1;
}

static void scale_rows(partition *own, const trm_system *sys) {
  const trm_structure *s = &sys->structure;
  double *square = own->row_scale;
  memset(square, 0, (size_t)s->m * sizeof *square);
  trm_jacobian_squares(s, sys->Cq, own->scale, square);
  for (int i = 0; i < s->m; i++) square[i] = square[i] > 0 ? 1 / sqrt(square[i]) : 1;
}

static void fill_W(partition *own, const trm_system *sys) {
  const trm_structure *s = &sys->structure;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), q = s->q_start[b];
    const double *row = sys->Cq + s->panel_value[b];
    double *W = own->W + s->panel_value[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width, W += width)
      for (int i = 0; i < width; i++)
        W[i] = own->dependent[q + i] ? row[i] * own->scale[q + i] * own->row_scale[s->panel_row[p]]
                                     : 0;
  }
}

/* Of rows of unit norm over all coordinates; singular values are the roots of what pivots tell. */
static double find_least_pivot(const trm_gram *K, int rows) {
  double largest = 0;
  for (int i = 0; i < rows; i++) largest = fmax(largest, K->pivot_inverse[i]);
  return largest > 0 ? 1 / sqrt(largest) : 0;
}

long trm_partition_choices(const trm_stabilizer *st) {
  return ((const partition *)st->own)->made_anew;
}

/* least: 0 where there is no use in it */
static void refactor(partition *own, const trm_system *sys) {
  own->least = 0;
  if (!own->made) return;
  fill_W(own, sys);
  double part = trm_gram_factor(&own->K, own->W);
  own->weak = part < TRM_PIVOT_WEAK;
  if (part > 0) own->least = find_least_pivot(&own->K, sys->m);
}

static void choose(partition *own, const trm_stabilizer *st) {
  const trm_system *sys = st->system;
  int redundant = 0;
  for (int i = 0; i < sys->m; i++) redundant += st->redundant[i];
  trm_gram_omit(&own->K, st->redundant);
  own->made_anew++;
  own->made = trm_dependent_choose(&sys->structure, sys->Cq, own->scale, st->redundant,
                                   own->dependent) == sys->m - redundant;
}

static void factor(trm_stabilizer *st) {
  partition *own = st->own;
  if (st->system->m == 0) return;
  if (own->best == 0 || !st->system->structure.mass_constant)
    trm_partition_weigh(st->system, own->scale);
  scale_rows(own, st->system);
  refactor(own, st->system);
  bool same = own->choices == st->choices;
  own->choices = st->choices;
  if (same && own->least > 0 && own->least >= poor * own->chosen) return;
  choose(own, st);
  refactor(own, st->system);
  own->best = fmax(own->best, own->least);
  own->chosen = own->least;
}

/* x += Wᵀ K⁻¹ gap */
static void move(partition *own, const trm_structure *s) {
  for (int i = 0; i < s->m; i++) own->lambda[i] = own->gap[own->K.order[i]];
  trm_gram_solve(&own->K, own->lambda);
  for (int i = 0; i < s->m; i++) own->gap[own->K.order[i]] = own->lambda[i];
  trm_jacobian_transposed_add(s, own->W, 1, own->gap, own->x);
}

/* x: the dependent coordinates' change, scaled; false: too far, against the mass-weighted dx */
static bool find_dependent(partition *own, const trm_system *sys, const double *residual,
                           const double *dx) {
  const trm_structure *s = &sys->structure;
  double square = 0, least = 0;
  memset(own->x, 0, (size_t)s->n * sizeof *own->x);
  for (int k = 0; k <= (own->weak ? corrections : 0); k++) {
    if (k > 0) trm_jacobian_times(s, own->W, own->x, own->gap);
    for (int i = 0; i < s->m; i++)
      own->gap[i] = own->row_scale[i] * residual[i] - (k > 0 ? own->gap[i] : 0);
    move(own, s);
  }
  for (int i = 0; i < s->n; i++) {
    square += own->x[i] * own->x[i];
    least += pow(dx[i] / own->scale[i], 2);
  }
  return square <= farthest * farthest * least;
}

static void project(trm_stabilizer *st, const double *residual, double *dx) {
  partition *own = st->own;
  trm_solver_project(st->solver, residual, dx);
  if (own->least <= ill * own->best || !find_dependent(own, st->system, residual, dx)) return;
  for (int i = 0; i < st->system->n; i++) dx[i] = own->scale[i] * own->x[i];
}

const trm_stabilization trm_stabilization_partition = {
    .name = "partition", .create = create, .project = project, .factor = factor};
