/* Building a model: what is refused and with which words. */
#include "slider.h"

#include "base/clock.h"

static void bodies_are_checked(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_body_def body = trm_default_body();
  body.name = "extra";
  body.mass = -1;
  trm_model_add_body(model, &body);
  assert_error(model, "bodies/extra/mass", "body 'extra': mass is -1, it must be positive");

  body.mass = 1;
  body.inertia[2] = -2;
  trm_model_add_body(model = slider_crank(), &body);
  assert_error(model, "bodies/extra/inertia", "inertia is -2, it must not be negative");

  body.inertia[2] = 0;
  body.position[1] = INFINITY;
  trm_model_add_body(model = slider_crank(), &body);
  assert_error(model, "bodies/extra/position", "position is NaN or infinite");

  body.position[1] = 0;
  body.com[2] = 3;
  trm_model_add_body(model = slider_crank(), &body);
  assert_error(model, "bodies/extra/com", "has a z component (3), but the model is planar");

  body.com[2] = 0;
  body.color = "reddish";
  trm_model_add_body(model = slider_crank(), &body);
  assert_error(model, "bodies/extra/color", "it must look like \"#4477aa\"");

  body.color = NULL;
  body.shape = (trm_shape_def){
      .type = TRM_SHAPE_ROD, .point_count = 1, .points = (const char *const[]){"C"}};
  body.name = "extra";
  trm_model_add_body(model = slider_crank(), &body);
  trm_model_add_point(model, "extra", "D", (double[3]){0, 0, 0});
  assert_error(model, "bodies/extra/shape/rod/0", "has no point 'C'; its points are D");

  assert_error(trm_model_create(TRM_PLANAR), "bodies", "no bodies");
  assert_error(trm_model_create(TRM_SPATIAL), "bodies", "no bodies");
}

static void zero_mass_is_an_error_and_zero_inertia_is_not(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def body = trm_default_body();
  body.name = "point";
  trm_model_add_body(model, &body);
  assert_error(model, "bodies/point/mass", "mass is 0, it must be positive");
  model = trm_model_create(TRM_PLANAR);
  body.mass = 1;
  trm_model_add_body(model, &body);
  assert_finishes(model);
  assert_near(model->length, 1); /* nothing to measure it by */
  trm_model_destroy(model);
}

static void gravity_and_parameters_are_checked(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_model_set_gravity(model, (double[3]){NAN, 0, 0});
  assert_error(model, "gravity", "NaN or infinite");
  model = slider_crank();
  trm_model_set_parameter(model, "bad", INFINITY);
  assert_error(model, "parameters/bad", "parameter 'bad': value is NaN or infinite");
  model = slider_crank();
  trm_model_set_parameter(model, "t", 1);
  assert_error(model, "parameters/t", "reserved");
}

static void names_are_checked(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  add_rod(model, "momentum", 0, 0, 0);
  assert_error(model, "bodies/momentum", "body 'momentum': this name is reserved");

  add_rod(model = slider_crank(), "2nd", 0, 0, 0);
  assert_error(model, "bodies/2nd", "names are letters, digits and '_', starting with a letter");

  trm_body_def body = trm_default_body();
  body.name = "crank";
  body.mass = 1;
  trm_model_add_body(model = slider_crank(), &body);
  assert_error(model, "bodies/crank", "body 'crank' is defined twice");

  add_joint(model = slider_crank(), joint_def("rod", TRM_JOINT_RIGID, "crank", "rod"));
  assert_error(model, "joints/rod",
               "joint 'rod': there is a body of this name; bodies, joints, forces, shafts, "
               "signals and events share");

  trm_model_add_point(model = slider_crank(), "crank", "A", (double[3]){0, 0, 0});
  assert_error(model, "bodies/crank/points/A", "body 'crank': point 'A' is defined twice");

  trm_model_add_point(model = slider_crank(), "crank", "vx", (double[3]){0, 0, 0});
  assert_error(model, "bodies/crank/points/vx", "may not be called 'vx', which is a measure");

  trm_model_add_point(model = slider_crank(), "crnk", "P", (double[3]){0, 0, 0});
  assert_error(model, "bodies/crnk/points/P", "unknown body, did you mean 'crank'?");

  trm_model_add_point(model = slider_crank(), "ground", "P", (double[3]){0, NAN, 0});
  assert_error(model, "ground/points/P", "NaN or infinite");
}

