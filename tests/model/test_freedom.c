/* Joints made of freedoms (gears, drivers) and the one that has two of them (rolling). */
#include "slider.h"

static trm_joint_def gear_def(const char *first, const char *second, double ratio) {
  trm_joint_def joint = joint_def("G", TRM_JOINT_GEAR, NULL, NULL);
  joint.joints[0] = first;
  joint.joints[1] = second;
  joint.ratio = ratio;
  return joint;
}

static trm_joint_def driver_def(const char *name, const char *of, const char *law) {
  trm_joint_def joint = joint_def(name, TRM_JOINT_DRIVER, NULL, NULL);
  joint.of = of;
  joint.value = trm_formula(law);
  return joint;
}

static trm_joint_def rolling_def(double radius) {
  trm_joint_def joint = line_def("wheel", TRM_JOINT_ROLLING, "ground.O", "disc", 3, 4);
  joint.radius = radius;
  return joint;
}

static trm_model *with_joint(trm_joint_def joint) {
  trm_model *model = slider_crank();
  trm_model_add_joint(model, &joint);
  return model;
}

/* The disc's centre 0.5 from the line through O along (3, 4). */
static trm_model *with_disc(trm_joint_def joint) {
  trm_model *model = slider_crank();
  add_rod(model, "disc", 0.6 - 0.4, 0.8 + 0.3, 0.7);
  trm_model_add_joint(model, &joint);
  return model;
}

static void gears_are_sums_over_freedoms(void **state) {
  (void)state;
  trm_model *model = with_joint(gear_def("A", "slider", 2.5));
  trm_joint_def other = gear_def("slider.displacement", "B.angle", -3);
  other.name = "H";
  trm_model_add_joint(model, &other);
  assert_finishes(model);
  const trm_joint *G = &model->joints[3], *H = &model->joints[4];
  assert_int_equal(G->term_count, 2);
  assert_string_equal(G->terms[0].measure.name, "slider.displacement");
  assert_int_equal(G->terms[0].measure.kind, TRM_MEASURE_FREEDOM);
  assert_int_equal(G->terms[0].measure.index, 2);
  assert_int_equal(G->terms[0].measure.component, 1);
  assert_near(G->terms[0].factor, 1);
  assert_string_equal(G->terms[1].measure.name, "A.angle");
  assert_int_equal(G->terms[1].measure.index, 0);
  assert_int_equal(G->terms[1].measure.component, 0);
  assert_near(G->terms[1].factor, -2.5);
  assert_null(G->value.formula);
  assert_near(G->value.number, 0);
  assert_int_equal(G->end[1].body, TRM_GROUND);
  assert_string_equal(H->terms[0].measure.name, "B.angle");
  assert_near(H->terms[1].factor, 3);
  trm_model_destroy(model);
}

static void gears_are_checked(void **state) {
  (void)state;
  assert_error(with_joint(gear_def("A", "B", 0)), "joints/G/ratio",
               "joint 'G': ratio is 0, it must be finite and not 0");
  assert_error(with_joint(gear_def("A", "B", NAN)), "joints/G/ratio", "must be finite and not 0");
  assert_error(with_joint(gear_def("A", "B", INFINITY)), "joints/G/ratio", "ratio is inf");
  assert_error(with_joint(gear_def("A", "A.angle", 1)), "joints/G/joints/1",
               "joint 'G' couples joint 'A' with itself");
  assert_error(with_joint(gear_def("A", NULL, 1)), "joints/G/joints", "joints is missing");
  assert_error(with_joint(gear_def("A", "sldier", 1)), "joints/G/joints/1",
               "unknown joint 'sldier', did you mean 'slider'?");
  assert_error(with_joint(gear_def("rod.angle", "A", 1)), "joints/G/joints/0",
               "'rod' is a body, a joint is needed here");
  assert_error(with_joint(gear_def("A", "B.rate", 1)), "joints/G/joints/1",
               "joint 'B' has no freedom 'rate'; it has B.angle");
  trm_model *model = with_joint(gear_def("W", "A", 1));
  add_joint(model, joint_def("W", TRM_JOINT_RIGID, "crank", "rod"));
  assert_error(model, "joints/G/joints/0", "joint 'W' of type rigid has no freedom; revolute,");
  assert_error(with_joint(gear_def("A", "G", 1)), "joints/G/joints/1",
               "joint 'G' of type gear has no freedom");
}

