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

/* The k-th axis that a value is given along; in the plane z is the same for all. */
static void axis_of(const trm_element *e, const trm_motion *m, int k, double d[3]) {
  bool carried = e->body_frame && k < m->dim;
  for (int i = 0; i < 3; i++) d[i] = carried ? m->frames[e->end.body].a[k][i] : i == k;
}

static const char *force_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  trm_marker carried = {.body = e->end.body};
  double F[3] = {0, 0, 0}, d[3];
  bool finite = true;
  for (int k = 0; k < m->dim; k++) {
    carried.u[k] = trm_quantity_value(&e->value[k], to->slots);
    axis_of(e, m, k, d);
    trm_axpy(3, carried.u[k], d, F);
    finite = trm_quantity_slope(&e->value[k], 1, to) && finite;
    trm_row_point(m, &e->end, d, 1, trm_row_part(to->push, e->end.body));
    trm_push_slope(to);
  }
  trm_bend(&to->K, &e->end, F, -1);
  if (e->body_frame) {
    trm_lever point, force;
    trm_lever_point(m, &e->end, &point);
    trm_lever_direction(m, &carried, &force);
    trm_curve(&to->K, &point, NULL, &force, -1);
  }
  return finite ? NULL : trm_not_smooth;
}

static const char *torque_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  trm_marker carried = {.body = e->end.body};
  double tau[3] = {0, 0, 0}, d[3];
  bool finite = true;
  for (int k = m->dim == 2 ? 2 : 0; k < 3; k++) {
    carried.u[k] = trm_quantity_value(&e->value[k], to->slots);
    axis_of(e, m, k, d);
    trm_axpy(3, carried.u[k], d, tau);
    finite = trm_quantity_slope(&e->value[k], 1, to) && finite;
    trm_row_spin(m, e->end.body, d, trm_row_part(to->push, e->end.body));
    trm_push_slope(to);
  }
  trm_bend_spin(&to->K, e->end.body, tau, -1);
  if (e->body_frame && m->dim == 3) {
    trm_lever spin, torque;
    trm_lever_spin(m, e->end.body, &spin);
    trm_lever_direction(m, &carried, &torque);
    trm_curve(&to->K, &spin, NULL, &torque, -1);
  }
  return finite ? NULL : trm_not_smooth;
}

const trm_element_class trm_element_force = {apply_force, NULL, force_tangent};
const trm_element_class trm_element_torque = {apply_torque, NULL, torque_tangent};
