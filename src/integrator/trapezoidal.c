/* Trapezoidal rule with mass-orthogonal projection of velocities and accelerations (Bayo and
 * Ledesma; 002's reference solutions). */
#include <string.h>

#include "integrator/implicit.h"

static void begin(trm_implicit *im, double t, double h) {
  const double *v = im->now.y + im->n, *a = im->now.ydot + im->n;
  im->stage_t = t + h;
  im->share = 1;
  im->gamma = 2 / h;
  im->beta = 4 / (h * h);
  for (int i = 0; i < im->n; i++) {
    im->v0[i] = -v[i];
    im->a0[i] = -4 / h * v[i] - a[i];
  }
}

/* The rule's velocity is off by h² across the constraints, along M⁻¹Cqᵀ. A correction in another
 * direction, as partitioning makes, would turn that into an error along the motion, of order one.
 */
static bool project_velocity(trm_dynamics *d, double t, double *y) {
  trm_system *sys = d->system;
  if (!trm_system_position(sys, t, y) || !trm_system_linearize(sys, y + d->n)) return false;
  trm_solver_factor(d->solver, sys->M, sys->Cq, sys->N);
  trm_system_velocity_residual(sys, y + d->n, d->mu);
  trm_solver_project(d->solver, d->mu, d->normal);
  trm_axpy(d->n, -1, d->normal, y + d->n);
  return true;
}

/* The acceleration nearest to the scheme's own that meets the constraints is the one of the
 * equations of motion. */
static bool finish(trm_implicit *im, trm_dynamics *d, double end, double h) {
  int n = im->n;
  for (int i = 0; i < n; i++) {
    im->next.y[i] = im->now.y[i] + im->u[i];
    im->next.y[n + i] = im->v0[i] + im->gamma * im->u[i];
    im->next.ydot[n + i] = im->a0[i] + im->beta * im->u[i];
  }
  /* before the correction: `energy: conserve` balances the energy with it */
  im->next.y[2 * n] = im->now.y[2 * n] + h * (im->now.ydot[2 * n] + im->power) / 2;
  im->next.ydot[2 * n] = im->power;
  /* δ from a singular position, errors ε of C are ε/δ² of a projected velocity, ε/δ³ of an
   * acceleration; the scheme's own have ε/(δ h²) */
  const trm_stabilizer *st = d->stabilizer;
  if (!trm_is_doubtful(im)) {
    bool oblique = st->type->project && !st->shares;
    if (oblique && !project_velocity(d, end, im->next.y)) return false;
    if (!trm_dynamics_correct(d, end, im->next.y, im->next.ydot)) return false;
  }
  im->next.h = h;
  return true;
}

const trm_scheme trm_scheme_trapezoidal = {
    .begin = begin, .finish = finish, .position_error = 1 / 12.0, .velocity_error = 1 / 12.0};
