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
  trm_system_move(sys, y + d->n);
  double error = trm_system_energy(sys) - sys->energy0 - y[2 * d->n];
  memcpy(d->tangent, y + d->n, (size_t)d->n * sizeof(double));
  trm_dynamics_tangent(d, d->tangent);
  trm_system_move(sys, d->tangent);
  *kinetic = trm_system_kinetic(sys);
  return error;
}

/* What to add of d->tangent to v, spread over a step or at once; 0 where it cannot act. */
static double find_energy_share(trm_dynamics *d, const double *y, bool at_once) {
  double kinetic, error = energy_error(d, y, &kinetic);
  if (!(kinetic > enough * fabs(error))) {
    d->energy_skips++;
    return 0;
  }
  return at_once ? sqrt(1 - error / kinetic) - 1 : -error / (2 * kinetic);
}

/* The same for the kept measure H: the least change along the constraints, w = N M⁻¹ ∂H/∂v, of
 * which H is linear. */
static double find_kept_share(trm_dynamics *d, const double *y) {
  trm_system *sys = d->system;
  double *gradient = d->normal, *w = d->tangent;
  trm_system_move(sys, y + d->n);
  double error = trm_system_measure(sys, d->kept) - d->kept0, kinetic = trm_system_kinetic(sys);
  trm_system_gradient(sys, d->kept, gradient);
  memset(sys->Qd, 0, (size_t)sys->m * sizeof(double));
  trm_solver_solve(d->solver, gradient, sys->Qd, NULL, w, d->mu);
  double rate = 0;
  for (int i = 0; i < d->n; i++) rate += gradient[i] * w[i];
  if (!(rate > 0 && kinetic * rate > enough * error * error / 2)) {
    d->energy_skips++;
    return 0;
  }
  return -error / rate;
}

static double find_share(trm_dynamics *d, const double *y, bool at_once) {
  double share = d->kept ? find_kept_share(d, y) : find_energy_share(d, y, at_once);
  trm_system_move(d->system, y + d->n); /* measures follow */
  return share;
}

void trm_embed_correction(trm_dynamics *d, const double *y) {
  trm_system *sys = d->system;
  double *corrected = d->correction + d->n;
  pull_back(d, sys->C, d->correction);
  trm_system_velocity_residual(sys, y + d->n, sys->Qd);
  pull_back(d, sys->Qd, corrected);
  if (d->conserve) trm_axpy(d->n, find_share(d, y, false), d->tangent, corrected);
}

void trm_restore_energy(trm_dynamics *d, double *y) {
  trm_system *sys = d->system;
  trm_axpy(d->n, find_share(d, y, true), d->tangent, y + d->n);
  sys->velocity_violation = trm_system_velocity_residual(sys, y + d->n, d->stabilizer->g);
}
