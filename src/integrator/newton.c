/* Modified Newton: when to stop, when to renew the Jacobian, when to give up (Hairer & Wanner II,
 * IV.8). */
#include "integrator/newton.h"

#include <math.h>

#define PATIENCE 9 /* iterations that are worth keeping a Jacobian */

/* Whether changes would still be too large when the Jacobian is no longer worth keeping. */
static bool is_slow(const trm_newton *n, double size, int since) {
  double theta = n->contraction;
  if (theta > n->slowest || (n->trusts_new && n->made > 0)) return theta > n->slowest;
  return pow(theta, PATIENCE - since) / (1 - theta) * size > n->tolerance;
}

bool trm_newton_solve(trm_newton *n, bool renew) {
  double last = 0;
  n->contraction = n->made = 0;
  for (int i = 0, since = 0; i < n->most; i++, since++) {
    if (renew && n->made++ == n->renewals) return false;
    if (renew) since = 0;
    double size = n->iterate(n, renew), rest = size;
    if (!isfinite(size)) return false;
    double ratio = since > 0 ? size / last : 0;
    n->contraction = n->averages && since > 1 ? sqrt(ratio * n->contraction) : ratio;
    if (since > 0 && n->contraction < 0.5) rest *= n->contraction / (1 - n->contraction);
    n->stalled = n->contraction > n->stalled_at && size <= n->round_off;
    if (n->met && (n->stalled || rest <= n->tolerance)) return true;
    renew = since > 0 && is_slow(n, size, since);
    last = size;
  }
  return last <= n->last_resort && n->met;
}
