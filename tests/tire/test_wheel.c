/* A wheel on a road: geometry, signs, derivatives, relaxation, and a car that stands. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../extremes.h"
#include "points.h"
#include "tire/wheel.h"

static trm_tire *load(const char *path) {
  trm_tire *tire = trm_tire_load(path, NULL, NULL);
  assert_non_null(tire);
  return tire;
}

static double random_between(double low, double high) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

/* --- roads --- */

static void hills(const void *context, double x, double y, bool curved, trm_road_point *p) {
  (void)context, (void)curved;
  double s = sin(0.4 * x), c = cos(0.4 * x), S = sin(0.3 * y), C = cos(0.3 * y);
  *p = (trm_road_point){.z = 0.1 * s * C,
                        .zx = 0.04 * c * C,
                        .zy = -0.03 * s * S,
                        .zxx = -0.016 * s * C,
                        .zxy = -0.012 * c * S,
                        .zyy = -0.009 * s * C,
                        .friction = 0.8};
}

/* a slope of `context` in x and half of it in y */
static void slope(const void *context, double x, double y, bool curved, trm_road_point *p) {
  (void)curved;
  double k = *(const double *)context;
  *p = (trm_road_point){.z = k * x + k / 2 * y, .zx = k, .zy = k / 2, .friction = 1};
}

/* --- geometry --- */

static trm_wheel rolling(double height, double speed) {
  return (trm_wheel){
      .centre = {0, 0, height}, .axis = {0, 1, 0}, .velocity = {speed, 0, 0}, .angular = {0}};
}

/* A leaning wheel on a slope: the contact point is in the wheel's plane and in the road, straight
 * under the centre; all from the definitions. */
static void contact_is_where_planes_meet(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan.tir");
  double k = 0.1, lean = 0.08;
  trm_road road = {slope, &k};
  trm_wheel w = rolling(0.36, 20);
  w.axis[1] = cos(lean), w.axis[2] = sin(lean);
  trm_wheel_action a;
  trm_wheel_act(tire, TRM_TIRE_LEFT, &road, &w, &a, NULL);
  double norm = sqrt(1 + k * k + k * k / 4), n[3] = {-k / norm, -k / 2 / norm, 1 / norm};
  double sine = w.axis[1] * n[1] + w.axis[2] * n[2];
  double d[3], in_plane = 0, along = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    d[i] = (a.measure + TRM_WHEEL_X)[i] - w.centre[i];
    in_plane += d[i] * w.axis[i];
    size += d[i] * d[i];
  }
  double across[3] = {w.axis[1] * n[2] - w.axis[2] * n[1], w.axis[2] * n[0] - w.axis[0] * n[2],
                      w.axis[0] * n[1] - w.axis[1] * n[0]}; /* x = axis × n */
  for (int i = 0; i < 3; i++) along += d[i] * across[i];
  assert_true(fabs(in_plane) <= 1e-15 && fabs(along) <= 1e-15);
  assert_true(fabs(a.measure[TRM_WHEEL_Z] - k * a.measure[TRM_WHEEL_X] -
                   k / 2 * a.measure[TRM_WHEEL_Y]) <= 1e-15);
  assert_true(fabs(a.measure[TRM_WHEEL_GAMMA] - asin(sine)) <= 1e-15);
  double h = 0.36 * n[2];
  assert_true(fabs(a.measure[TRM_WHEEL_DEFLECTION] - (0.344 - h / sqrt(1 - sine * sine))) <= 1e-15);
  assert_true(fabs(sqrt(size) - (0.344 - a.measure[TRM_WHEEL_DEFLECTION])) <= 1e-15);
  trm_tire_destroy(tire);
}

/* On curved ground the road's tangent plane is that of the contact point. */
static void contact_is_on_curved_ground(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan.tir");
  trm_road road = {hills, NULL};
  for (int k = 0; k < 20; k++) {
    trm_wheel w = rolling(0, 20);
    trm_road_point p;
    double lean = random_between(-0.1, 0.1);
    w.centre[0] = random_between(-9, 9), w.centre[1] = random_between(-9, 9);
    hills(NULL, w.centre[0], w.centre[1], true, &p);
    w.centre[2] = p.z + 0.33;
    w.axis[1] = cos(lean), w.axis[2] = sin(lean);
    trm_wheel_action a;
    trm_wheel_act(tire, TRM_TIRE_LEFT, &road, &w, &a, NULL);
    hills(NULL, a.measure[TRM_WHEEL_X], a.measure[TRM_WHEEL_Y], true, &p);
    assert_true(fabs(a.measure[TRM_WHEEL_Z] - p.z) <= 1e-14);
  }
  trm_tire_destroy(tire);
}

