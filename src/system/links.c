/* The evaluation of a mechanism in natural coordinates by its links: all they need comes from q and
 * v themselves. Frames are evaluated for forces and other joints only; else they and Cq are stale
 * until somebody asks. */
#include "base/parallel.h"
#include "system/link.h"
#include "system/link_ends.h"
#include "system/mechanism.h"

#include <string.h>

typedef struct product {
  const trm_system *sys;
  const double *x;
  double *y;
} product;

TRM_INLINE void bodies_times(int dim, const product *p, int part) {
  trm_range r = trm_part_range(p->sys->motion.bodies, part);
  int nq = dim + dim * dim, intrinsic = dim + dim * (dim - 1) / 2;
  for (ptrdiff_t b = r.begin; b < r.end; b++)
    trm_axes_times(dim, p->sys->motion.q + b * nq + dim, p->x + b * nq + dim, p->y + b * intrinsic);
}

TRM_INLINE void points_times(int dim, const product *p, int part) {
  const trm_links *links = p->sys->links;
  const double *x = p->x;
  double *y = p->y;
  trm_range r = trm_part_range(links->points, part);
  const trm_point_link *l = links->point + r.begin, *end = links->point + r.end;
  for (; l < end; l++) {
    const double *x0 = trm_link_rates(x, l->at[0]), *x1 = trm_link_rates(x, l->at[1]);
    double d0[3], d1[3];
    trm_axes_carry(dim, x0 + dim, l->u[0], d0);
    trm_axes_carry(dim, x1 + dim, l->u[1], d1);
    trm_link_gap(dim, x0, d0, x1, d1, false, y + l->row);
  }
}

TRM_INLINE void dots_times(int dim, const product *p, int part) {
  const trm_links *links = p->sys->links;
  const double *q = p->sys->motion.q;
  trm_range r = trm_part_range(links->dots, part);
  for (const trm_dot_link *l = links->dot + r.begin; l < links->dot + r.end; l++) {
    double d0[3], d1[3], x0[3], x1[3];
    trm_axes_carry(dim, trm_link_q(dim, q, l->at[0]) + dim, l->u[0], d0);
    trm_axes_carry(dim, trm_link_q(dim, q, l->at[1]) + dim, l->u[1], d1);
    trm_axes_carry(dim, trm_link_rates(p->x, l->at[0]) + dim, l->u[0], x0);
    trm_axes_carry(dim, trm_link_rates(p->x, l->at[1]) + dim, l->u[1], x1);
    p->y[l->row] = trm_axes_dot(dim, d0, x1) + trm_axes_dot(dim, d1, x0);
  }
}

/* Bodies and links of a part are neighbours more often than not. */
static void times_planar(void *data, int part) {
  bodies_times(2, data, part);
  points_times(2, data, part);
  dots_times(2, data, part);
}

static void times_spatial(void *data, int part) {
  bodies_times(3, data, part);
  points_times(3, data, part);
  dots_times(3, data, part);
}

static int most(int a, int b) {
  return a > b ? a : b;
}

static int part_count(const trm_system *sys) {
  const trm_links *links = sys->links;
  return trm_part_count(most(sys->motion.bodies, trm_links_count(links)));
}

static void times_others(const product *p) {
  const trm_links *links = p->sys->links;
  int nq = p->sys->motion.nq;
  for (int i = 0; i < links->others; i++) {
    const trm_primitive *other = &p->sys->primitives[links->other[i]];
    for (int r = 0; r < other->rows; r++) {
      double sum = 0;
      for (int k = 0; k < other->bodies; k++)
        sum += trm_pair_dot(nq, other->J[k] + r * nq, p->x + (ptrdiff_t)other->body[k] * nq);
      p->y[other->row + r] = sum;
    }
  }
}

void trm_links_times(const trm_system *sys, const double *x, double *y) {
  product p = {sys, x, y};
  trm_parallel(sys->structure.pool, part_count(sys),
               sys->motion.dim == 2 ? times_planar : times_spatial, &p);
  times_others(&p);
}

