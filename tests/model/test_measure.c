/* Measures: by full name, by selection, and the reasons for refusing. */
#include "slider.h"

static trm_model *full_model(void) {
  trm_model *model = slider_crank();
  trm_force_def spring = force_def("spring", TRM_FORCE_SPRING_DAMPER, "ground.O", "rod.B");
  spring.stiffness = trm_number(1);
  trm_model_add_force(model, &spring);
  spring = force_def("coil", TRM_FORCE_TORSION_SPRING_DAMPER, "crank", "rod");
  spring.stiffness = trm_number(1);
  trm_model_add_force(model, &spring);
  trm_force_def load = force_def("load", TRM_FORCE_FORCE, "rod", NULL);
  load.value[0] = trm_number(1);
  trm_model_add_force(model, &load);
  trm_force_def motor = force_def("motor", TRM_FORCE_ACTUATOR, NULL, NULL);
  motor.of = "A";
  motor.value[0] = trm_number(1);
  trm_model_add_force(model, &motor);
  const trm_term_def term = {"crank.angle", 1};
  trm_joint_def sum = joint_def("sum", TRM_JOINT_COORDINATE, NULL, NULL);
  sum.terms = &term;
  sum.term_count = 1;
  trm_model_add_joint(model, &sum);
  add_joint(model, line_def("slot", TRM_JOINT_PRISMATIC, "ground.O", "rod.B", 1, 0));
  return model;
}

typedef struct expectation {
  const char *name;
  trm_measure_kind kind;
  int index, component, level;
} expectation;

static void measures_are_found_by_name(void **state) {
  (void)state;
  static const expectation expected[] = {
      {"t", TRM_MEASURE_TIME, 0, 0, 0},
      {"crank.y", TRM_MEASURE_POINT, 0, 1, 0},
      {"rod.vx", TRM_MEASURE_POINT, 1, 0, 1},
      {"rod.B.ay", TRM_MEASURE_POINT, 1, 1, 2},
      {"rod.angle", TRM_MEASURE_ANGLE, 1, 0, 0},
      {"rod.omega", TRM_MEASURE_ANGLE, 1, 0, 1},
      {"rod.alpha", TRM_MEASURE_ANGLE, 1, 0, 2},
      {"B.angle", TRM_MEASURE_FREEDOM, 1, 0, 0},
      {"B.rate", TRM_MEASURE_FREEDOM, 1, 0, 1},
      {"slider.displacement", TRM_MEASURE_FREEDOM, 2, 1, 0},
      {"slider.speed", TRM_MEASURE_FREEDOM, 2, 1, 1},
      {"slot.speed", TRM_MEASURE_FREEDOM, 4, 1, 1},
      {"A.fy", TRM_MEASURE_REACTION, 0, 1, 2},
      {"A.tz", TRM_MEASURE_REACTION, 0, 5, 2},
      {"sum.effort", TRM_MEASURE_EFFORT, 3, 0, 2},
      {"spring.length", TRM_MEASURE_ELEMENT, 0, 0, 0},
      {"spring.rate", TRM_MEASURE_ELEMENT, 0, 0, 1},
      {"spring.force", TRM_MEASURE_ELEMENT, 0, 0, 2},
      {"coil.torque", TRM_MEASURE_ELEMENT, 1, 0, 2},
      {"motor.angle", TRM_MEASURE_ELEMENT, 3, 0, 0},
      {"energy.kinetic", TRM_MEASURE_ENERGY, 0, 0, 2},
      {"energy.error", TRM_MEASURE_ENERGY, 0, 4, 2},
      {"momentum.lz", TRM_MEASURE_MOMENTUM, 0, 5, 1},
      {"constraint.velocity", TRM_MEASURE_CONSTRAINT, 0, 1, 2},
  };
  trm_model *model = full_model();
  assert_finishes(model);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const expectation *e = &expected[i];
    trm_measure m;
    char reason[256];
    assert_true(trm_measure_find(model, e->name, strlen(e->name), &m, reason, sizeof reason));
    assert_int_equal(m.kind, e->kind);
    assert_int_equal(m.index, e->index);
    assert_int_equal(m.component, e->component);
    assert_int_equal(m.level, e->level);
    assert_null(m.name);
  }
  trm_measure m;
  char reason[256];
  assert_true(trm_measure_find(model, "rod.B.x + 1", 7, &m, reason, sizeof reason)); /* a slice */
  assert_int_equal(m.end.body, 1);
  assert_near(m.end.u[0], 0.5);
  assert_true(trm_measure_find(model, "rod.x", 5, &m, reason, sizeof reason));
  assert_near(m.end.u[0], 0);
  trm_model_destroy(model);
}

