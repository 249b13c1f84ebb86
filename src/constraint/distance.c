/* Two points keep a distance l(t) > 0: ((r0 − r1)² − l²)/(2l) = 0, a length to first order. */
#include "constraint/primitive.h"

static void position(const trm_primitive *p, const trm_motion *m, double *C) {
  double e[3], l = p->value;
  trm_primitive_gap(p, m, e);
  C[0] = (trm_dot(m->dim, e, e) - l * l) / (2 * l);
}

static void jacobian(const trm_primitive *p, const trm_motion *m) {
  double e[3];
  trm_primitive_gap(p, m, e);
  trm_row_point(m, &p->end[0], e, 1 / p->value, trm_primitive_rows(p, p->end[0].body));
  trm_row_point(m, &p->end[1], e, -1 / p->value, trm_primitive_rows(p, p->end[1].body));
}

/* With g = e·e/(2l) − l/2: Ct = −(l̇/2)(e·e/l² + 1); on the constraint −l̇. Differentiated twice: */
static void bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  double e[3], v0[3], v1[3], de[3], b0[3], b1[3], be[3];
  trm_primitive_gap(p, m, e);
  trm_velocity(m, &p->end[0], v0);
  trm_velocity(m, &p->end[1], v1);
  trm_sub(m->dim, v0, v1, de);
  trm_direction_bias(m, &p->end[0], b0);
  trm_direction_bias(m, &p->end[1], b1);
  trm_sub(m->dim, b0, b1, be);
  double l = p->value, dl = p->rate, ee = trm_dot(m->dim, e, e);
  Qd[0] = -(trm_dot(m->dim, de, de) + trm_dot(m->dim, e, be)) / l +
          2 * trm_dot(m->dim, e, de) * dl / (l * l) - ee * dl * dl / (l * l * l) +
          (ee / (l * l) - 1) / 2 * p->acceleration;
}

static void reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                     double force[3], double torque[3]) {
  double e[3];
  (void)torque;
  trm_primitive_gap(p, m, e);
  trm_axpy(m->dim, lambda[0] / p->value, e, force);
}

static void curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  trm_lever lever[2];
  double e[3], scale = lambda[0] / p->value;
  trm_primitive_gap(p, c->motion, e);
  for (int side = 0; side < 2; side++) {
    trm_bend(c, &p->end[side], e, side ? -scale : scale);
    trm_lever_point(c->motion, &p->end[side], &lever[side]);
    trm_curve(c, &lever[side], NULL, &lever[side], scale);
  }
  trm_curve_both(c, &lever[0], NULL, &lever[1], -scale);
}

const trm_primitive_class trm_primitive_distance = {
    .name = "distance",
    .position = position,
    .jacobian = jacobian,
    .bias = bias,
    .reaction = reaction,
    .curvature = curvature,
};
