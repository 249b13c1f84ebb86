/* The right-hand side: from a state y = (q, v, z) to its rates, and what makes a step's result a
 * state. */
#ifndef TRM_INTEGRATOR_DYNAMICS_H
#define TRM_INTEGRATOR_DYNAMICS_H

#include "stabilization/stabilizer.h"

typedef struct trm_dynamics {
  trm_system *system;
  trm_solver *solver;
  trm_stabilizer *stabilizer;
  int n, size; /* coordinates; 2n + 1: z is the work of what is not in the potential */
  long evaluations;
  double *normal, *mu; /* [n], [m] workspace */
  double max_position_violation, max_velocity_violation, max_energy_error;
  double max_kinetic, max_potential; /* what the energy error is measured by */
} trm_dynamics;

bool trm_dynamics_create(trm_dynamics *dynamics, trm_arena *arena, trm_stabilizer *stabilizer);

/* ydot = (v, q̈, power). False: see system->error. */
bool trm_dynamics_rates(trm_dynamics *dynamics, double t, const double *y, double *ydot);

/* Corrects y and takes the rates there. */
bool trm_dynamics_correct(trm_dynamics *dynamics, double t, double *y, double *ydot);

/* y, just corrected, is the new state: counts turns and keeps the largest errors. */
void trm_dynamics_commit(trm_dynamics *dynamics, const double *y);

/* e −= its part normal to the constraints at the factored position, in the mass norm; e has n
 * entries. */
void trm_dynamics_tangent(trm_dynamics *dynamics, double *e);

#endif
