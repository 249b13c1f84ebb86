/* A force at a point and a torque on a body, in global or body axes. */
#include "force/element.h"

static const char *apply_force(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                               double *power) {
  double value[3] = {0, 0, 0}, F[3], v[3];
  for (int k = 0; k < m->dim; k++) value[k] = trm_quantity_value(&e->value[k], slots);
  for (int k = 0; k < m->dim; k++) F[k] = value[k];
  if (e->body_frame) trm_carry(m->dim, m->frames[e->end.body].a, value, F);
  trm_row_point(m, &e->end, F, 1, trm_body_rows(m, Q, e->end.body));
  trm_velocity(m, &e->end, v);
  *power += trm_dot(m->dim, F, v);
  return NULL;
}

static const char *apply_torque(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                                double *power) {
  double tau[3] = {0, 0, 0}, w[3];
  for (int k = m->dim == 2 ? 2 : 0; k < 3; k++) tau[k] = trm_quantity_value(&e->value[k], slots);
  if (e->body_frame && m->dim == 3) {
    double value[3] = {tau[0], tau[1], tau[2]}, global[3];
    trm_carry(3, m->frames[e->end.body].a, value, global);
    for (int k = 0; k < 3; k++) tau[k] = global[k];
  }
  trm_row_spin(m, e->end.body, tau, trm_body_rows(m, Q, e->end.body));
  trm_spin(m, e->end.body, w);
  *power += trm_dot(3, tau, w);
  return NULL;
}

const trm_element_class trm_element_force = {apply_force, NULL};
const trm_element_class trm_element_torque = {apply_torque, NULL};
