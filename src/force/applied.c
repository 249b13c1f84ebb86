/* A force at a point and a torque on a body, along axes of the ground or of the body itself. */
#include "force/element.h"

/* The k-th axis that a value is given along; in the plane z is the same for all. */
static void axis_of(const trm_element *e, const trm_motion *m, int k, double d[3]) {
  trm_direction(m, &e->axis[k], d);
  if (m->dim == 2) d[2] = k == 2;
}

static bool is_carried(const trm_element *e, const trm_motion *m, int k) {
  return e->axis[k].body >= 0 && k < m->dim;
}

/* Components first … 2 of the value, as one vector. */
static void add_up(const trm_element *e, const trm_motion *m, const double *slots, int first,
                   double sum[3]) {
  double d[3];
  sum[0] = sum[1] = sum[2] = 0;
  for (int k = first; k < (first == 2 ? 3 : m->dim); k++) {
    axis_of(e, m, k, d);
    trm_axpy(3, trm_quantity_value(&e->value[k], slots), d, sum);
  }
}

/* Torques in the plane have one component, the third. */
static int first_torque(const trm_motion *m) {
  return m->dim == 2 ? 2 : 0;
}

static const char *apply_force(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                               double *power) {
  double F[3], v[3];
  add_up(e, m, slots, 0, F);
  trm_row_point(m, &e->end, F, 1, trm_body_rows(m, Q, e->end.body));
  trm_velocity(m, &e->end, v);
  *power += trm_dot(m->dim, F, v);
  return NULL;
}

static const char *apply_torque(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                                double *power) {
  double tau[3], w[3];
  add_up(e, m, slots, first_torque(m), tau);
  trm_row_spin(m, e->end.body, tau, trm_body_rows(m, Q, e->end.body));
  trm_spin(m, e->end.body, w);
  *power += trm_dot(3, tau, w);
  return NULL;
}

/* −∂Q by the values, and the vector itself as one direction of the body where it is carried. */
static bool values_tangent(const trm_element *e, trm_force_tangent *to, bool torque,
                           trm_marker *carried) {
  const trm_motion *m = to->K.motion;
  int body = e->end.body, first = torque ? first_torque(m) : 0;
  bool finite = true;
  double d[3];
  *carried = (trm_marker){.body = body};
  for (int k = first; k < (first == 2 ? 3 : m->dim); k++) {
    axis_of(e, m, k, d);
    if (is_carried(e, m, k))
      trm_axpy(3, trm_quantity_value(&e->value[k], to->slots), e->axis[k].u, carried->u);
    finite = trm_quantity_slope(&e->value[k], 1, to) && finite;
    if (torque)
      trm_row_spin(m, body, d, trm_row_part(to->push, body));
    else
      trm_row_point(m, &e->end, d, 1, trm_row_part(to->push, body));
    trm_push_slope(to);
  }
  return finite;
}

static const char *force_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  trm_marker carried;
  trm_lever point, force;
  double F[3];
  bool finite = values_tangent(e, to, false, &carried);
  add_up(e, m, to->slots, 0, F);
  trm_bend(&to->K, &e->end, F, -1);
  trm_lever_point(m, &e->end, &point);
  trm_lever_direction(m, &carried, &force);
  trm_curve(&to->K, &point, NULL, &force, -1);
  return finite ? NULL : trm_not_smooth;
}

static const char *torque_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  trm_marker carried;
  trm_lever spin, torque;
  double tau[3];
  bool finite = values_tangent(e, to, true, &carried);
  add_up(e, m, to->slots, first_torque(m), tau);
  trm_bend_spin(&to->K, e->end.body, tau, -1);
  trm_lever_spin(m, e->end.body, &spin);
  trm_lever_direction(m, &carried, &torque);
  trm_curve(&to->K, &spin, NULL, &torque, -1);
  return finite ? NULL : trm_not_smooth;
}

static void force_wrench(const trm_element *e, const trm_motion *m, const double *slots,
                         double parts[6]) {
  add_up(e, m, slots, 0, parts);
}

static void torque_wrench(const trm_element *e, const trm_motion *m, const double *slots,
                          double parts[6]) {
  add_up(e, m, slots, first_torque(m), parts + 3);
}

const trm_element_class trm_element_force = {
    .apply = apply_force, .tangent = force_tangent, .wrench = force_wrench};
const trm_element_class trm_element_torque = {
    .apply = apply_torque, .tangent = torque_tangent, .wrench = torque_wrench};
