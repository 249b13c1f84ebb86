/* Short ways to write a model: each must mean what its long form means. */
#define _XOPEN_SOURCE 700
#include "mistake.h"

#include <math.h>

#define PLANE "trammel: 1\nspace: planar\n"
#define SPACE "trammel: 1\nspace: spatial\n"

static void expect_vector(const double *v, double x, double y, double z) {
  const double expected[] = {x, y, z};
  for (int k = 0; k < 3; k++)
    if (!(fabs(v[k] - expected[k]) <= 1e-15 * fmax(1, fabs(expected[k]))))
      fail_msg("component %d is %.17g, expected %.17g", k, v[k], expected[k]);
}

static void directions_have_names(void **state) {
  (void)state;
  loaded r = load_good(SPACE "bodies: {b: {mass: 1, inertia: [1, 1, 1], orientation: {axis: -z, "
                             "angle: pi/2}}}\n"
                             "joints:\n"
                             "  j: {type: cylindrical, connect: [ground, b], axis: -y}\n"
                             "  u: {type: perpendicular, connect: [ground, b], axes: [x, +z]}\n"
                             "forces: {s: {type: torsion-spring-damper, connect: [ground, b], "
                             "stiffness: 1, axis: z}}\n",
                       NULL);
  expect_vector(r.model->joints[0].axis[0], 0, -1, 0);
  expect_vector(r.model->joints[1].axis[0], 1, 0, 0);
  expect_vector(r.model->joints[1].axis[1], 0, 0, 1);
  const double *R = r.model->bodies[0].R; /* about −z the x axis turns to −y */
  assert_true(fabs(R[3] + 1) < 1e-15 && fabs(R[0]) < 1e-15);
  unload(&r);
  r = load_good(PLANE "bodies: {b: {mass: 1, inertia: 1}}\n"
                      "joints: {j: {type: prismatic, connect: [ground, b], axis: -x}}\n",
                NULL);
  assert_true(r.model->joints[0].axis[0][0] == -1 && r.model->joints[0].axis[0][1] == 0);
  unload(&r);
  expect_one(&(mistake){PLANE "bodies: {b: {mass: 1, inertia: 1}}\n"
                              "joints: {j: {type: prismatic, connect: [ground, b], axis: z}}\n",
                        4, 59, "the model is planar: directions are x, -x, y, -y or [x, y]"});
}

static void colors_have_names(void **state) {
  (void)state;
  loaded r = load_good(PLANE "ground: {color: gray}\nbodies: {b: {mass: 1, inertia: 1, color: "
                             "rebeccapurple}, c: {mass: 1, inertia: 1, color: yellowgreen}, d: "
                             "{mass: 1, inertia: 1, color: aliceblue}}\n",
                       NULL);
  assert_string_equal(r.model->ground.color, "#808080");
  assert_string_equal(r.model->bodies[0].color, "#663399");
  assert_string_equal(r.model->bodies[1].color, "#9acd32");
  assert_string_equal(r.model->bodies[2].color, "#f0f8ff");
  unload(&r);
}

static void vectors(void **state) {
  (void)state;
  loaded r = load_good(
      SPACE "parameters:\n"
            "  a: 2\n"
            "  P: [1, a, 3]\n"
            "  Q: [P.y, -1, P.x + P.z]\n" /* (2, −1, 4) */
            "  R: P/2 - a*Q\n"            /* (−3.5, 3, −6.5) */
            "  n: norm(Q)^2\n"            /* 21 */
            "  d: \"dot(P, Q - P)\"\n"    /* 12 − 14 */
            "  C: \"cross(P, Q)\"\n"      /* (11, 2, −5) */
            "  T: \"rotate(P, cross(P, Q), pi) + if(a > 1, Q, P)\"\n"
            "bodies:\n"
            "  b: {mass: n, inertia: [1, 1, 1], position: R, velocity: 2*C, com: T,\n"
            "      points: {A: P - Q, B: [P.z, d, 0]}}\n"
            "joints: {j: {type: revolute, connect: [ground, b], at: R, axis: Q}}\n"
            "forces: {f: {type: force, point: b, value: [P.z*t, 0, 0]},\n"
            "  s: {type: spring-damper, connect: [ground, b], at: [P, Q], stiffness: norm(Q)^2}}\n",
      NULL);
  const trm_body *b = r.model->bodies;
  assert_true(fabs(r.model->forces[1].stiffness.number - 21) < 1e-14);
  assert_true(fabs(b->mass - 21) < 1e-14);
  expect_vector(b->position, -3.5, 3, -6.5);
  expect_vector(b->velocity, 22, 4, -10);
  /* a vector across the axis turns by half a turn into its opposite */
  for (int k = 0; k < 3; k++) assert_true(fabs(b->com[k] - (const double[]){1, -3, 1}[k]) < 1e-14);
  expect_vector(b->points[0].u, -1, 3, -1);
  expect_vector(b->points[1].u, 3, -2, 0);
  assert_true(fabs(r.model->joints[0].axis[0][0] - 2 / sqrt(21)) < 1e-15);
  expect_vector(r.model->forces[1].end[0].u, 1, 2, 3);
  const double t = 2;
  assert_true(trm_quantity_value(&r.model->forces[0].value[0], &t) == 6);
  unload(&r);

  const char *set[] = {"P.x=5", NULL};
  r = load_text(PLANE "parameters: {P: [1, 2], k: \"cross(P, rotate(P, pi/2))\"}\n"
                      "bodies: {b: {mass: k, inertia: 1, position: -P}}\n",
                set);
  assert_non_null(r.model);
  assert_true(fabs(r.model->bodies[0].mass - 29) < 1e-14);
  assert_true(r.model->bodies[0].position[0] == -5);
  unload(&r);
}

