/* A system of the user's own as one dense block. Internal to this room.
 *
 * A point x is [1 + 2n]: t, q, v, the slots of its formulas. Rows: position constraints, velocity
 * constraints, conditions on the start. */
#ifndef TRM_SYSTEM_GENERIC_H
#define TRM_SYSTEM_GENERIC_H

#include "system/system.h"

typedef struct trm_generic {
  const trm_user *user;
  int condition_count;
  const trm_condition *conditions;
  bool mass_ready; /* a constant M is there */
  double *x;       /* [1 + 2n] of the last stages */
  double *y;       /* [1 + 2n] another point */
  double *linear;  /* [n] v at which velocity constraints are linearized */

  /* workspace */
  trm_jet *jets;    /* [1 + 2n] */
  trm_jet *phi;     /* [max(m, p)] */
  double *gradient; /* [1 + 2n] */
  double *L;        /* [n × n] */
  double *product;  /* [n] */
  double *residual; /* [rows] */
  double *change;   /* [n] */
  double *rows;     /* [(m + p) × n] */
} trm_generic;

/* generic_rows.c: constraints and their derivatives at x, by formulas or callbacks */

void trm_generic_position_rows(trm_generic *generic, const double *x, double *C, double *Cq,
                               double *Ct);
/* γ in Cq q̈ = γ */
void trm_generic_position_gamma(trm_generic *generic, const double *x, double *gamma);
void trm_generic_velocity_value(trm_generic *generic, const double *x, double *phi);
void trm_generic_velocity_rows(trm_generic *generic, const double *x, double *phi, double *A);
void trm_generic_velocity_gamma(trm_generic *generic, const double *x, double *gamma);

/* Φ or Φᵥ over generic->jets into generic->phi; by formulas or jet callbacks only */
void trm_generic_evaluate_jets(trm_generic *generic, bool velocity);

double trm_generic_energy(const trm_generic *generic, const double *x);
/* Ė along q̇ = v, v̇ = a; only where the energy can be differentiated */
double trm_generic_energy_rate(trm_generic *generic, const double *x, const double *a);
bool trm_generic_energy_has_rate(const trm_generic *generic);

/* generic_tangent.c */
bool trm_generic_tangent(trm_system *system, const double *a, const double *lambda,
                         struct trm_tangent *tangent);
void trm_generic_slope(const trm_system *system, struct trm_tangent *tangent, const double *x,
                       double *slope);

/* generic_check.c: all are finite, else system->error says which is not */

bool trm_generic_check_state(trm_system *system);
bool trm_generic_check_mass(trm_system *system);
bool trm_generic_check_rows(trm_system *system, bool velocity);
bool trm_generic_check_velocity(trm_system *system);
bool trm_generic_check_tangent(trm_system *system, const double *values, int count);

void trm_generic_row_name(const trm_system *system, int row, char *text, size_t size);

#endif
