/* Bushings: their matrices checked, their axes given to the body that carries them. */
#include <math.h>
#include <string.h>

#include "model/build.h"

static bool is_finite(trm_draft *draft, const trm_subject *subject, const char *key, int count,
                      const double *numbers) {
  for (int i = 0; i < count; i++)
    if (!trm_draft_finite(draft, subject, key, numbers[i])) return false;
  return true;
}

/* ½ uᵀKu is an energy of every K, but only a symmetric one has the force K u. */
static void check_symmetry(trm_draft *draft, const trm_subject *subject, int n, double *K) {
  const double tolerance = 1e-9; /* of the largest entry */
  double largest = 0;
  for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(K[i]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double a = K[i * n + j], b = K[j * n + i];
      if (fabs(a - b) > tolerance * largest) {
        TRM_DRAFT_ERROR(draft, subject, "stiffness",
                        ": stiffness must be symmetric, but row %d, column %d is %g and row %d, "
                        "column %d is %g",
                        i + 1, j + 1, a, j + 1, i + 1, b);
        return;
      }
      K[i * n + j] = K[j * n + i] = (a + b) / 2;
    }
}

static void warn_of_damping(trm_draft *draft, const trm_subject *subject, int n, const double *D) {
  for (int i = 0; i < n; i++)
    if (D[i * n + i] < 0) {
      trm_draft_report(draft, TRM_WARNING, subject, "damping", 0,
                       ": damping is %g; negative damping feeds energy in", D[i * n + i]);
      return;
    }
}

/* axes[k]: column k of the orientation, in the first's frame */
static void give_axes(const trm_model *model, int body, const double R[9], trm_bushing *bushing) {
  for (int k = 0; k < 3; k++) {
    const double global[3] = {R[k], R[3 + k], R[6 + k]};
    trm_into_body(model, body, global, bushing->axes[k]);
  }
}

void trm_draft_bushing(trm_draft *draft, const trm_subject *subject,
                       const trm_force_def *definition, trm_force *force) {
  int n = draft->model->space == TRM_PLANAR ? 3 : 6;
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  trm_bushing *bushing = force->bushing = TRM_NEW(draft->model->arena, trm_bushing, 1);
  if (!bushing) {
    draft->no_memory = true;
    return;
  }
  memcpy(bushing->K, definition->bushing_stiffness, sizeof bushing->K);
  memcpy(bushing->D, definition->bushing_damping, sizeof bushing->D);
  memcpy(bushing->preload, definition->preload, sizeof bushing->preload);
  if (is_finite(draft, subject, "stiffness", n * n, bushing->K))
    check_symmetry(draft, subject, n, bushing->K);
  if (is_finite(draft, subject, "damping", n * n, bushing->D))
    warn_of_damping(draft, subject, n, bushing->D);
  is_finite(draft, subject, "preload", n, bushing->preload);
  if (draft->model->space == TRM_SPATIAL)
    trm_draft_orientation(draft, subject, definition->orientation, R);
  give_axes(draft->model, force->end[0].body, R, bushing);
}