static void what_is_no_measure_is_explained(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"crnk.x", "unknown body, joint or force 'crnk', did you mean 'crank'?"},
      {"crank", "body 'crank' is no measure; its measures are x, y, angle, vx, vy, omega"},
      {"crank.omgea", "body 'crank' has no measure 'omgea', did you mean 'omega'?"},
      {"crank.z", "body 'crank' has no measure or point 'z'; its measures are x, y, angle, vx, vy, "
                  "omega, ax, ay, alpha, u, v, aX, aY, kinetic; its points are A, B"},
      {"rod.B", "point 'rod.B' is no measure; its measures are x, y, vx, vy, ax, ay"},
      {"rod.B.angle", "point 'rod.B' has no measure 'angle'"},
      {"rod.B.x.x", "point 'rod.B' has no measure 'x.x'"},
      {"A.displacement",
       "joint 'A' has no measure 'displacement'; its measures are angle, rate, fx"},
      {"sum.fx", "joint 'sum' has no measure 'fx'; its measures are effort"},
      {"load.force", "force 'load' has no measure 'force'; its measures are fx, fy"},
      {"A.fz", "joint 'A' has no measure 'fz'; its measures are angle, rate, fx, fy, tz, f, t"},
      {"coil.force", "force 'coil' has no measure 'force'; its measures are angle, rate, torque"},
      {"energy", "energy is no measure; its measures are kinetic"},
      {"energy.totl", "energy has no measure 'totl', did you mean 'total'?"},
      {"momentum.pz", "momentum has no measure 'pz'; its measures are px, py, lz"},
      {"ground.O.x", "ground does not move"},
      {"", "unknown body, joint or force ''"},
      {".x", "unknown body, joint or force ''"},
      {"crank.", "body 'crank' is no measure"},
  };
  trm_model *model = full_model();
  assert_finishes(model);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    trm_measure m;
    char reason[256];
    const char *name = cases[i][0];
    assert_false(trm_measure_find(model, name, strlen(name), &m, reason, sizeof reason));
    if (!strstr(reason, cases[i][1])) print_error("'%s': %s\n", name, reason);
    assert_non_null(strstr(reason, cases[i][1]));
  }
  trm_model_destroy(model);
}

static void assert_selects(const char *selection, const char *expected) {
  trm_model *model = full_model();
  trm_model_add_output(model, selection);
  assert_finishes(model);
  char text[1024] = "";
  for (int i = 0; i < model->output_count; i++) {
    if (i) strcat(text, " ");
    strcat(text, model->outputs[i].name);
  }
  assert_string_equal(text, expected);
  trm_model_destroy(model);
}

