/* A wheel on a road with exact derivatives. */
#include "tire/wide.h"

#include "tire/action.h"

static void find_slopes(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                        const trm_wheel *at, trm_wheel_action *action,
                        double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS]) {
  num out[TRM_WHEEL_OUTPUTS];
  act(tire, side, road, at, action, out);
  fill(action, out);
  for (int i = 0; i < TRM_WHEEL_OUTPUTS; i++)
    for (int j = 0; j < TRM_WHEEL_INPUTS; j++) slopes[i][j] = slope_of(out[i], j);
}

void trm_wheel_act(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                   const trm_wheel *at, trm_wheel_action *action,
                   double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS]) {
  if (slopes)
    find_slopes(tire, side, road, at, action, slopes);
  else
    trm_wheel_values(tire, side, road, at, action);
}
