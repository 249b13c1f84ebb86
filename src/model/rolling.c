/* Rolling: a disc on a line, a sphere or a disc on a plane. */
#include <math.h>

#include "math/vector.h"
#include "model/build.h"

static const double touching = 1e-9; /* of the radius */

/* A gap between disc and line is closed by assembly, but on which side must be known. */
static void check_line(trm_draft *draft, const trm_subject *subject, const trm_joint *joint) {
  double offset = trm_offset_as_written(draft->model, joint->end, joint->axis[0]);
  if (fabs(offset) <= touching * joint->radius)
    TRM_DRAFT_ERROR(draft, subject, "connect/1",
                    ": the disc's centre lies on the line as written, so it is not known on which "
                    "side the disc rolls; put the centre at the radius, %g, from the line",
                    joint->radius);
}

/* The centre's height over the plane while the lowest point of the rim touches it. */
static double contact_height(const trm_model *model, const trm_joint *joint) {
  double n[3], a[3], c[3];
  if (!joint->disc) return joint->radius;
  trm_from_body(model, joint->end[0].body, joint->axis[0], n);
  trm_from_body(model, joint->end[1].body, joint->axis[1], a);
  trm_cross(n, a, c);
  return joint->radius * trm_norm(3, c);
}

/* Small gaps are closed by assembly; what does not touch does not roll. */
static void check_plane(trm_draft *draft, const trm_subject *subject, const trm_joint *joint) {
  const double flat = 1e-6, gap = 1e-2; /* of the radius */
  const trm_model *model = draft->model;
  double height = fabs(trm_height_as_written(model, joint->end, joint->axis[0]));
  double contact = contact_height(model, joint), radius = joint->radius;
  const char *body = joint->disc ? "disc" : "sphere";
  if (contact <= flat * radius)
    TRM_DRAFT_ERROR(draft, subject, "axes",
                    ": the disc lies flat on the plane as written: its axis is the plane's normal, "
                    "and no point of its rim is the lowest");
  else if (height <= touching * radius)
    TRM_DRAFT_ERROR(draft, subject, "connect/1",
                    ": the %s's centre lies in the plane as written, so it is not known on which "
                    "side it rolls; put the centre at %g from the plane",
                    body, contact);
  else if (fabs(height - contact) > gap * radius && !model->embedded)
    TRM_DRAFT_ERROR(draft, subject, "connect/1",
                    ": the %s does not touch the plane as written: its centre is at %g from the "
                    "plane, it must be at %g",
                    body, height, contact);
}

void trm_draft_rolling(trm_draft *draft, const trm_subject *subject,
                       const trm_joint_def *definition, trm_joint *joint, bool connected) {
  double radius = joint->radius = definition->radius;
  bool good = radius > 0 && isfinite(radius);
  if (!good)
    TRM_DRAFT_ERROR(draft, subject, "radius", ": radius is %g, it must be positive and finite",
                    radius);
  if (!trm_draft_axes(draft, subject, definition, joint) || !connected || !good) return;
  if (draft->model->embedded) { /* its axis is the line's normal in the plane by now */
    const double z[3] = {0, 0, 1};
    trm_into_body(draft->model, joint->end[1].body, z, joint->axis[1]);
  }
  joint->disc =
      draft->model->space == TRM_SPATIAL && (definition->axes_given || draft->model->embedded);
  if (draft->model->space == TRM_PLANAR)
    check_line(draft, subject, joint);
  else
    check_plane(draft, subject, joint);
}
