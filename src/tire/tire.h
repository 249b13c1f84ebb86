/* A tire, prepared: the numbers of its property file in SI units, under their names there. */
#ifndef TRM_TIRE_TIRE_H
#define TRM_TIRE_TIRE_H

#include <trammel/tire.h>

#include "tire/keys.h"

typedef enum trm_tire_format { TRM_TIRE_PAC2002, TRM_TIRE_PAC89 } trm_tire_format;

/* What holds a wheel at rest, along and across, at one load and on the friction of the test road.
 */
typedef struct trm_tire_stick {
  double elastic; /* slip at which a carcass without sliding would have the largest force: D/K */
  double stretch; /* the slip of the largest force over it */
  double time;    /* s: damping over stiffness of the standing tire */
} trm_tire_stick;

typedef struct trm_tire_grip {
  trm_tire_stick kappa, tangent; /* of tan(alpha) */
} trm_tire_grip;

enum { TRM_TIRE_GRIPS = 17, TRM_TIRE_BRISTLES = 2 };

struct trm_tire {
  trm_tire_format format;
  trm_tire_side side;
  bool relaxes; /* use modes 10 to 14 */
  int mode;     /* 0 to 4 */
  /* the deflection-load curve, or none: smooth through the points, straight beyond them */
  int curve_count;
  double *curve_at, *curve_load, *curve_slope; /* curve_count each */
  trm_tire_grip grip[TRM_TIRE_GRIPS];          /* at even loads between the two */
  double grip_loads[2];
#define KEY(name, ...) double name;
  TRM_TIRE_EVERY(KEY)
#undef KEY
};

/* --- vertical.c --- */

/* What a deflection makes, with derivatives. */
typedef struct trm_tire_deflected {
  double fz;              /* >= 0; 0 off the road */
  double fz_rho, fz_rhop; /* with respect to deflection and its rate */
  double radius;          /* effective rolling radius Re */
  double radius_rho;      /* dRe/drho */
} trm_tire_deflected;

trm_tire_deflected trm_tire_press(const trm_tire *tire, double rho, double rho_rate);

#define TRM_TIRE_SHORTEST 0.01 /* relaxation length, in unloaded radii */

/* Relaxation lengths and their derivatives with respect to load and inclination. */
typedef struct trm_tire_lengths {
  double sigma_kappa, sigma_kappa_load;
  double sigma_alpha, sigma_alpha_load, sigma_alpha_gamma;
} trm_tire_lengths;

trm_tire_lengths trm_tire_relaxation_lengths(const trm_tire *tire, double load, double gamma);

/* --- scale.c --- */

/* The tire with other scaling coefficients: so many times its own. NULL, and why, where one of them
 * is wrong: `wrong` is which, or −1 where there is no memory. */
trm_tire *trm_tire_scaled(const trm_tire *tire, int count, const char *const *names,
                          const double *factors, int *wrong, char *reason, size_t size);

/* --- grip.c --- */

void trm_tire_prepare_grip(trm_tire *tire);
/* Between the loads, held outside them. */
trm_tire_grip trm_tire_grip_at(const trm_tire *tire, double load, trm_tire_grip *slope);

/* --- values.c, slopes.c --- */

/* What the formulas give, in ISO axes of the file's own side: Mz = direction of travel × TURN +
 * ARM, My = −direction of travel × ROLL. */
enum { CORE_FX, CORE_FY, CORE_MX, CORE_TURN, CORE_ARM, CORE_ROLL, TRM_TIRE_CORE };
enum { TRM_TIRE_SEEDS = 4 }; /* derivatives with respect to load, kappa, alpha, gamma */

void trm_tire_values(const trm_tire *tire, const trm_tire_slip *slip, double friction,
                     double core[TRM_TIRE_CORE]);
/* The same with derivatives. */
void trm_tire_slopes(const trm_tire *tire, const trm_tire_slip *slip, double friction,
                     const double seeds[TRM_TIRE_SEEDS], double core[TRM_TIRE_CORE],
                     double slopes[TRM_TIRE_CORE][TRM_TIRE_SEEDS]);

#endif
