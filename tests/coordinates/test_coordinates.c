/* Every formulation: Jacobians, rates and biases against differences; energy and poses against
 * mechanics. */
#include <string.h>

#include "../check.h"
#include "coordinates/motion.h"

static const trm_coordinates *const all[] = {&trm_natural_planar,        &trm_angle_planar,
                                             &trm_euler_planar,          &trm_cartesian_planar,
                                             &trm_euler_planar_singular, &trm_natural_spatial,
                                             &trm_natural_spatial_flat,  &trm_euler_spatial};
#define COUNT ((int)(sizeof all / sizeof *all))
#define H     1e-6
#define MOST  12 /* coordinates of a body */

/* off the manifold: nothing may assume it */
static double q0[MOST] = {0.3, -0.7, 0.9, 0.5, -0.4, 0.8, 0.35, -0.2, 0.6, 0.15, -0.55, 0.45};
static double v0[MOST] = {0.2, 0.4, -1.1, 0.6, 0.7, -0.3, 0.9, -0.8, 0.1, 0.5, -0.6, 0.25};
static double u0[] = {0.6, -1.3, 0.8};
static double s0[] = {1.7, 0.4, -0.9};

static double along(const trm_coordinates *co, const double *q, const double *s) {
  double a[3][3] = {{0}}, d[3];
  co->axes(q, a);
  trm_carry(co->dim, a, u0, d);
  return trm_dot(co->dim, d, s);
}

static void row_is_the_gradient(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    double a[3][3] = {{0}}, row[MOST] = {0};
    co->axes(q0, a);
    co->add(q0, a, u0, s0, 2.5, row);
    for (int k = co->dim; k < co->nq; k++) {
      double plus[MOST], minus[MOST];
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
    double qp[MOST], qm[MOST], h = 1e-4;
    for (int k = 0; k < MOST; k++) qp[k] = q0[k] + h * v0[k], qm[k] = q0[k] - h * v0[k];
    co->axes(q0, a);
    co->axes(qp, plus);
    co->axes(qm, minus);
    trm_axes_rates(co, q0, a, v0, da);
    if (!co->linear) co->bias(q0, a, v0, dda);
    for (int k = 0; k < co->dim; k++)
      for (int i = 0; i < co->dim; i++) {
        assert_near(da[k][i], (plus[k][i] - minus[k][i]) / (2 * h), 1e-7);
        assert_near(dda[k][i], (plus[k][i] - 2 * a[k][i] + minus[k][i]) / (h * h), 1e-6);
      }
  }
}

static void normalization_is_consistent(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    double C[6], rows[72] = {0}, Cp[6], Cm[6], scratch[72] = {0}, Qd[6], qp[MOST], qm[MOST];
    if (co->intrinsic == 0) continue;
    co->normalize(q0, C, rows);
    co->normalize_bias(v0, Qd);
    double h = 1e-4;
    for (int k = 0; k < MOST; k++) qp[k] = q0[k] + h * v0[k], qm[k] = q0[k] - h * v0[k];
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

/* ½ vᵀM(q)v */
/* What the normalization leaves free and what it does not, also off it. */
static void split_of_the_normalization(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    int spin = co->nq - co->dim, free = spin - co->intrinsic;
    double C[6], rows[6 * MOST] = {0}, columns[9 * 9] = {0};
    if (co->intrinsic == 0) continue;
    co->normalize(q0, C, rows);
    co->split(q0, columns, columns + spin * free);
    for (int r = 0; r < co->intrinsic; r++)
      for (int k = 0; k < spin; k++) {
        double sum = 0;
        for (int i = 0; i < spin; i++)
          sum += rows[r * co->nq + co->dim + i] * columns[k * spin + i];
        assert_near(sum, k == free + r, 1e-14);
      }
  }
}

