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

static double work_at_the_end(const trm_implicit *im, double h) {
  int at = 2 * im->n;
  return im->now.y[at] + h * (im->now.ydot[at] + im->next.ydot[at]) / 2;
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
  im->next.ydot[2 * n] = im->power;
  im->next.y[2 * n] = work_at_the_end(im, h);
  im->next.h = h;
  /* δ from a singular position, errors ε of C are ε/δ² of a projected velocity, ε/δ³ of an
   * acceleration; the scheme's own have ε/(δ h²) */
  if (trm_implicit_is_singular(im)) return true;
  /* without any its error would change its sign from step to step, and grow where steps change */
  bool weighted = d->stabilizer->type == &trm_stabilization_direct;
  bool projects = d->conserve || !weighted;
  if (projects && !trm_implicit_project(d, end, im->next.y)) return false;
  /* the scheme's multipliers alternate from step to step: a driver's power is of order two only
   * with those of the equations of motion, and `energy: conserve` balances the energy with its work
   */
  if (d->conserve && !trm_dynamics_rates(d, end, im->next.y, im->next.ydot)) return false;
  im->next.y[2 * n] = work_at_the_end(im, h);
  if (!trm_dynamics_correct(d, end, im->next.y, im->next.ydot)) return false;
  if (!d->conserve) im->next.y[2 * n] = work_at_the_end(im, h);
  return true;
}

const trm_scheme trm_scheme_trapezoidal = {
    .begin = begin, .finish = finish, .position_error = 1 / 12.0, .velocity_error = 1 / 12.0};