static void connections_are_checked(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  add_joint(model, joint_def("J", TRM_JOINT_REVOLUTE, "ground.O", "crnk.A"));
  assert_error(model, "joints/J/connect/1",
               "joint 'J': unknown body 'crnk', did you mean 'crank'?");

  add_joint(model = slider_crank(), joint_def("J", TRM_JOINT_REVOLUTE, "ground.O", "crank.C"));
  assert_error(model, "joints/J/connect/1", "body 'crank' has no point 'C'; its points are A, B");

  add_joint(model = slider_crank(), joint_def("J", TRM_JOINT_REVOLUTE, "ground.Q", "crank.A"));
  assert_error(model, "joints/J/connect/0", "ground has no point 'Q'; its points are O");

  add_joint(model = slider_crank(), joint_def("J", TRM_JOINT_REVOLUTE, "slider", "crank.A"));
  assert_error(model, "joints/J/connect/0", "'slider' is a joint, a body is needed here");

  add_joint(model = slider_crank(), joint_def("J", TRM_JOINT_REVOLUTE, "crank.A", "crank.B"));
  assert_error(model, "joints/J/connect/1", "joint 'J' connects body 'crank' with itself");

  add_joint(model = slider_crank(), joint_def("J", TRM_JOINT_REVOLUTE, "ground", "ground.O"));
  assert_error(model, "joints/J/connect/1", "joint 'J' connects ground with itself");

  add_joint(model = slider_crank(), joint_def("J", TRM_JOINT_REVOLUTE, "ground.O", NULL));
  assert_error(model, "joints/J", "connect is missing");

  trm_joint_def joint = joint_def("J", TRM_JOINT_REVOLUTE, "ground.O", "crank.A");
  joint.at_given = true;
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/J/at", "both 'ground.O' and 'crank.A' name one");

  joint.connect[0] = "ground";
  joint.at[0] = NAN;
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/J/at", "at is NaN or infinite");
}

static void axes_are_checked(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  add_joint(model, line_def("J", TRM_JOINT_REVOLUTE, "ground.O", "crank.A", 0, 1));
  assert_error(model, "joints/J/axis", "a planar revolute joint has no axis");

  add_joint(model = slider_crank(), joint_def("J", TRM_JOINT_PRISMATIC, "ground.O", "crank.A"));
  assert_error(model, "joints/J", "a prismatic joint needs an axis");

  trm_joint_def joint = line_def("J", TRM_JOINT_POINT_ON_LINE, "ground.O", "crank.A", 1, 0);
  joint.axes_given = true;
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/J/axes", "axis and axes are both given");

  joint.axis_given = false;
  joint.axes[0][0] = 1;
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/J/axes/1", "the axis has length zero");

  joint = line_def("J", TRM_JOINT_PRISMATIC, "ground.O", "crank.A", 0, 0);
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/J/axis", "the axis has length zero");

  joint.axis[0] = NAN;
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/J/axis", "NaN or infinite");

  joint = line_def("J", TRM_JOINT_ROLLER, "ground.O", "crank.A", 1, 1);
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/J/axis", "axis: x or axis: y");
}

