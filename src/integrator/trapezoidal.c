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
  if (!trm_is_doubtful(im) && !trm_dynamics_correct(d, end, im->next.y, im->next.ydot))
    return false;
  im->next.h = h;
  return true;
}

const trm_scheme trm_scheme_trapezoidal = {begin, finish, 1 / 12.0, 1 / 12.0, false, false};