static void mistakes_with_vectors(void **state) {
  (void)state;
#define VECTORS    PLANE "parameters: {P: [1, 2], Q: [3, 4], W: [1, 2, 3]}\n"
#define BODY(text) "bodies: {b: {mass: 1, inertia: 1, " text "}}\n"
  const mistake mistakes[] = {
      {VECTORS BODY("position: P*Q"), 4, 45, "a product of two is dot(a, b) or cross(a, b)"},
      {VECTORS BODY("position: P + 1"), 4, 45, "a number is added to a vector"},
      {VECTORS BODY("position: W"), 4, 45, "expected a vector of 2 components, found one of 3"},
      {VECTORS BODY("position: P + W"), 4, 49, "a vector of 3 components meets one of 2"},
      {VECTORS BODY("position: norm(P)"), 4, 45, "a vector of 2 components, found a number"},
      {VECTORS BODY("position: \"dot(P, 2)*Q\""), 4, 46, "it is dot(a, b) of two vectors"},
      {VECTORS BODY("angle: P"), 4, 42, "its components are P.x and so on"},
      {VECTORS BODY("angle: P.z"), 4, 42, "a constant is needed here"},
      {VECTORS BODY("position: P + R"), 4, 49, "unknown name 'R'"},
      {VECTORS "bodies: {P: {mass: 1, inertia: 1}}\n", 4, 10,
       "there is a vector parameter of this name, and P.x would mean both"},
      {PLANE "parameters: {P: Q - Q, Q: [1, 2]}\nbodies: {b: {mass: 1, inertia: 1}}\n", 3, 17,
       "'Q.x' is defined later: parameters are evaluated in order"},
      {PLANE "parameters: {Q: [1, 2], P: Q*Q}\nbodies: {b: {mass: 1, inertia: 1}}\n", 3, 28,
       "this is no sum of vectors"},
      {PLANE "parameters: {1a: [1, 2]}\nbodies: {b: {mass: 1, inertia: 1}}\n", 3, 14,
       "'1a' is no name"},
  };
  EXPECT_ALL(mistakes);
}

static void local_names(void **state) {
  (void)state;
  loaded r =
      load_good(PLANE "parameters: {N: 4}\nbodies:\n"
                      "  b$(i): {repeat: {i: [1, N]}, let: {a: 2*pi*i/N, P: [cos(a), "
                      "sin(a)], k: \"mod(i, 2)\"}, mass: i, inertia: 1, position: 2*P, angle: "
                      "a, points: {A$(k): P}}\n"
                      "forces:\n"
                      "  f$(i): {repeat: {i: [1, 2]}, let: {c: i/4}, type: torque, body: "
                      "b$(i), value: c*t}\n",
                NULL);
  for (int i = 0; i < 4; i++) {
    double a = acos(-1) / 2 * (i + 1);
    const trm_body *b = &r.model->bodies[i];
    expect_vector(b->position, 2 * cos(a), 2 * sin(a), 0);
    assert_true(fabs(b->angle - a) < 1e-15);
    assert_string_equal(b->points[0].name, i % 2 ? "A0" : "A1");
  }
  const double t = 1;
  assert_true(trm_quantity_value(&r.model->forces[1].value[2], &t) == 0.5);
  unload(&r);
  const mistake mistakes[] = {
      {PLANE "bodies: {b$(i): {repeat: {i: [1, 3]}, let: {a: 1/x}, mass: a, inertia: a}}\n", 3, 50,
       "let: unknown name 'x'"},
      {PLANE "bodies: {b: {let: {a: 1}, mass: 1, inertia: 1}}\n", 3, 14, "unknown key 'let'"},
      {PLANE "parameters: {a: 1}\nbodies: {b$(i): {repeat: {i: [1, 3]}, let: {a: 1}, mass: a, "
             "inertia: a}}\n",
       4, 45, "a name under let may not be called 'a': there is a parameter"},
  };
  EXPECT_ALL(mistakes);
}

