/* A force element with states, for tests: a spring and a damper in series, whose extension is one
 * state, and what that has covered is another. f = k (s − free − z₀), ż₀ = f/c, ż₁ = z₀². */
#ifndef TRM_TESTS_MAXWELL_H
#define TRM_TESTS_MAXWELL_H

#include "force/element.h"

static inline double maxwell_force(const trm_element *e, const trm_motion *m, const double *slots) {
  double stretch = trm_scalar_value(e->scalar, m) - trm_quantity_value(&e->free, slots) - e->z[0];
  return trm_quantity_value(&e->stiffness, slots) * stretch;
}

static const char *maxwell_apply(trm_element *e, const trm_motion *m, const double *slots,
                                 double *Q, double *power) {
  e->effort = -maxwell_force(e, m, slots);
  trm_push_along(e->scalar, m, e->effort, Q);
  *power += e->effort * trm_scalar_rate(e->scalar, m);
  return NULL;
}

static void maxwell_rates(trm_element *e, const trm_motion *m, const double *slots, double *rates) {
  rates[0] = maxwell_force(e, m, slots) / trm_quantity_value(&e->damping, slots);
  rates[1] = e->z[0] * e->z[0];
}

static void maxwell_start(const trm_element *e, const trm_motion *m, const double *slots,
                          double *z) {
  z[0] = 0.5 * (trm_scalar_value(e->scalar, m) - trm_quantity_value(&e->free, slots));
}

/* q, v += scale ∂f; stiffness and damping are numbers */
static void maxwell_slope(const trm_element *e, trm_force_tangent *to, double scale) {
  const trm_motion *m = to->K.motion;
  double k = trm_quantity_value(&e->stiffness, to->slots);
  trm_scalar_gradient(e->scalar, m, scale * k, trm_row_part(to->q, e->scalar->end[0].body),
                      trm_row_part(to->q, e->scalar->end[1].body));
  *trm_state_part(to, to->v, e->first_state) -= scale * k;
  trm_quantity_slope(&e->free, -scale * k, to);
}

static const char *maxwell_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  maxwell_slope(e, to, -1);
  trm_scalar_gradient(e->scalar, m, 1, trm_row_part(to->push, e->scalar->end[0].body),
                      trm_row_part(to->push, e->scalar->end[1].body));
  trm_push_slope(to);
  trm_scalar_curvature(e->scalar, maxwell_force(e, m, to->slots), &to->K);
  *trm_state_part(to, to->push, e->first_state) = 1;
  maxwell_slope(e, to, 1 / trm_quantity_value(&e->damping, to->slots));
  trm_push_slope(to);
  *trm_state_part(to, to->push, e->first_state + 1) = 1;
  *trm_state_part(to, to->v, e->first_state) = 2 * e->z[0];
  trm_push_slope(to);
  return NULL;
}

static const char *const maxwell_names[] = {"extension", "covered"};

/* To be set as `own` of a spring-damper. */
static const trm_element_class maxwell = {.apply = maxwell_apply,
                                          .tangent = maxwell_tangent,
                                          .states = 2,
                                          .state_names = maxwell_names,
                                          .start = maxwell_start,
                                          .rates = maxwell_rates};

#endif
