/* Two directions keep their angle: d0·d1 − value = 0 (000 eq. 38–47). */
#include "constraint/primitive.h"

static void position(const trm_primitive *p, const trm_motion *m, double *C) {
  double d0[3], d1[3];
  trm_direction(m, &p->direction[0], d0);
  trm_direction(m, &p->direction[1], d1);
  C[0] = trm_dot(m->dim, d0, d1) - p->value;
}

static void jacobian(const trm_primitive *p, const trm_motion *m) {
  double d0[3], d1[3];
  trm_direction(m, &p->direction[0], d0);
  trm_direction(m, &p->direction[1], d1);
  trm_row_direction(m, &p->direction[0], d1, 1, trm_primitive_rows(p, p->direction[0].body));
  trm_row_direction(m, &p->direction[1], d0, 1, trm_primitive_rows(p, p->direction[1].body));
}

static void bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  double d0[3], d1[3], v0[3], v1[3], b0[3], b1[3];
  trm_direction(m, &p->direction[0], d0);
  trm_direction(m, &p->direction[1], d1);
  trm_direction_rate(m, &p->direction[0], v0);
  trm_direction_rate(m, &p->direction[1], v1);
  trm_direction_bias(m, &p->direction[0], b0);
  trm_direction_bias(m, &p->direction[1], b1);
  Qd[0] = -2 * trm_dot(m->dim, v0, v1) - trm_dot(m->dim, b0, d1) - trm_dot(m->dim, d0, b1);
}

/* −λ d0 works on d1 as the torque −λ d1 × d0 */
static void reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                     double force[3], double torque[3]) {
  double d0[3], d1[3];
  (void)force;
  trm_direction(m, &p->direction[0], d0);
  trm_direction(m, &p->direction[1], d1);
  if (m->dim == 2) {
    torque[2] -= lambda[0] * trm_cross_z(d1, d0);
    return;
  }
  double cross[3];
  trm_cross(d1, d0, cross);
  trm_axpy(3, -lambda[0], cross, torque);
}

static void curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  trm_lever lever[2];
  for (int side = 0; side < 2; side++) {
    double other[3];
    trm_direction(c->motion, &p->direction[1 - side], other);
    trm_bend(c, &p->direction[side], other, lambda[0]);
    trm_lever_direction(c->motion, &p->direction[side], &lever[side]);
  }
  trm_curve_both(c, &lever[0], NULL, &lever[1], lambda[0]);
}

const trm_primitive_class trm_primitive_dot = {
    .name = "dot",
    .position = position,
    .jacobian = jacobian,
    .bias = bias,
    .reaction = reaction,
    .curvature = curvature,
    .torque = true,
};
