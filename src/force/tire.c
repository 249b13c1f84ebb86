/* A tire on a wheel: force and torque at the wheel's centre, two states, see tire/wheel.h. */
#include <stdio.h>

#include "force/element.h"

static trm_wheel wheel_of(const trm_element *e, const trm_motion *m) {
  trm_wheel w = {.bristle = {e->z[0], e->z[1]}};
  trm_position(m, &e->end, w.centre);
  trm_direction(m, &e->axis[0], w.axis);
  trm_velocity(m, &e->end, w.velocity);
  trm_spin(m, e->end.body, w.angular);
  return w;
}

static void sense_tire(trm_element *e, const trm_motion *m) {
  const trm_wheel w = wheel_of(e, m);
  trm_rolling *r = e->rolling;
  trm_wheel_act(r->tire, r->side, &r->road, &w, &r->action, NULL);
}

/* Why there is no force: the road has no height or friction where the wheel is; NULL: that it has.
 */
static const char *explain(trm_rolling *r) {
  trm_expression_error error;
  trm_road_point p;
  const double at[2] = {r->action.measure[TRM_WHEEL_X], r->action.measure[TRM_WHEEL_Y]};
  const trm_quantity *const formulas[2] = {&r->surface->height, &r->surface->friction};
  trm_road_at(r->surface, at[0], at[1], false, &p);
  for (int k = 0; k < 2; k++) {
    double value = k ? p.friction : p.z;
    if (isfinite(value)) continue;
    bool table = formulas[k]->formula && trm_expression_explain(formulas[k]->formula, at, &error);
    snprintf(r->message, sizeof r->message, "at x = %.6g, y = %.6g the road has no %s: %s", at[0],
             at[1], k ? "friction" : "height", table ? error.message : "its formula is not finite");
    return r->message;
  }
  return NULL;
}

static const char *apply_tire(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                              double *power) {
  (void)slots;
  const trm_wheel_action *a = &e->rolling->action;
  const trm_wheel w = wheel_of(e, m);
  double *row = trm_body_rows(m, Q, e->end.body);
  trm_row_point(m, &e->end, a->force, 1, row);
  trm_row_spin(m, e->end.body, a->torque, row);
  double own = trm_dot(3, a->force, w.velocity) + trm_dot(3, a->torque, w.angular);
  *power += own;
  return isfinite(own) ? NULL : explain(e->rolling);
}

void trm_tire_accept(trm_element *e, double t) {
  trm_rolling *r = e->rolling;
  if (r->beyond == 0) r->beyond_t = t;
  r->beyond |= r->action.beyond;
}

static void tire_rates(trm_element *e, const trm_motion *m, const double *slots, double *rates) {
  (void)m, (void)slots;
  for (int k = 0; k < TRM_TIRE_BRISTLES; k++) rates[k] = e->rolling->action.rates[k];
}

/* q, v += Σ by[j] ∂(input j), see trm_wheel */
static void add_inputs(const trm_element *e, const trm_motion *m, const double *state_v,
                       int state_block, const double by[TRM_WHEEL_INPUTS], trm_row *q, trm_row *v) {
  int body = e->end.body;
  const trm_curvature along_v = {.motion = m, .x = state_v, .row = q};
  double *qb = trm_row_part(q, body), *vb = trm_row_part(v, body);
  trm_row_point(m, &e->end, by, 1, qb);
  trm_row_direction(m, &e->axis[0], by + 3, 1, qb);
  trm_bend(&along_v, &e->end, by + 6, 1);
  trm_bend_spin(&along_v, body, by + 9, 1);
  trm_row_point(m, &e->end, by + 6, 1, vb);
  trm_row_spin(m, body, by + 9, vb);
  for (int k = 0; k < TRM_TIRE_BRISTLES; k++)
    *trm_state_entry(state_block, v, e->first_state + k) += by[12 + k];
}

static const char *tire_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  const trm_rolling *r = e->rolling;
  const trm_wheel w = wheel_of(e, m);
  int body = e->end.body;
  trm_wheel_action a;
  double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS];
  trm_wheel_act(r->tire, r->side, &r->road, &w, &a, slopes);
  for (int i = 0; i < TRM_WHEEL_ACTS; i++) {
    const double unit[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
    if (i < 3)
      trm_row_point(m, &e->end, unit, 1, trm_row_part(to->push, body));
    else if (i < TRM_WHEEL_RATES)
      trm_row_spin(m, body, unit, trm_row_part(to->push, body));
    else
      *trm_state_part(to, to->push, e->first_state + i - TRM_WHEEL_RATES) = 1;
    add_inputs(e, m, to->state_v, to->state_block, slopes[i], to->q, to->v);
    trm_push_slope(to);
  }
  trm_bend(&to->K, &e->end, a.force, -1);
  trm_bend_spin(&to->K, body, a.torque, -1);
  return NULL;
}

void trm_tire_measure_slope(const trm_element *e, const trm_motion *m, const double *state_v,
                            int state_block, int measure, double scale, trm_row *q, trm_row *v) {
  const trm_rolling *r = e->rolling;
  const trm_wheel w = wheel_of(e, m);
  trm_wheel_action a;
  double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS], *by = slopes[TRM_WHEEL_ACTS + measure];
  trm_wheel_act(r->tire, r->side, &r->road, &w, &a, slopes);
  for (int j = 0; j < TRM_WHEEL_INPUTS; j++) by[j] *= scale;
  add_inputs(e, m, state_v, state_block, by, q, v);
}

static void tire_wrench(const trm_element *e, const trm_motion *m, const double *slots,
                        double parts[6]) {
  (void)m, (void)slots;
  for (int k = 0; k < 3; k++) {
    parts[k] = e->rolling->action.force[k];
    parts[3 + k] = e->rolling->action.torque[k];
  }
}

static const char *const state_names[TRM_TIRE_BRISTLES] = {"u", "v"};

const trm_element_class trm_element_tire = {.apply = apply_tire,
                                            .tangent = tire_tangent,
                                            .wrench = tire_wrench,
                                            .sense = sense_tire,
                                            .states = TRM_TIRE_BRISTLES,
                                            .state_names = state_names,
                                            .rates = tire_rates};
