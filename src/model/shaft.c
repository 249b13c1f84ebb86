/* Shafts: bodies on joints to ground that the model makes, so that all that takes a joint's freedom
 * takes a shaft's. */
#include <math.h>

#include "model/build.h"

static const double axis[3] = {0, 0, 1};

/* Its joint carries it at its centre of mass: the mass does nothing. */
static trm_body_def body_of(const trm_shaft_def *shaft) {
  double J = shaft->inertia > 0 && isfinite(shaft->inertia) ? shaft->inertia : 1;
  trm_body_def body = trm_default_body();
  body.name = shaft->name;
  body.mass = J;
  for (int k = 0; k < 3; k++) body.inertia[k] = J;
  body.gravity_given = true;
  body.angular_velocity_given = shaft->rate_given && isfinite(shaft->rate);
  body.angular_velocity[2] = shaft->rate;
  return body;
}

static void check(trm_draft *draft, const trm_shaft_def *shaft) {
  const trm_subject subject = {"shafts", "shaft", shaft->name};
  if (trm_draft_finite(draft, &subject, "inertia", shaft->inertia) && !(shaft->inertia > 0))
    TRM_DRAFT_ERROR(draft, &subject, "inertia", ": inertia is %g, it must be positive",
                    shaft->inertia);
  if (shaft->rate_given) trm_draft_finite(draft, &subject, "initial-rate", shaft->rate);
}

void trm_draft_shafts(trm_draft *draft) {
  trm_model *model = draft->model;
  for (int i = 0; i < draft->shaft_count && !draft->no_memory; i++) {
    const trm_shaft_def *shaft = &draft->shafts[i];
    trm_joint_def joint = trm_default_joint();
    trm_body_def body = body_of(shaft);
    check(draft, shaft);
    joint.name = shaft->name;
    joint.type = TRM_JOINT_SHAFT;
    trm_model_add_body(model, &body);
    trm_model_add_joint(model, &joint);
  }
  model->shaft_count = draft->shaft_count;
}

void trm_draft_shaft_joint(trm_draft *draft, trm_joint *joint) {
  const trm_model *model = draft->model;
  int from_last = model->joint_count - (int)(joint - model->joints);
  joint->end[0].body = TRM_GROUND;
  joint->end[1].body = model->body_count - from_last;
  for (int side = 0; side < 2; side++) memcpy(joint->axis[side], axis, sizeof axis);
}
