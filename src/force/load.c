/* A load between two bodies: force and torque on the second at its point, along axes carried by the
 * first, which takes their opposites at the same place: the forces on d·(r1 − r0), d carried. */
#include "force/element.h"

/* Σ value[first + k] axis[k] */
static trm_marker blend(const trm_element *e, const trm_motion *m, const double *slots, int first) {
  trm_marker sum = {.body = e->from.body};
  for (int k = 0; k < m->dim; k++)
    trm_axpy(m->dim, trm_quantity_value(&e->value[first + k], slots), e->axis[k].u, sum.u);
  return sum;
}

static trm_scalar along(const trm_element *e, const trm_marker *direction) {
  return (trm_scalar){
      .kind = TRM_SCALAR_DISPLACEMENT, .end = {e->from, e->end}, .along = *direction};
}

/* In the plane about z. */
static void torque_axis(const trm_element *e, const trm_motion *m, int k, double d[3]) {
  trm_direction(m, &e->axis[k], d);
  if (m->dim == 2) d[2] = 1;
  if (m->dim == 2) d[0] = d[1] = 0;
}

static int first_torque(const trm_motion *m) {
  return m->dim == 2 ? 2 : 0;
}

static void torque_of(const trm_element *e, const trm_motion *m, const double *slots,
                      double tau[3]) {
  double d[3];
  tau[0] = tau[1] = tau[2] = 0;
  for (int k = first_torque(m); k < 3; k++) {
    torque_axis(e, m, k, d);
    trm_axpy(3, trm_quantity_value(&e->value[3 + k], slots), d, tau);
  }
}

/* row0 and row1 of the two bodies, NULL for the ground */
static void push_torque(const trm_element *e, const trm_motion *m, const double tau[3],
                        double *row0, double *row1) {
  const double opposite[3] = {-tau[0], -tau[1], -tau[2]};
  trm_row_spin(m, e->from.body, opposite, row0);
  trm_row_spin(m, e->end.body, tau, row1);
}

static const char *apply_load(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                              double *power) {
  double tau[3], w0[3], w1[3];
  const trm_marker F = blend(e, m, slots, 0);
  const trm_scalar moved = along(e, &F);
  torque_of(e, m, slots, tau);
  trm_push_along(&moved, m, 1, Q);
  push_torque(e, m, tau, trm_body_rows(m, Q, e->from.body), trm_body_rows(m, Q, e->end.body));
  trm_spin(m, e->from.body, w0);
  trm_spin(m, e->end.body, w1);
  *power += trm_scalar_rate(&moved, m) + trm_dot(3, tau, w1) - trm_dot(3, tau, w0);
  return NULL;
}

/* −∂Q by the values */
static bool values_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  bool finite = true;
  for (int k = 0; k < m->dim; k++) {
    const trm_scalar moved = along(e, &e->axis[k]);
    finite = trm_quantity_slope(&e->value[k], 1, to) && finite;
    trm_scalar_gradient(&moved, m, 1, trm_row_part(to->push, e->from.body),
                        trm_row_part(to->push, e->end.body));
    trm_push_slope(to);
  }
  for (int k = first_torque(m); k < 3; k++) {
    double d[3];
    torque_axis(e, m, k, d);
    finite = trm_quantity_slope(&e->value[3 + k], 1, to) && finite;
    push_torque(e, m, d, trm_row_part(to->push, e->from.body), trm_row_part(to->push, e->end.body));
    trm_push_slope(to);
  }
  return finite;
}

static const char *load_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  bool finite = values_tangent(e, to);
  const trm_marker F = blend(e, m, to->slots, 0);
  const trm_scalar moved = along(e, &F);
  trm_scalar_curvature(&moved, -1, &to->K);
  trm_marker carried = {.body = e->from.body}; /* in the plane a torque does not turn */
  trm_lever spin, torque;
  double tau[3];
  if (m->dim == 3) carried = blend(e, m, to->slots, 3);
  torque_of(e, m, to->slots, tau);
  trm_lever_direction(m, &carried, &torque);
  for (int side = 0; side < 2; side++) {
    int body = side ? e->end.body : e->from.body;
    double sign = side ? -1 : 1;
    trm_lever_spin(m, body, &spin);
    trm_bend_spin(&to->K, body, tau, sign);
    trm_curve(&to->K, &spin, NULL, &torque, sign);
  }
  return finite ? NULL : trm_not_smooth;
}

static void load_wrench(const trm_element *e, const trm_motion *m, const double *slots,
                        double parts[6]) {
  const trm_marker F = blend(e, m, slots, 0);
  trm_direction(m, &F, parts);
  torque_of(e, m, slots, parts + 3);
}

const trm_element_class trm_element_load = {
    .apply = apply_load, .tangent = load_tangent, .wrench = load_wrench};
