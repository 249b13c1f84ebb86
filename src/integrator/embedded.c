/* The equation of motion that corrects itself (003 eq. 16–17): ideal impulses and forces take away
 * the violation of the last state. They are frozen over a step (evaluated inside each stage they
 * would leave every stage O(h²) off the constraints), so they enter as one vector, spread over it.
 */
#include "integrator/dynamics.h"

/* x = −A⁺ residual in the mass norm */
static void pull_back(trm_dynamics *d, const double *residual, double *x) {
  trm_system *sys = d->system;
  for (int i = 0; i < sys->m; i++) d->mu[i] = -residual[i];
  trm_solver_solve(d->solver, NULL, d->mu, NULL, x, d->stabilizer->g);
}

void trm_embed_rates(trm_dynamics *d, const double *y, double *ydot) {
  trm_system *sys = d->system;
  trm_system_velocity_residual(sys, y + d->at.v, sys->Qd);
  pull_back(d, sys->Qd, d->normal);
  trm_axpy(d->n, 1, d->normal, ydot);
}

void trm_embed_feedback(trm_dynamics *d, const double *y, double rate, double *ydot) {
  trm_system *sys = d->system;
  pull_back(d, sys->C, d->normal);
  trm_axpy(d->n, rate, d->normal, ydot);
  trm_system_velocity_residual(sys, y + d->at.v, sys->Qd);
  pull_back(d, sys->Qd, d->normal);
  trm_axpy(d->n, rate, d->normal, ydot + d->at.v);
}

void trm_embed_correction(trm_dynamics *d, const double *y) {
  trm_system *sys = d->system;
  double *corrected = d->correction + d->at.v;
  pull_back(d, sys->C, d->correction);
  trm_system_velocity_residual(sys, y + d->at.v, sys->Qd);
  pull_back(d, sys->Qd, corrected);
  if (d->conserve) trm_energy_correction(d, y, corrected);
}
