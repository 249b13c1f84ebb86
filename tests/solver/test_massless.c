/* A thin rod has no inertia about its own axis: its motion is the limit of a thick rod's. */
#include "../run.h"

/* A rod on a universal joint below a shaft that spins: the joint turns the rod about its axis.
 * Three freedoms, so that the gyroscopic torques of that rotation would be seen. */
static trm_model *spinning_rod(double axial) {
  trm_model *model = trm_model_create(TRM_SPATIAL);
  trm_model_set_gravity(model, (double[3]){0, 0, -9.81});
  trm_body_def body = trm_default_body();
  body.name = "shaft", body.mass = 1;
  body.inertia[0] = body.inertia[1] = 0.1, body.inertia[2] = 0.05;
  trm_model_add_body(model, &body);
  body = trm_default_body();
  body.name = "rod", body.mass = 1, body.com[2] = -0.5;
  body.inertia[0] = body.inertia[1] = 1.0 / 12, body.inertia[2] = axial;
  double c = cos(0.6), s = sin(0.6);
  const double R[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
  memcpy(body.orientation, R, sizeof R);
  trm_model_add_body(model, &body);
  trm_joint_def joint = trm_default_joint();
  joint.name = "bearing", joint.type = TRM_JOINT_REVOLUTE, joint.connect[0] = "ground",
  joint.connect[1] = "shaft", joint.axis_given = true, joint.axis[2] = 1;
  trm_model_add_joint(model, &joint);
  joint = trm_default_joint();
  joint.name = "cross", joint.type = TRM_JOINT_UNIVERSAL, joint.connect[0] = "shaft",
  joint.connect[1] = "rod", joint.axes_given = true, joint.axes[0][1] = 1, joint.axes[1][0] = 1;
  trm_model_add_joint(model, &joint);
  trm_model_add_initial(model, "bearing.rate", 8);
  trm_model_add_output(model, "rod");
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

static trm_results *run_rod(double axial, const char *coordinates) {
  trm_model *model = spinning_rod(axial);
  trm_settings settings = *trm_model_settings(model);
  settings.duration = 1;
  assert_int_equal(trm_settings_set(&settings, "coordinates", coordinates, NULL), TRM_OK);
  trm_results *results = run_model(model, &settings, NULL);
  trm_model_destroy(model);
  return results;
}

static void a_thin_rod_is_the_limit_of_a_thick_one(void **state) {
  (void)state;
  static const char *const coordinates[] = {"natural", "euler-parameters"};
  for (int f = 0; f < 2; f++) {
    trm_results *thin = run_rod(0, coordinates[f]), *thick = run_rod(1e-8, coordinates[f]);
    int last = trm_results_rows(thin) - 1;
    for (int k = 0; k < trm_results_columns(thin); k++)
      assert_near(trm_results_get(thin, last, k), trm_results_get(thick, last, k), 1e-4);
    int qw = trm_results_find(thin, "rod.qw");
    assert_near(trm_results_get(thin, last, qw), trm_results_get(thick, last, qw), 1e-6);
    trm_results_destroy(thin);
    trm_results_destroy(thick);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_thin_rod_is_the_limit_of_a_thick_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
