/* From coordinates to frames, and spin from frames: the same for every formulation. */
#include "coordinates/motion.h"

#include <string.h>

void trm_motion_position(trm_motion *motion, const double *q) {
  motion->q = q;
  for (int b = 0; b < motion->bodies; b++) {
    trm_frame *frame = &motion->frames[b];
    const double *qb = trm_motion_q(motion, b);
    for (int i = 0; i < motion->dim; i++) frame->x[i] = qb[i];
    motion->coordinates->axes(qb, frame->a);
  }
}

void trm_motion_velocity(trm_motion *motion, const double *qdot) {
  const trm_coordinates *co = motion->coordinates;
  for (int b = 0; b < motion->bodies; b++) {
    trm_frame *frame = &motion->frames[b];
    const double *qb = trm_motion_q(motion, b);
    const double *vb = qdot + (ptrdiff_t)b * motion->nq;
    for (int i = 0; i < motion->dim; i++) frame->v[i] = vb[i];
    co->rates(qb, frame->a, vb, frame->da);
    if (!co->linear) co->bias(qb, frame->a, vb, frame->dda);
  }
}

void trm_row_spin(const trm_motion *m, int body, double scale, double *row) {
  if (!row) return;
  double(*a)[3] = m->frames[body].a;
  for (int k = 0; k < 2; k++) {
    double u[3] = {k == 0, k == 1, 0};
    double s[3] = {-a[k][1], a[k][0], 0};
    m->coordinates->add(trm_motion_q(m, body), a, u, s, scale / 2, row + m->dim);
  }
}

double trm_spin(const trm_motion *m, int body) {
  const trm_frame *f = &m->frames[body];
  return (trm_cross_z(f->a[0], f->da[0]) + trm_cross_z(f->a[1], f->da[1])) / 2;
}

double trm_spin_bias(const trm_motion *m, int body) {
  const trm_frame *f = &m->frames[body];
  return (trm_cross_z(f->a[0], f->dda[0]) + trm_cross_z(f->a[1], f->dda[1])) / 2;
}

const trm_coordinates *trm_coordinates_find(const char *name, int dim) {
  static const trm_coordinates *const all[] = {&trm_natural_planar, &trm_angle_planar};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]->dim == dim && strcmp(all[i]->name, name) == 0) return all[i];
  return NULL;
}
