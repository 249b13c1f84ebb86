/* One body under one force, for what a formula does to a method. */
#ifndef TRM_TESTS_PUSHED_H
#define TRM_TESTS_PUSHED_H

#include "../run.h"

/* A cart of 2 kg on a rail, at 1 m/s, under a force given by a formula. */
static inline trm_model *pushed_cart(const char *force) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def body = trm_default_body();
  body.name = "cart";
  body.mass = 2;
  body.inertia[2] = 1;
  body.velocity_given = true;
  body.velocity[0] = 1;
  trm_model_add_body(model, &body);
  trm_joint_def rail = trm_default_joint();
  rail.name = "rail";
  rail.type = TRM_JOINT_PRISMATIC;
  rail.connect[0] = "ground";
  rail.connect[1] = "cart";
  rail.axis_given = true;
  rail.axis[0] = 1;
  trm_model_add_joint(model, &rail);
  trm_force_def push = trm_default_force();
  push.name = "push";
  push.type = TRM_FORCE_FORCE;
  push.connect[0] = "cart";
  push.value[0] = trm_formula(force);
  trm_model_add_force(model, &push);
  trm_model_add_output(model, "cart.x");
  trm_model_add_output(model, "cart.vx");
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

#endif