static void types_refuse_what_they_do_not_take(void **state) {
  (void)state;
  trm_joint_def joint = gear_def("A", "B", 1);
  joint.connect[0] = "crank";
  joint.connect[1] = "rod";
  assert_error(with_joint(joint), "joints/G/connect", "a gear joint has no connect");
  joint = gear_def("A", "B", 1);
  joint.value = trm_number(0);
  assert_error(with_joint(joint), "joints/G/value", "a gear joint has no value");
  joint = driver_def("D", "A", "t");
  joint.at_given = true;
  assert_error(with_joint(joint), "joints/D/at", "a driver joint has no at");
  joint = driver_def("D", "A", "t");
  joint.axis_given = true;
  joint.axis[0] = 1;
  assert_error(with_joint(joint), "joints/D/axis", "a planar driver joint has no axis");
  joint = joint_def("J", TRM_JOINT_RIGID, "crank", "rod");
  joint.of = "A";
  assert_error(with_joint(joint), "joints/J/of", "a rigid joint has no of");
  joint.of = NULL;
  joint.radius = 1;
  assert_error(with_joint(joint), "joints/J/radius", "a rigid joint has no radius");
  joint.radius = 0;
  joint.ratio = 1;
  assert_error(with_joint(joint), "joints/J/ratio", "a rigid joint has no ratio");
  joint.ratio = 0;
  joint.joints[1] = "A";
  assert_error(with_joint(joint), "joints/J/joints", "a rigid joint has no joints");
}

typedef struct driven {
  const char *of, *name;
  trm_measure_kind kind;
  int index, component, first, second;
  double u;
} driven;

