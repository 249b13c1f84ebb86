/* Robust generalized coordinate partitioning (001 sec. 4): the dependent coordinates are chosen by
 * pivoting and kept while they are well conditioned; Newton-Raphson and the velocity correction
 * move only them. */
#include <string.h>

#include "math/lapack.h"
#include "stabilization/partition.h"

/* Doubles; up to here directions are found densely. */
static const double dense_storage = 3e4;
/* Of the tangent directions' size in the independent coordinates when they were chosen: below it
 * the choice is made anew. */
static const double worn_out = 0.5;
/* Below this a direction is singular: it is left alone rather than moved by amplified round-off. */
static const double singular = 1e-7;
/* The least pivot of the dependent columns, relative to the largest: below this errors across the
 * constraints would turn into errors along the motion, on which a multistep method feeds. There the
 * mass-weighted correction is used. */
static const double ill = 3e-2;

typedef struct partition {
  int rank;     /* dependent coordinates */
  int freedoms; /* independent ones; −1: not chosen yet */
  int *chosen;  /* [n] the independent ones first */
  double chosen_size;
  double *scale; /* [n] 1/√M: coordinates of different units become comparable */
  double *full;  /* [m × n] column-major Cq scaled */
  double *A;     /* Q and R of whatever is decomposed; at last of the dependent columns */
  double *Z;     /* [n × freedoms] orthonormal tangent directions */
  int used;      /* pivots of the dependent columns above `singular` */
  int *pivot;    /* [n or m] */
  double *tau, *b, *work;
  int work_size;
} partition;

static bool create(trm_stabilizer *st, trm_arena *arena, const trm_settings *settings) {
  const trm_system *sys = st->system;
  trm_linear linear = trm_linear_find(settings->linear);
  bool large = (double)sys->n * (sys->n + 2.0 * sys->m) > dense_storage;
  if (linear == TRM_LINEAR_SPARSE || (linear == TRM_LINEAR_AUTO && large)) {
    st->type = &trm_stabilization_partition_sparse;
    return st->type->create(st, arena, settings);
  }
  partition *own = st->own = TRM_NEW(arena, partition, 1);
  if (!own) return false;
  size_t n = (size_t)sys->n, m = (size_t)sys->m + 1;
  own->freedoms = -1;
  own->chosen = TRM_KEEP_NEW(arena, int, n);
  TRM_KEEP(arena, own->rank);
  TRM_KEEP(arena, own->freedoms);
  TRM_KEEP(arena, own->chosen_size);
  own->pivot = TRM_NEW(arena, int, n + m);
  own->scale = TRM_NEW(arena, double, n);
  own->full = TRM_NEW(arena, double, m *n);
  own->A = TRM_NEW(arena, double, (m > n ? m : n) * n);
  own->Z = TRM_NEW(arena, double, n *n);
  own->tau = TRM_NEW(arena, double, n + m);
  own->b = TRM_NEW(arena, double, n + m);
  own->work_size = (int)(64 * (n + m));
  own->work = TRM_NEW(arena, double, own->work_size);
  return own->chosen && own->pivot && own->scale && own->full && own->A && own->Z && own->tau &&
         own->b && own->work;
}

/* A singular M may have zeros on its diagonal; the coordinates of a body's rotation then share its
 * trace, which does not depend on the position. */
void trm_partition_weigh(const trm_system *sys, double *scale) {
  const trm_structure *s = &sys->structure;
  int dim = sys->motion.dim;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), stride = s->mass_diagonal ? 1 : width + 1;
    const double *M = sys->M + s->mass_value[b];
    double trace = 0;
    for (int i = dim; i < width; i++) trace += M[i * stride];
    for (int i = 0; i < width; i++) {
      double mass = s->mass_singular && i >= dim ? trace : M[i * stride];
      scale[s->q_start[b] + i] = mass > 0 ? 1 / sqrt(mass) : 1;
    }
  }
}

static void spread(partition *own, const trm_system *sys) {
  const trm_structure *s = &sys->structure;
  memset(own->full, 0, (size_t)s->m * (size_t)s->n * sizeof(double));
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = sys->Cq + s->panel_value[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width)
      for (int k = 0; k < width && !(sys->misfits && sys->misfits[s->panel_row[p]]); k++) {
        int column = s->q_start[b] + k;
        own->full[(size_t)column * (size_t)s->m + (size_t)s->panel_row[p]] =
            row[k] * own->scale[column];
      }
  }
}

