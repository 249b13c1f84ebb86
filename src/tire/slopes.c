/* The formulas with exact derivatives. */
#include "tire/dual.h"

#include "tire/formula.h"

static num seeded(double value, int direction, double seed) {
  num x = constant(value);
  if (direction < 2)
    x.a[direction] = seed;
  else
    x.b[direction - 2] = seed;
  return x;
}

void trm_tire_slopes(const trm_tire *tire, const trm_tire_slip *slip, double friction,
                     const double seeds[TRM_TIRE_SEEDS], double core[TRM_TIRE_CORE],
                     double slopes[TRM_TIRE_CORE][TRM_TIRE_SEEDS]) {
  num result[TRM_TIRE_CORE];
  input in = {seeded(slip->load, 0, seeds[0]),
              seeded(slip->kappa, 1, seeds[1]),
              seeded(slip->alpha, 2, seeds[2]),
              seeded(slip->gamma, 3, seeds[3]),
              friction,
              slip->speed};
  formula(tire, &in, result);
  for (int i = 0; i < TRM_TIRE_CORE; i++) {
    core[i] = result[i].v;
    for (int k = 0; k < 2; k++) {
      slopes[i][k] = result[i].a[k];
      slopes[i][k + 2] = result[i].b[k];
    }
  }
}
