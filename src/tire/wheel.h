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
  void (*at)(const void *context, double x, double y, trm_road_point *point); /* NULL: z = 0 */
  const void *context;
} trm_road;

/* In global axes. */
typedef struct trm_wheel {
  double centre[3], axis[3];         /* axis: of spin, of length one, to the left */
  double velocity[3], angular[3];    /* of the centre; absolute */
  double bristle[TRM_TIRE_BRISTLES]; /* deflections u, v of the contact patch; start at zero */
} trm_wheel;

enum {
  TRM_WHEEL_INPUTS = 14, /* centre, axis, velocity, angular, bristle */
  TRM_WHEEL_OUTPUTS = 8  /* force, torque, rates */
};

typedef struct trm_wheel_action {
  double force[3], torque[3];      /* on the wheel, global; torque about its centre */
  double rates[TRM_TIRE_BRISTLES]; /* du/dt, dv/dt */
  /* measures, W-axes */
  double fx, fy, fz, mx, my, mz; /* at the contact point */
  double kappa, alpha, gamma;    /* geometric, not relaxed */
  double deflection, radius;     /* rho; effective radius */
  double speed;                  /* vx */
  double point[3];               /* of contact */
  unsigned beyond;               /* TRM_TIRE_LOAD … */
} trm_wheel_action;

/* slopes[i][j]: derivative of output i with respect to input j, exact but for roads whose friction
 * varies; NULL: not wanted. */
void trm_wheel_act(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                   const trm_wheel *wheel, trm_wheel_action *action,
                   double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS]);

/* The same, values alone and with slopes: action_values.c, action_slopes.c. */
void trm_wheel_values(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                      const trm_wheel *wheel, trm_wheel_action *action);
void trm_wheel_slopes(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                      const trm_wheel *wheel, trm_wheel_action *action,
                      double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS]);

#endif