/* Pivoted QR of the rows × columns matrix in A; the number of pivots above the cut. */
static int decompose(partition *own, int rows, int columns) {
  int info, most = columns < rows ? columns : rows, rank = 0;
  memset(own->pivot, 0, (size_t)columns * sizeof *own->pivot);
  dgeqp3_(&rows, &columns, own->A, &rows, own->pivot, own->tau, own->work, &own->work_size, &info);
  while (rank < most &&
         fabs(own->A[(size_t)rank * (size_t)rows + (size_t)rank]) > singular * fabs(own->A[0]))
    rank++;
  return rank;
}

/* Z: the directions that Cq leaves free, from Cqᵀ P = Q R */
static void find_tangents(partition *own, int m, int n, int limit) {
  int info;
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++)
      own->A[(size_t)i * (size_t)n + (size_t)k] = own->full[(size_t)k * (size_t)m + (size_t)i];
  own->rank = decompose(own, n, m);
  if (own->rank > limit) own->rank = limit;
  int free = n - own->rank, k = own->rank;
  memset(own->Z, 0, (size_t)n * (size_t)free * sizeof *own->Z);
  for (int c = 0; c < free; c++) own->Z[(size_t)c * (size_t)n + (size_t)(k + c)] = 1;
  if (k > 0 && free > 0)
    dormqr_("L", "N", &n, &free, &k, own->A, &n, own->tau, own->Z, &n, own->work, &own->work_size,
            &info, 1, 1);
}

/* Zᵀ restricted to the coordinates in `columns` (all where NULL), and its least pivot. */
static double size_in(partition *own, int n, const int *columns, int count) {
  int free = n - own->rank;
  for (int k = 0; k < count; k++)
    for (int c = 0; c < free; c++)
      own->A[(size_t)k * (size_t)free + (size_t)c] =
          own->Z[(size_t)c * (size_t)n + (size_t)(columns ? columns[k] : k)];
  decompose(own, free, count);
  return fabs(own->A[(size_t)(free - 1) * (size_t)free + (size_t)(free - 1)]);
}

/* The coordinates in which the tangent directions are largest become the independent ones. */
static void choose(partition *own, int n) {
  own->freedoms = n - own->rank;
  own->chosen_size = own->freedoms > 0 ? size_in(own, n, NULL, n) : 1;
  for (int k = 0; k < n; k++) own->chosen[k] = own->freedoms > 0 ? own->pivot[k] - 1 : k;
}

static bool is_worn_out(partition *own, int n) {
  if (n - own->rank != own->freedoms) return true;
  if (own->freedoms == 0) return false;
  return size_in(own, n, own->chosen, own->freedoms) < worn_out * own->chosen_size;
}

static void factor(trm_stabilizer *st) {
  partition *own = st->own;
  int m = st->system->m, n = st->system->n;
  if (m == 0) return;
  trm_partition_weigh(st->system, own->scale);
  spread(own, st->system);
  find_tangents(own, m, n, st->rank);
  if (own->freedoms < 0 || is_worn_out(own, n)) choose(own, n);
  for (int k = 0; k < own->rank; k++)
    memcpy(own->A + (size_t)k * (size_t)m,
           own->full + (size_t)own->chosen[own->freedoms + k] * (size_t)m,
           (size_t)m * sizeof(double));
  own->used = decompose(own, m, own->rank);
}

static bool is_ill(const partition *own, int m) {
  int last = own->rank - 1;
  return own->used < own->rank ||
         fabs(own->A[(size_t)last * (size_t)m + (size_t)last]) < ill * fabs(own->A[0]);
}

/* The dependent part of x moves by −A⁺ residual; pivots that are lost do not move. */
static void project(trm_stabilizer *st, const double *residual, double *dx) {
  partition *own = st->own;
  int m = st->system->m, one = 1, info, k = own->used;
  memset(dx, 0, (size_t)st->system->n * sizeof *dx);
  if (m == 0 || k == 0) return;
  if (is_ill(own, m)) {
    trm_solver_project(st->solver, residual, dx);
    return;
  }
  memcpy(own->b, residual, (size_t)m * sizeof(double));
  dormqr_("L", "T", &m, &one, &k, own->A, &m, own->tau, own->b, &m, own->work, &own->work_size,
          &info, 1, 1);
  dtrsv_("U", "N", "N", &k, own->A, &m, own->b, &one, 1, 1, 1);
  for (int i = 0; i < k; i++) {
    int coordinate = own->chosen[own->freedoms + own->pivot[i] - 1];
    dx[coordinate] = own->scale[coordinate] * own->b[i];
  }
}

const trm_stabilization trm_stabilization_partition = {
    .name = "partition", .create = create, .project = project, .factor = factor};