/* Signs of section "Signs" in docs/tires.md, one by one. */
static void signs_are_iso(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan_symmetric.tir");
  tire->relaxes = false;
  trm_wheel w = rolling(0.33, 10);
  trm_wheel_action a;
  w.angular[1] = 40; /* too fast: drives */
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  assert_true(fabs(a.measure[TRM_WHEEL_KAPPA] - (40 * a.radius - 10) / 10) <= 1e-14);
  assert_true(a.measure[TRM_WHEEL_FX] > 0 && a.force[0] > 0 && a.torque[1] < 0);
  w.angular[1] = 10 / a.radius;
  w.velocity[1] = 0.5; /* moves to its left: pushed to the right, turned to the left */
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  assert_true(fabs(a.measure[TRM_WHEEL_ALPHA] - atan(0.05)) <= 1e-14);
  assert_true(a.measure[TRM_WHEEL_FY] < 0 && a.force[1] < 0 && a.measure[TRM_WHEEL_MZ] > 0 &&
              a.measure[TRM_WHEEL_MY] < 0);
  w.velocity[0] = -10, w.angular[1] = -10 / a.radius; /* backwards */
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  assert_true(fabs(a.measure[TRM_WHEEL_ALPHA] - atan(0.05)) <= 1e-14 &&
              fabs(a.measure[TRM_WHEEL_KAPPA]) <= 1e-14);
  assert_true(a.measure[TRM_WHEEL_FY] < 0 && a.measure[TRM_WHEEL_MZ] < 0 &&
              a.measure[TRM_WHEEL_MY] > 0);
  w = rolling(0.36, 10); /* in the air */
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  assert_true(a.measure[TRM_WHEEL_FZ] == 0 && a.force[2] == 0 && a.torque[1] == 0 &&
              a.measure[TRM_WHEEL_DEFLECTION] < 0);
  w = rolling(0.33, 10); /* falling: the damper pushes; the road never pulls */
  w.velocity[2] = -0.5;
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  assert_true(fabs(a.measure[TRM_WHEEL_FZ] - (280835.2941 * 0.014 + 1000)) <= 1e-9);
  w.velocity[2] = 5;
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  assert_true(a.measure[TRM_WHEEL_FZ] == 0 && a.force[0] == 0);
  w = rolling(0.33, 10); /* lies on its side */
  w.axis[1] = 0, w.axis[2] = 1;
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  assert_true(a.beyond == TRM_TIRE_GAMMA && a.force[2] == 0);
  trm_tire_destroy(tire);
}

/* --- derivatives --- */

static void outputs(const trm_tire *tire, const trm_road *road, const trm_wheel *w,
                    double out[TRM_WHEEL_OUTPUTS]) {
  trm_wheel_action a;
  trm_wheel_act(tire, TRM_TIRE_RIGHT, road, w, &a, NULL);
  memcpy(out, a.force, sizeof a.force);
  memcpy(out + 3, a.torque, sizeof a.torque);
  memcpy(out + TRM_WHEEL_RATES, a.rates, sizeof a.rates);
  memcpy(out + TRM_WHEEL_ACTS, a.measure, sizeof a.measure);
}

/* Central differences of order four; the smaller step beside a kink. */
static double wheel_difference(const trm_tire *tire, const trm_road *road, const trm_wheel *w,
                               int i, int j, double h) {
  double v[4][TRM_WHEEL_OUTPUTS];
  static const int at[4] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    trm_wheel moved = *w;
    ((double *)&moved)[j] += at[k] * h;
    outputs(tire, road, &moved, v[k]);
  }
  return (8 * (v[2][i] - v[1][i]) - (v[3][i] - v[0][i])) / (12 * h);
}

static double wheel_slope_error(const trm_tire *tire, const trm_road *road, const trm_wheel *w) {
  double slopes[TRM_WHEEL_OUTPUTS][TRM_WHEEL_INPUTS], worst = 0;
  trm_wheel_action a;
  trm_wheel_act(tire, TRM_TIRE_RIGHT, road, w, &a, slopes);
  for (int j = 0; j < TRM_WHEEL_INPUTS; j++)
    for (int i = 0; i < TRM_WHEEL_OUTPUTS; i++) {
      bool load =
          i < TRM_WHEEL_RATES || (i >= TRM_WHEEL_ACTS && i <= TRM_WHEEL_ACTS + TRM_WHEEL_MZ);
      double size = load ? 1e5 : 10;
      size += fabs(slopes[i][j]);
      double wide = fabs(slopes[i][j] - wheel_difference(tire, road, w, i, j, 3e-5)) / size;
      double near = fabs(slopes[i][j] - wheel_difference(tire, road, w, i, j, 2e-7)) / size;
      worst = larger(worst, smaller(wide, near));
    }
  return worst;
}

