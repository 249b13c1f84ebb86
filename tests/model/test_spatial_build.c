/* Models in space built by calls: what a file cannot get wrong. */
#include "slider.h"

static trm_model *two_bodies(trm_joint_def joint) {
  trm_model *model = trm_model_create(TRM_SPATIAL);
  trm_body_def body = trm_default_body();
  body.mass = 1;
  for (int k = 0; k < 3; k++) body.inertia[k] = 1;
  body.name = "a";
  trm_model_add_body(model, &body);
  body.name = "b";
  trm_model_add_body(model, &body);
  trm_model_add_joint(model, &joint);
  return model;
}

static void joints_by_calls(void **state) {
  (void)state;
  trm_joint_def joint = joint_def("j", TRM_JOINT_UNIVERSAL, "a", "b");
  assert_error(two_bodies(joint), "joints/j", "a universal joint needs axes");
  joint.axis_given = joint.axes_given = true;
  joint.axis[0] = joint.axes[0][0] = joint.axes[1][0] = 1;
  assert_error(two_bodies(joint), "joints/j/axes", "axis and axes are both given");
  joint.type = TRM_JOINT_SPHERICAL;
  assert_error(two_bodies(joint), "joints/j/axis", "a spherical joint has no axis");
  assert_error(two_bodies(joint_def("j", TRM_JOINT_ROLLER, "a", "b")), "joints/j/type",
               "roller joints are for planar models only, this one is spatial");
  assert_error(two_bodies(joint_def("j", TRM_JOINT_SPHERICAL, "a", "a")), "joints/j/connect/1",
               "connects body 'a' with itself");
  joint = joint_def("j", TRM_JOINT_SPHERICAL, "a", "b");
  joint.pitch = 1;
  assert_error(two_bodies(joint), "joints/j/pitch", "a spherical joint has no pitch");
  joint = line_def("j", TRM_JOINT_SCREW, "a", "b", 1, 0);
  joint.pitch = NAN;
  assert_error(two_bodies(joint), "joints/j/pitch", "must be finite and not 0");
  joint = joint_def("j", TRM_JOINT_SPHERICAL, "crank.B", "rod.A");
  trm_model *model = slider_crank();
  trm_model_add_joint(model, &joint);
  assert_error(model, "joints/j/type", "spherical joints are for spatial models only");
}

static trm_model *one_body(trm_body_def body) {
  trm_model *model = trm_model_create(TRM_SPATIAL);
  body.name = "b";
  body.mass = 1;
  trm_model_add_body(model, &body);
  return model;
}

static void bodies_by_calls(void **state) {
  (void)state;
  trm_body_def body = trm_default_body();
  trm_model *model = one_body(body);
  assert_finishes(model);
  trm_model_destroy(model);
  body.angle = 1;
  assert_error(one_body(body), "bodies/b/angle", "an orientation, no angle");
  body = trm_default_body();
  body.orientation[4] = NAN;
  assert_error(one_body(body), "bodies/b/orientation", "NaN or infinite");
  body = trm_default_body();
  body.inertia[4] = INFINITY;
  assert_error(one_body(body), "bodies/b/inertia", "NaN or infinite");
  body = trm_default_body();
  body.position[2] = NAN;
  assert_error(one_body(body), "bodies/b/position", "NaN or infinite");
}

static void forces_by_calls(void **state) {
  (void)state;
  trm_force_def force = force_def("f", TRM_FORCE_BUSHING, "a", "b");
  trm_joint_def joint = joint_def("j", TRM_JOINT_SPHERICAL, "a", "b");
  trm_model *model = two_bodies(joint);
  force.bushing_damping[35] = NAN;
  trm_model_add_force(model, &force);
  assert_error(model, "forces/f/damping", "NaN or infinite");
  force = force_def("f", TRM_FORCE_SPRING_DAMPER, "a", "b");
  force.stiffness = trm_number(1);
  force.axis_given = true;
  trm_model_add_force(model = two_bodies(joint), &force);
  assert_error(model, "forces/f/axis", "only a torsion-spring-damper and a tire have an axis");
  force = force_def("f", TRM_FORCE_TORQUE, "a", NULL);
  trm_model_add_force(model = two_bodies(joint), &force);
  assert_error(model, "forces/f", "value is missing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_by_calls),
      cmocka_unit_test(bodies_by_calls),
      cmocka_unit_test(forces_by_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
