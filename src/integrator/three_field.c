/* Three fields (004 eq. 24): positions, velocities and momenta, advanced by the midpoint rule.
 *
 * With q̇ = υ and λ̇ = μ at the midpoint the constraint's equation σ̇ + c̄φ̇ + k̄φ = 0 keeps φ where it
 * is, and one reaction Λ acts over the step, along the discrete gradient of φ: it does no work. */
#include <string.h>

#include "integrator/implicit.h"
#include "system/between.h"

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

static trm_between step_of(const trm_implicit *im) {
  return (trm_between){im->h, im->now.y, im->now.y + im->n, im->now.aux, im->u, im->a};
}

/* Momenta are a field of their own where M changes with q: π̄ = M̄ῡ. Else π = Mυ. */
static void inertia(trm_implicit *im, const trm_system *sys, double *J) {
  const trm_between step = step_of(im);
  if (!trm_system_has_momenta(sys)) return;
  if (J)
    trm_between_tangent(sys, im->tangent, &step, J);
  else
    trm_between_residual(sys, im->tangent, &step, im->b);
}

/* π·υ − T, which the reactions leave as it is */
static double kinetic(trm_implicit *im, trm_dynamics *d, const trm_scheme_state *state) {
  const trm_system *sys = d->system;
  double T = trm_dynamics_kinetic(d, state->y + im->n), excess = 0;
  if (!trm_system_has_momenta(sys)) return T;
  trm_system_momenta(sys, im->tangent, state->y, state->y + im->n, d->normal);
  for (int i = 0; i < d->n; i++) excess += (state->aux[i] - d->normal[i]) * state->y[im->n + i];
  return T + excess;
}

/* The velocity that goes on is the mirror of the old one; projecting it would cost energy. */
static bool finish(trm_implicit *im, trm_dynamics *d, double end, double h) {
  int n = im->n;
  (void)end;
  const trm_between step = step_of(im);
  if (trm_system_has_momenta(d->system))
    trm_between_momenta(d->system, im->tangent, &step, im->next.aux);
  for (int i = 0; i < n; i++) {
    im->next.y[i] = im->now.y[i] + im->u[i];
    im->next.y[n + i] = 2 / h * im->u[i] - im->now.y[n + i];
    im->next.ydot[n + i] = im->a0[i] + im->beta * im->u[i];
  }
  im->next.y[2 * n] = im->now.y[2 * n] + h * im->power;
  im->next.h = h;
  return true;
}

const trm_scheme trm_scheme_three_field = {
    .begin = begin,
    .finish = finish,
    .inertia = inertia,
    .kinetic = kinetic,
    .position_error = 1 / 12.0,
    .velocity_error = 1 / 12.0,
    .avoids = true,
};
