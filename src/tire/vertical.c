/* Load from deflection, effective radius, relaxation lengths. */
#include <math.h>

#include "tire/tire.h"

/* The damping of a tire that just touches grows from nothing: no force jumps. Full from here on,
 * as a share of the deflection under the nominal load (or of the radius, where there is none). */
#define TOUCH 0.1

static double nominal_load(const trm_tire *tire) {
  return tire->format == TRM_TIRE_PAC2002 ? tire->FNOMIN : 0;
}

static double stiffness(const trm_tire *tire) {
  return tire->VERTICAL_STIFFNESS * tire->LCZ;
}

static double curve_load(const trm_tire *tire, double rho, double *slope) {
  const double *at = tire->curve_at, *load = tire->curve_load, *rate = tire->curve_slope;
  int last = tire->curve_count - 1, k = 0;
  if (rho >= at[last]) {
    *slope = rate[last];
    return load[last] + rate[last] * (rho - at[last]);
  }
  while (rho >= at[k + 1]) k++;
  double h = at[k + 1] - at[k], s = (rho - at[k]) / h, rise = load[k + 1] - load[k];
  double a = h * rate[k] - rise, b = rise - h * rate[k + 1]; /* cubic of Hermite */
  *slope = (rise + (1 - 2 * s) * (a * (1 - s) + b * s) + s * (1 - s) * (b - a)) / h;
  return load[k] + s * rise + s * (1 - s) * (a * (1 - s) + b * s);
}

/* 0 at 0, 1 from `full` on, smooth */
static double grow(double x, double full, double *slope) {
  double s = x / full;
  *slope = s < 1 ? 6 * s * (1 - s) / full : 0;
  return s < 1 ? s * s * (3 - 2 * s) : 1;
}

static double effective_radius(const trm_tire *tire, double rho, double *slope) {
  double rho0 = nominal_load(tire) / stiffness(tire);
  *slope = -1.0 / 3; /* no fit in the form of 1989 */
  if (!(rho0 > 0)) return tire->UNLOADED_RADIUS + *slope * rho;
  double x = tire->BREFF * rho / rho0;
  *slope = -(tire->DREFF * tire->BREFF / (1 + x * x) + tire->FREFF);
  return tire->UNLOADED_RADIUS - rho0 * tire->DREFF * atan(x) - tire->FREFF * rho;
}

trm_tire_deflected trm_tire_press(const trm_tire *tire, double rho, double rho_rate) {
  trm_tire_deflected p = {.radius = tire->UNLOADED_RADIUS};
  if (rho <= 0) return p;
  double cz = stiffness(tire), damping_slope, curve_slope = cz;
  double load = nominal_load(tire);
  double full = TOUCH * (load > 0 ? load / cz : 0.1 * tire->UNLOADED_RADIUS);
  double damping = tire->VERTICAL_DAMPING * grow(rho, full, &damping_slope);
  p.radius = effective_radius(tire, rho, &p.radius_rho);
  p.fz = tire->curve_count ? tire->LCZ * curve_load(tire, rho, &curve_slope) : cz * rho;
  if (tire->curve_count) curve_slope *= tire->LCZ;
  p.fz += damping * rho_rate;
  if (p.fz <= 0) {
    p.fz = 0; /* a road never pulls */
    return p;
  }
  p.fz_rho = curve_slope + tire->VERTICAL_DAMPING * damping_slope * rho_rate;
  p.fz_rhop = damping;
  return p;
}

/* A length of nothing would be a division by zero where a wheel is lifted. */
static double at_least(double length, double least, double *slope) {
  if (length > least) return length;
  *slope = 0;
  return least;
}

/* A file without relaxation lengths: half the radius, for a wheel that stands. */
static double given_or_half(const trm_tire *tire, double length) {
  return length > 0 ? length : 0.5 * tire->UNLOADED_RADIUS;
}

static trm_tire_lengths lengths_1989(const trm_tire *tire) {
  return (trm_tire_lengths){.sigma_kappa = given_or_half(tire, tire->RELAX_LENGTH_X),
                            .sigma_alpha = given_or_half(tire, tire->RELAX_LENGTH_Y)};
}

trm_tire_lengths trm_tire_relaxation_lengths(const trm_tire *tire, double load, double gamma) {
  if (tire->format != TRM_TIRE_PAC2002) return lengths_1989(tire);
  trm_tire_lengths l;
  double r0 = tire->UNLOADED_RADIUS, fz0 = tire->FNOMIN * tire->LFZO;
  double least = TRM_TIRE_SHORTEST * r0;
  double dfz = load / fz0 - 1, e = exp(tire->PTX3 * dfz) * r0 / tire->FNOMIN * tire->LSGKP;
  double p = tire->PTX1 + tire->PTX2 * dfz;
  l.sigma_kappa = load * p * e;
  l.sigma_kappa_load = (p + load * (tire->PTX2 + tire->PTX3 * p) / fz0) * e;
  l.sigma_kappa = at_least(l.sigma_kappa, least, &l.sigma_kappa_load);
  double x = load / (tire->PTY2 * fz0), by_camber = 1 - tire->PKY3 * fabs(gamma);
  double k = tire->PTY1 * r0 * tire->LFZO * tire->LSGAL, d = 1 + x * x;
  l.sigma_alpha = k * 2 * x / d * by_camber; /* sin(2 atan x) */
  l.sigma_alpha_load = k * 2 * (1 - x * x) / (d * d) * by_camber / (tire->PTY2 * fz0);
  l.sigma_alpha_gamma = k * 2 * x / d * -tire->PKY3 * (gamma < 0 ? -1 : 1);
  if (!(l.sigma_alpha > least)) l.sigma_alpha_gamma = 0;
  l.sigma_alpha = at_least(l.sigma_alpha, least, &l.sigma_alpha_load);
  if (tire->PTX1 == 0 && tire->PTX2 == 0) l.sigma_kappa = given_or_half(tire, 0);
  if (tire->PTY1 == 0) l.sigma_alpha = given_or_half(tire, 0);
  return l;
}
