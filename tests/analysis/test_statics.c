/* Reactions at rest against statics by hand, in every formulation and with every solver. */
#include "../run.h"

#define G 9.81

typedef struct {
  const char *measure;
  double expected;
} value;

static trm_model *beam(double x) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_set_gravity(model, (double[3]){0, -G, 0});
  trm_body_def body = trm_default_body();
  body.name = "beam";
  body.mass = 5;
  body.inertia[2] = 5.0 * 4 * 4 / 12;
  body.position[0] = x;
  trm_model_add_body(model, &body);
  trm_model_add_point(model, "beam", "L", (double[3]){-2, 0, 0});
  trm_model_add_point(model, "beam", "M", (double[3]){0, 0, 0});
  trm_model_add_point(model, "beam", "R", (double[3]){2, 0, 0});
  return model;
}

static void join(trm_model *model, const char *name, trm_joint_type type, const char *first,
                 const char *second) {
  trm_joint_def joint = trm_default_joint();
  joint.name = name;
  joint.type = type;
  joint.connect[0] = first;
  joint.connect[1] = second;
  joint.axis_given =
      type == TRM_JOINT_PRISMATIC || type == TRM_JOINT_ROLLER || type == TRM_JOINT_POINT_ON_LINE;
  joint.axis[0] = 1;
  trm_model_add_joint(model, &joint);
}

/* Also after a few steps: at rest it stays. */
static void check(trm_model *model, const value *values, int count, int freedoms, int redundant) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status finished = trm_model_finish(model, diagnostics);
  run_print(diagnostics);
  assert_int_equal(finished, TRM_OK);
  for (int c = 0; c < RUN_FORMULATIONS * RUN_SOLVERS; c++) {
    trm_settings settings = trm_default_settings();
    settings.coordinates = run_formulations[c % RUN_FORMULATIONS];
    settings.solver = run_solvers[c / RUN_FORMULATIONS];
    trm_simulation *sim = trm_simulation_create(model, &settings, diagnostics, NULL);
    run_print(diagnostics);
    assert_non_null(sim);
    trm_inspection inspection = trm_simulation_inspect(sim);
    assert_int_equal(inspection.degrees_of_freedom, freedoms);
    assert_int_equal(inspection.redundant, redundant);
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < count; i++) {
        int handle = trm_simulation_find(sim, values[i].measure, diagnostics);
        assert_true(handle >= 0);
        assert_near(trm_simulation_get(sim, handle), values[i].expected, 1e-10);
      }
      for (int i = 0; i < 10; i++) assert_int_equal(trm_simulation_step(sim, diagnostics), TRM_OK);
    }
    trm_simulation_destroy(sim);
  }
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

static void beam_on_two_supports(void **state) {
  (void)state;
  trm_model *model = beam(2);
  join(model, "pin", TRM_JOINT_REVOLUTE, "ground", "beam.L");
  join(model, "roller", TRM_JOINT_ROLLER, "ground", "beam.R");
  const value values[] = {
      {"pin.fx", 0}, {"pin.fy", 5 * G / 2}, {"pin.tz", 0}, {"roller.fy", 5 * G / 2}};
  check(model, values, 4, 0, 0);
}

/* The ground may be second: the reaction is then the one on the ground. */
static void ground_second(void **state) {
  (void)state;
  trm_model *model = beam(2);
  join(model, "pin", TRM_JOINT_REVOLUTE, "beam.L", "ground");
  join(model, "roller", TRM_JOINT_ROLLER, "ground", "beam.R");
  const value values[] = {{"pin.fy", -5 * G / 2}, {"roller.fy", 5 * G / 2}};
  check(model, values, 2, 0, 0);
}

/* Three supports of a rigid beam: the smallest forces in equilibrium are a third of the weight
 * each. */
static void beam_on_three_supports(void **state) {
  (void)state;
  trm_model *model = beam(2);
  join(model, "pin", TRM_JOINT_REVOLUTE, "ground", "beam.L");
  join(model, "middle", TRM_JOINT_ROLLER, "ground", "beam.M");
  join(model, "end", TRM_JOINT_ROLLER, "ground", "beam.R");
  const value values[] = {
      {"pin.fx", 0}, {"pin.fy", 5 * G / 3}, {"middle.fy", 5 * G / 3}, {"end.fy", 5 * G / 3}};
  check(model, values, 4, 0, 1);
}

static void cantilever(void **state) {
  (void)state;
  trm_model *model = beam(2);
  join(model, "wall", TRM_JOINT_RIGID, "ground", "beam.L");
  const value values[] = {{"wall.fx", 0}, {"wall.fy", 5 * G}, {"wall.tz", 5 * G * 2}};
  check(model, values, 3, 0, 0);
}

/* On a rail and pushed: the rail carries weight and moment, the push accelerates. */
static void slider(void **state) {
  (void)state;
  trm_model *model = beam(2);
  join(model, "rail", TRM_JOINT_PRISMATIC, "ground", "beam.R");
  trm_force_def push = trm_default_force();
  push.name = "push";
  push.type = TRM_FORCE_FORCE;
  push.connect[0] = "beam.M";
  push.value[0] = trm_number(10);
  trm_model_add_force(model, &push);
  const value values[] = {
      {"rail.fx", 0}, {"rail.fy", 5 * G}, {"rail.tz", -5 * G * 2}, {"beam.ax", 2}};
  check(model, values, 4, 1, 0);
}

/* Hanging from two rods: each carries half. */
static void rods(void **state) {
  (void)state;
  trm_model *model = beam(2);
  trm_model_add_point(model, "ground", "A", (double[3]){0, 3, 0});
  trm_model_add_point(model, "ground", "B", (double[3]){4, 3, 0});
  join(model, "left", TRM_JOINT_DISTANCE, "ground.A", "beam.L");
  join(model, "right", TRM_JOINT_DISTANCE, "ground.B", "beam.R");
  const value values[] = {{"left.fy", 5 * G / 2}, {"right.fy", 5 * G / 2}, {"left.fx", 0}};
  check(model, values, 3, 1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beam_on_two_supports),
      cmocka_unit_test(ground_second),
      cmocka_unit_test(beam_on_three_supports),
      cmocka_unit_test(cantilever),
      cmocka_unit_test(slider),
      cmocka_unit_test(rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
