/* Model files that are right: every key arrives where it belongs. */
#define _XOPEN_SOURCE 700
#include "load.h"

#include <math.h>

#define BODIES                                                                                     \
  "trammel: 1\nspace: planar\n"                                                                    \
  "bodies:\n  crank: {mass: 1, inertia: 2, points: {A: [-1, 0], B: [1, 0]}}\n"                     \
  "  rod: {mass: 3, inertia: 4, points: {A: [-2, 0], B: [2, 0.5]}}\n"

static void the_example_of_the_manual_loads(void **state) {
  (void)state;
  loaded r = load_good("trammel: 1\nname: Slider-crank\ndescription: Two equal rods\n"
                       "space: planar\ngravity: [0, -9.81]\nparameters:\n  L: 1\n  m: 1\n"
                       "ground:\n  points: {O: [0, 0]}\nbodies:\n  crank:\n    mass: m\n"
                       "    inertia: m*L^2/12            # about the centre of mass\n"
                       "    position: [L/2*cos(pi/4), L/2*sin(pi/4)]\n    angle: pi/4\n"
                       "    points: {A: [-L/2, 0], B: [L/2, 0]}\n  rod:\n    mass: m\n"
                       "    inertia: m*L^2/12\n    position: [3*L/2*cos(pi/4), L/2*sin(pi/4)]\n"
                       "    angle: -pi/4\n    points: {A: [-L/2, 0], B: [L/2, 0]}\njoints:\n"
                       "  A:      {type: revolute, connect: [ground.O, crank.A]}\n"
                       "  B:      {type: revolute, connect: [crank.B, rod.A]}\n"
                       "  slider: {type: point-on-line, connect: [ground.O, rod.B], axis: [1, 0]}\n"
                       "forces:\n  spring: {type: spring-damper, connect: [rod.B, ground.O], "
                       "stiffness: 3, damping: 0.4, length: 1}\n"
                       "initial:\n  rod.B.vx: -4\nsimulate:\n  duration: 10\n  step: 1e-3\n"
                       "  output-step: 1e-2\noutputs: [rod.B.x, rod.B.y, A, energy]\n",
                       NULL);
  const trm_model *m = r.model;
  assert_string_equal(trm_model_name(m), "Slider-crank");
  assert_string_equal(trm_model_description(m), "Two equal rods");
  assert_true(m->gravity[0] == 0 && m->gravity[1] == -9.81);
  assert_int_equal(m->body_count, 2);
  assert_string_equal(m->bodies[1].name, "rod");
  assert_true(m->bodies[0].mass == 1 && m->bodies[0].inertia[2] == 1.0 / 12);
  assert_true(fabs(m->bodies[1].position[0] - 1.5 * sqrt(0.5)) < 1e-15);
  assert_true(fabs(m->bodies[1].angle + acos(-1) / 4) < 1e-15);
  assert_true(m->bodies[0].points[1].u[0] == 0.5);
  assert_int_equal(m->joint_count, 3);
  assert_int_equal(m->joints[2].type, TRM_JOINT_POINT_ON_LINE);
  assert_int_equal(m->joints[2].end[1].body, 1);
  assert_true(m->forces[0].stiffness.number == 3 && m->forces[0].damping.number == 0.4);
  assert_true(m->forces[0].free.number == 1);
  assert_true(m->initials[0].value == -4);
  assert_true(m->settings.duration == 10 && m->settings.step == 1e-3);
  assert_true(m->settings.output_step == 1e-2);
  unload(&r);
}

static void every_key_of_a_body_is_read(void **state) {
  (void)state;
  loaded r =
      load_good("trammel: 1\nspace: planar\ngravity: [0, -1]\nbodies:\n"
                "  b: {mass: 2, inertia: 3, position: [1, 2], angle: deg(180), com: [4, 5],\n"
                "      velocity: [6, 7], angular-velocity: 8, gravity: [9, 10],\n"
                "      points: {P: [11, 12], Q: [13, 14]}, shape: {path: [P, Q, P]},\n"
                "      color: \"#4477aa\"}\n"
                "  c: {mass: 1, inertia: 0, shape: {box: [1, 2, 3]}}\n"
                "  d: {mass: 1, inertia: 0, shape: {cylinder: {radius: 2, length: 3}}}\n"
                "  e: {mass: 1, inertia: 0, shape: {mesh: part.stl}}\n"
                "  f: {mass: 1, inertia: 0, shape: {sphere: 2/4}}\n",
                NULL);
  const trm_body *b = r.model->bodies;
  assert_true(b->mass == 2 && b->inertia[2] == 3 && b->position[0] == 1 && b->position[1] == 2);
  assert_true(fabs(b->angle - acos(-1)) < 1e-15 && b->com[0] == 4 && b->com[1] == 5);
  assert_true(b->velocity_given && b->velocity[0] == 6 && b->velocity[1] == 7);
  assert_true(b->angular_velocity_given && b->angular_velocity[2] == 8);
  assert_true(b->gravity[0] == 9 && b->gravity[1] == 10);
  assert_int_equal(b->point_count, 2);
  assert_string_equal(b->points[1].name, "Q");
  assert_true(b->points[1].u[0] == 13 && b->points[1].u[1] == 14);
  assert_int_equal(b->shape.type, TRM_SHAPE_PATH);
  assert_int_equal(b->shape.point_count, 3);
  assert_string_equal(b->shape.points[1], "Q");
  assert_string_equal(b->color, "#4477aa");
  assert_false(b[1].velocity_given || b[1].angular_velocity_given);
  assert_true(b[1].gravity[1] == -1 && b[1].shape.size[2] == 3);
  assert_true(b[2].shape.size[0] == 2 && b[2].shape.size[1] == 3 && b[2].shape.axis[2] == 1);
  assert_string_equal(b[3].shape.file, "part.stl");
  assert_true(b[4].shape.size[0] == 0.5);
  unload(&r);
}

