/* Every spatial joint in both formulations: Cq against differences of C, Qd against second
 * differences, velocity rows against the slip itself, reactions against virtual power. */
#include <string.h>

#include "../check.h"
#include "../sample_spatial.h"

static const char *const formulations[] = {"natural", "euler-parameters"};
#define FORMULATIONS 2
#define MOST         128 /* coordinates or rows */

typedef struct setup {
  trm_model *model;
  trm_arena *arena;
  trm_system *sys;
  double q[MOST], v[MOST]; /* rigid, off the joints, with random twists */
} setup;

static setup create(const char *formulation) {
  setup s = {sample_spatial_model(), trm_arena_create(), NULL, {0}, {0}};
  s.sys = trm_system_create(s.model, trm_coordinates_find(formulation, 3), false, NULL, 0, s.arena);
  assert_non_null(s.sys);
  assert_true(s.sys->n <= MOST && s.sys->m <= MOST);
  trm_system_written(s.sys, s.q);
  const trm_coordinates *co = s.sys->motion.coordinates;
  unsigned state = 11;
  for (int b = 0; b < s.model->body_count; b++) {
    double linear[3], spin[3];
    for (int i = 0; i < 3; i++) linear[i] = sample_random(&state), spin[i] = sample_random(&state);
    co->from_twist(s.q + b * co->nq, linear, spin, s.v + b * co->nq);
  }
  return s;
}

static void destroy(setup *s) {
  trm_arena_destroy(s->arena);
  trm_model_destroy(s->model);
}

static bool is_velocity_row(const trm_system *sys, int row) {
  for (int i = 0; i < sys->primitive_count; i++)
    if (sys->primitives[i].row == row && sys->primitives[i].type == &trm_primitive_no_slip)
      return true;
  return false;
}

static void jacobian_is_the_gradient(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    double h = 1e-6, plus[MOST], column[MOST], unit[MOST];
    for (int k = 0; k < s.sys->n; k++) {
      double keep = s.q[k];
      s.q[k] = keep + h;
      assert_true(trm_system_position(s.sys, 0.3, s.q));
      memcpy(plus, s.sys->C, sizeof(double) * (size_t)s.sys->m);
      s.q[k] = keep - h;
      assert_true(trm_system_position(s.sys, 0.3, s.q));
      for (int i = 0; i < s.sys->m; i++) plus[i] = (plus[i] - s.sys->C[i]) / (2 * h);
      s.q[k] = keep;
      assert_true(trm_system_position(s.sys, 0.3, s.q));
      memset(unit, 0, sizeof unit);
      unit[k] = 1;
      trm_jacobian_times(&s.sys->structure, s.sys->Cq, unit, column);
      for (int i = 0; i < s.sys->m; i++)
        if (!is_velocity_row(s.sys, i)) assert_near(column[i], plus[i], 3e-8);
    }
    destroy(&s);
  }
}

/* d²C/dt² along q + v t is −Qd; of a velocity row, d(Cq v)/dt. */
static void bias_is_the_time_derivative(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    double h = 1e-4, t = 0.3, C[3][MOST], rate[3][MOST];
    for (int k = 0; k < 3; k++) {
      double q[MOST];
      for (int i = 0; i < s.sys->n; i++) q[i] = s.q[i] + (k - 1) * h * s.v[i];
      assert_true(trm_system_position(s.sys, t + (k - 1) * h, q));
      memcpy(C[k], s.sys->C, sizeof(double) * (size_t)s.sys->m);
      trm_jacobian_times(&s.sys->structure, s.sys->Cq, s.v, rate[k]);
    }
    assert_true(trm_system_position(s.sys, t, s.q));
    assert_true(trm_system_velocity(s.sys, s.v));
    for (int i = 0; i < s.sys->m; i++) {
      double second = (C[2][i] - 2 * C[1][i] + C[0][i]) / (h * h);
      double expected = is_velocity_row(s.sys, i) ? (rate[2][i] - rate[0][i]) / (2 * h) : second;
      assert_near(-s.sys->Qd[i], expected, 5e-5);
    }
    destroy(&s);
  }
}

/* The power of −J2ᵀλ on a rigid motion of the second body equals F·v + T·ω; rolling: at the contact
 * point. */
static void reactions_do_the_power_of_the_multipliers(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    setup s = create(formulations[f]);
    trm_system *sys = s.sys;
    const trm_coordinates *co = sys->motion.coordinates;
    assert_true(trm_system_position(sys, 0.3, s.q));
    unsigned random = 3;
    for (int i = 0; i < sys->m; i++) sys->lambda[i] = sample_random(&random);
    for (int j = 0; j < s.model->joint_count; j++) {
      const trm_joint *joint = &s.model->joints[j];
      int body = joint->end[1].body;
      if (!trm_joint_has_reaction(joint->type) || joint->type == TRM_JOINT_ROLLING) continue;
      double v[MOST] = {0}, linear[3] = {0.7, -1.2, 0.4}, spin[3] = {0.5, 1.9, -0.8}, power = 0,
             at[3];
      co->from_twist(s.q + body * co->nq, linear, spin, v + body * co->nq);
      trm_motion_velocity(&sys->motion, v);
      for (int k = sys->first_primitive[j]; k < sys->first_primitive[j + 1]; k++) {
        const trm_primitive *p = &sys->primitives[k];
        const double *J = trm_primitive_rows(p, body);
        for (int r = 0; r < p->rows; r++)
          for (int i = 0; i < co->nq; i++)
            power -= sys->lambda[p->row + r] * J[r * co->nq + i] * v[body * co->nq + i];
      }
      trm_measure m = {.kind = TRM_MEASURE_REACTION, .index = j};
      double reaction[6];
      for (m.component = 0; m.component < 6; m.component++)
        reaction[m.component] = trm_system_measure(sys, &m);
      trm_marker point = trm_system_point(sys, &joint->end[1]);
      trm_velocity(&sys->motion, &point, at);
      double physical = trm_dot(3, reaction, at) + trm_dot(3, reaction + 3, spin);
      if (!(fabs(physical - power) <= 1e-11)) print_error("joint %s\n", joint->name);
      assert_near(physical, power, 1e-11);
    }
    destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian_is_the_gradient),
      cmocka_unit_test(bias_is_the_time_derivative),
      cmocka_unit_test(reactions_do_the_power_of_the_multipliers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