static void slopes_of_a_wheel(void **state) {
  (void)state;
  trm_tire *tires[] = {load("models/vehicle/sedan.tir"), load("models/vehicle/van.tir")};
  trm_road roads[] = {{NULL, NULL}, {hills, NULL}};
  static const double speeds[] = {20, 3, 0.5, 0.05, -0.4, -8};
  double worst = 0;
  for (int k = 0; k < 240; k++) {
    trm_tire *tire = tires[k % 2];
    const trm_road *road = &roads[k / 2 % 2];
    double v = speeds[k / 4 % 6], lean = random_between(-0.1, 0.1), yaw = random_between(-3, 3);
    tire->relaxes = k / 24 % 2;
    trm_wheel w = {.axis = {-cos(lean) * sin(yaw), cos(lean) * cos(yaw), sin(lean)}};
    for (int i = 0; i < 3; i++) {
      w.centre[i] = random_between(-5, 5);
      w.velocity[i] = random_between(-0.3, 0.3) * fmin(1, fabs(v));
      w.angular[i] = random_between(-1, 1) + w.axis[i] * v / 0.34 * random_between(0.9, 1.1);
    }
    trm_road_point p = {0};
    if (road->at) hills(NULL, w.centre[0], w.centre[1], true, &p);
    w.centre[2] = p.z + tire->UNLOADED_RADIUS - random_between(0.004, 0.03);
    w.velocity[0] += v * cos(yaw), w.velocity[1] += v * sin(yaw);
    w.bristle[0] = random_between(-0.1, 0.1), w.bristle[1] = random_between(-0.15, 0.15);
    worst = larger(worst, wheel_slope_error(tire, road, &w));
  }
  assert_true(worst <= 2e-6);
  for (int k = 0; k < 2; k++) trm_tire_destroy(tires[k]);
}

/* --- relaxation --- */

/* A step of slip at constant speed: sigma tan(alpha) (1 − exp(−v t/sigma)), exactly linear. */
static void relaxation_is_linear(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan_symmetric.tir");
  trm_wheel w = rolling(0.344 - 4850 / 280835.2941, 20);
  trm_wheel_action a;
  w.velocity[1] = 1;
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  w.angular[1] = 20.4 / a.radius;
  const double h = 1e-4, sigma[2] = {0.8138008, 0.5930348033038294}, slip[2] = {0.02, 0.05};
  double worst = 0;
  for (int step = 0; step < 1000; step++) {
    double start[2] = {w.bristle[0], w.bristle[1]}, rate[4][2];
    static const double share[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < 2; i++) w.bristle[i] = start[i] + (s ? share[s] * h * rate[s - 1][i] : 0);
      trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
      memcpy(rate[s], a.rates, sizeof a.rates);
    }
    for (int i = 0; i < 2; i++) {
      w.bristle[i] = start[i] + h / 6 * (rate[0][i] + 2 * rate[1][i] + 2 * rate[2][i] + rate[3][i]);
      double exact = sigma[i] * slip[i] * (1 - exp(-20 * h * (step + 1) / sigma[i]));
      worst = larger(worst, fabs(w.bristle[i] - exact) / (sigma[i] * slip[i]));
    }
  }
  assert_true(worst <= 1e-9);
  /* in the end the formulas see the geometric slips */
  w.bristle[0] = sigma[0] * slip[0], w.bristle[1] = sigma[1] * slip[1];
  trm_wheel_act(tire, TRM_TIRE_LEFT, NULL, &w, &a, NULL);
  trm_tire_slip direct = {a.measure[TRM_WHEEL_FZ], a.measure[TRM_WHEEL_KAPPA],
                          a.measure[TRM_WHEEL_ALPHA], a.measure[TRM_WHEEL_GAMMA], 20};
  trm_tire_forces f;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &direct, 1, &f, NULL);
  assert_true(fabs(a.measure[TRM_WHEEL_FX] - f.fx) <= 1e-8 &&
              fabs(a.measure[TRM_WHEEL_FY] - f.fy) <= 1e-8);
  trm_tire_destroy(tire);
}

/* --- standing: a mass on one locked wheel, pushed along and across --- */

typedef struct parked {
  const trm_tire *tire;
  double mass, push[2];
  double x[6]; /* place, velocity, bristle */
  trm_wheel_action action;
} parked;

