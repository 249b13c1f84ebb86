/* Every formulation: Jacobians, rates and biases against differences; energy and poses against
 * mechanics. */
#include <string.h>

#include "../check.h"
#include "coordinates/motion.h"

static const trm_coordinates *const all[] = {&trm_natural_planar, &trm_angle_planar};
#define COUNT ((int)(sizeof all / sizeof *all))
#define H     1e-6

static double q0[] = {0.3, -0.7, 0.9, 0.5, -0.4, 0.8}; /* off the manifold: nothing may assume it */
static double v0[] = {0.2, 0.4, -1.1, 0.6, 0.7, -0.3};
static double u0[] = {0.6, -1.3, 0};
static double s0[] = {1.7, 0.4, 0};

static double along(const trm_coordinates *co, const double *q, const double *s) {
  double a[3][3] = {{0}}, d[3];
  co->axes(q, a);
  trm_carry(2, a, u0, d);
  return trm_dot(2, d, s);
}

static void row_is_the_gradient(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    double a[3][3] = {{0}}, row[8] = {0};
    co->axes(q0, a);
    co->add(q0, a, u0, s0, 2.5, row);
    for (int k = co->dim; k < co->nq; k++) {
      double plus[6], minus[6];
      memcpy(plus, q0, sizeof plus);
      memcpy(minus, q0, sizeof minus);
      plus[k] += H;
      minus[k] -= H;
      double expected = 2.5 * (along(co, plus, s0) - along(co, minus, s0)) / (2 * H);
      assert_near(row[k - co->dim], expected, 1e-8);
    }
  }
}

static void rates_and_biases_are_time_derivatives(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    double a[3][3] = {{0}}, plus[3][3] = {{0}}, minus[3][3] = {{0}}, da[3][3] = {{0}},
           dda[3][3] = {{0}};
    double qp[6], qm[6], h = 1e-4;
    for (int k = 0; k < 6; k++) qp[k] = q0[k] + h * v0[k], qm[k] = q0[k] - h * v0[k];
    co->axes(q0, a);
    co->axes(qp, plus);
    co->axes(qm, minus);
    co->rates(q0, a, v0, da);
    co->bias(q0, a, v0, dda);
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < 2; i++) {
        assert_near(da[k][i], (plus[k][i] - minus[k][i]) / (2 * h), 1e-7);
        assert_near(dda[k][i], (plus[k][i] - 2 * a[k][i] + minus[k][i]) / (h * h), 1e-6);
      }
  }
}

static void normalization_is_consistent(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    double C[3], rows[18], Cp[3], Cm[3], scratch[18], Qd[3], qp[6], qm[6];
    co->normalize(q0, C, rows);
    co->normalize_bias(v0, Qd);
    double h = 1e-4;
    for (int k = 0; k < 6; k++) qp[k] = q0[k] + h * v0[k], qm[k] = q0[k] - h * v0[k];
    co->normalize(qp, Cp, scratch);
    co->normalize(qm, Cm, scratch);
    for (int i = 0; i < co->intrinsic; i++) {
      double rate = 0;
      for (int k = 0; k < co->nq; k++) rate += rows[i * co->nq + k] * v0[k];
      assert_near(rate, (Cp[i] - Cm[i]) / (2 * h), 1e-9);
      assert_near(-Qd[i], (Cp[i] - 2 * C[i] + Cm[i]) / (h * h), 1e-6);
    }
  }
}

/* ½ q̇ᵀMq̇ = ½ m v² + ½ I ω², and the pose and twist come back */
static void rigid_motion(void **state) {
  (void)state;
  double angle = 2.2, v[3] = {1.5, -0.5, 0}, w[3] = {0, 0, 3.1};
  trm_inertia inertia = {2.0, {0, 0, 0.9}};
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    trm_frame frames[2] = {{.x = {0.4, 0.1, 0}}};
    frames[0].a[0][0] = frames[0].a[1][1] = cos(angle);
    frames[0].a[0][1] = sin(angle);
    frames[0].a[1][0] = -sin(angle);
    double q[6], qdot[6], M[36], C[3], rows[18], kinetic = 0;
    co->from_pose(&frames[0], angle, q);
    co->from_twist(q, v, w, qdot);
    co->mass(&inertia, q, M);
    for (int k = 0; k < co->nq; k++) kinetic += M[k] * qdot[k] * qdot[k] / 2;
    assert_near(kinetic, 0.5 * 2.0 * 2.5 + 0.5 * 0.9 * 3.1 * 3.1, 1e-12);
    co->normalize(q, C, rows);
    for (int i = 0; i < co->intrinsic; i++) assert_near(C[i], 0, 1e-15);
    trm_frame found[2];
    memset(found, 0, sizeof found);
    trm_motion motion = {co, 2, co->nq, 1, NULL, found + 1};
    trm_motion_position(&motion, q);
    trm_motion_velocity(&motion, qdot);
    assert_near(trm_spin(&motion, 0), 3.1, 1e-14);
    assert_near(found[1].x[0], 0.4, 0);
    assert_near(found[1].a[1][0], -sin(angle), 1e-15);
    double torque[6] = {0}, power = 0;
    trm_row_spin(&motion, 0, 1.7, torque);
    for (int k = 0; k < co->nq; k++) power += torque[k] * qdot[k];
    assert_near(power, 1.7 * 3.1, 1e-13);
  }
}

static void found_by_name(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) assert_ptr_equal(trm_coordinates_find(all[c]->name, 2), all[c]);
  assert_null(trm_coordinates_find("polar", 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(row_is_the_gradient),
      cmocka_unit_test(rates_and_biases_are_time_derivatives),
      cmocka_unit_test(normalization_is_consistent),
      cmocka_unit_test(rigid_motion),
      cmocka_unit_test(found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