static void drivers_find_what_they_drive(void **state) {
  (void)state;
  static const driven cases[] = {
      {"B", "B.angle", TRM_MEASURE_FREEDOM, 2, 0, 0, 1, -0.5},
      {"B.angle", "B.angle", TRM_MEASURE_FREEDOM, 2, 0, 0, 1, -0.5},
      {"slider", "slider.displacement", TRM_MEASURE_FREEDOM, 3, 1, TRM_GROUND, 1, 0.5},
      {"rod.angle", "rod.angle", TRM_MEASURE_ANGLE, 1, 0, TRM_GROUND, 1, 0},
      {"rod.B.y", "rod.B.y", TRM_MEASURE_POINT, 1, 1, TRM_GROUND, 1, 0.5},
      {"crank.x", "crank.x", TRM_MEASURE_POINT, 0, 0, TRM_GROUND, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const driven *c = &cases[i];
    trm_model *model = trm_model_create(TRM_PLANAR);
    char of[32];
    strcpy(of, c->of);
    trm_joint_def driver = driver_def("D", of, "2*L*t");
    trm_model_add_joint(model, &driver); /* before what it drives */
    memset(of, '?', sizeof of - 1);      /* definitions are copied */
    trm_model_set_parameter(model, "L", 1.5);
    trm_model_add_point(model, "ground", "O", (double[3]){7, 8, 0});
    add_rod(model, "crank", 0, 0, 0);
    add_rod(model, "rod", 0, 0, 0);
    add_joint(model, joint_def("A", TRM_JOINT_REVOLUTE, "ground.O", "crank.A"));
    add_joint(model, joint_def("B", TRM_JOINT_REVOLUTE, "crank.B", "rod.A"));
    add_joint(model, line_def("slider", TRM_JOINT_POINT_ON_LINE, "ground.O", "rod.B", 1, 0));
    assert_finishes(model);
    const trm_joint *D = &model->joints[0];
    assert_int_equal(D->term_count, 1);
    assert_near(D->terms[0].factor, 1);
    assert_string_equal(D->terms[0].measure.name, c->name);
    assert_int_equal(D->terms[0].measure.kind, c->kind);
    assert_int_equal(D->terms[0].measure.index, c->index);
    assert_int_equal(D->terms[0].measure.component, c->component);
    assert_int_equal(D->terms[0].measure.level, 0);
    assert_int_equal(D->end[0].body, c->first);
    assert_int_equal(D->end[1].body, c->second);
    assert_near(D->end[1].u[0], c->u);
    bool ground_point = c->kind == TRM_MEASURE_FREEDOM && c->first == TRM_GROUND;
    assert_near(D->end[0].u[1], ground_point ? 8 : 0);
    assert_near(trm_expression_value(D->value.formula, (double[1]){2}), 6);
    trm_model_destroy(model);
  }
}

static void drivers_are_checked(void **state) {
  (void)state;
  assert_error(with_joint(driver_def("D", "crnk.angle", "t")), "joints/D/of",
               "joint 'D': unknown body, joint or force 'crnk', did you mean 'crank'?");
  assert_error(with_joint(driver_def("D", "rod.C.x", "t")), "joints/D/of",
               "body 'rod' has no measure or point 'C.x'");
  assert_error(with_joint(driver_def("D", "rod.anlge", "t")), "joints/D/of",
               "did you mean 'angle'?");
  assert_error(with_joint(driver_def("D", "rod.omega", "t")), "joints/D/of",
               "'rod.omega' is a velocity; a driver drives the freedom of a joint, the angle");
  assert_error(with_joint(driver_def("D", "energy.total", "t")), "joints/D/of",
               "'energy.total' is an energy");
  assert_error(with_joint(driver_def("D", "t", "t")), "joints/D/of", "'t' is the time");
  assert_error(with_joint(driver_def("D", "rod", "t")), "joints/D/of",
               "body 'rod' is no measure; its measures are x, y, angle");
  assert_error(with_joint(driver_def("D", "ground.O.x", "t")), "joints/D/of",
               "ground does not move");
  assert_error(with_joint(driver_def("D", "A.displacement", "t")), "joints/D/of",
               "joint 'A' has no freedom 'displacement'; it has A.angle");
  assert_error(with_joint(driver_def("D", "D", "t")), "joints/D/of",
               "joint 'D' of type driver has no freedom");
  assert_error(with_joint(driver_def("D", NULL, "t")), "joints/D/of", "of is missing");
  assert_error(with_joint(driver_def("D", "A", "log(t)")), "joints/D/value",
               "value is NaN or infinite at t = 0");
  int offset = assert_error(with_joint(driver_def("D", "A", "2*t + rod.x")), "joints/D/value",
                            "'rod.x' is a measure of the motion; only t and parameters may");
  assert_int_equal(offset, 6);
  trm_joint_def joint = driver_def("D", "A", "t");
  joint.value = (trm_value){0};
  assert_error(with_joint(joint), "joints/D/value", "value is missing");
  joint.value = trm_number(NAN);
  assert_error(with_joint(joint), "joints/D/value", "NaN or infinite");
}

static void assert_driven_twice(const char *first, const char *second, const char *message) {
  trm_model *model = with_joint(driver_def("D", first, "t"));
  trm_model_add_point(model, "rod", "tip", (double[3]){0.5, -0.0, 0});
  trm_model_add_point(model, "rod", "centre", (double[3]){0, 0, 0});
  trm_joint_def joint = driver_def("E", second, "2*t");
  trm_model_add_joint(model, &joint);
  if (message) {
    assert_error(model, "joints/E/of", message);
  } else {
    assert_finishes(model);
    trm_model_destroy(model);
  }
}

static void one_thing_has_one_driver(void **state) {
  (void)state;
  assert_driven_twice("A", "A.angle", "joint 'E': 'A.angle' is driven already, by driver 'D'");
  assert_driven_twice("rod.angle", "rod.angle", "'rod.angle' is driven already, by driver 'D'");
  assert_driven_twice("rod.B.x", "rod.tip.x", "'rod.tip.x' is driven already, by driver 'D'");
  assert_driven_twice("rod.centre.y", "rod.y", "'rod.y' is driven already, by driver 'D'");
  assert_driven_twice("rod.B.x", "rod.B.y", NULL);
  assert_driven_twice("rod.A.x", "rod.B.x", NULL);
  assert_driven_twice("rod.angle", "crank.angle", NULL);
  assert_driven_twice("A", "B", NULL);
}

static void a_disc_rolls_on_a_line(void **state) {
  (void)state;
  trm_model *model = with_disc(rolling_def(0.5));
  trm_model_add_initial(model, "wheel.rate", 2);
  trm_model_add_initial(model, "wheel.displacement", 0.1);
  trm_force_def motor = force_def("motor", TRM_FORCE_ACTUATOR, NULL, NULL);
  motor.of = "wheel.displacement";
  motor.value[0] = trm_number(1);
  add_force(model, motor);
  trm_joint_def gear = gear_def("A", "wheel.angle", 2);
  trm_model_add_joint(model, &gear);
  assert_finishes(model);
  const trm_joint *wheel = &model->joints[3];
  assert_near(wheel->radius, 0.5);
  assert_int_equal(wheel->end[0].body, TRM_GROUND);
  assert_int_equal(wheel->end[1].body, 2);
  assert_near(wheel->axis[0][0], 0.6);
  assert_near(wheel->axis[0][1], 0.8);
  assert_near(wheel->axis[1][0], 0.6 * cos(0.7) + 0.8 * sin(0.7)); /* seen from the disc */
  assert_int_equal(model->forces[0].joint, 3);
  assert_int_equal(model->forces[0].freedom, 1);
  assert_int_equal(model->joints[4].terms[0].measure.component, 0);
  assert_int_equal(trm_joint_freedoms(TRM_JOINT_ROLLING), 3);
  trm_model_destroy(model);

  /* a gap is for assembly to close, however wide */
  model = with_disc(rolling_def(2));
  assert_finishes(model);
  trm_model_destroy(model);

  trm_joint_def joint = rolling_def(0.5);
  joint.axis_given = false;
  joint.axes_given = true;
  joint.axes[0][0] = -3;
  joint.axes[0][1] = -4;
  joint.axes[1][0] = 1;
  assert_finishes(model = with_disc(joint));
  assert_near(model->joints[3].axis[0][1], -0.8);
  trm_model_destroy(model);
}

static void rolling_is_checked(void **state) {
  (void)state;
  assert_error(with_disc(rolling_def(0)), "joints/wheel/radius",
               "joint 'wheel': radius is 0, it must be positive");
  assert_error(with_disc(rolling_def(-2)), "joints/wheel/radius", "radius is -2, it must be");
  assert_error(with_disc(rolling_def(NAN)), "joints/wheel/radius", "radius is nan");
  assert_error(with_disc(rolling_def(INFINITY)), "joints/wheel/radius", "radius is inf");
  trm_joint_def joint = rolling_def(0.5);
  joint.axis_given = false;
  assert_error(with_disc(joint), "joints/wheel", "a rolling joint needs an axis");
  joint = rolling_def(0.5);
  joint.axes_given = true;
  assert_error(with_disc(joint), "joints/wheel/axes", "axis and axes are both given");
  joint = rolling_def(0.5);
  joint.axis[0] = joint.axis[1] = 0;
  assert_error(with_disc(joint), "joints/wheel/axis", "the axis has length zero");
  joint = rolling_def(0.5);
  joint.axis[0] = 0.2;
  joint.axis[1] = 1.1; /* through the disc's centre, up to round-off */
  assert_error(with_disc(joint), "joints/wheel/connect/1",
               "the disc's centre lies on the line as written");
}

/* On a line carried by a turned body: the offset is measured in global axes. */
static void the_side_is_that_of_the_carried_line(void **state) {
  (void)state;
  trm_joint_def joint = rolling_def(0.5);
  joint.connect[0] = "crank.A";
  joint.axis_given = false;
  joint.axes_given = true;
  joint.axes[1][0] = 1;
  joint.axes[0][0] = cos(atan2(1.1, 0.2) - quarter_pi); /* from crank.A at O to the disc */
  joint.axes[0][1] = sin(atan2(1.1, 0.2) - quarter_pi);
  assert_error(with_disc(joint), "joints/wheel/connect/1", "lies on the line");
  joint.axes[0][0] = 1;
  joint.axes[0][1] = 0;
  trm_model *model = with_disc(joint);
  assert_finishes(model);
  trm_model_destroy(model);
}

static void a_name_that_stands_for_two_freedoms_is_refused(void **state) {
  (void)state;
  const char *const message =
      "joint 'wheel' has two freedoms; write wheel.angle or wheel.displacement";
  trm_model *model = with_disc(rolling_def(0.5));
  trm_force_def motor = force_def("motor", TRM_FORCE_ACTUATOR, NULL, NULL);
  motor.of = "wheel";
  motor.value[0] = trm_number(1);
  add_force(model, motor);
  assert_error(model, "forces/motor/of", message);

  add_joint(model = with_disc(rolling_def(0.5)), driver_def("D", "wheel", "t"));
  assert_error(model, "joints/D/of", message);
  add_joint(model = with_disc(rolling_def(0.5)), gear_def("A", "wheel", 1));
  assert_error(model, "joints/G/joints/1", message);
  add_joint(model = with_disc(rolling_def(0.5)), driver_def("D", "wheel.speed", "t"));
  assert_error(model, "joints/D/of",
               "joint 'wheel' has no freedom 'speed'; it has wheel.angle and wheel.displacement");
  /* rolling couples its two freedoms already */
  add_joint(model = with_disc(rolling_def(0.5)), gear_def("wheel.angle", "wheel.displacement", 1));
  assert_error(model, "joints/G/joints/1", "couples joint 'wheel' with itself");
}

static void assert_selects(const char *selection, const char *expected) {
  trm_model *model = with_disc(rolling_def(0.5));
  add_joint(model, gear_def("A", "B", 2));
  add_joint(model, driver_def("D", "A", "t"));
  trm_model_add_output(model, selection);
  assert_finishes(model);
  char text[256] = "";
  for (int i = 0; i < model->output_count; i++) {
    if (i) strcat(text, " ");
    strcat(text, model->outputs[i].name);
  }
  assert_string_equal(text, expected);
  trm_model_destroy(model);
}

static void they_have_measures(void **state) {
  (void)state;
  assert_selects("G", "G.effort");
  assert_selects("D", "D.effort D.fx D.fy D.tz D.f D.t");
  assert_selects("wheel", "wheel.angle wheel.rate wheel.displacement wheel.speed "
                          "wheel.fx wheel.fy wheel.tz wheel.f wheel.t");
  assert_true(trm_joint_has_reaction(TRM_JOINT_DRIVER));
  assert_true(trm_joint_has_reaction(TRM_JOINT_ROLLING));
  assert_false(trm_joint_has_reaction(TRM_JOINT_GEAR));
  trm_model *model = with_joint(driver_def("D", "A", "t"));
  trm_model_add_output(model, "D.angle");
  assert_error(model, "outputs/0", "joint 'D' has no measure 'angle'; its measures are effort, fx");
  /* an effort is known only when the forces are */
  model = with_joint(driver_def("D", "A", "t"));
  trm_force_def force = force_def("f", TRM_FORCE_TORQUE, "rod", NULL);
  force.value[2] = trm_formula("-D.effort");
  add_force(model, force);
  assert_error(model, "forces/f/value", "'D.effort' is a reaction");
}

/* What this must catch is a comparison of every driver with every other. */
static void many_drivers_build_fast(void **state) {
  (void)state;
  enum { N = 20000 };
  trm_model *model = trm_model_create(TRM_PLANAR);
  char body[32], joint[32], of[40];
  for (int i = 0; i < N; i++) {
    snprintf(body, sizeof body, "b%d", i);
    snprintf(joint, sizeof joint, "D%d", i);
    snprintf(of, sizeof of, "b%d.angle", i);
    add_rod(model, body, i, 0, 0);
    add_joint(model, driver_def(joint, of, "t"));
  }
  assert_finishes(model);
  assert_int_equal(model->joints[N - 1].end[1].body, N - 1);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gears_are_sums_over_freedoms),
      cmocka_unit_test(gears_are_checked),
      cmocka_unit_test(types_refuse_what_they_do_not_take),
      cmocka_unit_test(drivers_find_what_they_drive),
      cmocka_unit_test(drivers_are_checked),
      cmocka_unit_test(one_thing_has_one_driver),
      cmocka_unit_test(a_disc_rolls_on_a_line),
      cmocka_unit_test(rolling_is_checked),
      cmocka_unit_test(the_side_is_that_of_the_carried_line),
      cmocka_unit_test(a_name_that_stands_for_two_freedoms_is_refused),
      cmocka_unit_test(they_have_measures),
      cmocka_unit_test(many_drivers_build_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