static void selections_expand_in_a_fixed_order(void **state) {
  (void)state;
  assert_selects("rod.B.x", "rod.B.x");
  assert_selects("rod.B", "rod.B.x rod.B.y rod.B.vx rod.B.vy rod.B.ax rod.B.ay");
  assert_selects("rod", "rod.x rod.y rod.angle rod.vx rod.vy rod.omega rod.ax rod.ay rod.alpha "
                        "rod.u rod.v rod.aX rod.aY rod.kinetic "
                        "rod.A.x rod.A.y rod.A.vx rod.A.vy rod.A.ax rod.A.ay "
                        "rod.B.x rod.B.y rod.B.vx rod.B.vy rod.B.ax rod.B.ay");
  assert_selects("A", "A.angle A.rate A.fx A.fy A.tz A.f A.t");
  assert_selects("slider", "slider.displacement slider.speed slider.fx slider.fy slider.tz "
                           "slider.f slider.t");
  assert_selects("sum", "sum.effort");
  assert_selects("spring", "spring.length spring.rate spring.force spring.power spring.energy");
  assert_selects("coil", "coil.angle coil.rate coil.torque coil.power coil.energy");
  assert_selects("motor", "motor.angle motor.rate motor.torque motor.power");
  assert_selects("energy", "energy.kinetic energy.potential energy.total energy.work energy.error");
  assert_selects("momentum", "momentum.px momentum.py momentum.lz");
  assert_selects("constraint", "constraint.position constraint.velocity");
  assert_selects("t", "");
}

static void columns_appear_once(void **state) {
  (void)state;
  trm_model *model = slider_crank();
  const char *const outputs[] = {"rod.B.y", "rod.B", "t", "rod.B.x", "A.fx"};
  for (int i = 0; i < 5; i++) trm_model_add_output(model, outputs[i]);
  assert_finishes(model);
  assert_int_equal(model->output_count, 7);
  assert_string_equal(model->outputs[0].name, "rod.B.y");
  assert_string_equal(model->outputs[1].name, "rod.B.x");
  assert_string_equal(model->outputs[2].name, "rod.B.vx");
  assert_string_equal(model->outputs[6].name, "A.fx");
  trm_model_destroy(model);
}

static void default_outputs(void **state) {
  (void)state;
  static const char *const expected[] = {"crank.x",
                                         "crank.y",
                                         "crank.angle",
                                         "crank.vx",
                                         "crank.vy",
                                         "crank.omega",
                                         "crank.ax",
                                         "crank.ay",
                                         "crank.alpha",
                                         "rod.x",
                                         "rod.y",
                                         "rod.angle",
                                         "rod.vx",
                                         "rod.vy",
                                         "rod.omega",
                                         "rod.ax",
                                         "rod.ay",
                                         "rod.alpha",
                                         "A.fx",
                                         "A.fy",
                                         "A.tz",
                                         "B.fx",
                                         "B.fy",
                                         "B.tz",
                                         "slider.fx",
                                         "slider.fy",
                                         "slider.tz",
                                         "energy.kinetic",
                                         "energy.potential",
                                         "energy.total",
                                         "energy.work",
                                         "energy.error",
                                         "constraint.position",
                                         "constraint.velocity"};
  trm_model *model = slider_crank();
  assert_finishes(model);
  int count = (int)(sizeof expected / sizeof *expected);
  assert_int_equal(model->output_count, count);
  for (int i = 0; i < count; i++) assert_string_equal(model->outputs[i].name, expected[i]);
  trm_model_destroy(model);
}

static void type_names_go_both_ways(void **state) {
  (void)state;
  trm_joint_type joint;
  for (int i = TRM_JOINT_REVOLUTE; i <= TRM_JOINT_DRIVER; i++) {
    assert_true(trm_joint_type_find(trm_joint_type_name((trm_joint_type)i), &joint));
    assert_int_equal(joint, i);
  }
  assert_string_equal(trm_joint_type_name(TRM_JOINT_POINT_ON_LINE), "point-on-line");
  assert_string_equal(trm_force_type_name(TRM_FORCE_TORSION_SPRING_DAMPER),
                      "torsion-spring-damper");
  assert_false(trm_joint_type_find("hinge", &joint));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_are_found_by_name),
      cmocka_unit_test(what_is_no_measure_is_explained),
      cmocka_unit_test(selections_expand_in_a_fixed_order),
      cmocka_unit_test(columns_appear_once),
      cmocka_unit_test(default_outputs),
      cmocka_unit_test(type_names_go_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
