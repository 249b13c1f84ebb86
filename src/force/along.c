/* Elements along a scalar: spring-dampers (a distance), torsion springs (an angle), actuators
 * (either, or a joint's freedom), and torsion springs between two joints' angles. */
#include "coordinates/angle.h"
#include "force/element.h"

double trm_element_value(const trm_element *e, const trm_motion *m) {
  return trm_scalar_value(e->scalar, m) - (e->against ? trm_scalar_value(e->against, m) : 0);
}

double trm_element_rate(const trm_element *e, const trm_motion *m) {
  return trm_scalar_rate(e->scalar, m) - (e->against ? trm_scalar_rate(e->against, m) : 0);
}

/* to += scale ∂s/∂q */
static void add_gradient(const trm_scalar *s, const trm_motion *m, double scale, trm_row *to) {
  trm_scalar_gradient(s, m, scale, trm_row_part(to, s->end[0].body),
                      trm_row_part(to, s->end[1].body));
}

/* row += scale ∂s/∂q */
static void add_stretch_gradient(const trm_element *e, const trm_motion *m, double scale,
                                 trm_row *row) {
  add_gradient(e->scalar, m, scale, row);
  if (e->against) add_gradient(e->against, m, -scale, row);
}

/* B += scale ∂²s/∂q² */
static void add_curvature(const trm_element *e, double scale, const trm_curvature *c) {
  trm_scalar_curvature(e->scalar, scale, c);
  if (e->against) trm_scalar_curvature(e->against, -scale, c);
}

/* Q += effort ∂s/∂q */
static void push(const trm_element *e, const trm_motion *m, double effort, double *Q) {
  trm_push_along(e->scalar, m, effort, Q);
  if (e->against) trm_push_along(e->against, m, -effort, Q);
}

static void push_stretched(const trm_scalar *s, const trm_motion *m, const trm_stretch *stretch,
                           double effort, double *Q) {
  trm_stretch_gradient(s, m, stretch, effort, trm_body_rows(m, Q, s->end[0].body),
                       trm_body_rows(m, Q, s->end[1].body));
}

static const char coincident[] = "its ends coincide, so its force has no direction";

static const char opposite[] = "its axis has swung by half a turn, where a twist about it is "
                               "undefined: a joint that keeps the "
                               "bodies coaxial is missing, or a bushing is better";

/* tension k (s − s0) + c ṡ */
static const char *apply_spring(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                                double *power) {
  trm_stretch first, second = {0};
  trm_scalar_stretch(e->scalar, m, &first);
  if (e->against) trm_scalar_stretch(e->against, m, &second);
  double s = first.value - second.value, rate = first.rate - second.rate;
  double free = trm_quantity_value(&e->free, slots);
  if (s == 0 && e->scalar->kind == TRM_SCALAR_DISTANCE && free != 0) return coincident;
  if (e->scalar->kind == TRM_SCALAR_ANGLE && trm_angle_is_lost(e->scalar, m)) return opposite;
  double spring = trm_quantity_value(&e->stiffness, slots) * (s - free);
  double damper = trm_quantity_value(&e->damping, slots) * rate;
  e->effort = spring + damper;
  push_stretched(e->scalar, m, &first, -e->effort, Q);
  if (e->against) push_stretched(e->against, m, &second, e->effort, Q);
  *power -= (e->conservative ? damper : e->effort) * rate;
  return NULL;
}

static double spring_potential(const trm_element *e, const trm_motion *m) {
  if (!e->conservative) return 0;
  double stretch = trm_element_value(e, m) - e->free.number;
  return e->stiffness.number * stretch * stretch / 2;
}

static const char *apply_actuator(trm_element *e, const trm_motion *m, const double *slots,
                                  double *Q, double *power) {
  e->effort = trm_quantity_value(&e->value[0], slots);
  if (e->scalar->kind == TRM_SCALAR_DISTANCE && e->effort != 0 && trm_element_value(e, m) == 0)
    return coincident;
  push(e, m, e->effort, Q);
  *power += e->effort * trm_element_rate(e, m);
  return NULL;
}

/* Q = effort ∂s/∂q: the slope of the gradient, which is in to->push, and that of the effort, in
 * to->q and to->v */
static void push_slope(const trm_element *e, double effort, trm_force_tangent *to) {
  trm_push_slope(to);
  add_curvature(e, -effort, &to->K);
}

static const char *spring_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  double s = trm_element_value(e, m), rate = trm_element_rate(e, m);
  double k = trm_quantity_value(&e->stiffness, to->slots);
  double c = trm_quantity_value(&e->damping, to->slots);
  double stretch = s - trm_quantity_value(&e->free, to->slots);
  add_stretch_gradient(e, m, 1, to->push);
  trm_row_add(to->push, -k, to->q);
  if (c != 0) {
    const trm_curvature rate_slope = {.motion = m, .x = to->state_v, .row = to->q};
    trm_row_add(to->push, -c, to->v);
    add_curvature(e, -c, &rate_slope);
  }
  bool finite = trm_quantity_slope(&e->stiffness, -stretch, to) &&
                trm_quantity_slope(&e->damping, -rate, to) && trm_quantity_slope(&e->free, k, to);
  push_slope(e, -k * stretch - c * rate, to);
  return finite ? NULL : trm_not_smooth;
}

static const char *actuator_tangent(const trm_element *e, trm_force_tangent *to) {
  bool finite = trm_quantity_slope(&e->value[0], 1, to);
  add_stretch_gradient(e, to->K.motion, 1, to->push);
  push_slope(e, trm_quantity_value(&e->value[0], to->slots), to);
  return finite ? NULL : trm_not_smooth;
}

const trm_element_class trm_element_spring = {
    .apply = apply_spring, .potential = spring_potential, .tangent = spring_tangent};
const trm_element_class trm_element_actuator = {.apply = apply_actuator,
                                                .tangent = actuator_tangent};
