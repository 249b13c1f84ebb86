/* A point keeps its place across a direction carried by the first body: d0·(r0 − r1) − value = 0
 * (000 eq. 48–53). */
#include "constraint/primitive.h"

static void position(const trm_primitive *p, const trm_motion *m, double *C) {
  double e[3], d[3];
  trm_primitive_gap(p, m, e);
  trm_direction(m, &p->direction[0], d);
  C[0] = trm_dot(m->dim, d, e) - p->value;
}

static void jacobian(const trm_primitive *p, const trm_motion *m) {
  double e[3], d[3];
  trm_primitive_gap(p, m, e);
  trm_direction(m, &p->direction[0], d);
  double *J0 = trm_primitive_rows(p, p->end[0].body);
  trm_row_point(m, &p->end[0], d, 1, J0);
  trm_row_direction(m, &p->direction[0], e, 1, J0);
  trm_row_point(m, &p->end[1], d, -1, trm_primitive_rows(p, p->end[1].body));
}

static void bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  double e[3], d[3], v0[3], v1[3], de[3], dd[3], b0[3], b1[3], be[3], bd[3];
  trm_primitive_gap(p, m, e);
  trm_direction(m, &p->direction[0], d);
  trm_velocity(m, &p->end[0], v0);
  trm_velocity(m, &p->end[1], v1);
  trm_sub(m->dim, v0, v1, de);
  trm_direction_rate(m, &p->direction[0], dd);
  trm_direction_bias(m, &p->end[0], b0);
  trm_direction_bias(m, &p->end[1], b1);
  trm_sub(m->dim, b0, b1, be);
  trm_direction_bias(m, &p->direction[0], bd);
  Qd[0] = -2 * trm_dot(m->dim, dd, de) - trm_dot(m->dim, d, be) - trm_dot(m->dim, bd, e);
}

static void reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                     double force[3], double torque[3]) {
  double d[3];
  (void)torque;
  trm_direction(m, &p->direction[0], d);
  trm_axpy(m->dim, lambda[0], d, force);
}

static void curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  const trm_scalar displacement = {
      .kind = TRM_SCALAR_DISPLACEMENT, .end = {p->end[0], p->end[1]}, .along = p->direction[0]};
  trm_scalar_curvature(&displacement, -lambda[0], c);
}

const trm_primitive_class trm_primitive_slide = {
    .name = "slide",
    .position = position,
    .jacobian = jacobian,
    .bias = bias,
    .reaction = reaction,
    .curvature = curvature,
};
