/* Forces of a tire at a slip: ranges, mirror, direction of travel around the formulas. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tire/tire.h"

#define LEAST_FRICTION 1e-6 /* the formulas divide by it */

trm_tire_facts trm_tire_describe(const trm_tire *t) {
  return (trm_tire_facts){.format = t->format == TRM_TIRE_PAC2002 ? "PAC2002" : "PAC89",
                          .use_mode = t->mode + (t->relaxes ? 10 : 0),
                          .side = t->side,
                          .radius = t->UNLOADED_RADIUS,
                          .load = t->FNOMIN,
                          .low_speed = t->VXLOW,
                          .load_range = {t->FZMIN, t->FZMAX},
                          .kappa_range = {t->KPUMIN, t->KPUMAX},
                          .alpha_range = {t->ALPMIN, t->ALPMAX},
                          .gamma_range = {t->CAMMIN, t->CAMMAX}};
}

/* Odd, +-1 from the low speed on, smooth: the direction of travel. */
static double direction_of(const trm_tire *tire, double speed, double *slope) {
  double x = speed / tire->VXLOW;
  *slope = fabs(x) < 1 ? 1.5 * (1 - x * x) / tire->VXLOW : 0;
  return fabs(x) < 1 ? x * (1.5 - 0.5 * x * x) : copysign(1, x);
}

/* The nearest value within the range; its seed is 0 where that is an end. */
static double limit(double value, double low, double high, double *seed, unsigned bit,
                    unsigned *beyond) {
  *seed = 1;
  if (value >= low && value <= high) return value;
  if (isnan(value)) return value;
  *seed = 0;
  *beyond |= bit;
  return value < low ? low : high;
}

/* Rows of the five forces from those of the formulas. */
static void assemble(const double *core, size_t stride, double direction, double out[5]) {
  out[0] = core[CORE_FX * stride];
  out[1] = core[CORE_FY * stride];
  out[2] = core[CORE_MX * stride];
  out[3] = -direction * core[CORE_ROLL * stride];
  out[4] = direction * core[CORE_TURN * stride] + core[CORE_ARM * stride];
}

/* d(roll)/d(speed) */
static double rolling_slope(const trm_tire *t, const trm_tire_slip *in) {
  if (t->format != TRM_TIRE_PAC2002 || t->mode == 2) return 0;
  double v = in->speed / t->LONGVL, k = (v < 0 ? -1 : 1) * t->QSY3 + 4 * t->QSY4 * v * v * v;
  return t->UNLOADED_RADIUS * t->LMY * in->load * k / t->LONGVL;
}

static void scale(const trm_tire *t, double load, bool mirrored, double f[5], double s[5][5]) {
  /* below the least load of the data: in proportion to it */
  double share = load < t->FZMIN ? load / t->FZMIN : 1;
  static const double sign[5] = {1, -1, -1, 1, -1}, sign_in[5] = {1, 1, -1, -1, 1};
  for (int i = 0; i < 5; i++) {
    double out = mirrored ? sign[i] : 1;
    if (s) {
      for (int j = 0; j < 5; j++) s[i][j] *= share * out * (mirrored ? sign_in[j] : 1);
      if (share < 1) s[i][0] = out * f[i] / t->FZMIN;
    }
    f[i] *= out * share;
  }
}

unsigned trm_tire_evaluate(const trm_tire *t, trm_tire_side side, const trm_tire_slip *slip,
                           double friction, trm_tire_forces *forces, double slopes[5][5]) {
  double f[5] = {0}, core[TRM_TIRE_CORE], seeds[TRM_TIRE_SEEDS], turn;
  double rows[TRM_TIRE_CORE][TRM_TIRE_SEEDS];
  unsigned beyond = 0;
  *forces = (trm_tire_forces){0};
  if (slopes) memset(slopes, 0, 25 * sizeof(double));
  if (slip->load <= 0 || t->mode == 0) return 0;
  bool mirrored = t->side != TRM_TIRE_SYMMETRIC && side != TRM_TIRE_SYMMETRIC && side != t->side;
  double hand = mirrored ? -1 : 1;
  trm_tire_slip in = {.speed = slip->speed};
  in.load = limit(slip->load, t->FZMIN, t->FZMAX, &seeds[0], TRM_TIRE_LOAD, &beyond);
  if (slip->load < t->FZMIN) beyond = 0; /* every wheel that lifts passes there */
  in.kappa = limit(slip->kappa, t->KPUMIN, t->KPUMAX, &seeds[1], TRM_TIRE_KAPPA, &beyond);
  in.alpha = limit(hand * slip->alpha, t->ALPMIN, t->ALPMAX, &seeds[2], TRM_TIRE_ALPHA, &beyond);
  in.gamma = limit(hand * slip->gamma, t->CAMMIN, t->CAMMAX, &seeds[3], TRM_TIRE_GAMMA, &beyond);
  double direction = direction_of(t, in.speed, &turn);
  if (!(friction > LEAST_FRICTION)) friction = LEAST_FRICTION;
  if (slopes)
    trm_tire_slopes(t, &in, friction, seeds, core, rows);
  else
    trm_tire_values(t, &in, friction, core);
  assemble(core, 1, direction, f);
  for (int j = 0; slopes && j < TRM_TIRE_SEEDS; j++) {
    double column[5];
    assemble(&rows[0][j], TRM_TIRE_SEEDS, direction, column);
    for (int i = 0; i < 5; i++) slopes[i][j] = column[i];
  }
  if (slopes) {
    slopes[3][4] = -turn * core[CORE_ROLL] - direction * rolling_slope(t, &in);
    slopes[4][4] = turn * core[CORE_TURN];
  }
  scale(t, slip->load, mirrored, f, slopes);
  *forces = (trm_tire_forces){f[0], f[1], f[2], f[3], f[4]};
  return beyond;
}

size_t trm_tire_name_beyond(const trm_tire *t, unsigned beyond, char *text, size_t size) {
  const struct {
    unsigned bit;
    const char *name, *low_key, *high_key;
    double low, high;
  } all[] = {{TRM_TIRE_LOAD, "load", "FZMIN", "FZMAX", t->FZMIN, t->FZMAX},
             {TRM_TIRE_KAPPA, "longitudinal slip", "KPUMIN", "KPUMAX", t->KPUMIN, t->KPUMAX},
             {TRM_TIRE_ALPHA, "slip angle", "ALPMIN", "ALPMAX", t->ALPMIN, t->ALPMAX},
             {TRM_TIRE_GAMMA, "inclination", "CAMMIN", "CAMMAX", t->CAMMIN, t->CAMMAX}};
  size_t length = 0;
  if (size) *text = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    if (!(beyond & all[k].bit)) continue;
    size_t left = length < size ? size - length : 0;
    length += (size_t)snprintf(left ? text + length : NULL, left, "%s%s (%s %g to %s %g)",
                               length ? ", " : "", all[k].name, all[k].low_key, all[k].low,
                               all[k].high_key, all[k].high);
  }
  return length;
}
