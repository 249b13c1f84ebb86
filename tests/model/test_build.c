/* Building a model: what is resolved. */
#include "slider.h"

static void names_and_numbers_are_resolved(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_model_set_name(model, "Slider", NULL);
  trm_model_set_gravity(model, (double[3]){0, -9.81, 0});
  assert_finishes(model);
  assert_string_equal(trm_model_name(model), "Slider");
  assert_string_equal(trm_model_description(model), "");
  assert_int_equal(trm_model_space(model), TRM_PLANAR);
  assert_int_equal(trm_model_body_count(model), 2);
  assert_string_equal(trm_model_body_name(model, 1), "rod");
  assert_null(trm_model_body_name(model, 2));
  assert_int_equal(model->joints[0].end[0].body, TRM_GROUND);
  assert_int_equal(model->joints[1].end[0].body, 0);
  assert_int_equal(model->joints[1].end[1].body, 1);
  assert_near(model->joints[1].end[0].u[0], 0.5);
  assert_near(model->joints[1].end[1].u[0], -0.5);
  assert_near(model->bodies[1].gravity[1], -9.81);
  assert_near(model->bodies[0].R[1], -sin(quarter_pi));
  assert_int_equal(model->ground.point_count, 1);
  assert_near(model->length, 1); /* between A and B of either rod */
  assert_int_equal(trm_model_finish(model, NULL), TRM_BAD_USAGE);
  trm_model_destroy(model);
  trm_model_destroy(NULL);
}

static void definitions_are_copied(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  char name[] = "bar", formula[] = "2*t", color[] = "#4477aa", point[] = "P", path[] = "P";
  const char *points[] = {path};
  trm_body_def body = trm_default_body();
  body.name = name;
  body.mass = 2;
  body.color = color;
  body.shape = (trm_shape_def){.type = TRM_SHAPE_PATH, .point_count = 1, .points = points};
  trm_model_add_body(model, &body);
  trm_model_add_point(model, name, point, (double[3]){1, 2, 0});
  trm_force_def force = force_def("f", TRM_FORCE_TORQUE, name, NULL);
  force.value[2] = trm_formula(formula);
  trm_model_add_force(model, &force);
  name[0] = formula[0] = color[0] = point[0] = path[0] = '?';
  points[0] = NULL;
  assert_finishes(model);
  assert_string_equal(model->bodies[0].name, "bar");
  assert_string_equal(model->bodies[0].color, "#4477aa");
  assert_string_equal(model->bodies[0].shape.points[0], "P");
  assert_string_equal(model->bodies[0].points[0].name, "P");
  assert_near(trm_expression_value(model->forces[0].value[2].formula, (double[1]){3}), 6);
  trm_model_destroy(model);
}

static void at_is_carried_by_the_sides_without_a_point(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_joint_def joint = joint_def("J", TRM_JOINT_RIGID, "ground", "crank");
  joint.at_given = true;
  joint.at[0] = 0.5 * cos(quarter_pi) + 2; /* 2 to the right of the crank's origin */
  joint.at[1] = 0.5 * sin(quarter_pi);
  trm_model_add_joint(model, &joint);
  joint.name = "K";
  joint.connect[0] = "rod.B";
  trm_model_add_joint(model, &joint);
  add_joint(model, joint_def("M", TRM_JOINT_RIGID, "rod", "crank.B"));
  assert_finishes(model);
  const trm_joint *J = &model->joints[3], *K = &model->joints[4], *M = &model->joints[5];
  assert_near(J->end[0].u[0], 0.5 * cos(quarter_pi) + 2);
  assert_near(J->end[1].u[0], 2 * cos(quarter_pi));
  assert_near(J->end[1].u[1], -2 * sin(quarter_pi));
  assert_near(K->end[0].u[0], 0.5);
  assert_near(K->end[1].u[0], 2 * cos(quarter_pi));
  assert_near(M->end[0].u[0], 0);
  trm_model_destroy(model);
}

