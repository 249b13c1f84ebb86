/* The equation of motion that corrects itself (003 eq. 16–20): ideal impulses and forces take away
 * the violation of the last state, a force along the motion the energy error. Both are frozen over
 * a step (evaluated inside each stage they would leave every stage O(h²) off the constraints), so
 * they enter as one vector, spread over it. */
#include <string.h>

#include "integrator/dynamics.h"

/* Below this multiple of the energy error the tangent kinetic energy is too small to act on, as at
 * a turning point. */
static const double enough = 10;

/* x = −A⁺ residual in the mass norm */
static void pull_back(trm_dynamics *d, const double *residual, double *x) {
  trm_system *sys = d->system;
  for (int i = 0; i < sys->m; i++) d->mu[i] = -residual[i];
  trm_solver_solve(d->solver, NULL, d->mu, NULL, x, d->stabilizer->g);
}

void trm_embed_rates(trm_dynamics *d, const double *y, double *ydot) {
  trm_system *sys = d->system;
  trm_system_velocity_residual(sys, y + d->n, sys->Qd);
  pull_back(d, sys->Qd, d->normal);
  trm_axpy(d->n, 1, d->normal, ydot);
}

/* E − E0 − W at y; the tangent part of v, and its kinetic energy. */
static double energy_error(trm_dynamics *d, const double *y, double *kinetic) {
  trm_system *sys = d->system;
  trm_motion_velocity(&sys->motion, y + d->n);
  double error = trm_system_energy(sys) - sys->energy0 - y[2 * d->n];
  memcpy(d->tangent, y + d->n, (size_t)d->n * sizeof(double));
  trm_dynamics_tangent(d, d->tangent);
  trm_motion_velocity(&sys->motion, d->tangent);
  *kinetic = trm_system_kinetic(sys);
  return error;
}

void trm_embed_correction(trm_dynamics *d, const double *y) {
  trm_system *sys = d->system;
  double *corrected = d->correction + d->n, kinetic;
  pull_back(d, sys->C, d->correction);
  trm_system_velocity_residual(sys, y + d->n, sys->Qd);
  pull_back(d, sys->Qd, corrected);
  if (!d->conserve) return;
  double error = energy_error(d, y, &kinetic);
  if (kinetic > enough * fabs(error))
    trm_axpy(d->n, -error / (2 * kinetic), d->tangent, corrected);
  else
    d->energy_skips++;
  trm_motion_velocity(&sys->motion, y + d->n); /* measures follow */
}

void trm_restore_energy(trm_dynamics *d, double *y) {
  double kinetic, error = energy_error(d, y, &kinetic);
  if (kinetic <= enough * fabs(error)) {
    d->energy_skips++;
    return;
  }
  trm_axpy(d->n, sqrt(1 - error / kinetic) - 1, d->tangent, y + d->n);
  trm_system_velocity_residual(d->system, y + d->n, d->stabilizer->g);
}
