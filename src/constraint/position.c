/* Two points coincide: r0 − r1 = 0 (000 eq. 32–37). */
#include "constraint/primitive.h"

static void position(const trm_primitive *p, const trm_motion *m, double *C) {
  double d0[3], d1[3];
  int b0 = p->end[0].body, b1 = p->end[1].body;
  trm_direction(m, &p->end[0], d0);
  trm_direction(m, &p->end[1], d1);
  trm_gap(m->dim, m->frames[b0].x, d0, m->frames[b1].x, d1, b1 < 0, C);
}

static void jacobian(const trm_primitive *p, const trm_motion *m) {
  double *J0 = trm_primitive_rows(p, p->end[0].body);
  double *J1 = trm_primitive_rows(p, p->end[1].body);
  for (int k = 0; k < m->dim; k++) {
    double axis[3] = {k == 0, k == 1, k == 2};
    trm_row_point(m, &p->end[0], axis, 1, J0 ? J0 + k * m->nq : NULL);
    trm_row_point(m, &p->end[1], axis, -1, J1 ? J1 + k * m->nq : NULL);
  }
}

static void bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  double b0[3], b1[3];
  trm_direction_bias(m, &p->end[0], b0);
  trm_direction_bias(m, &p->end[1], b1);
  trm_sub(m->dim, b1, b0, Qd);
}

static void reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                     double force[3], double torque[3]) {
  (void)p;
  (void)torque;
  for (int k = 0; k < m->dim; k++) force[k] += lambda[k];
}

static void curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  trm_bend(c, &p->end[0], lambda, 1);
  trm_bend(c, &p->end[1], lambda, -1);
}

const trm_primitive_class trm_primitive_position = {
    .name = "position",
    .position = position,
    .jacobian = jacobian,
    .bias = bias,
    .reaction = reaction,
    .curvature = curvature,
    .linear_constant = true,
};
