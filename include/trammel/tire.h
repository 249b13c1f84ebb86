/* Tires: property files (.tir) read and checked, forces and moments over slip. */
#ifndef TRAMMEL_TIRE_H
#define TRAMMEL_TIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/diagnostics.h>
#include <trammel/export.h>

TRM_BEGIN_C

typedef struct trm_tire trm_tire; /* read-only once loaded: many wheels and threads share it */

typedef enum trm_tire_side { TRM_TIRE_LEFT, TRM_TIRE_RIGHT, TRM_TIRE_SYMMETRIC } trm_tire_side;

/* What the file says, in SI units. */
typedef struct trm_tire_facts {
  const char *format;   /* "PAC2002" or "PAC89" */
  int use_mode;         /* 0 to 4, +10 with relaxation */
  trm_tire_side side;   /* the one it was measured on */
  double radius;        /* unloaded */
  double load;          /* nominal */
  double low_speed;     /* below it the tire is a bristle; see docs/tires.md */
  double load_range[2]; /* where the data are valid */
  double kappa_range[2], alpha_range[2], gamma_range[2];
} trm_tire_facts;

/* NULL where the file has errors: all are in the diagnostics; *status may be NULL. */
TRM_API trm_tire *trm_tire_load(const char *path, trm_diagnostics *diagnostics, trm_status *status);
TRM_API void trm_tire_destroy(trm_tire *tire); /* accepts NULL */
TRM_API trm_tire_facts trm_tire_describe(const trm_tire *tire);

/* ISO W-axes: x forward, y left, z up; alpha > 0 where the wheel moves to its left. */
typedef struct trm_tire_slip {
  double load;  /* Fz */
  double kappa; /* -(vx - omega Re)/|vx| */
  double alpha; /* atan(vy/|vx|) */
  double gamma; /* inclination, asin(axis . n) */
  double speed; /* vx */
} trm_tire_slip;

typedef struct trm_tire_forces {
  double fx, fy, mx, my, mz; /* at the contact point */
} trm_tire_forces;

/* What of a slip lies beyond the file's ranges; the tire is then taken at their ends. */
enum { TRM_TIRE_LOAD = 1, TRM_TIRE_KAPPA = 2, TRM_TIRE_ALPHA = 4, TRM_TIRE_GAMMA = 8 };

/* Steady forces of the tire mounted on `side`, on a road with `friction` times the friction of the
 * test road. slopes[i][j]: derivative of force i (fx, fy, mx, my, mz) with respect to j (load,
 * kappa, alpha, gamma, speed), exact; may be NULL. Returns what is out of range (0: nothing). */
TRM_API unsigned trm_tire_evaluate(const trm_tire *tire, trm_tire_side side,
                                   const trm_tire_slip *slip, double friction,
                                   trm_tire_forces *forces, double slopes[5][5]);

/* Names what is out of range with the range, such as "load (FZMIN 200 to FZMAX 9000)"; `beyond` as
 * returned above. Returns the length needed, like snprintf. */
TRM_API size_t trm_tire_name_beyond(const trm_tire *tire, unsigned beyond, char *text, size_t size);

/* A page with the tire's curves: forces over slip at several loads, combined slip, camber,
 * relaxation; and the same as a table (SI units, one point a row). */
TRM_API trm_status trm_tire_write_page(const trm_tire *tire, const char *title, const char *path,
                                       trm_diagnostics *diagnostics);
TRM_API trm_status trm_tire_write_csv(const trm_tire *tire, const char *path,
                                      trm_diagnostics *diagnostics);

TRM_END_C

#endif