static void axes_are_unit_and_carried(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  add_joint(model, line_def("P", TRM_JOINT_PRISMATIC, "crank.A", "rod.A", 0, 1e-200));
  trm_joint_def joint = joint_def("Q", TRM_JOINT_PRISMATIC, "crank.A", "rod.A");
  joint.axes_given = true;
  joint.axes[0][0] = 3;
  joint.axes[0][1] = 4;
  joint.axes[1][1] = -2;
  trm_model_add_joint(model, &joint);
  add_joint(model, line_def("R", TRM_JOINT_ROLLER, "crank.A", "rod.A", 0, 1));
  assert_finishes(model);
  const trm_joint *P = &model->joints[3], *Q = &model->joints[4], *R = &model->joints[5];
  /* global y seen from a body turned by ±45° */
  assert_near(P->axis[0][0], sin(quarter_pi));
  assert_near(P->axis[0][1], cos(quarter_pi));
  assert_near(P->axis[1][0], -sin(quarter_pi));
  assert_near(P->axis[1][1], cos(quarter_pi));
  assert_near(Q->axis[0][0], 0.6);
  assert_near(Q->axis[0][1], 0.8);
  assert_near(Q->axis[1][1], -1);
  assert_near(R->axis[0][0], 0);
  assert_near(R->axis[0][1], 1); /* a roller's axis stays global */
  trm_model_destroy(model);
}

static void defaults_come_from_the_configuration_as_written(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  add_joint(model, joint_def("D", TRM_JOINT_DISTANCE, "ground.O", "rod.B"));
  trm_force_def spring = force_def("s", TRM_FORCE_SPRING_DAMPER, "ground.O", "rod.B");
  spring.stiffness = trm_formula("2*stiff");
  trm_model_add_force(model, &spring);
  spring = force_def("turn", TRM_FORCE_TORSION_SPRING_DAMPER, "ground", "rod");
  spring.damping = trm_number(-0.5);
  trm_model_add_force(model, &spring);
  trm_diagnostics *diagnostics = start();
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
  assert_int_equal(trm_diagnostics_count(diagnostics), 1);
  const trm_diagnostic *d = find_message(diagnostics, "forces/turn/damping", "feeds energy in");
  assert_non_null(d);
  assert_int_equal(d->severity, TRM_WARNING);
  trm_diagnostics_destroy(diagnostics);
  assert_near(model->joints[3].value.number, 2 * cos(quarter_pi));
  assert_near(model->forces[0].free.number, 2 * cos(quarter_pi));
  assert_null(model->forces[0].stiffness.formula); /* a constant formula is a number */
  assert_near(model->forces[0].stiffness.number, 6);
  assert_near(model->forces[1].free.number, 0);
  assert_int_equal(model->forces[1].joint, -1);
  trm_model_destroy(model);
}

static void formulas_share_their_inputs(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_force_def force = force_def("f", TRM_FORCE_FORCE, "rod.B", NULL);
  force.value[0] = trm_formula("-stiff*rod.B.x + t*s.length");
  force.value[1] = trm_formula("slider.speed - rod.B.x");
  trm_model_add_force(model, &force);
  force = force_def("s", TRM_FORCE_SPRING_DAMPER, "ground.O", "rod.B");
  force.stiffness = trm_formula("1 + s.rate^2");
  trm_model_add_force(model, &force);
  assert_finishes(model);
  assert_int_equal(model->input_count, 4);
  const char *const names[] = {"rod.B.x", "s.length", "slider.speed", "s.rate"};
  for (int i = 0; i < 4; i++) assert_string_equal(model->inputs[i].name, names[i]);
  const double slots[] = {2, 10, 100, 1000, 3};
  const trm_force *f = &model->forces[0];
  assert_near(trm_expression_value(f->value[0].formula, slots), -30 + 200);
  assert_near(trm_expression_value(f->value[1].formula, slots), 990);
  assert_near(trm_expression_value(model->forces[1].stiffness.formula, slots), 10);
  trm_model_destroy(model);
}

static void actuators_find_the_freedom(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  const char *const of[] = {"B", "B.angle", "slider", "slider.displacement"};
  const char *const names[] = {"m1", "m2", "m3", "m4"};
  for (int i = 0; i < 4; i++) {
    trm_force_def force = force_def(names[i], TRM_FORCE_ACTUATOR, NULL, NULL);
    force.of = of[i];
    force.value[0] = trm_number(i);
    trm_model_add_force(model, &force);
  }
  trm_force_def force = force_def("push", TRM_FORCE_ACTUATOR, "crank.A", "rod.B");
  force.value[0] = trm_formula("sin(t)");
  trm_model_add_force(model, &force);
  assert_finishes(model);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(model->forces[i].joint, i < 2 ? 1 : 2);
    assert_int_equal(model->forces[i].freedom, i < 2 ? 0 : 1);
  }
  assert_int_equal(model->forces[0].end[0].body, 0);
  assert_int_equal(model->forces[0].end[1].body, 1);
  assert_int_equal(model->forces[4].joint, -1);
  trm_model_destroy(model);
}

