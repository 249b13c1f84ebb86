/* Over a singular position, on the cubic of the step before it.
 *
 * At a distance theta from it the weakest direction of the constraints is held by theta alone: a
 * closure off by its round-off C moves that direction by C/theta, which is an acceleration of
 * 2 C theta'^2/theta^3. Stages there tell nothing, and shorter steps only get in deeper. */
#include "integrator/integrator.h"

static const double allowed = 100; /* tolerances, of a crossing that is not a short one */
static const double rough = 10;    /* times an estimate of orders of magnitude */

/* r0 + s (r1 + u (r2 + s r3)), u = 1 − s, beyond the step it was made for; its rate, too. The
 * interpolant's other parts would amplify noise. */
static void extrapolate(const trm_integrator *in, double t, double *y, double *rate) {
  const double *r0 = in->dense, *r1 = r0 + in->size, *r2 = r1 + in->size, *r3 = r2 + in->size;
  double s = (t - in->from) / in->length, u = 1 - s;
  for (int i = 0; i < in->size; i++) {
    double inner = r2[i] + s * r3[i], outer = r1[i] + u * inner;
    y[i] = r0[i] + s * outer;
    rate[i] = (outer + s * (u * r3[i] - inner)) / in->length;
  }
}

/* The error in units of the tolerance: what the rates there are off, for half the way. */
static double land(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y) {
  int n = d->at.v;
  extrapolate(in, t + h, in->trial, in->estimate);
  if (!trm_dynamics_correct(d, t + h, in->trial, in->rates)) return INFINITY;
  if (!trm_solver_is_regular(d->solver)) return INFINITY;
  for (int i = n; i < in->size; i++) in->estimate[i] = (in->rates[i] - in->estimate[i]) * h / 2;
  for (int i = 0; i < n; i++) in->estimate[i] = in->estimate[n + i] * h / 3;
  double error = trm_step_error(in, d, y);
  return isfinite(error) ? error : INFINITY;
}

bool trm_can_cross_singular(const trm_integrator *in, const trm_dynamics *d) {
  return in->control->pair && in->regular && in->length > 0 && d->stabilizer->type->project &&
         !trm_system_has_branches(d->system);
}

/* Rows that do not fit make velocities C/theta^2, which is sqrt(C) where the solver begins to
 * doubt: so much no step does better. */
double trm_allowed_crossing(const trm_integrator *in, const trm_system *sys) {
  if (!sys->inconsistent) return allowed;
  return fmax(allowed, rough * sqrt(sys->inconsistency) / in->rtol);
}

/* Long ones first: a short one may end before the position. */
bool trm_cross_singular(trm_integrator *in, trm_dynamics *d, double t, double *h, double most,
                        bool regular, const double *y) {
  static const double ways[] = {1, 1.5, 2, 3, 4, 6, 8, 0.5, 0.25};
  bool inconsistent = d->system->inconsistent && !regular;
  double least = inconsistent ? trm_allowed_crossing(in, d->system) : allowed;
  double best = 0, across = INFINITY;
  double length = *h;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    bool is_long = ways[i] >= 1;
    *h = length * ways[i];
    if (*h > most || (t + *h - in->from) / in->length - 1 > TRM_LONGEST_CROSSING) continue;
    if (!is_long && inconsistent) continue; /* nearer to where nothing tells */
    double error = land(in, d, t, *h, y);
    if (error <= 1) return true;
    if (is_long && isfinite(error)) across = fmin(across, *h);
    if (!is_long || !(error < least)) continue;
    least = error;
    best = *h;
  }
  *h = best > 0 ? best : across;
  return best > 0 && isfinite(land(in, d, t, best, y));
}