static void joints_carry_their_numbers(void **state) {
  (void)state;
  loaded r = load_good(BODIES "joints:\n"
                              "  a: {type: revolute, connect: [ground, crank], at: [1, 2]}\n"
                              "  b: {type: prismatic, connect: [crank, rod.A], axis: [0, 2]}\n"
                              "  d: {type: point-on-line, connect: [crank.B, rod.A],\n"
                              "      axes: [[3, 4], [0, 1]]}\n"
                              "  e: {type: roller, connect: [ground, rod.B], axis: y}\n"
                              "  f: {type: distance, connect: [crank.A, rod.B], length: 1 + t}\n"
                              "  g: {type: distance, connect: [crank.A, rod.B]}\n"
                              "  h: {type: rigid, connect: [crank, rod]}\n"
                              "  i: {type: coordinate, sum: {crank.angle: 1, rod.B.x: -1/2},\n"
                              "      value: 3}\n"
                              "  drive: {type: driver, of: a, value: \"step(t, 0, 0, 2, 6)\"}\n"
                              "  lift: {type: driver, of: rod.B.y, value: 3/2}\n"
                              "  k: {type: gear, joints: [a, b.displacement], ratio: -1/4}\n"
                              "  l: {type: rolling, connect: [ground, rod.B], axis: [2, 0],\n"
                              "      radius: 1/2}\n",
                       NULL);
  const trm_joint *j = r.model->joints;
  assert_true(j[0].end[0].u[0] == 1 && j[0].end[0].u[1] == 2 && j[0].end[1].u[1] == 2);
  assert_true(j[1].axis[0][1] == 1 && j[1].end[1].u[0] == -2);
  assert_true(fabs(j[2].axis[0][0] - 0.6) < 1e-15 && fabs(j[2].axis[0][1] - 0.8) < 1e-15);
  assert_true(j[2].axis[1][1] == 1);
  assert_true(j[3].axis[0][0] == 0 && j[3].axis[0][1] == 1);
  assert_non_null(j[4].value.formula);
  const double t = 2;
  assert_true(trm_expression_value(j[4].value.formula, &t) == 3);
  assert_true(fabs(j[5].value.number - sqrt(9 + 0.25)) < 1e-15);
  assert_int_equal(j[6].type, TRM_JOINT_RIGID);
  assert_int_equal(j[7].term_count, 2);
  assert_true(j[7].terms[1].factor == -0.5 && j[7].value.number == 3);
  assert_true(trm_expression_value(j[8].value.formula, &t) == 6);
  assert_string_equal(j[8].terms[0].measure.name, "a.angle");
  assert_true(j[8].end[1].u[1] == 2);
  assert_true(j[9].value.number == 1.5 && j[9].end[1].u[1] == 0.5);
  assert_string_equal(j[10].terms[0].measure.name, "b.displacement");
  assert_true(j[10].terms[1].factor == 0.25);
  assert_true(j[11].radius == 0.5 && j[11].axis[0][0] == 1);
  unload(&r);
}

static void forces_carry_their_numbers(void **state) {
  (void)state;
  loaded r =
      load_good(BODIES "joints:\n  j: {type: revolute, connect: [crank.B, rod.A]}\nforces:\n"
                       "  a: {type: force, point: rod.B, value: [2*t, -3], frame: body}\n"
                       "  b: {type: torque, body: rod, value: -rod.omega}\n"
                       "  c: {type: spring-damper, connect: [rod.B, ground], stiffness: 5}\n"
                       "  d: {type: torsion-spring-damper, connect: [crank, rod], damping: 6,\n"
                       "      stiffness: 1, angle: pi/2}\n"
                       "  e: {type: actuator, connect: [crank.A, ground], at: [7, 8],\n"
                       "      value: \"if(t > 1, 2, 3)\"}\n"
                       "  f: {type: actuator, of: j, value: 9}\n",
                NULL);
  const trm_force *f = r.model->forces;
  assert_true(f[0].body_frame && f[0].end[0].body == 1 && f[0].end[0].u[0] == 2);
  assert_true(f[0].value[0].formula && f[0].value[1].number == -3);
  assert_true(f[1].value[2].formula && !f[1].body_frame);
  assert_true(f[2].stiffness.number == 5 && fabs(f[2].free.number - sqrt(4.25)) < 1e-15);
  assert_true(f[3].damping.number == 6 && fabs(f[3].free.number - acos(0)) < 1e-15);
  assert_true(f[4].end[1].body == TRM_GROUND && f[4].end[1].u[1] == 8 && f[4].value[0].formula);
  assert_true(f[5].joint == 0 && f[5].freedom == 0 && f[5].value[0].number == 9);
  unload(&r);
}

