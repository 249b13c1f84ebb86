/* Elements along a scalar: spring-dampers (a distance), torsion springs (an angle), actuators
 * (either, or a joint's freedom). */
#include "force/element.h"

static const char coincident[] = "its ends coincide, so its force has no direction";

/* tension k (s − s0) + c ṡ */
static const char *apply_spring(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                                double *power) {
  double s = trm_scalar_value(e->scalar, m), rate = trm_scalar_rate(e->scalar, m);
  double free = trm_quantity_value(&e->free, slots);
  if (s == 0 && e->scalar->kind == TRM_SCALAR_DISTANCE && free != 0) return coincident;
  double spring = trm_quantity_value(&e->stiffness, slots) * (s - free);
  double damper = trm_quantity_value(&e->damping, slots) * rate;
  e->effort = spring + damper;
  trm_push_along(e->scalar, m, -e->effort, Q);
  *power -= (e->conservative ? damper : e->effort) * rate;
  return NULL;
}

static double spring_potential(const trm_element *e, const trm_motion *m) {
  if (!e->conservative) return 0;
  double stretch = trm_scalar_value(e->scalar, m) - e->free.number;
  return e->stiffness.number * stretch * stretch / 2;
}

static const char *apply_actuator(trm_element *e, const trm_motion *m, const double *slots,
                                  double *Q, double *power) {
  e->effort = trm_quantity_value(&e->value[0], slots);
  if (e->scalar->kind == TRM_SCALAR_DISTANCE && e->effort != 0 &&
      trm_scalar_value(e->scalar, m) == 0)
    return coincident;
  trm_push_along(e->scalar, m, e->effort, Q);
  *power += e->effort * trm_scalar_rate(e->scalar, m);
  return NULL;
}

/* to += scale ∂s/∂q */
static void add_gradient(const trm_scalar *s, const trm_motion *m, double scale, trm_row *to) {
  trm_scalar_gradient(s, m, scale, trm_row_part(to, s->end[0].body),
                      trm_row_part(to, s->end[1].body));
}

/* Q = effort ∂s/∂q: the gradient's own slope, and the effort's, which is in to->q and to->v */
static void push_slope(const trm_element *e, double effort, trm_force_tangent *to) {
  add_gradient(e->scalar, to->K.motion, 1, to->push);
  trm_push_slope(to);
  trm_scalar_curvature(e->scalar, -effort, &to->K);
}

static const char *spring_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  double s = trm_scalar_value(e->scalar, m), rate = trm_scalar_rate(e->scalar, m);
  double k = trm_quantity_value(&e->stiffness, to->slots);
  double c = trm_quantity_value(&e->damping, to->slots);
  double stretch = s - trm_quantity_value(&e->free, to->slots);
  add_gradient(e->scalar, m, -k, to->q);
  add_gradient(e->scalar, m, -c, to->v);
  const trm_curvature rate_slope = {.motion = m, .x = to->state_v, .row = to->q};
  trm_scalar_curvature(e->scalar, -c, &rate_slope);
  bool finite = trm_quantity_slope(&e->stiffness, -stretch, to) &&
                trm_quantity_slope(&e->damping, -rate, to) && trm_quantity_slope(&e->free, k, to);
  push_slope(e, -k * stretch - c * rate, to);
  return finite ? NULL : trm_not_smooth;
}

static const char *actuator_tangent(const trm_element *e, trm_force_tangent *to) {
  bool finite = trm_quantity_slope(&e->value[0], 1, to);
  push_slope(e, trm_quantity_value(&e->value[0], to->slots), to);
  return finite ? NULL : trm_not_smooth;
}

const trm_element_class trm_element_spring = {
    .apply = apply_spring, .potential = spring_potential, .tangent = spring_tangent};
const trm_element_class trm_element_actuator = {.apply = apply_actuator,
                                                .tangent = actuator_tangent};
