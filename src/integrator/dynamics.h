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
  double max_position_violation, max_velocity_violation, max_energy_error;
} trm_dynamics;

/* ydot = (v, q̈, power). False: see system->error. */
bool trm_dynamics_rates(trm_dynamics *dynamics, double t, const double *y, double *ydot);

/* Corrects y, takes the rates there, counts turns and keeps the largest errors. */
bool trm_dynamics_accept(trm_dynamics *dynamics, double t, double *y, double *ydot);

#endif