static void distances_are_checked(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_joint_def joint = joint_def("D", TRM_JOINT_DISTANCE, "ground.O", "rod.B");
  joint.value = trm_number(0);
  trm_model_add_joint(model, &joint);
  assert_error(model, "joints/D/length", "use revolute");

  joint.value = trm_number(-2);
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/D/length", "length is -2, it must be positive");

  joint.value = trm_formula("t - 1");
  trm_model_add_joint(model = slider_crank(), &joint);
  assert_error(model, "joints/D/length", "length is -1 at t = 0, it must be positive");

  joint.value = trm_formula("1 + rod.x");
  trm_model_add_joint(model = slider_crank(), &joint);
  int offset = assert_error(model, "joints/D/length", "only t and parameters may be used here");
  assert_int_equal(offset, 4);

  joint = joint_def("D", TRM_JOINT_DISTANCE, "crank.B", "rod.A");
  trm_model_add_joint(model = slider_crank(), &joint);
  /* up to round-off: they are computed from angles */
  assert_error(model, "joints/D/connect", "the two points coincide as written");

  trm_model *none = trm_model_create(TRM_PLANAR); /* nothing to resolve against */
  trm_joint_def line = line_def("P", TRM_JOINT_PRISMATIC, NULL, NULL, 1, 0);
  trm_model_add_joint(none, &line);
  trm_diagnostics *diagnostics = start();
  assert_int_equal(trm_model_finish(none, diagnostics), TRM_BAD_MODEL);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 2);
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(none);
}

static trm_model *with_sum(const char *measure, double factor) {
  trm_model *model = slider_crank();
  const trm_term_def term = {measure, factor};
  trm_joint_def joint = joint_def("C", TRM_JOINT_COORDINATE, NULL, NULL);
  joint.terms = &term;
  joint.term_count = measure ? 1 : 0;
  trm_model_add_joint(model, &joint);
  return model;
}

static void sums_are_checked(void **state) {
  (void)state;
  assert_error(with_sum(NULL, 1), "joints/C", "the sum is empty");
  assert_error(with_sum("crank.vx", 1), "joints/C/sum/crank.vx", "'crank.vx' is a velocity");
  assert_error(with_sum("crank.angle", 0), "joints/C/sum/crank.angle",
               "it must be finite and not 0");
  assert_error(with_sum("crank.anlge", 1), "joints/C/sum/crank.anlge", "did you mean 'angle'?");
  trm_model *model = slider_crank();
  trm_joint_def joint = joint_def("J", TRM_JOINT_RIGID, "crank", "rod");
  joint.value = trm_number(1);
  trm_model_add_joint(model, &joint);
  assert_error(model, "joints/J/value", "a rigid joint has no value");
}

static trm_model *with_force(trm_force_def force) {
  trm_model *model = slider_crank();
  trm_model_add_force(model, &force);
  return model;
}

static void loads_are_checked(void **state) {
  (void)state;
  trm_force_def force = force_def("f", TRM_FORCE_FORCE, "rod.B", NULL);
  assert_error(with_force(force), "forces/f", "value is missing");
  force.value[0] = trm_formula("1 + rod.ax");
  assert_int_equal(
      assert_error(with_force(force), "forces/f/value/0",
                   "force 'f': 'rod.ax' is an acceleration; forces and signals may "
                   "use positions and velocities only, anything else would be an algebraic loop"),
      4);
  force.value[0] = trm_formula("A.fx");
  assert_error(with_force(force), "forces/f/value/0", "'A.fx' is a reaction");
  force.value[0] = trm_formula("energy.total");
  assert_error(with_force(force), "forces/f/value/0", "'energy.total' is an energy");
  force.value[0] = trm_formula("stif*2");
  assert_error(with_force(force), "forces/f/value/0", "did you mean 'stiff'?");
  force.value[0] = trm_formula("rod");
  assert_error(with_force(force), "forces/f/value/0", "body 'rod' is no measure; its measures are");
  force.value[0] = trm_number(0);
  force.value[1] = trm_number(NAN);
  assert_error(with_force(force), "forces/f/value/1", "NaN or infinite");
  force.value[1] = trm_number(0);
  force.connect[0] = "ground.O";
  assert_error(with_force(force), "forces/f/point", "acts on ground, which does not move");
  force.connect[0] = "rdo.B";
  assert_error(with_force(force), "forces/f/point", "unknown body 'rdo', did you mean 'rod'?");
  force.connect[0] = "rod.B";
  force.at_given = true;
  assert_error(with_force(force), "forces/f/at", "'rod.B' names a point already");

  force = force_def("f", TRM_FORCE_TORQUE, "rod.B", NULL);
  force.value[2] = trm_number(1);
  assert_error(with_force(force), "forces/f/body", "a torque acts on a body as a whole");
  force.connect[0] = NULL;
  assert_error(with_force(force), "forces/f", "body is missing");
  force.connect[0] = "rod";
  force.value[2] = trm_formula("1 +");
  assert_error(with_force(force), "forces/f/value", "force 'f': ");
}

