/* Every joint in every formulation: Cq against differences of C, Qd against the differentiated
 * velocity equation, reactions against virtual power. */
#include <string.h>

#include "../check.h"
#include "../sample.h"

static const char *const formulations[] = {"natural", "angle", "euler-parameters", "cartesian"};
#define FORMULATIONS ((int)(sizeof formulations / sizeof *formulations))

typedef struct setup {
  trm_model *model;
  trm_arena *arena;
  trm_system *sys;
  double *q, *v; /* a state with random velocity, off the constraints */
} setup;

static setup create(const char *formulation) {
  setup s = {sample_model(false), trm_arena_create(), NULL, NULL, NULL};
  assert_non_null(s.model);
  s.sys = trm_system_create(s.model, trm_coordinates_find(formulation, 2), false, NULL, 0, s.arena);
  assert_non_null(s.sys);
  s.q = TRM_NEW(s.arena, double, s.sys->n);
  s.v = TRM_NEW(s.arena, double, s.sys->n);
  trm_system_written(s.sys, s.q);
  unsigned state = 7;
  for (int i = 0; i < s.sys->n; i++) {
    s.q[i] += 0.05 * sample_random(&state);
    s.v[i] = sample_random(&state);
  }
  return s;
}

static void destroy(setup *s) {
  trm_arena_destroy(s->arena);
  trm_model_destroy(s->model);
}

/* C at (t, q) into a copy */
static void constraints(trm_system *sys, double t, const double *q, double *C) {
  assert_true(trm_system_position(sys, t, q));
  memcpy(C, sys->C, (size_t)sys->m * sizeof(double));
}

/* Cq x at (t, q), plus Ct */
static void velocity_equation(trm_system *sys, double t, const double *q, const double *v,
                              double *r) {
  assert_true(trm_system_position(sys, t, q));
  trm_system_velocity_residual(sys, v, r);
}

static void jacobian_is_the_gradient(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    int n = s.sys->n, m = s.sys->m;
    double h = 1e-6, plus[64], minus[64], column[64], unit[64];
    for (int k = 0; k < n; k++) {
      double keep = s.q[k];
      s.q[k] = keep + h;
      constraints(s.sys, 0.3, s.q, plus);
      s.q[k] = keep - h;
      constraints(s.sys, 0.3, s.q, minus);
      s.q[k] = keep;
      assert_true(trm_system_position(s.sys, 0.3, s.q));
      memset(unit, 0, sizeof unit);
      unit[k] = 1;
      trm_jacobian_times(&s.sys->structure, s.sys->Cq, unit, column);
      for (int i = 0; i < m; i++) assert_near(column[i], (plus[i] - minus[i]) / (2 * h), 2e-8);
    }
    destroy(&s);
  }
}

/* d/dt (Cq v + Ct) along q + v dt with q̈ = 0 is −Qd: time laws included. On the constraint, where
 * Ct = −l̇. */
static void bias_is_the_second_derivative(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    double h = 1e-4, t = 0.3, C0[64], plus[64], minus[64], q[64];
    for (int i = 0; i < s.sys->n; i++) q[i] = s.q[i] + h * s.v[i];
    constraints(s.sys, t + h, q, plus);
    for (int i = 0; i < s.sys->n; i++) q[i] = s.q[i] - h * s.v[i];
    constraints(s.sys, t - h, q, minus);
    constraints(s.sys, t, s.q, C0);
    assert_true(trm_system_velocity(s.sys, s.v));
    for (int i = 0; i < s.sys->m; i++)
      assert_near(-s.sys->Qd[i], (plus[i] - 2 * C0[i] + minus[i]) / (h * h), 2e-5);
    destroy(&s);
  }
}

/* Rows of the velocity equation, without distances under a time law: their Ct is −l̇ on the
 * constraint only. */
static void velocity_equation_is_the_first_derivative(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    double h = 1e-6, t = 0.3, plus[64], minus[64], q[64], rate[64];
    for (int i = 0; i < s.sys->n; i++) q[i] = s.q[i] + h * s.v[i];
    constraints(s.sys, t + h, q, plus);
    for (int i = 0; i < s.sys->n; i++) q[i] = s.q[i] - h * s.v[i];
    constraints(s.sys, t - h, q, minus);
    velocity_equation(s.sys, t, s.q, s.v, rate);
    for (int k = 0; k < s.sys->primitive_count; k++) {
      const trm_primitive *p = &s.sys->primitives[k];
      if (p->type == &trm_primitive_distance) continue;
      for (int i = p->row; i < p->row + p->rows; i++)
        assert_near(rate[i], (plus[i] - minus[i]) / (2 * h), 2e-8);
    }
    destroy(&s);
  }
}

