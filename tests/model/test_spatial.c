/* Model files in space: orientations, inertias, joints, forces and measures as resolved. */
#define _XOPEN_SOURCE 700
#include "load.h"

#include <math.h>

#include "../check.h"

#define HEAD "trammel: 1\nspace: spatial\n"
#define BODY "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"

static loaded load_with(const char *rest) {
  char text[4000];
  snprintf(text, sizeof text, "%s%s", HEAD, rest);
  return load_good(text, NULL);
}

static void assert_vector(int count, const double *found, const double *expected,
                          double tolerance) {
  for (int k = 0; k < count; k++) assert_near(found[k], expected[k], tolerance);
}

static void expect_orientation(const char *form, const double expected[9], double tolerance) {
  char text[400];
  snprintf(text, sizeof text, "bodies: {b: {mass: 1, inertia: [1, 1, 1], orientation: %s}}\n",
           form);
  loaded r = load_with(text);
  assert_vector(9, r.model->bodies[0].R, expected, tolerance);
  unload(&r);
}

static void five_forms_give_the_same_quarter_turn(void **state) {
  (void)state;
  const double R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  expect_orientation("{quaternion: [3, 0, 0, 3]}", R, 1e-15);
  expect_orientation("{quaternion: [-1e-200, 0, 0, -1e-200]}", R, 1e-15);
  expect_orientation("{axis: [0, 0, 7], angle: pi/2}", R, 1e-15);
  expect_orientation("{axis: [0, 0, -1e-300], angle: -pi/2}", R, 1e-15);
  expect_orientation("{euler: zxz, angles: [pi/2, 0, 0]}", R, 1e-15);
  expect_orientation("{x: [0, 3, 0], y: [-1, 5, 0]}", R, 1e-15);
  expect_orientation("{matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}", R, 0);
}

/* v turned about a unit vector along x, y or z */
static void turn(char axis, double angle, double v[3]) {
  int n = axis - 'x', a = (n + 1) % 3, b = (n + 2) % 3;
  double va = v[a], vb = v[b];
  v[a] = cos(angle) * va - sin(angle) * vb;
  v[b] = sin(angle) * va + cos(angle) * vb;
}