static void springs_are_checked(void **state) {
  (void)state;
  trm_force_def force = force_def("s", TRM_FORCE_SPRING_DAMPER, "ground.O", "rod.B");
  assert_error(with_force(force), "forces/s", "needs stiffness, damping or both");
  force.stiffness = trm_number(INFINITY);
  assert_error(with_force(force), "forces/s/stiffness", "stiffness is NaN or infinite");
  force.stiffness = trm_formula("s.force");
  assert_error(with_force(force), "forces/s/stiffness", "'s.force' is a force");
  force.stiffness = trm_number(-1); /* negative stiffness is physics */
  force.free = trm_number(-1);
  assert_error(with_force(force), "forces/s/length", "free length is -1");
  force.free = trm_number(1);
  trm_model *model = with_force(force);
  assert_finishes(model);
  trm_model_destroy(model);
  force.connect[0] = "rod.A";
  assert_error(with_force(force), "forces/s/connect/1",
               "force 's' connects body 'rod' with itself");
}

static void actuators_are_checked(void **state) {
  (void)state;
  trm_force_def force = force_def("m", TRM_FORCE_ACTUATOR, NULL, NULL);
  force.value[0] = trm_number(1);
  assert_error(with_force(force), "forces/m", "needs connect (two points) or of (a joint)");
  force.of = "sldier";
  assert_error(with_force(force), "forces/m/of", "unknown joint 'sldier', did you mean 'slider'?");
  force.of = "rod";
  assert_error(with_force(force), "forces/m/of", "'rod' is a body, a joint is needed here");
  force.of = "slider.angle";
  assert_error(with_force(force), "forces/m/of",
               "joint 'slider' has no freedom 'angle'; it has slider.displacement");
  force.of = "W";
  trm_model *model = with_force(force);
  add_joint(model, joint_def("W", TRM_JOINT_RIGID, "crank", "rod"));
  assert_error(model, "forces/m/of", "joint 'W' of type rigid has no freedom");
  force.of = "A";
  force.connect[0] = "rod";
  assert_error(with_force(force), "forces/m/of", "both given");
}

static void initial_and_outputs_are_checked(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_model_add_initial(model, "rod.B.ax", 1);
  assert_error(model, "initial/rod.B.ax", "this is an acceleration; only positions and velocities");
  trm_model_add_initial(model = slider_crank(), "rod.C.x", 1);
  assert_error(model, "initial/rod.C.x", "body 'rod' has no measure or point 'C.x'");
  trm_model_add_initial(model = slider_crank(), "rod.x", NAN);
  assert_error(model, "initial/rod.x", "NaN or infinite");
  model = slider_crank();
  trm_model_add_initial(model, "rod.x", 1);
  trm_model_add_initial(model, "rod.x", 2);
  assert_error(model, "initial/rod.x", "initial 'rod.x' is given twice");
  model = slider_crank();
  trm_model_add_output(model, "rod");
  trm_model_add_output(model, "enrgy");
  assert_error(model, "outputs/1", "did you mean 'energy'?");
}