static void sums_and_initial_conditions(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  const trm_term_def terms[] = {{"crank.angle", 1}, {"slider.displacement", -2}};
  trm_joint_def joint = joint_def("C", TRM_JOINT_COORDINATE, NULL, NULL);
  joint.terms = terms;
  joint.term_count = 2;
  joint.value = trm_formula("L*t");
  trm_model_add_joint(model, &joint);
  trm_model_add_initial(model, "rod.B.vx", -4);
  trm_model_add_initial(model, "B.rate", 2);
  assert_finishes(model);
  const trm_joint *C = &model->joints[3];
  assert_int_equal(C->term_count, 2);
  assert_int_equal(C->terms[0].measure.kind, TRM_MEASURE_ANGLE);
  assert_int_equal(C->terms[1].measure.kind, TRM_MEASURE_FREEDOM);
  assert_int_equal(C->terms[1].measure.index, 2);
  assert_near(C->terms[1].factor, -2);
  assert_near(trm_expression_value(C->value.formula, (double[1]){3}), 3);
  assert_int_equal(model->initial_count, 2);
  assert_string_equal(model->initials[0].measure.name, "rod.B.vx");
  assert_int_equal(model->initials[1].measure.level, 1);
  assert_near(model->initials[0].value, -4);
  trm_model_destroy(model);
}

static void the_last_value_of_a_parameter_counts(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_model_set_parameter(model, "stiff", 7);
  trm_force_def force = force_def("f", TRM_FORCE_TORQUE, "rod", NULL);
  force.value[2] = trm_formula("stiff");
  trm_model_add_force(model, &force);
  assert_finishes(model);
  assert_int_equal(model->parameter_count, 2);
  assert_near(model->forces[0].value[2].number, 7);
  trm_model_destroy(model);
}

/* A plate with two pins, one unit apart, in a frame of which
 * the origin is at x, y, turned by an angle; its angle is driven. pins: 0 hinges it at the centre
 * of mass instead, next to another wheel. */
static double length_in_frame(int pins, double x, double y, double angle) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  const double place[3][3] = {{0, 0, 0}, {0.3, 0.4, 0}, {-0.3, -0.4, 0}};
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < (pins > 0 ? 1 : 2); i++) {
    trm_body_def body = trm_default_body();
    body.name = i == 0 ? "plate" : "wheel";
    body.mass = body.inertia[2] = 1;
    body.position[0] = x + i;
    body.position[1] = y;
    body.angle = angle;
    body.com[0] = -c * x - s * y;
    body.com[1] = s * x - c * y;
    trm_model_add_body(model, &body);
  }
  for (int i = pins > 0 ? 1 : 0; i <= pins; i++) {
    trm_joint_def joint =
        joint_def(i > 1 ? "second" : "first", TRM_JOINT_REVOLUTE, "ground", "plate");
    joint.at_given = true;
    memcpy(joint.at, place[i], sizeof joint.at);
    add_joint(model, joint);
  }
  trm_joint_def driver = trm_default_joint();
  driver.name = "driver";
  driver.type = TRM_JOINT_DRIVER;
  driver.of = "plate.angle";
  driver.value = trm_number(angle);
  add_joint(model, driver);
  assert_finishes(model);
  double length = model->length;
  trm_model_destroy(model);
  return length;
}

/* Three of them, in one place. */
static double length_of_wheels_at(double x) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  for (int i = 0; i < 3; i++) {
    trm_body_def body = trm_default_body();
    body.name = i == 0 ? "a" : i == 1 ? "b" : "c";
    body.mass = body.inertia[2] = 1;
    body.position[0] = x;
    trm_model_add_body(model, &body);
  }
  assert_finishes(model);
  double length = model->length;
  trm_model_destroy(model);
  return length;
}

static void the_length_does_not_depend_on_frames(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    assert_near(length_in_frame(2, 0.7 * i, -0.3 * i, 0.4 * i), 1);
    assert_near(length_in_frame(0, 0.7 * i, -0.3 * i, 0.4 * i), 1); /* between the wheels */
    assert_near(length_of_wheels_at(0.1 * i), 1);                   /* nothing to measure it by */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_numbers_are_resolved),
      cmocka_unit_test(definitions_are_copied),
      cmocka_unit_test(the_length_does_not_depend_on_frames),
      cmocka_unit_test(at_is_carried_by_the_sides_without_a_point),
      cmocka_unit_test(axes_are_unit_and_carried),
      cmocka_unit_test(defaults_come_from_the_configuration_as_written),
      cmocka_unit_test(formulas_share_their_inputs),
      cmocka_unit_test(actuators_find_the_freedom),
      cmocka_unit_test(sums_and_initial_conditions),
      cmocka_unit_test(the_last_value_of_a_parameter_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
