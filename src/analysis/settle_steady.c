/* Steady motions. */
#include "analysis/settle.h"
#include "analysis/steady.h"

bool trm_settle_steady(trm_manifold *m, int most, trm_equilibrium_result *result) {
  (void)m, (void)most, (void)result;
  return false;
}