static void parked_rates(parked *p, const double x[6], double rate[6]) {
  double rho = p->mass * 9.81 / p->tire->VERTICAL_STIFFNESS;
  trm_wheel w = rolling(p->tire->UNLOADED_RADIUS - rho, x[2]);
  w.velocity[1] = x[3];
  w.bristle[0] = x[4], w.bristle[1] = x[5];
  trm_wheel_act(p->tire, TRM_TIRE_LEFT, NULL, &w, &p->action, NULL);
  rate[0] = x[2], rate[1] = x[3];
  for (int i = 0; i < 2; i++) {
    rate[2 + i] = (p->action.force[i] + p->push[i]) / p->mass;
    rate[4 + i] = p->action.rates[i];
  }
}

static void advance(parked *p, double duration, double h) {
  long steps = lround(duration / h);
  for (long step = 0; step < steps; step++) {
    double k[4][6], y[6];
    static const double share[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < 6; i++) y[i] = p->x[i] + (s ? share[s] * h * k[s - 1][i] : 0);
      parked_rates(p, y, k[s]);
    }
    for (int i = 0; i < 6; i++) p->x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

/* A slope of 10 %, along and across: nothing moves any more, with and without relaxation. */
static void parked_cars_stay(void **state) {
  (void)state;
  const char *const files[] = {"models/vehicle/sedan.tir", "models/vehicle/van.tir"};
  for (int k = 0; k < 4; k++) {
    trm_tire *tire = load(files[k % 2]);
    tire->relaxes = k / 2;
    parked p = {.tire = tire, .mass = 400, .push = {-390.4, 250}};
    advance(&p, 20, 1e-3);
    double from[2] = {p.x[0], p.x[1]};
    advance(&p, 10, 1e-3);
    assert_true(fabs(p.x[0] - from[0]) <= 1e-9 && fabs(p.x[1] - from[1]) <= 1e-9);
    assert_true(fabs(p.action.force[0] - 390.4) <= 1e-6);
    assert_true(fabs(p.action.force[1] + 250) <= 1e-6);
    trm_tire_destroy(tire);
  }
}

/* It holds below the largest force and slides above it; pushes that come and go leave no creep. */
static void friction_has_a_limit(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan_symmetric.tir");
  double fz = 400 * 9.81, dfz = fz / 4850 - 1;
  double peak[2] = {fz * (1.1739 - 0.16395 * dfz), fz * (1.0489 - 0.18033 * dfz)};
  for (int i = 0; i < 2; i++) {
    parked p = {.tire = tire, .mass = 400};
    p.push[i] = 0.97 * peak[i];
    /* pushed slowly: a sudden push swings to twice its size */
    for (int k = 1; k <= 50; k++) {
      p.push[i] = 0.97 * peak[i] * k / 50;
      advance(&p, 0.5, 1e-3);
    }
    advance(&p, 20, 1e-3);
    double before = p.x[i];
    advance(&p, 10, 1e-3);
    assert_true(fabs(p.x[i] - before) <= 1e-6);
    p.push[i] = 1.01 * peak[i];
    advance(&p, 20, 1e-3);
    assert_true(fabs(p.x[i]) > 1);
  }
  parked p = {.tire = tire, .mass = 400};
  advance(&p, 1, 1e-3);
  for (int k = 0; k < 200; k++) {
    p.push[0] = k % 2 ? 1000 : 0; /* always to one side */
    advance(&p, 0.2, 1e-3);
  }
  p.push[0] = 0;
  advance(&p, 20, 1e-3);
  assert_true(fabs(p.x[0]) <= 1e-6);
  trm_tire_destroy(tire);
}

/* Locked at 15 m/s: it stops where friction says, swings back no further than the carcass
 * stretches, and stands. */
static void braking_ends_at_rest(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan.tir");
  parked p = {.tire = tire, .mass = 400, .x = {0, 0, 15, 0.2}};
  double h = 2e-4, furthest = 0, back = 0, stretch = 0;
  for (int k = 0; k < 2000; k++) {
    advance(&p, 0.01, h);
    furthest = larger(furthest, p.x[0]);
    back = larger(back, furthest - p.x[0]);
    if (fabs(p.x[2]) < 0.1) stretch = larger(stretch, fabs(p.x[4]));
  }
  assert_true(fabs(p.x[2]) <= 1e-9 && fabs(p.x[3]) <= 1e-9);
  assert_true(furthest > 8 && furthest < 15);
  trm_tire_grip at_load, s;
  at_load = trm_tire_grip_at(tire, 400 * 9.81, &s);
  double sigma = trm_tire_relaxation_lengths(tire, 400 * 9.81, 0).sigma_kappa;
  assert_true(stretch <= 1.2 * at_load.kappa.elastic * sigma &&
              back <= 2 * at_load.kappa.elastic * sigma);
  trm_tire_destroy(tire);
}

/* Braked to rest: coarse and fine steps of RK4 agree, which chatter would not allow. */
static void stopping_converges(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan.tir");
  for (int k = 0; k < 2; k++) {
    double end[3][2];
    static const double steps[3] = {1e-3, 5e-4, 1.25e-4};
    tire->relaxes = k;
    for (int i = 0; i < 3; i++) {
      parked p = {.tire = tire, .mass = 400, .x = {0, 0, 8, 0.2}};
      advance(&p, 4, steps[i]);
      end[i][0] = p.x[0], end[i][1] = p.x[1];
    }
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(end[0][i] - end[2][i]) <= 1e-5);
      assert_true(fabs(end[1][i] - end[2][i]) <= 1e-6);
    }
  }
  trm_tire_destroy(tire);
}

