/* Axes of joints: given globally or on each side, and what each type asks of them. */
#include <math.h>

#include "math/vector.h"
#include "model/build.h"

static const double aligned = 1e-6; /* sine or cosine of the angle between axes */

/* Shafts along the two axes turn at the same rate. */
static bool turns_alike(trm_joint_type type) {
  return type == TRM_JOINT_CONSTANT_VELOCITY || type == TRM_JOINT_HALF_SHAFT;
}

/* Types whose axes stand across each other, or serve each side on its own. */
static bool needs_axes(trm_joint_type type) {
  return type == TRM_JOINT_UNIVERSAL || type == TRM_JOINT_PARALLEL ||
         type == TRM_JOINT_PERPENDICULAR || turns_alike(type);
}

static bool keeps_parallel(trm_joint_type type) {
  return type == TRM_JOINT_REVOLUTE || type == TRM_JOINT_CYLINDRICAL || type == TRM_JOINT_PLANAR ||
         type == TRM_JOINT_PARALLEL || type == TRM_JOINT_SCREW || type == TRM_JOINT_PRISMATIC;
}

bool trm_joint_has_axis(const trm_model *model, trm_joint_type type) {
  bool line = type == TRM_JOINT_PRISMATIC || type == TRM_JOINT_POINT_ON_LINE ||
              type == TRM_JOINT_ROLLER || type == TRM_JOINT_ROLLING;
  if (model->space == TRM_PLANAR) return line;
  return line || needs_axes(type) || keeps_parallel(type) || type == TRM_JOINT_POINT_ON_PLANE;
}

static bool choose(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition) {
  const char *name = trm_joint_type_name(definition->type);
  if (needs_axes(definition->type) && !definition->axes_given)
    TRM_DRAFT_ERROR(draft, subject, definition->axis_given ? "axis" : NULL,
                    ": a %s joint needs axes: [a, b], one carried by each side", name);
  else if (definition->axis_given && definition->axes_given)
    TRM_DRAFT_ERROR(draft, subject, "axes", ": axis and axes are both given, one must go");
  else if (!definition->axis_given && !definition->axes_given)
    TRM_DRAFT_ERROR(draft, subject, NULL, ": a %s joint needs an axis", name);
  else
    return true;
  return false;
}

/* From these configurations assembly could not find the way to the joint's own. */
void trm_draft_axes_angle(trm_draft *draft, const trm_subject *subject, const trm_joint *joint) {
  const double degrees = 57.295779513082323;
  double a[3], b[3], c[3];
  trm_from_body(draft->model, joint->end[0].body, joint->axis[0], a);
  trm_from_body(draft->model, joint->end[1].body, joint->axis[1], b);
  trm_cross(a, b, c);
  double cosine = trm_dot(3, a, b), sine = trm_norm(3, c), angle = atan2(sine, cosine) * degrees;
  const char *name = trm_joint_type_name(joint->type);
  if (joint->type == TRM_JOINT_UNIVERSAL && fabs(cosine) > aligned)
    TRM_DRAFT_ERROR(draft, subject, "axes",
                    ": the axes of a universal joint must be perpendicular as written, their "
                    "angle is %g degrees",
                    angle);
  else if (joint->type == TRM_JOINT_PERPENDICULAR && sine <= aligned)
    TRM_DRAFT_ERROR(draft, subject, "axes",
                    ": the axes are parallel as written, a %s joint needs them perpendicular",
                    name);
  else if (turns_alike(joint->type) && sine <= aligned && cosine < 0)
    TRM_DRAFT_ERROR(draft, subject, "axes",
                    ": the axes point in opposite directions as written; those of a %s joint point "
                    "the same way along the shafts, their angle is below 180 degrees",
                    name);
  else if (keeps_parallel(joint->type) && fabs(cosine) <= aligned)
    TRM_DRAFT_ERROR(draft, subject, "axes",
                    ": the axes are perpendicular as written, a %s joint needs them parallel",
                    name);
}

bool trm_draft_axes(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                    trm_joint *joint) {
  if (!choose(draft, subject, definition)) return false;
  if (definition->axes_given) {
    bool good = trm_draft_direction(draft, subject, "axes/0", definition->axes[0], joint->axis[0]);
    return trm_draft_direction(draft, subject, "axes/1", definition->axes[1], joint->axis[1]) &&
           good;
  }
  double axis[3];
  if (!trm_draft_direction(draft, subject, "axis", definition->axis, axis)) return false;
  for (int k = 0; k < 2; k++) trm_into_body(draft->model, joint->end[k].body, axis, joint->axis[k]);
  return true;
}