/* Only other joints move by themselves. */
void trm_links_residual(const trm_system *sys, const double *v, double *residual) {
  trm_links_times(sys, v, residual);
  if (sys->links->others > 0) trm_pair_axpy(sys->m, 1, sys->Ct, residual);
}

/* ---- positions ---- */

static bool needs_frames(const trm_system *sys) {
  const trm_model *model = sys->model;
  return model->force_count > 0 || model->input_count > 0 || sys->links->others > 0;
}

static void move_frames(void *data, int part) {
  const trm_system *sys = data;
  trm_range r = trm_part_range(sys->motion.bodies, part);
  trm_motion_position_of(&sys->motion, r.begin, r.end);
}

/* The rows of the other joints, from frames; forces see these at the velocity stage. */
static bool go_to(trm_system *sys, double t, const double *q) {
  trm_system_move_to(sys, t, q);
  sys->rows_stale = sys->frames_stale = true;
  if (sys->links->others == 0) return true;
  trm_parallel(sys->structure.pool, trm_part_count(sys->motion.bodies), move_frames, sys);
  return trm_unlinked_position(sys);
}

TRM_INLINE void gaps(int dim, trm_system *sys, int part) {
  trm_range bodies = trm_part_range(sys->motion.bodies, part);
  int nq = dim + dim * dim, intrinsic = dim + dim * (dim - 1) / 2;
  for (ptrdiff_t b = bodies.begin; b < bodies.end; b++)
    trm_axes_gaps(dim, sys->motion.q + b * nq + dim, sys->C + b * intrinsic);
  trm_links_position(sys, part);
}

static void gaps_planar(void *data, int part) {
  gaps(2, data, part);
}

static void gaps_spatial(void *data, int part) {
  gaps(3, data, part);
}

static bool position(trm_system *sys, double t, const double *q) {
  if (!go_to(sys, t, q)) return false;
  trm_parallel(sys->structure.pool, part_count(sys),
               sys->motion.dim == 2 ? gaps_planar : gaps_spatial, sys);
  return true;
}

/* ---- velocities ---- */

TRM_INLINE void biases(int dim, trm_system *sys, int part) {
  trm_range bodies = trm_part_range(sys->motion.bodies, part);
  int nq = dim + dim * dim, intrinsic = dim + dim * (dim - 1) / 2;
  for (ptrdiff_t b = bodies.begin; b < bodies.end; b++)
    trm_axes_bias(dim, sys->v + b * nq + dim, sys->Qd + b * intrinsic);
  trm_links_bias(sys, part);
}

static void biases_planar(void *data, int part) {
  biases(2, data, part);
}

static void biases_spatial(void *data, int part) {
  biases(3, data, part);
}

TRM_INLINE void fill_frame(int dim, const double *q, const double *v, trm_frame *frame) {
  memcpy(frame->x, q, (size_t)dim * sizeof *q);
  memcpy(frame->v, v, (size_t)dim * sizeof *v);
#pragma GCC unroll 3
  for (int k = 0; k < dim; k++) {
    memcpy(frame->a[k], q + dim + k * dim, (size_t)dim * sizeof *q);
    memcpy(frame->da[k], v + dim + k * dim, (size_t)dim * sizeof *v);
  }
}

/* Natural coordinates are the frames. */
static void move_all(void *data, int part) {
  const trm_system *sys = data;
  trm_range r = trm_part_range(sys->motion.bodies, part);
  ptrdiff_t nq = sys->motion.nq, first = r.begin * nq;
  const double *q = sys->motion.q, *v = sys->v;
  for (ptrdiff_t b = r.begin; b < r.end; b++) {
    if (sys->motion.dim == 2)
      fill_frame(2, q + b * nq, v + b * nq, &sys->motion.frames[b]);
    else
      fill_frame(3, q + b * nq, v + b * nq, &sys->motion.frames[b]);
  }
  if (trm_mechanism_is_forced(sys))
    memcpy(sys->Q + first, sys->weight_force + first,
           (size_t)(r.end * nq - first) * sizeof(double));
}