/* --- load, radius, lengths --- */

static void radius_and_lengths(void **state) {
  (void)state;
  /* independent values at 2000, 3500, 4850, 7000 N: sigma kappa, sigma alpha, Re */
  static const double expected[2][4][3] = {
      {{0.15626077646255984, 0.29403056516967674, 0.33748755629911753},
       {0.4183454468899885, 0.47402312997662094, 0.3365655247505444},
       {0.8138008, 0.5930348033038294, 0.3360191826472414},
       {1.9089299662077348, 0.7018012425561774, 0.3353145166702857}},
      {{0.37013259406231613, 0.3500277928223073, 0.36879733832255673},
       {0.6568818554775211, 0.5370791348645726, 0.3681081465009016},
       {0.9218146862342368, 0.6370027472521684, 0.3678007747902862},
       {1.357473951367766, 0.6935308399760368, 0.3674929702566468}}};
  static const double loads[4] = {2000, 3500, 4850, 7000};
  const char *const files[] = {"models/vehicle/sedan.tir", "models/vehicle/van.tir"};
  double worst = 0;
  for (int k = 0; k < 2; k++) {
    trm_tire *tire = load(files[k]);
    for (int i = 0; i < 4; i++) {
      trm_tire_lengths l = trm_tire_relaxation_lengths(tire, loads[i], 0);
      trm_tire_deflected d = trm_tire_press(tire, loads[i] / tire->VERTICAL_STIFFNESS, 0);
      const double got[3] = {l.sigma_kappa, l.sigma_alpha, d.radius};
      for (int j = 0; j < 3; j++) worst = larger(worst, fabs(got[j] / expected[k][i][j] - 1));
      worst = larger(worst, fabs(d.fz / loads[i] - 1));
    }
    trm_tire_destroy(tire);
  }
  assert_true(worst <= 1e-12);
}

/* The largest forces of sedan_symmetric are known: where they are and, at the nominal load, the
 * bristle's bound. */
static void grip_finds_the_peaks(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan_symmetric.tir");
  static const double loads[4] = {2000, 3500, 4850, 7000};
  static const double alpha[4] = {0.17147598276933088, 0.17673381379121442, 0.18636054540328725,
                                  0.20912608459322804};
  for (int k = 0; k < 4; k++) {
    trm_tire_grip slope_of_it, grip = trm_tire_grip_at(tire, loads[k], &slope_of_it);
    assert_true(fabs(grip.tangent.elastic * grip.tangent.stretch / tan(alpha[k]) - 1) <=
                2e-3); /* between the loads: linear */
    double above = trm_tire_grip_at(tire, loads[k] + 1, &slope_of_it).tangent.elastic;
    double below = trm_tire_grip_at(tire, loads[k] - 1, &slope_of_it).tangent.elastic;
    assert_true(fabs(slope_of_it.tangent.elastic - (above - below) / 2) <= 1e-9);
  }
  trm_tire_destroy(tire);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contact_is_where_planes_meet),
                                     cmocka_unit_test(contact_is_on_curved_ground),
                                     cmocka_unit_test(signs_are_iso),
                                     cmocka_unit_test(slopes_of_a_wheel),
                                     cmocka_unit_test(relaxation_is_linear),
                                     cmocka_unit_test(parked_cars_stay),
                                     cmocka_unit_test(friction_has_a_limit),
                                     cmocka_unit_test(braking_ends_at_rest),
                                     cmocka_unit_test(stopping_converges),
                                     cmocka_unit_test(radius_and_lengths),
                                     cmocka_unit_test(grip_finds_the_peaks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