/* The velocity of the second body's point that touches the line. */
static void move_to_contact(const trm_system *sys, const trm_joint *joint, double w, double at[3]) {
  const trm_motion *m = &sys->motion;
  trm_marker p0 = trm_system_point(sys, &joint->end[0]);
  trm_marker p1 = trm_system_point(sys, &joint->end[1]);
  trm_marker axis = trm_system_axis(sys, joint->end[0].body, joint->axis[0]);
  double r0[3], r1[3], t[3];
  trm_position(m, &p0, r0);
  trm_position(m, &p1, r1);
  trm_direction(m, &axis, t);
  double n[2] = {-t[1], t[0]}, height = n[0] * (r1[0] - r0[0]) + n[1] * (r1[1] - r0[1]);
  double side = height > 0 ? 1 : -1, x = -side * joint->radius * n[0],
         y = -side * joint->radius * n[1];
  at[0] -= w * y;
  at[1] += w * x;
}

/* The power of −J2ᵀλ on a rigid motion of the second body equals F·v + τω at its joint point. */
static void reactions_do_the_power_of_the_multipliers(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    trm_system *sys = s.sys;
    const trm_coordinates *co = sys->motion.coordinates;
    double q[64], v[64] = {0};
    trm_system_written(sys, q); /* a rigid configuration: intrinsic constraints hold */
    assert_true(trm_system_position(sys, 0.3, q));
    unsigned random = 3;
    for (int i = 0; i < sys->m; i++) sys->lambda[i] = sample_random(&random);
    for (int j = 0; j < s.model->joint_count; j++) {
      const trm_joint *joint = &s.model->joints[j];
      if (!trm_joint_has_reaction(joint->type)) continue;
      int body = joint->end[1].body;
      double twist_v[3] = {0.7, -1.2, 0}, twist_w[3] = {0, 0, 1.9}, power = 0;
      memset(v, 0, sizeof v);
      co->from_twist(q + body * co->nq, twist_v, twist_w, v + body * co->nq);
      trm_motion_velocity(&sys->motion, v);
      for (int k = sys->first_primitive[j]; k < sys->first_primitive[j + 1]; k++) {
        const trm_primitive *p = &sys->primitives[k];
        const double *J = trm_primitive_rows(p, body);
        for (int r = 0; r < p->rows; r++)
          for (int i = 0; i < co->nq; i++)
            power -= sys->lambda[p->row + r] * J[r * co->nq + i] * v[body * co->nq + i];
      }
      trm_measure m = {.kind = TRM_MEASURE_REACTION, .index = j};
      double reaction[6], at[3];
      for (m.component = 0; m.component < 6; m.component++)
        reaction[m.component] = trm_system_measure(sys, &m);
      trm_marker point = trm_system_point(sys, &joint->end[1]);
      trm_velocity(&sys->motion, &point, at);
      if (joint->type == TRM_JOINT_ROLLING) move_to_contact(sys, joint, twist_w[2], at);
      double physical = reaction[0] * at[0] + reaction[1] * at[1] + reaction[5] * 1.9;
      assert_near(physical, power, 1e-12);
    }
    destroy(&s);
  }
}

/* The same rows in the same order, and the same residuals, whatever the formulation. */
static void residuals_do_not_depend_on_the_formulation(void **state) {
  (void)state;
  double joint_rows[FORMULATIONS][64];
  int count = 0;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    double q[64];
    trm_system_written(s.sys, q);
    assert_true(trm_system_position(s.sys, 0.3, q));
    int first = s.model->body_count * s.sys->motion.coordinates->intrinsic;
    count = s.sys->m - first;
    memcpy(joint_rows[f], s.sys->C + first, (size_t)count * sizeof(double));
    destroy(&s);
  }
  for (int f = 1; f < FORMULATIONS; f++)
    for (int i = 0; i < count; i++) assert_near(joint_rows[f][i], joint_rows[0][i], 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian_is_the_gradient),
      cmocka_unit_test(bias_is_the_second_derivative),
      cmocka_unit_test(velocity_equation_is_the_first_derivative),
      cmocka_unit_test(reactions_do_the_power_of_the_multipliers),
      cmocka_unit_test(residuals_do_not_depend_on_the_formulation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