/* Frames' rates, Q and power, Qd of the other joints. */
static bool apply_forces(trm_system *sys, const double *v) {
  sys->v = v;
  sys->power = 0;
  sys->frames_stale = !needs_frames(sys);
  if (sys->frames_stale) return true;
  trm_parallel(sys->structure.pool, trm_part_count(sys->motion.bodies), move_all, sys);
  trm_system_fill_slots(sys, v);
  return trm_unlinked_bias(sys) && trm_mechanism_forces(sys, sys->Q);
}

static bool velocity(trm_system *sys, const double *v) {
  if (!apply_forces(sys, v)) return false;
  trm_parallel(sys->structure.pool, part_count(sys),
               sys->motion.dim == 2 ? biases_planar : biases_spatial, sys);
  return true;
}

/* ---- within a step ---- */

static bool stage(trm_system *sys, double t, const double *q, const double *v) {
  if (!go_to(sys, t, q) || !apply_forces(sys, v)) return false;
  trm_parallel(sys->structure.pool, trm_part_count(sys->links->dots), trm_links_bias, sys);
  return true;
}

static void fill(void *system, int count, const int *bodies) {
  trm_system *sys = system;
  ptrdiff_t dim = sys->motion.dim, nq = sys->motion.nq, intrinsic = sys->structure.intrinsic;
  for (int i = 0; i < count; i++) {
    const double *x = sys->v + bodies[i] * nq + dim;
    if (dim == 2)
      trm_axes_bias(2, x, sys->Qd + bodies[i] * intrinsic);
    else
      trm_axes_bias(3, x, sys->Qd + bodies[i] * intrinsic);
  }
}

/* ---- energies ---- */

/* On the constraints ½ vᵀM v is the kinetic energy, M being constant and no rotation massless. */
TRM_INLINE void add_energies(int dim, const trm_system *sys, ptrdiff_t b, double *energies) {
  int nq = dim + dim * dim;
  const double *M = sys->M + b * nq, *v = sys->v + b * nq, *weight = sys->weight_force + b * nq;
  double T = 0;
#pragma GCC unroll 12
  for (int i = 0; i < nq; i++) T += M[i] * v[i] * v[i];
  energies[0] += T / 2;
  energies[1] -= trm_axes_dot(dim, weight, sys->motion.q + b * nq);
}

TRM_INLINE void energies_of(int dim, trm_system *sys, int part) {
  trm_range r = trm_part_range(sys->motion.bodies, part);
  double energies[2] = {0, 0};
  for (int b = r.begin; b < r.end; b++) add_energies(dim, sys, b, energies);
  memcpy(sys->links->energies[part], energies, sizeof energies);
}

static void energies_planar(void *data, int part) {
  energies_of(2, data, part);
}

static void energies_spatial(void *data, int part) {
  energies_of(3, data, part);
}

/* Part by part, so that the sums are the same for any number of threads. */
static void energies(trm_system *sys, double *T, double *V) {
  int parts = trm_part_count(sys->motion.bodies);
  trm_parallel(sys->structure.pool, parts,
               sys->motion.dim == 2 ? energies_planar : energies_spatial, sys);
  *T = 0;
  *V = trm_mechanism_spring_energy(sys);
  for (int i = 0; i < parts; i++) {
    *T += sys->links->energies[i][0];
    *V += sys->links->energies[i][1];
  }
}

const trm_evaluation trm_evaluation_links = {
    .position = position, .velocity = velocity, .energies = energies, .stage = stage, .fill = fill};

/* ---- the rest ---- */

void trm_links_complete_frames(trm_system *sys) {
  if (!sys->frames_stale) return;
  trm_motion_position(&sys->motion, sys->motion.q);
  trm_motion_velocity(&sys->motion, sys->v);
  sys->frames_stale = false;
}

/* The frames' rates are as they were. */
void trm_system_complete_rows(trm_system *sys) {
  bool stale = sys->frames_stale;
  if (sys->rows_stale) trm_mechanism_position(sys, sys->t, sys->motion.q);
  sys->frames_stale = stale;
}