/* The free columns are turns about the body's own axes. */
static void split_turns_the_body(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    trm_frame frame = {.a = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}}};
    int spin = co->nq - co->dim, free = spin - co->intrinsic;
    double q[MOST], columns[9 * 9] = {0}, zero[3] = {0}, expected[MOST];
    if (co->intrinsic == 0) continue;
    co->from_pose(&frame, 0.92729521800161223, q);
    co->split(q, columns, columns + spin * free);
    for (int k = 0; k < free; k++) {
      double *axis = frame.a[free == 1 ? 2 : k];
      co->from_twist(q, zero, axis, expected);
      for (int i = 0; i < spin; i++)
        assert_near(columns[k * spin + i], expected[co->dim + i], 1e-14);
    }
  }
}

static double kinetic_energy(const trm_coordinates *co, const trm_inertia *inertia, const double *q,
                             const double *v) {
  double M[MOST * MOST], T = 0;
  co->mass(inertia, q, M);
  for (int k = 0; k < co->nq; k++)
    for (int l = 0; l < co->nq; l++) {
      double entry = co->mass_diagonal ? (k == l ? M[k] : 0) : M[k * co->nq + l];
      T += entry * v[k] * v[l] / 2;
    }
  return T;
}

/* Qv = ∂T/∂q − Ṁ q̇, with M differentiated numerically; a definite form may differ along p only. */
static void inertia_force_follows_from_the_mass_matrix(void **state) {
  (void)state;
  const trm_inertia inertia = {2.0, {0.7, 1.1, 0.9}};
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    if (co == &trm_euler_planar) continue;
    double Q[MOST] = {0}, h = 1e-5;
    if (co->inertia_force) co->inertia_force(&inertia, q0, v0, Q);
    for (int k = 0; k < co->nq; k++) {
      double qp[MOST], qm[MOST], vp[MOST], vm[MOST], momentum[2];
      memcpy(qp, q0, sizeof qp), memcpy(qm, q0, sizeof qm);
      qp[k] += h, qm[k] -= h;
      double dT =
          (kinetic_energy(co, &inertia, qp, v0) - kinetic_energy(co, &inertia, qm, v0)) / (2 * h);
      for (int side = 0; side < 2; side++) { /* (M(q ± h q̇) q̇)_k by polarization */
        double q[MOST];
        for (int i = 0; i < MOST; i++) q[i] = q0[i] + (side ? h : -h) * v0[i];
        memcpy(vp, v0, sizeof vp), memcpy(vm, v0, sizeof vm);
        vp[k] += 0.5, vm[k] -= 0.5;
        momentum[side] = kinetic_energy(co, &inertia, q, vp) - kinetic_energy(co, &inertia, q, vm);
      }
      assert_near(Q[k], dT - (momentum[1] - momentum[0]) / (2 * h), 1e-7);
    }
  }
}

/* ½ q̇ᵀMq̇ = ½ m v² + ½ ωᵀIω, and the pose and twist come back; planar motions in space too */
static void rigid_motion(void **state) {
  (void)state;
  double angle = 2.2, w[3] = {0, 0, 3.1};
  trm_inertia inertia = {2.0, {0.5, 0.6, 0.9}};
  for (int c = 0; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    double v[3] = {1.5, -0.5, co->dim == 3 ? 0.4 : 0};
    trm_frame frames[2] = {{.x = {0.4, 0.1, -0.3}}};
    frames[0].a[0][0] = frames[0].a[1][1] = cos(angle);
    frames[0].a[0][1] = sin(angle);
    frames[0].a[1][0] = -sin(angle);
    frames[0].a[2][2] = 1;
    double q[MOST], qdot[MOST], C[6], rows[72];
    co->from_pose(&frames[0], angle, q);
    co->from_twist(q, v, w, qdot);
    double expected = 0.5 * 2.0 * trm_dot(co->dim, v, v) + 0.5 * 0.9 * 3.1 * 3.1;
    assert_near(kinetic_energy(co, &inertia, q, qdot), expected, 1e-12);
    if (co->intrinsic > 0) co->normalize(q, C, rows);
    for (int i = 0; i < co->intrinsic; i++) assert_near(C[i], 0, 1e-15);
    trm_frame found[2];
    memset(found, 0, sizeof found);
    trm_motion motion = {co, co->dim, co->nq, co->nq, 1, NULL, found + 1, 0};
    trm_motion_position(&motion, q);
    trm_motion_velocity(&motion, qdot);
    double spin[3];
    trm_spin(&motion, 0, spin);
    assert_near(spin[2], 3.1, 1e-14);
    assert_near(found[1].x[0], 0.4, 0);
    assert_near(found[1].a[1][0], -sin(angle), 1e-15);
    double torque[MOST] = {0}, power = 0;
    trm_row_spin(&motion, 0, (double[3]){0, 0, 1.7}, torque);
    for (int k = 0; k < co->nq; k++) power += torque[k] * qdot[k];
    assert_near(power, 1.7 * 3.1, 1e-13);
  }
}