/* One mechanism in two systems of units: each number has the size that its unit gives it. */
static void units(void **state) {
  (void)state;
#define MODEL                                                                                      \
  "parameters: {rho: 7850 kg/m^3, P: [30 mm, 2 cm], w: -100 rpm, E: 2 MPa}\n"                      \
  "gravity: [0, -9.81 m/s^2]\n"                                                                    \
  "bodies: {b: {mass: rho*(1 m)^3 + 500 g, inertia: 2 kg*m^2, position: P + P, angle: 45 deg, "    \
  "angular-velocity: w}}\n"                                                                        \
  "forces: {f: {type: force, point: b, value: [2 kN*(t - 500 ms), 0]},\n"                          \
  "  s: {type: spring-damper, connect: [ground, b], stiffness: 3 N/mm, length: 1 m}}\n"
  static const char *const heads[] = {"trammel: 1\nspace: planar\n",
                                      "trammel: 1\nspace: planar\nunits: mm-N-s-t\n"};
  for (int k = 0; k < 2; k++) {
    const double L = k ? 1e-3 : 1, M = k ? 1e3 : 1, pi = acos(-1), t = 2; /* m and kg */
    char text[2000];
    snprintf(text, sizeof text, "%s%s", heads[k], MODEL);
    loaded r = load_good(text, NULL);
    const trm_body *b = r.model->bodies;
    const double found[] = {b->mass * M,
                            b->inertia[2] * M * L * L,
                            b->position[0] * L,
                            b->position[1] * L,
                            b->angle,
                            b->angular_velocity[2],
                            b->gravity[1] * L,
                            trm_quantity_value(&r.model->forces[0].value[0], &t) * M * L,
                            r.model->forces[1].stiffness.number * M,
                            r.model->forces[1].free.number * L,
                            r.model->parameters[4].value * M / L};
    const double expected[] = {7850.5, 2,    0.06, 0.04, pi / 4, -100 * 2 * pi / 60,
                               -9.81,  3000, 3000, 1,    2e6};
    for (int i = 0; i < 11; i++)
      if (!(fabs(found[i] - expected[i]) <= 1e-14 * fabs(expected[i])))
        fail_msg("%d: %.17g, expected %.17g", i, found[i], expected[i]);
    unload(&r);
  }
  const mistake mistakes[] = {
      {PLANE "parameters: {m: 1}\nbodies: {b: {mass: 3 m, inertia: 1}}\n", 4, 20,
       "'m' is a unit and a name of this model: write a product as 2*m, or rename it"},
      {PLANE "units: mm\nbodies: {b: {mass: 3, inertia: 1}}\n", 3, 8,
       "unknown units 'mm'; they are SI or mm-N-s-t"},
      {PLANE "bodies: {b: {mass: 3 x, inertia: 1}}\n", 3, 22, "an operator or a unit, found 'x'"},
      {PLANE "bodies: {b: {mass: 3, inertia: 1 kg m^2}}\n", 3, 37, "joined without blanks"},
      {PLANE "bodies: {b: {mass: 3 mm, inertia: 1}}\n", 3, 22,
       "body 'b': mass: 'mm' is no unit of a mass, which is in kg, say"},
      {PLANE "bodies: {b: {mass: 3, inertia: 1 kg*m}}\n", 3, 34,
       "'kg*m' is no unit of a moment of inertia, which is in kg*m^2, say"},
      {PLANE "bodies: {b: {mass: 3, inertia: 1, position: [1 m, -2  kg]}}\n", 3, 55,
       "position: 'kg' is no unit of a length"},
      {PLANE "bodies: {b: {mass: 3, inertia: 1, points: {mass: [1 m, 1 s]}}}\n", 3, 58,
       "mass: 's' is no unit of a length"},
      {PLANE "bodies: {b: {mass: 3, inertia: 1, angular-velocity: 3 deg}}\n", 3, 55,
       "'deg' is no unit of an angular velocity, which is in rad/s, say"},
      {PLANE "bodies: {b: {mass: 3, inertia: 1}}\nsimulate: {duration: 2 Hz}\n", 4, 24,
       "'Hz' is no unit of a time"},
      {PLANE "gravity: [0, -9.81 m/s]\nbodies: {b: {mass: 3, inertia: 1}}\n", 3, 20,
       "gravity: 'm/s' is no unit of an acceleration"},
      {PLANE "parameters: {s: 1}\nbodies: {b: {mass: 1, inertia: 1}}\n"
             "forces: {f: {type: torque, body: b, value: t/(2 s)}}\n",
       5, 47, "'s' is a unit and a name of this model"},
  };
  EXPECT_ALL(mistakes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions_have_names),
      cmocka_unit_test(colors_have_names),
      cmocka_unit_test(vectors),
      cmocka_unit_test(mistakes_with_vectors),
      cmocka_unit_test(local_names),
      cmocka_unit_test(units),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
