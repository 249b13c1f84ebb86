/* Generalized-α for constrained systems (Chung and Hulbert; Arnold and Brüls): index 3, with the
 * equations scaled by h² inside Newton's iteration.
 *
 *     q' = q + h v + h² ((½ − β) ã + β ã'),   v' = v + h ((1 − γ) ã + γ ã')
 *     (1 − αm) ã' + αm ã = (1 − αf) q̈' + αf q̈ */
#include <string.h>

#include "integrator/implicit.h"

typedef struct coefficients {
  double am, af, gamma, beta;
} coefficients;

static coefficients find(double radius) {
  coefficients c = {.am = (2 * radius - 1) / (radius + 1), .af = radius / (radius + 1)};
  c.gamma = 0.5 + c.af - c.am;
  c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
  return c;
}

/* ã is the acceleration at (αm − αf) h behind its time: with another step it is another one. */
static void follow_step(trm_implicit *im, const coefficients *c, double h) {
  if (im->now.aux_h > 0)
    trm_axpy(im->n, (c->am - c->af) * (h - im->now.aux_h), im->now.slope, im->now.aux);
  im->now.aux_h = h;
}

static void begin(trm_implicit *im, double t, double h) {
  const coefficients c = find(im->spectral_radius);
  const double *v = im->now.y + im->n, *a = im->now.ydot + im->n, *aux = im->now.aux;
  follow_step(im, &c, h);
  double share = (1 - c.am) / (1 - c.af);
  im->stage_t = t + h;
  im->share = 1;
  im->gamma = c.gamma / (c.beta * h);
  im->beta = share / (c.beta * h * h);
  for (int i = 0; i < im->n; i++) {
    double rest = -(v[i] / h + (0.5 - c.beta) * aux[i]) / c.beta; /* ã' = u/(βh²) + rest */
    im->v0[i] = v[i] + h * ((1 - c.gamma) * aux[i] + c.gamma * rest);
    im->a0[i] = share * rest + (c.am * aux[i] - c.af * a[i]) / (1 - c.af);
  }
}

static bool finish(trm_implicit *im, trm_dynamics *d, double end, double h) {
  const coefficients c = find(im->spectral_radius);
  int n = im->n;
  const double *a = im->now.ydot + n;
  (void)d, (void)end;
  for (int i = 0; i < n; i++) {
    double next = im->a0[i] + im->beta * im->u[i];
    im->next.y[i] = im->now.y[i] + im->u[i];
    im->next.y[n + i] = im->v0[i] + im->gamma * im->u[i];
    im->next.ydot[n + i] = next;
    im->next.aux[i] = ((1 - c.af) * next + c.af * a[i] - c.am * im->now.aux[i]) / (1 - c.am);
  }
  im->next.y[2 * n] = im->now.y[2 * n] + h * (im->now.ydot[2 * n] + im->power) / 2;
  im->next.ydot[2 * n] = im->power;
  im->next.h = im->next.aux_h = h;
  return true;
}

const trm_scheme trm_scheme_generalized_alpha = {
    .begin = begin, .finish = finish, .position_error = 1 / 12.0, .velocity_error = 1 / 12.0};