/* A general rotation in space: axes, ω and Euler's equations agree between the two formulations. */
static void general_rotation(void **state) {
  (void)state;
  double w[3] = {0.3, -1.2, 0.8}, v[3] = {0, 0, 0}, p[4] = {0.5, -0.1, 0.7, 0.5};
  double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  trm_frame frame = {.x = {0}};
  double q[7] = {0};
  for (int i = 0; i < 4; i++) q[3 + i] = p[i] / n;
  trm_euler_spatial.axes(q, frame.a);
  for (int k = 0; k < 3; k++) {
    const double *next = frame.a[(k + 1) % 3], *last = frame.a[(k + 2) % 3];
    double cross[3];
    trm_cross(next, last, cross);
    for (int i = 0; i < 3; i++) assert_near(frame.a[k][i], cross[i], 1e-15);
  }
  double back[7];
  trm_euler_spatial.from_pose(&frame, 0, back);
  for (int i = 3; i < 7; i++) assert_near(back[i], q[i], 1e-15);
  for (int c = COUNT - 3; c < COUNT; c++) {
    const trm_coordinates *co = all[c];
    double qc[MOST], qdot[MOST], spin[3];
    trm_frame frames[2];
    memset(frames, 0, sizeof frames);
    trm_motion motion = {co, 3, co->nq, co->nq, 1, NULL, frames + 1, 0};
    co->from_pose(&frame, 0, qc);
    co->from_twist(qc, v, w, qdot);
    trm_motion_position(&motion, qc);
    trm_motion_velocity(&motion, qdot);
    trm_spin(&motion, 0, spin);
    for (int i = 0; i < 3; i++) assert_near(spin[i], w[i], 1e-15);
    double energy = 0;
    const trm_inertia inertia = {1, {0.5, 0.6, 0.9}};
    for (int k = 0; k < 3; k++) {
      double along_axis = trm_dot(3, frame.a[k], w);
      energy += inertia.I[k] * along_axis * along_axis / 2;
    }
    assert_near(kinetic_energy(co, &inertia, qc, qdot), energy, 1e-14);
  }
}

static void found_by_name(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++)
    if (all[c] != &trm_euler_planar_singular && all[c] != &trm_natural_spatial_flat)
      assert_ptr_equal(trm_coordinates_find(all[c]->name, all[c]->dim), all[c]);
  assert_null(trm_coordinates_find("polar", 2));
  assert_null(trm_coordinates_find("angle", 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(row_is_the_gradient),
      cmocka_unit_test(rates_and_biases_are_time_derivatives),
      cmocka_unit_test(normalization_is_consistent),
      cmocka_unit_test(split_of_the_normalization),
      cmocka_unit_test(split_turns_the_body),
      cmocka_unit_test(inertia_force_follows_from_the_mass_matrix),
      cmocka_unit_test(rigid_motion),
      cmocka_unit_test(general_rotation),
      cmocka_unit_test(found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
