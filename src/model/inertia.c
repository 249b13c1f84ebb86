/* Inertia tensors: only those that a body can have. */
#include <math.h>

#include "math/rotation.h"
#include "model/build.h"

static const double tolerance = 1e-9; /* relative to the largest principal moment */

static void sort(double v[3]) {
  for (int i = 0; i < 3; i++) {
    int k = i % 2;
    double low = fmin(v[k], v[k + 1]), high = fmax(v[k], v[k + 1]);
    v[k] = low;
    v[k + 1] = high;
  }
}

/* The moments about all axes are positive, and none is larger than the other two together. */
static void check_tensor(trm_draft *draft, const trm_subject *subject, const double inertia[6]) {
  double moments[3], axes[3][3];
  trm_principal_axes(inertia, moments, axes);
  sort(moments);
  double scale = tolerance * fmax(fabs(moments[0]), fabs(moments[2]));
  if (moments[0] < -scale)
    TRM_DRAFT_ERROR(draft, subject, "inertia",
                    ": no body has this inertia: its principal moments are %g, %g and %g, they "
                    "must not be negative",
                    moments[0], moments[1], moments[2]);
  else if (moments[2] - moments[1] - moments[0] > scale)
    TRM_DRAFT_ERROR(draft, subject, "inertia",
                    ": no body has this inertia: of its principal moments %g, %g and %g the "
                    "largest is more than the sum of the others (triangle inequality)",
                    moments[0], moments[1], moments[2]);
}

void trm_draft_inertia(trm_draft *draft, const trm_subject *subject, const double inertia[6]) {
  double Izz = inertia[2];
  if (draft->model->space == TRM_PLANAR) {
    if (trm_draft_finite(draft, subject, "inertia", Izz) && Izz < 0)
      TRM_DRAFT_ERROR(draft, subject, "inertia", ": inertia is %g, it must not be negative", Izz);
    return;
  }
  for (int k = 0; k < 6; k++)
    if (!trm_draft_finite(draft, subject, "inertia", inertia[k])) return;
  check_tensor(draft, subject, inertia);
}
