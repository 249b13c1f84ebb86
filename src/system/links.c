/* A mechanism of links alone: C and products with Cq from the coordinates, without Cq and frames.
 */
#include "base/parallel.h"
#include "system/link.h"
#include "system/link_ends.h"

typedef struct product {
  const trm_system *sys;
  const double *x;
  double *y;
} product;

TRM_INLINE void bodies_times(int dim, const product *p, int part) {
  trm_range r = trm_part_range(p->sys->motion.bodies, part);
  int nq = dim + dim * dim, own = dim + dim * (dim - 1) / 2;
  for (ptrdiff_t b = r.begin; b < r.end; b++)
    trm_axes_times(dim, p->sys->motion.q + b * nq + dim, p->x + b * nq + dim, p->y + b * own);
}

TRM_INLINE void points_times(int dim, const product *p, int part) {
  const trm_links *links = p->sys->links;
  trm_range r = trm_part_range(links->points, part);
  for (const trm_point_link *l = links->point + r.begin; l < links->point + r.end; l++) {
    const double *x0 = trm_link_rates(p->x, l->at[0]), *x1 = trm_link_rates(p->x, l->at[1]);
    double r0[3], r1[3], *y = p->y + l->row;
    trm_axes_carry(dim, x0 + dim, l->u[0], r0);
    trm_axes_carry(dim, x1 + dim, l->u[1], r1);
    for (int i = 0; i < dim; i++) y[i] = (r0[i] + x0[i]) - (r1[i] + x1[i]);
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
  return trm_part_count(most(sys->motion.bodies, most(links->points, links->dots)));
}

void trm_links_times(const trm_system *sys, const double *x, double *y) {
  trm_parallel(sys->structure.pool, part_count(sys),
               sys->motion.dim == 2 ? times_planar : times_spatial, &(product){sys, x, y});
}

TRM_INLINE void gaps(int dim, trm_system *sys, int part) {
  trm_range bodies = trm_part_range(sys->motion.bodies, part);
  trm_range points = trm_part_range(sys->links->points, part);
  trm_range dots = trm_part_range(sys->links->dots, part);
  int nq = dim + dim * dim, own = dim + dim * (dim - 1) / 2;
  for (ptrdiff_t b = bodies.begin; b < bodies.end; b++)
    trm_axes_gaps(dim, sys->motion.q + b * nq + dim, sys->C + b * own);
  trm_points_position(sys, points.begin, points.end);
  trm_dots_position(sys, dots.begin, dots.end);
}

static void gaps_planar(void *data, int part) {
  gaps(2, data, part);
}

static void gaps_spatial(void *data, int part) {
  gaps(3, data, part);
}

void trm_links_gaps(trm_system *sys, double t, const double *q) {
  sys->t = t;
  sys->motion.q = q;
  trm_parallel(sys->structure.pool, part_count(sys),
               sys->motion.dim == 2 ? gaps_planar : gaps_spatial, sys);
}