static void parameters_use_earlier_ones_and_overrides(void **state) {
  (void)state;
  const char *text =
      "trammel: 1\nspace: planar\nparameters: {a: 2, b: a^2, c: \"min(a, b)\"}\n"
      "bodies: {x: {mass: b, inertia: c}}\nsimulate: {duration: 3*a, step: a/1000}\n";
  loaded r = load_good(text, NULL);
  assert_true(r.model->bodies[0].mass == 4 && r.model->bodies[0].inertia[2] == 2);
  assert_true(r.model->settings.duration == 6 && r.model->settings.step == 2.0 / 1000);
  unload(&r);
  /* an override counts before later ones are evaluated; of two the last one */
  const char *overrides[] = {"a=7", "a=10/2", "c=b+1", NULL};
  r = load_good(text, overrides);
  assert_true(r.model->bodies[0].mass == 25 && r.model->bodies[0].inertia[2] == 26);
  assert_true(r.model->settings.duration == 15);
  unload(&r);
}

static void numbers_are_decimal_and_functions_may_share_names(void **state) {
  (void)state;
  loaded r = load_good("trammel: 1\nspace: planar\nparameters: {step: 010, min: 1e-3}\n"
                       "bodies: {x: {mass: step, inertia: -2^2 + 5 + min}}\n",
                       NULL);
  assert_true(r.model->bodies[0].mass == 10 && r.model->bodies[0].inertia[2] == 1 + 1e-3);
  unload(&r);
}

static void anchors_aliases_and_merge_keys_work(void **state) {
  (void)state;
  loaded r = load_good("trammel: 1\nspace: planar\nbodies:\n"
                       "  a: &link {mass: 1, inertia: 2, points: &ends {A: [-1, 0], B: [1, 0]}}\n"
                       "  b: *link\n"
                       "  c: {<<: *link, mass: 3}\n"
                       "  d:\n    <<: [{mass: 4}, *link]\n    position: [5, 6]\n"
                       "  e: {mass: 7, inertia: 8, points: *ends}\n",
                       NULL);
  const trm_body *b = r.model->bodies;
  assert_int_equal(r.model->body_count, 5);
  assert_true(b[1].mass == 1 && b[2].mass == 3 && b[2].inertia[2] == 2);
  assert_true(b[3].mass == 4 && b[3].inertia[2] == 2 && b[3].position[1] == 6);
  assert_true(b[3].points[1].u[0] == 1 && b[4].points[0].u[0] == -1);
  unload(&r);
}

static void order_of_the_file_is_kept(void **state) {
  (void)state;
  char text[4000] = "trammel: 1\nspace: planar\nbodies:\n", line[60], name[10];
  for (int i = 0; i < 50; i++) {
    snprintf(line, sizeof line, "  b%d: {mass: %d, inertia: 0}\n", (i * 37) % 50, i + 1);
    strcat(text, line);
  }
  loaded r = load_good(text, NULL);
  for (int i = 0; i < 50; i++) {
    snprintf(name, sizeof name, "b%d", (i * 37) % 50);
    assert_string_equal(trm_model_body_name(r.model, i), name);
    assert_true(r.model->bodies[i].mass == i + 1);
  }
  unload(&r);
}

static void any_line_ending_and_a_byte_order_mark_are_fine(void **state) {
  (void)state;
  loaded r = load_good("\xef\xbb\xbftrammel: 1\r\nspace: planar\r\n"
                       "bodies:\r\n  b: {mass: 1, inertia: 0}\r\nforces:\r\njoints: ~\r\n",
                       NULL);
  unload(&r);
  /* a closing bracket at the start of a line, as most people write it */
  r = load_good("trammel: 1\nspace: planar\nbodies: {\n  b: {mass: 1, inertia: 0},\n}\n", NULL);
  unload(&r);
  r = load_good("--- # JSON is YAML\n{\"trammel\": 1, \"space\": \"planar\",\n"
                "\"bodies\": {\"b\": {\"mass\": 1, \"inertia\": 0}}}\n...\n",
                NULL);
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_manual_loads),
      cmocka_unit_test(every_key_of_a_body_is_read),
      cmocka_unit_test(joints_carry_their_numbers),
      cmocka_unit_test(forces_carry_their_numbers),
      cmocka_unit_test(parameters_use_earlier_ones_and_overrides),
      cmocka_unit_test(numbers_are_decimal_and_functions_may_share_names),
      cmocka_unit_test(anchors_aliases_and_merge_keys_work),
      cmocka_unit_test(order_of_the_file_is_kept),
      cmocka_unit_test(any_line_ending_and_a_byte_order_mark_are_fine),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
