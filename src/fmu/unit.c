/* Which quantity a measure is, and its unit in the systems of a model. */
#include "fmu/unit.h"

#include <string.h>

#include "expression/unit.h"
#include "tire/wheel.h"

typedef enum quantity {
  NONE = -1,
  LENGTH, /* with its two rates behind it */
  SPEED,
  ACCELERATION,
  ANGLE, /* likewise */
  TURNING,
  TURNING_RATE,
  FORCE,
  TORQUE,
  ENERGY,
  POWER,
  IMPULSE,
  SPIN,
  TIME,
  QUANTITIES
} quantity;

/* By system as in expression/unit.h. */
static const trm_fmu_unit units[][QUANTITIES] = {{{"m", 0, 1, 0, 0, 1},
                                                  {"m/s", 0, 1, -1, 0, 1},
                                                  {"m/s2", 0, 1, -2, 0, 1},
                                                  {"rad", 0, 0, 0, 1, 1},
                                                  {"rad/s", 0, 0, -1, 1, 1},
                                                  {"rad/s2", 0, 0, -2, 1, 1},
                                                  {"N", 1, 1, -2, 0, 1},
                                                  {"N.m", 1, 2, -2, 0, 1},
                                                  {"J", 1, 2, -2, 0, 1},
                                                  {"W", 1, 2, -3, 0, 1},
                                                  {"N.s", 1, 1, -1, 0, 1},
                                                  {"N.m.s", 1, 2, -1, 0, 1},
                                                  {"s", 0, 0, 1, 0, 1}},
                                                 {{"mm", 0, 1, 0, 0, 1e-3},
                                                  {"mm/s", 0, 1, -1, 0, 1e-3},
                                                  {"mm/s2", 0, 1, -2, 0, 1e-3},
                                                  {"rad", 0, 0, 0, 1, 1},
                                                  {"rad/s", 0, 0, -1, 1, 1},
                                                  {"rad/s2", 0, 0, -2, 1, 1},
                                                  {"N", 1, 1, -2, 0, 1},
                                                  {"N.mm", 1, 2, -2, 0, 1e-3},
                                                  {"mJ", 1, 2, -2, 0, 1e-3},
                                                  {"mW", 1, 2, -3, 0, 1e-3},
                                                  {"N.s", 1, 1, -1, 0, 1},
                                                  {"N.mm.s", 1, 2, -1, 0, 1e-3},
                                                  {"s", 0, 0, 1, 0, 1}}};

static quantity of_tire(int component) {
  switch (component) {
  case TRM_WHEEL_FX:
  case TRM_WHEEL_FY:
  case TRM_WHEEL_FZ: return FORCE;
  case TRM_WHEEL_MX:
  case TRM_WHEEL_MY:
  case TRM_WHEEL_MZ: return TORQUE;
  case TRM_WHEEL_ALPHA:
  case TRM_WHEEL_GAMMA: return ANGLE;
  case TRM_WHEEL_SPEED: return SPEED;
  case TRM_WHEEL_KAPPA: return NONE;
  default: return LENGTH;
  }
}

/* Length or angle, its rate, its force or torque. */
static quantity of_element(const trm_model *model, const trm_measure *measure) {
  const trm_force *force = &model->forces[measure->index];
  bool turns = force->type == TRM_FORCE_TORSION_SPRING_DAMPER ||
               (force->type == TRM_FORCE_ACTUATOR && force->joint >= 0 && force->freedom == 0);
  if (measure->level == 2) return turns ? TORQUE : FORCE;
  return (turns ? ANGLE : LENGTH) + measure->level;
}

static quantity quantity_of(const trm_model *model, const trm_measure *m) {
  switch (m->kind) {
  case TRM_MEASURE_TIME: return TIME;
  case TRM_MEASURE_POINT:
  case TRM_MEASURE_HEADING: return LENGTH + m->level;
  case TRM_MEASURE_ANGLE: return ANGLE + m->level;
  case TRM_MEASURE_ORIENTATION: return m->level > 0 ? ANGLE + m->level : NONE;
  case TRM_MEASURE_FREEDOM: return (m->component == 0 ? ANGLE : LENGTH) + m->level;
  case TRM_MEASURE_BODY_AXES: return (m->component < 3 ? LENGTH : ANGLE) + m->level;
  case TRM_MEASURE_CARDAN:
  case TRM_MEASURE_EULER: return ANGLE;
  case TRM_MEASURE_REACTION:
    return m->component < 3 || m->component == 6 ? FORCE : TORQUE; /* 6 and 7: magnitudes */
  case TRM_MEASURE_WRENCH: return m->component < 3 ? FORCE : TORQUE;
  case TRM_MEASURE_DEFLECTION: return m->component < 3 ? LENGTH : ANGLE;
  case TRM_MEASURE_ELEMENT: return of_element(model, m);
  case TRM_MEASURE_TIRE: return of_tire(m->component);
  case TRM_MEASURE_POWER: return m->component == 0 ? POWER : ENERGY;
  case TRM_MEASURE_KINETIC:
  case TRM_MEASURE_ENERGY: return ENERGY;
  case TRM_MEASURE_MOMENTUM: return m->component < 3 ? IMPULSE : SPIN;
  case TRM_MEASURE_EVENT: return m->component == 1 ? TIME : NONE;
  default: return NONE;
  }
}

const trm_fmu_unit *trm_fmu_unit_of(const trm_model *model, const trm_measure *measure) {
  quantity what = quantity_of(model, measure);
  if (what == NONE || (!model->units && what != ANGLE)) return NULL;
  int system = 0;
  while (model->units && strcmp(trm_units_get(system)->name, model->units) != 0) system++;
  return &units[system][what];
}