/* R = R1 R2 R3 turns a vector by the last angle first. */
static void all_euler_sequences(void **state) {
  (void)state;
  static const char *const sequences[] = {"xyx", "xzx", "yxy", "yzy", "zxz", "zyz",
                                          "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
  const double angles[3] = {0.3, -1.1, 2.5};
  for (int s = 0; s < 12; s++) {
    double R[9];
    for (int k = 0; k < 3; k++) {
      double v[3] = {k == 0, k == 1, k == 2};
      for (int i = 2; i >= 0; i--) turn(sequences[s][i], angles[i], v);
      for (int i = 0; i < 3; i++) R[3 * i + k] = v[i];
    }
    char form[80];
    snprintf(form, sizeof form, "{euler: %s, angles: [0.3, -1.1, 2.5]}", sequences[s]);
    expect_orientation(form, R, 1e-15);
  }
}

/* Rodrigues: v cos a + n × v sin a + n (n·v)(1 − cos a), n = (1, 2, 2)/3, a = 1 */
static void axis_angle_and_quaternion_about_a_skew_axis(void **state) {
  (void)state;
  const double n[3] = {1 / 3.0, 2 / 3.0, 2 / 3.0}, c = cos(1), s = sin(1);
  double R[9];
  for (int k = 0; k < 3; k++) {
    double v[3] = {k == 0, k == 1, k == 2};
    for (int i = 0; i < 3; i++) {
      int a = (i + 1) % 3, b = (i + 2) % 3;
      R[3 * i + k] = v[i] * c + (n[a] * v[b] - n[b] * v[a]) * s + n[i] * n[k] * (1 - c);
    }
  }
  expect_orientation("{axis: [1, 2, 2], angle: 1}", R, 1e-15);
  expect_orientation("{quaternion: [3*cos(1/2), sin(1/2), 2*sin(1/2), 2*sin(1/2)]}", R, 1e-15);
}

static void a_rounded_matrix_becomes_a_rotation(void **state) {
  (void)state;
  loaded r = load_with("bodies:\n  b:\n    mass: 1\n    inertia: [1, 1, 1]\n    orientation:\n"
                       "      matrix: [[0.7071068, 0, 0.7071068], [0, 1, 0],\n"
                       "               [-0.7071068, 0, 0.7071068]]\n");
  const double h = sqrt(0.5), expected[9] = {h, 0, h, 0, 1, 0, -h, 0, h};
  assert_vector(9, r.model->bodies[0].R, expected, 1e-15);
  unload(&r);
}

static void inertias(void **state) {
  (void)state;
  loaded r = load_with("bodies:\n"
                       "  a: {mass: 1, inertia: [1, 2, 3]}\n"
                       "  b: {mass: 1, inertia: [2, 3, 4, -0.1, 0.2, 0.3]}\n"
                       "  point: {mass: 1, inertia: [0, 0, 0]}\n"
                       "  rod: {mass: 1, inertia: [0, 1/3, 1/3]}\n"
                       "  tilted: {mass: 1, inertia: [1/2, 1/2, 1, 1/2, 0, 0]}\n");
  const double a[6] = {1, 2, 3, 0, 0, 0}, b[6] = {2, 3, 4, -0.1, 0.2, 0.3};
  assert_vector(6, r.model->bodies[0].inertia, a, 0);
  assert_vector(6, r.model->bodies[1].inertia, b, 0);
  assert_int_equal(r.model->body_count, 5);
  unload(&r);
}

static void bodies(void **state) {
  (void)state;
  loaded r = load_with("gravity: [0, 0, -9.81]\nground: {points: {O: [1, 2, 3]}}\n"
                       "bodies:\n"
                       "  a: {mass: 2, inertia: [1, 1, 1], com: [0, 0, 0.1], position: [1, 2, 3],\n"
                       "      velocity: [4, 5, 6], angular-velocity: [7, 8, 9],\n"
                       "      points: {P: [0.1, 0.2, 0.3]},\n"
                       "      shape: {cylinder: {radius: 1, length: 2, axis: [0, 1, 1]}}}\n"
                       "  b: {mass: 1, inertia: [1, 1, 1], gravity: [1, 0, 0]}\n");
  const trm_body *a = &r.model->bodies[0];
  assert_int_equal(r.model->dim, 3);
  assert_vector(3, a->position, (double[]){1, 2, 3}, 0);
  assert_vector(3, a->velocity, (double[]){4, 5, 6}, 0);
  assert_vector(3, a->angular_velocity, (double[]){7, 8, 9}, 0);
  assert_vector(3, a->com, (double[]){0, 0, 0.1}, 0);
  assert_vector(3, a->gravity, (double[]){0, 0, -9.81}, 0);
  assert_vector(3, a->points[0].u, (double[]){0.1, 0.2, 0.3}, 0);
  assert_vector(3, r.model->bodies[1].gravity, (double[]){1, 0, 0}, 0);
  assert_vector(3, r.model->ground.points[0].u, (double[]){1, 2, 3}, 0);
  unload(&r);
}

/* b's frame: x along global y, y along −x, at (1, 0, 0). */
#define TURNED                                                                                     \
  "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0],\n"                               \
  "             orientation: {axis: [0, 0, 1], angle: pi/2}, points: {P: [0, 2, 0]}}}\n"

static const trm_joint *joint_of(const loaded *r, const char *name) {
  for (int i = 0; i < r->model->joint_count; i++)
    if (strcmp(r->model->joints[i].name, name) == 0) return &r->model->joints[i];
  fail_msg("no joint %s", name);
  return NULL;
}

static void axes_are_carried_by_both_sides(void **state) {
  (void)state;
  loaded r = load_with(
      TURNED "joints:\n"
             "  r: {type: revolute, connect: [ground, b], axis: [5, 0, 0]}\n"
             "  c: {type: cylindrical, connect: [b.P, ground], axis: [0, 1, 1]}\n"
             "  u: {type: universal, connect: [ground, b], axes: [[0, 0, 2], [3, 0, 0]]}\n"
             "  p: {type: parallel, connect: [ground, b], axes: [[0, -1, 0], [2, 0, 0]]}\n"
             "  q: {type: perpendicular, connect: [ground, b],\n"
             "      axes: [[1, 0, 0], [2, 0, 0]]}\n"
             "  s: {type: screw, connect: [ground, b], axis: [0, 0, 1], pitch: 0.1}\n"
             "  o: {type: spherical, connect: [ground, b], at: [1, 1, 1]}\n"
             "  n: {type: planar, connect: [b, ground], axis: [0, 0, 1]}\n"
             "  l: {type: point-on-line, connect: [ground, b], axis: [1, 0, 0]}\n"
             "  m: {type: point-on-plane, connect: [ground, b], axes: [[1, 0, 0],\n"
             "      [0, 1, 0]]}\n"
             "  w: {type: prismatic, connect: [b, ground], axis: [0, 1, 0]}\n"
             "  f: {type: rigid, connect: [b, ground]}\n"
             "  d: {type: distance, connect: [ground, b.P]}\n");
  const double h = sqrt(0.5);
  assert_vector(3, joint_of(&r, "r")->axis[0], (double[]){1, 0, 0}, 1e-15);
  assert_vector(3, joint_of(&r, "r")->axis[1], (double[]){0, -1, 0}, 1e-15);
  assert_vector(3, joint_of(&r, "c")->axis[0], (double[]){h, 0, h}, 1e-15);
  assert_vector(3, joint_of(&r, "c")->axis[1], (double[]){0, h, h}, 1e-15);
  assert_vector(3, joint_of(&r, "c")->end[0].u, (double[]){0, 2, 0}, 0);
  assert_vector(3, joint_of(&r, "u")->axis[0], (double[]){0, 0, 1}, 0);
  assert_vector(3, joint_of(&r, "u")->axis[1], (double[]){1, 0, 0}, 0);
  assert_near(joint_of(&r, "s")->pitch, 0.1, 0);
  assert_vector(3, joint_of(&r, "o")->end[0].u, (double[]){1, 1, 1}, 0);
  assert_vector(3, joint_of(&r, "o")->end[1].u, (double[]){1, 0, 1}, 1e-15);
  assert_vector(3, joint_of(&r, "m")->axis[1], (double[]){0, 1, 0}, 0);
  assert_vector(3, joint_of(&r, "w")->axis[0], (double[]){1, 0, 0}, 1e-15);
  assert_near(joint_of(&r, "d")->value.number, 1, 1e-15); /* P is at (−1, 0, 0) */
  unload(&r);
}

static void rolling_sphere_and_disc(void **state) {
  (void)state;
  /* the disc leans by 60° from the vertical: its centre is at R cos 60° */
  loaded r = load_with("bodies:\n"
                       "  ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5]}\n"
                       "  disc: {mass: 1, inertia: [1, 1, 2], position: [0, 0, 1],\n"
                       "         orientation: {axis: [1, 0, 0], angle: deg(30)}}\n"
                       "joints:\n"
                       "  s: {type: rolling, connect: [ground, ball], radius: 0.5,\n"
                       "      axis: [0, 0, 1]}\n"
                       "  d: {type: rolling, connect: [ground, disc], radius: 2,\n"
                       "      axes: [[0, 0, -3], [0, 0, 1]]}\n");
  assert_false(joint_of(&r, "s")->disc);
  assert_near(joint_of(&r, "s")->radius, 0.5, 0);
  assert_true(joint_of(&r, "d")->disc);
  assert_vector(3, joint_of(&r, "d")->axis[0], (double[]){0, 0, -1}, 0);
  assert_vector(3, joint_of(&r, "d")->axis[1], (double[]){0, 0, 1}, 0);
  unload(&r);
}

static void forces(void **state) {
  (void)state;
  loaded r = load_with(TURNED "forces:\n"
                              "  f: {type: force, point: b.P, value: [1, 2, 3*b.wz], frame: body}\n"
                              "  m: {type: torque, body: b, value: [4, 5, 6*t]}\n"
                              "  k: {type: torsion-spring-damper, connect: [b, ground],\n"
                              "      axis: [0, 2, 0], stiffness: 3}\n");
  const trm_force *f = r.model->forces;
  assert_near(f[0].value[0].number, 1, 0);
  assert_near(f[0].value[1].number, 2, 0);
  assert_non_null(f[0].value[2].formula);
  assert_true(f[0].body_frame);
  assert_int_equal(r.model->input_count, 1);
  assert_int_equal(r.model->inputs[0].kind, TRM_MEASURE_ORIENTATION);
  assert_int_equal(r.model->inputs[0].component, 2);
  assert_int_equal(r.model->inputs[0].level, 1);
  assert_near(f[1].value[0].number, 4, 0);
  assert_non_null(f[1].value[2].formula);
  assert_vector(3, f[2].axis, (double[]){1, 0, 0}, 1e-15);
  unload(&r);
}

static void bushings(void **state) {
  (void)state;
  loaded r = load_with(
      TURNED
      "forces:\n"
      "  a: {type: bushing, connect: [b.P, ground], stiffness: [1, 2, 3, 4, 5, 6],\n"
      "      damping: [6, 5, 4, 3, 2, 1], preload: [0, 0, 9, 0, 0, 8]}\n"
      "  c: {type: bushing, connect: [ground, b], orientation: {x: [0, 0, 1], y: [1, 0, 0]},\n"
      "      stiffness: [[1, 7, 0, 0, 0, 0], [7, 2, 0, 0, 0, 0], [0, 0, 3, 0, 0, 0],\n"
      "                  [0, 0, 0, 4, 0, 0], [0, 0, 0, 0, 5, 0], [0, 0, 0, 0, 0, 6]]}\n");
  const trm_bushing *a = r.model->forces[0].bushing, *c = r.model->forces[1].bushing;
  for (int i = 0; i < 36; i++) {
    assert_near(a->K[i], i % 7 ? 0 : 1 + i / 7, 0);
    assert_near(a->D[i], i % 7 ? 0 : 6 - i / 7, 0);
    assert_near(c->K[i], i == 1 || i == 6 ? 7 : (i % 7 ? 0 : 1 + i / 7), 0);
    assert_near(c->D[i], 0, 0);
  }
  assert_vector(6, a->preload, (double[]){0, 0, 9, 0, 0, 8}, 0);
  /* global axes in the turned body's frame */
  assert_vector(3, a->axes[0], (double[]){0, -1, 0}, 1e-15);
  assert_vector(3, a->axes[1], (double[]){1, 0, 0}, 1e-15);
  assert_vector(3, c->axes[0], (double[]){0, 0, 1}, 0);
  assert_vector(3, c->axes[1], (double[]){1, 0, 0}, 0);
  assert_vector(3, c->axes[2], (double[]){0, 1, 0}, 0);
  unload(&r);
  r = load_good("trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, angle: pi/2}}\n"
                "forces: {a: {type: bushing, connect: [b, ground], stiffness: [1, 2, 3],\n"
                "             damping: [[1, 2, 3], [4, 5, 6], [7, 8, 9]], preload: [1, 2, 3]}}\n",
                NULL);
  a = r.model->forces[0].bushing;
  assert_vector(9, a->K, (double[]){1, 0, 0, 0, 2, 0, 0, 0, 3}, 0);
  assert_vector(9, a->D, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 0);
  assert_vector(3, a->axes[0], (double[]){0, -1, 0}, 1e-15);
  unload(&r);
}

static void expect_columns(const loaded *r, const char *expected) {
  char found[2000] = "";
  for (int i = 0; i < r->model->output_count; i++) {
    if (i > 0) strcat(found, " ");
    strcat(found, r->model->outputs[i].name);
  }
  assert_string_equal(found, expected);
}

static void selections(void **state) {
  (void)state;
  loaded r = load_with("bodies: {b: {mass: 1, inertia: [1, 1, 1], points: {P: [1, 0, 0]}}}\n"
                       "joints: {s: {type: screw, connect: [ground, b], axis: [0, 0, 1],\n"
                       "             pitch: 1},\n"
                       "         r: {type: universal, connect: [ground, b],\n"
                       "             axes: [[0, 0, 1], [1, 0, 0]]}}\n"
                       "outputs: [b, s, r, momentum]\n");
  expect_columns(
      &r, "b.x b.y b.z b.qw b.qx b.qy b.qz b.vx b.vy b.vz b.wx b.wy b.wz "
          "b.ax b.ay b.az b.alphax b.alphay b.alphaz b.roll b.pitch b.yaw b.u b.v b.w b.p b.q "
          "b.r b.aX b.aY b.aZ b.uh b.vh b.axh b.ayh b.kinetic "
          "b.P.x b.P.y b.P.z b.P.vx b.P.vy b.P.vz b.P.ax b.P.ay b.P.az "
          "s.angle s.rate s.displacement s.speed s.effort "
          "s.fx s.fy s.fz s.tx s.ty s.tz s.f s.t "
          "r.fx r.fy r.fz r.tx r.ty r.tz r.f r.t "
          "momentum.px momentum.py momentum.pz momentum.lx momentum.ly momentum.lz");
  assert_int_equal(r.model->outputs[4].kind, TRM_MEASURE_ORIENTATION);
  assert_int_equal(r.model->outputs[4].component, 1);
  assert_int_equal(r.model->outputs[4].level, 0);
  unload(&r);
  r = load_with(BODY);
  expect_columns(&r, "b.x b.y b.z b.qw b.qx b.qy b.qz b.vx b.vy b.vz b.wx b.wy b.wz "
                     "b.ax b.ay b.az b.alphax b.alphay b.alphaz "
                     "energy.kinetic energy.potential energy.total energy.work energy.error "
                     "constraint.position constraint.velocity");
  unload(&r);
}

static void initial_conditions_and_drivers(void **state) {
  (void)state;
  loaded r = load_with(BODY "joints:\n"
                            "  c: {type: cylindrical, connect: [ground, b], axis: [0, 0, 1]}\n"
                            "  d: {type: driver, of: c.angle, value: t}\n"
                            "  e: {type: driver, of: b.z, value: 2*t}\n"
                            "  g: {type: coordinate, sum: {b.z: 1, c.angle: -2}, value: 0}\n"
                            "initial: {b.z: 1, b.vz: 2, b.wz: 3, c.rate: 4}\n");
  assert_int_equal(r.model->initial_count, 4);
  assert_int_equal(r.model->initials[2].measure.kind, TRM_MEASURE_ORIENTATION);
  assert_int_equal(joint_of(&r, "e")->terms[0].measure.component, 2);
  assert_int_equal(trm_model_freedoms(r.model, TRM_JOINT_CYLINDRICAL), 3);
  assert_int_equal(trm_model_freedoms(r.model, TRM_JOINT_ROLLING), 0);
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(five_forms_give_the_same_quarter_turn),
      cmocka_unit_test(all_euler_sequences),
      cmocka_unit_test(axis_angle_and_quaternion_about_a_skew_axis),
      cmocka_unit_test(a_rounded_matrix_becomes_a_rotation),
      cmocka_unit_test(inertias),
      cmocka_unit_test(bodies),
      cmocka_unit_test(axes_are_carried_by_both_sides),
      cmocka_unit_test(rolling_sphere_and_disc),
      cmocka_unit_test(forces),
      cmocka_unit_test(bushings),
      cmocka_unit_test(selections),
      cmocka_unit_test(initial_conditions_and_drivers),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
