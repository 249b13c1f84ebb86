/* The formulas in plain numbers. */
#include "tire/plain.h"

#include "tire/formula.h"

void trm_tire_values(const trm_tire *tire, const trm_tire_slip *slip, double friction,
                     double core[TRM_TIRE_CORE]) {
  input in = {slip->load, slip->kappa, slip->alpha, slip->gamma, friction, slip->speed};
  formula(tire, &in, core);
}
