/* From states to rates. */
#include "integrator/dynamics.h"

#include <stdio.h>
#include <string.h>

/* q̈ and λ at the factored position, 000 eq. 75 */
static bool accelerate(trm_dynamics *d, const double *y, double *ydot) {
  trm_system *sys = d->system;
  d->evaluations++;
  if (!trm_system_velocity(sys, y + d->n)) return false;
  trm_solver_solve(d->solver, sys->Q, sys->Qd, sys->massless_bias, sys->a, sys->lambda);
  memcpy(ydot, y + d->n, (size_t)d->n * sizeof(double));
  memcpy(ydot + d->n, sys->a, (size_t)d->n * sizeof(double));
  ydot[2 * d->n] = sys->power + trm_system_driver_power(sys);
  return true;
}

bool trm_dynamics_rates(trm_dynamics *d, double t, const double *y, double *ydot) {
  trm_system *sys = d->system;
  if (!trm_system_position(sys, t, y)) return false;
  trm_solver_factor(d->solver, sys->M, sys->Cq, sys->N);
  return accelerate(d, y, ydot);
}

/* A sum is finite only where all its terms are. */
static bool is_finite(trm_dynamics *d, const double *y, const double *ydot) {
  double sum = 0;
  for (int i = 0; i < d->size; i++) sum += 0 * (y[i] + ydot[i]);
  if (sum == 0) return true;
  const trm_system *sys = d->system;
  int nq = sys->motion.nq, bad = 0;
  while (bad < d->n && isfinite(y[bad] + ydot[bad] + ydot[d->n + bad])) bad++;
  const char *body = bad < d->n ? sys->model->bodies[bad / nq].name : NULL;
  snprintf(d->system->error, sizeof d->system->error,
           "t = %.9g: the motion of %s%s%s is no longer finite; a smaller step may help", sys->t,
           body ? "body '" : "the energy balance", body ? body : "", body ? "'" : "");
  return false;
}

static void keep_largest(trm_dynamics *d, double work) {
  trm_system *sys = d->system;
  sys->work = work;
  double balance = fabs(trm_system_energy(sys) - sys->energy0 - work);
  d->max_position_violation = fmax(d->max_position_violation, trm_system_violation(sys));
  d->max_velocity_violation = fmax(d->max_velocity_violation, sys->velocity_violation);
  d->max_energy_error = fmax(d->max_energy_error, balance);
}

bool trm_dynamics_accept(trm_dynamics *d, double t, double *y, double *ydot) {
  if (!trm_stabilize(d->stabilizer, t, y, y + d->n)) return false;
  if (!accelerate(d, y, ydot) || !is_finite(d, y, ydot)) return false;
  trm_system_accept(d->system);
  keep_largest(d, y[2 * d->n]);
  return true;
}
