/* From coordinates to frames, and spin from frames: the same for every formulation. */
#include "coordinates/motion.h"

#include <string.h>

#include "math/axes.h"

void trm_motion_position_of(const trm_motion *motion, int begin, int end) {
  for (int b = begin; b < end; b++) {
    trm_frame *frame = &motion->frames[b];
    const double *qb = trm_motion_q(motion, b);
    for (int i = 0; i < motion->dim; i++) frame->x[i] = qb[i];
    motion->coordinates->axes(qb, frame->a);
  }
}

void trm_motion_velocity_of(const trm_motion *motion, const double *qdot, int begin, int end) {
  const trm_coordinates *co = motion->coordinates;
  for (int b = begin; b < end; b++) {
    trm_frame *frame = &motion->frames[b];
    const double *qb = trm_motion_q(motion, b);
    const double *vb = qdot + (ptrdiff_t)b * motion->nq;
    for (int i = 0; i < motion->dim; i++) frame->v[i] = vb[i];
    trm_axes_rates(co, qb, frame->a, vb, frame->da);
    if (!co->linear) co->bias(qb, frame->a, vb, frame->dda);
  }
}

void trm_motion_position(trm_motion *motion, const double *q) {
  motion->q = q;
  trm_motion_position_of(motion, 0, motion->bodies);
}

void trm_motion_velocity(trm_motion *motion, const double *qdot) {
  trm_motion_velocity_of(motion, qdot, 0, motion->bodies);
}

void trm_spin_of(int dim, double a[3][3], double d[3][3], double w[3]) {
  if (dim == 2) {
    w[0] = w[1] = 0;
    w[2] = (trm_cross_z(a[0], d[0]) + trm_cross_z(a[1], d[1])) / 2;
    return;
  }
  trm_axes_spin(*a, *d, w);
}

void trm_spin(const trm_motion *m, int body, double w[3]) {
  trm_spin_of(m->dim, m->frames[body].a, m->frames[body].da, w);
}

void trm_spin_bias(const trm_motion *m, int body, double b[3]) {
  trm_spin_of(m->dim, m->frames[body].a, m->frames[body].dda, b);
}

/* Wᵀτ = ½ Σ N(e_k)ᵀ (τ × a[k]) */
void trm_row_spin(const trm_motion *m, int body, const double tau[3], double *row) {
  if (!row) return;
  double(*a)[3] = m->frames[body].a;
  for (int k = 0; k < m->dim; k++) {
    double u[3] = {k == 0, k == 1, k == 2}, s[3];
    if (m->dim == 2)
      s[0] = -tau[2] * a[k][1], s[1] = tau[2] * a[k][0];
    else
      trm_cross(tau, a[k], s);
    m->coordinates->add(trm_motion_q(m, body), a, u, s, 0.5, row + m->dim);
  }
}

const trm_coordinates *trm_coordinates_find(const char *name, int dim) {
  static const trm_coordinates *const all[] = {
      &trm_natural_planar,  &trm_angle_planar,  &trm_euler_planar,    &trm_cartesian_planar,
      &trm_natural_spatial, &trm_euler_spatial, &trm_relative_spatial};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]->dim == dim && strcmp(all[i]->name, name) == 0) return all[i];
  return NULL;
}
