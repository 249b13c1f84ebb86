/* Three fields (004 eq. 24): positions, velocities and momenta, advanced by the midpoint rule.
 *
 * With q̇ = υ and λ̇ = μ at the midpoint the constraint's equation σ̇ + c̄φ̇ + k̄φ = 0 keeps φ where it
 * is, and one reaction Λ acts over the step, along the discrete gradient of φ: it does no work. */
#include <string.h>

#include "integrator/implicit.h"

static void begin(trm_implicit *im, double t, double h) {
  const double *v = im->now.y + im->n;
  im->stage_t = t + h / 2;
  im->share = 0.5;
  im->gamma = 1 / h;
  im->beta = 2 / (h * h);
  for (int i = 0; i < im->n; i++) {
    im->v0[i] = 0;
    im->a0[i] = -2 / h * v[i];
  }
}

/* The velocity that goes on is the mirror of the old one; projecting it would cost energy. */
static bool finish(trm_implicit *im, trm_dynamics *d, double end, double h) {
  int n = im->n;
  (void)d, (void)end;
  for (int i = 0; i < n; i++) {
    im->next.y[i] = im->now.y[i] + im->u[i];
    im->next.y[n + i] = 2 / h * im->u[i] - im->now.y[n + i];
    im->next.ydot[n + i] = im->a0[i] + im->beta * im->u[i];
  }
  im->next.y[2 * n] = im->now.y[2 * n] + h * im->power;
  im->next.h = h;
  return true;
}

const trm_scheme trm_scheme_three_field = {begin, finish, 1 / 12.0, 1 / 12.0, true, true};
