/* A linear relation between scalars: Σ factor·scalar − value = 0 (000 eq. 26, over physical
 * quantities). */
#include "constraint/primitive.h"

#define TWO_PI 6.283185307179586476925286766559

static void position(const trm_primitive *p, const trm_motion *m, double *C) {
  C[0] = -p->value;
  for (int k = 0; k < p->terms; k++) C[0] += p->factor[k] * trm_scalar_value(p->term[k], m);
  if (p->modulo) C[0] -= TWO_PI * round(C[0] / TWO_PI);
}

static void jacobian(const trm_primitive *p, const trm_motion *m) {
  for (int k = 0; k < p->terms; k++) {
    const trm_scalar *s = p->term[k];
    trm_scalar_gradient(s, m, p->factor[k], trm_primitive_rows(p, s->end[0].body),
                        trm_primitive_rows(p, s->end[1].body));
  }
}

static void bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  Qd[0] = 0;
  for (int k = 0; k < p->terms; k++) Qd[0] -= p->factor[k] * trm_scalar_bias(p->term[k], m);
}

/* The force and torque of all terms together: they share the second body and point where a reaction
 * is asked for. */
static void reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                     double force[3], double torque[3]) {
  for (int k = 0; k < p->terms; k++) {
    double f[3], tau[3], effort = -lambda[0] * p->factor[k];
    trm_scalar_wrench(p->term[k], m, f, tau);
    trm_axpy(m->dim, effort, f, force);
    trm_axpy(3, effort, tau, torque);
  }
}

static void curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  for (int k = 0; k < p->terms; k++) trm_scalar_curvature(p->term[k], lambda[0] * p->factor[k], c);
}

const trm_primitive_class trm_primitive_sum = {
    .name = "sum",
    .position = position,
    .jacobian = jacobian,
    .bias = bias,
    .reaction = reaction,
    .curvature = curvature,
};
