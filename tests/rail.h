/* A body on a rail along x, for what a force does to it. */
#ifndef TRM_TESTS_RAIL_H
#define TRM_TESTS_RAIL_H

#include "run.h"

/* Of the given mass, at x, moving at v; the model is not finished. */
static inline trm_model *rail_model(const char *name, double mass, double x, double v) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def body = trm_default_body();
  body.name = name;
  body.mass = mass;
  body.inertia[2] = 1;
  body.position[0] = x;
  body.velocity_given = v != 0;
  body.velocity[0] = v;
  trm_model_add_body(model, &body);
  trm_joint_def rail = trm_default_joint();
  rail.name = "rail";
  rail.type = TRM_JOINT_PRISMATIC;
  rail.connect[0] = "ground";
  rail.connect[1] = name;
  rail.axis_given = true;
  rail.axis[0] = 1;
  trm_model_add_joint(model, &rail);
  return model;
}

/* A force along x by a formula. */
static inline void rail_push(trm_model *model, const char *name, const char *formula) {
  trm_force_def push = trm_default_force();
  push.name = "push";
  push.type = TRM_FORCE_FORCE;
  push.connect[0] = name;
  push.value[0] = trm_formula(formula);
  trm_model_add_force(model, &push);
}

#endif
