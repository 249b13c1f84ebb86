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

const trm_element_class trm_element_spring = {apply_spring, spring_potential};
const trm_element_class trm_element_actuator = {apply_actuator, NULL};
