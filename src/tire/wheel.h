/* A wheel on a road: contact, slips, bristles, and the force and torque that act on it. */
#ifndef TRM_TIRE_WHEEL_H
#define TRM_TIRE_WHEEL_H

#include "tire/tire.h"

/* The road at (x, y): z up, against gravity. */
typedef struct trm_road_point {
  double z, zx, zy;     /* height and slopes */
  double zxx, zxy, zyy; /* curvature: in derivatives only */
  double friction;      /* times that of the test road */
} trm_road_point;

typedef struct trm_road {
  /* NULL: z = 0. `curved`: the curvature is wanted, too. NaN where there is no road. */
  void (*at)(const void *context, double x, double y, bool curved, trm_road_point *point);
  const void *context;
} trm_road;

/* In global axes. */
typedef struct trm_wheel {
  double centre[3], axis[3];         /* axis: of spin, of length one, to the left */
  double velocity[3], angular[3];    /* of the centre; absolute */
  double bristle[TRM_TIRE_BRISTLES]; /* deflections u, v of the contact patch; start at zero */
} trm_wheel;

/* What can be asked for; forces and moments in W-axes at the contact point, slips geometric (not
 * relaxed). */
enum {
  TRM_WHEEL_FX,
  TRM_WHEEL_FY,
  TRM_WHEEL_FZ,
  TRM_WHEEL_MX,
  TRM_WHEEL_MY,
  TRM_WHEEL_MZ,
  TRM_WHEEL_KAPPA,
  TRM_WHEEL_ALPHA,
  TRM_WHEEL_GAMMA,
  TRM_WHEEL_DEFLECTION,
  TRM_WHEEL_SPEED, /* vx */
  TRM_WHEEL_X,     /* of the contact point */
  TRM_WHEEL_Y,
  TRM_WHEEL_Z,
  TRM_WHEEL_MEASURES
};

enum {
  TRM_WHEEL_INPUTS = 14, /* centre, axis, velocity, angular, bristle */
  TRM_WHEEL_RATES = 6,   /* behind force and torque */
  TRM_WHEEL_ACTS = TRM_WHEEL_RATES + TRM_TIRE_BRISTLES,
  TRM_WHEEL_OUTPUTS = TRM_WHEEL_ACTS + TRM_WHEEL_MEASURES
};

typedef struct trm_wheel_action {
  double force[3], torque[3];      /* on the wheel, global; torque about its centre */
  double rates[TRM_TIRE_BRISTLES]; /* du/dt, dv/dt */
  double measure[TRM_WHEEL_MEASURES];
  double radius;   /* effective */
  unsigned beyond; /* TRM_TIRE_LOAD … */
} trm_wheel_action;

/* slopes[i][j]: derivative of output i with respect to input j, exact but for roads whose friction
 * varies; NULL: not wanted. */
void trm_wheel_act(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                   const trm_wheel *wheel, trm_wheel_action *action,
                   double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS]);

/* The values alone. */
void trm_wheel_values(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                      const trm_wheel *wheel, trm_wheel_action *action);

#endif
