/* A wheel on a road in plain numbers. */
#include "tire/plain.h"

#include "tire/action.h"

void trm_wheel_values(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                      const trm_wheel *at, trm_wheel_action *action) {
  num out[TRM_WHEEL_OUTPUTS];
  act(tire, side, road, at, action, out);
  fill(action, out);
}