static void settings_are_checked_with_the_model(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_settings settings = trm_default_settings();
  settings.step = 0;
  trm_model_set_settings(model, &settings);
  assert_error(model, "simulate/step", "step is 0, it must be positive");
  char name[] = "ab6";
  settings.step = 0.01;
  settings.integrator = name;
  trm_model_set_settings(model = slider_crank(), &settings);
  name[0] = '?';
  assert_finishes(model);
  assert_string_equal(trm_model_settings(model)->integrator, "ab6");
  trm_model_destroy(model);
}

static void all_errors_are_reported_at_once(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  trm_body_def body = trm_default_body();
  body.name = "heavy";
  body.mass = -1;
  trm_model_add_body(model, &body);
  add_joint(model, joint_def("J", TRM_JOINT_REVOLUTE, "crnk.A", "rd.B"));
  trm_model_add_output(model, "nothing");
  trm_diagnostics *diagnostics = start();
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_MODEL);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 4);
  assert_false(model->finished);
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
  /* without a place for messages the status still tells */
  model = trm_model_create(TRM_PLANAR);
  assert_int_equal(trm_model_finish(model, NULL), TRM_BAD_MODEL);
  trm_model_destroy(model);
}

static trm_model *chain(int n, const char *wrong) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_add_point(model, "ground", "O", (double[3]){0, 0, 0});
  char name[32], joint[32], first[32], second[32];
  for (int i = 0; i < n; i++) {
    snprintf(name, sizeof name, "link%d", i);
    add_rod(model, name, i + 0.5, 0, 0);
    snprintf(joint, sizeof joint, "J%d", i);
    snprintf(first, sizeof first, i ? "link%d.B" : "ground.O", i - 1);
    snprintf(second, sizeof second, "link%d%s.A", i, wrong);
    add_joint(model, joint_def(joint, TRM_JOINT_REVOLUTE, first, second));
  }
  return model;
}

/* The bounds are generous: what they must catch is quadratic work, which would take minutes. */
static void a_hundred_thousand_bodies_build_fast(void **state) {
  (void)state;
  enum { N = 100000 };
  double start_time = trm_wall_seconds();
  trm_model *model = chain(N, "");
  assert_finishes(model);
  double seconds = trm_wall_seconds() - start_time;
  print_message("%d bodies and joints in %.2f s\n", N, seconds);
  assert_true(seconds < 10);
  assert_int_equal(model->joints[N - 1].end[1].body, N - 1);
  assert_int_equal(model->output_count, (9 + 3) * N + 7);
  trm_model_destroy(model);
}

static void thousands_of_errors_are_reported_fast(void **state) {
  (void)state;
  enum { N = 20000 };
  double start_time = trm_wall_seconds();
  trm_model *model = chain(N, "wrong");
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_MODEL);
  assert_int_equal(trm_diagnostics_errors(diagnostics), N);
  assert_true(trm_wall_seconds() - start_time < 30);
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_checked),
      cmocka_unit_test(zero_mass_is_an_error_and_zero_inertia_is_not),
      cmocka_unit_test(gravity_and_parameters_are_checked),
      cmocka_unit_test(names_are_checked),
      cmocka_unit_test(connections_are_checked),
      cmocka_unit_test(axes_are_checked),
      cmocka_unit_test(distances_are_checked),
      cmocka_unit_test(sums_are_checked),
      cmocka_unit_test(loads_are_checked),
      cmocka_unit_test(springs_are_checked),
      cmocka_unit_test(actuators_are_checked),
      cmocka_unit_test(initial_and_outputs_are_checked),
      cmocka_unit_test(settings_are_checked_with_the_model),
      cmocka_unit_test(all_errors_are_reported_at_once),
      cmocka_unit_test(a_hundred_thousand_bodies_build_fast),
      cmocka_unit_test(thousands_of_errors_are_reported_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
