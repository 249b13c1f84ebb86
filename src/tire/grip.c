/* Sticking of a standing tire: the slips of its largest forces, and the damping of its carcass.
 * Found once, when the tire is read. */
#include <math.h>

#include "tire/tire.h"

#define LARGEST  1.0     /* slip, where a force has no peak below it */
#define DAMPING  0.25    /* of the critical damping of the mass that the tire carries */
#define GRAVITY  9.80665 /* makes a mass of a load */
#define FAR_LOAD 5000.0  /* N, where a file names no load of its own */

static double pure_force(const trm_tire *tire, double load, double kappa, double alpha) {
  trm_tire_slip slip = {load, kappa, alpha, 0, tire->LONGVL};
  trm_tire_forces f;
  trm_tire_evaluate(tire, tire->side, &slip, 1, &f, NULL);
  return kappa != 0 ? fabs(f.fx) : fabs(f.fy);
}

/* the mean of both signs: shifts do not count */
static double mean_force(const trm_tire *tire, double load, bool side, double slip) {
  return side ? pure_force(tire, load, 0, atan(slip)) + pure_force(tire, load, 0, -atan(slip))
              : pure_force(tire, load, slip, 0) + pure_force(tire, load, -slip, 0);
}

/* golden section: a force rises to its peak and falls */
static double peak_slip(const trm_tire *tire, double load, bool side) {
  const double ratio = 0.6180339887498949;
  double low = 0, high = LARGEST;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double fa = mean_force(tire, load, side, a), fb = mean_force(tire, load, side, b);
  for (int k = 0; k < 60; k++) {
    if (fa >= fb) {
      high = b, b = a, fb = fa;
      fa = mean_force(tire, load, side, a = high - ratio * (high - low));
    } else {
      low = a, a = b, fa = fb;
      fb = mean_force(tire, load, side, b = low + ratio * (high - low));
    }
  }
  return (low + high) / 2;
}

/* 2 zeta sqrt(m/k) of the carried mass on the carcass k = K/sigma */
static double damping_time(double load, double stiffness, double sigma) {
  return 2 * DAMPING * sqrt(load / GRAVITY * sigma / stiffness);
}

static trm_tire_stick find_stick(const trm_tire *pure, double load, bool side, double stiffness,
                                 double sigma) {
  double slip = peak_slip(pure, load, side);
  double largest = mean_force(pure, load, side, slip) / 2;
  if (!(stiffness > 0 && largest > 0)) return (trm_tire_stick){slip, 1, 0}; /* a file without it */
  double elastic = fmin(slip, largest / stiffness);
  return (trm_tire_stick){elastic, slip / elastic, damping_time(load, stiffness, sigma)};
}

static trm_tire_grip grip_of(const trm_tire *pure, double load) {
  trm_tire_slip rest = {.load = load, .speed = pure->LONGVL};
  trm_tire_lengths l = trm_tire_relaxation_lengths(pure, load, 0);
  trm_tire_forces f;
  double slopes[5][5];
  trm_tire_evaluate(pure, pure->side, &rest, 1, &f, slopes);
  return (trm_tire_grip){find_stick(pure, load, false, fabs(slopes[0][1]), l.sigma_kappa),
                         find_stick(pure, load, true, fabs(slopes[1][2]), l.sigma_alpha)};
}

void trm_tire_prepare_grip(trm_tire *tire) {
  double nominal = tire->format == TRM_TIRE_PAC2002 ? tire->FNOMIN * tire->LFZO : FAR_LOAD;
  trm_tire pure = *tire;
  pure.mode = 3;
  tire->grip_loads[0] = fmax(tire->FZMIN, 0.05 * nominal);
  tire->grip_loads[1] = fmin(tire->FZMAX, 3 * nominal);
  for (int k = 0; k < TRM_TIRE_GRIPS; k++) {
    double share = k / (double)(TRM_TIRE_GRIPS - 1);
    tire->grip[k] = grip_of(&pure, (1 - share) * tire->grip_loads[0] + share * tire->grip_loads[1]);
  }
}

static trm_tire_stick between(trm_tire_stick a, trm_tire_stick b, double s) {
  return (trm_tire_stick){a.elastic + s * (b.elastic - a.elastic),
                          a.stretch + s * (b.stretch - a.stretch), a.time + s * (b.time - a.time)};
}

static trm_tire_stick rise(trm_tire_stick a, trm_tire_stick b, double h) {
  return (trm_tire_stick){(b.elastic - a.elastic) / h, (b.stretch - a.stretch) / h,
                          (b.time - a.time) / h};
}

trm_tire_grip trm_tire_grip_at(const trm_tire *tire, double load, trm_tire_grip *slope) {
  double from = tire->grip_loads[0], h = (tire->grip_loads[1] - from) / (TRM_TIRE_GRIPS - 1);
  double x = h > 0 ? (load - from) / h : 0;
  *slope = (trm_tire_grip){0};
  if (!(x > 0)) return tire->grip[0];
  if (x >= TRM_TIRE_GRIPS - 1) return tire->grip[TRM_TIRE_GRIPS - 1];
  int k = (int)x;
  const trm_tire_grip *a = &tire->grip[k], *b = a + 1;
  *slope = (trm_tire_grip){rise(a->kappa, b->kappa, h), rise(a->tangent, b->tangent, h)};
  return (trm_tire_grip){between(a->kappa, b->kappa, x - k),
                         between(a->tangent, b->tangent, x - k)};
}
