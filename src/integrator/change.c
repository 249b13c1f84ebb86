/* Where within a step a formula leaves its piece. */
#include <float.h>

#include "integrator/integrator.h"

static unsigned long branch_at(const trm_integrator *in, trm_dynamics *d, double t) {
  trm_integrator_interpolate(in, t, in->estimate);
  return trm_system_branch(d->system, t, in->estimate, in->estimate + d->n);
}

bool trm_find_change(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                     double *low, double *high) {
  unsigned long before = trm_system_branch(d->system, t, y, y + d->n);
  *low = 0;
  *high = h;
  if (branch_at(in, d, t + h) == before) return false;
  if (!trm_integrator_complete(in, d)) return true;
  double resolution = 8 * DBL_EPSILON * fmax(fabs(t), h);
  while (*high - *low > resolution) {
    double middle = (*low + *high) / 2;
    if (branch_at(in, d, t + middle) == before)
      *low = middle;
    else
      *high = middle;
  }
  return true;
}
