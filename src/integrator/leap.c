/* Over a singular position, on the interpolant of the step before it.
 *
 * At a distance theta from it the weakest direction of the constraints is held by theta alone: a
 * closure off by its round-off C moves that direction by C/theta, which is an acceleration of
 * 2 C theta'^2/theta^3. Stages there tell nothing, and shorter steps only get in deeper. */
#include "integrator/integrator.h"

#include <string.h>

enum { cubic = 4 };                 /* parts of the interpolant that amplify noise least */
static const double farthest = 10;  /* lengths of the step before, on the cubic */
static const double forgiven = 100; /* tolerances, of a long one where a rank had to be decided */

/* Beyond the step it was made for; its rate, too. */
static void extrapolate(const trm_integrator *in, int parts, double t, double *y, double *rate) {
  double s = (t - in->from) / in->length;
  const double *r = in->dense + (ptrdiff_t)(parts - 1) * in->size;
  memcpy(y, r, (size_t)in->size * sizeof(double));
  memset(rate, 0, (size_t)in->size * sizeof(double));
  for (int part = parts - 2; part >= 0; part--) {
    bool odd = part % 2;
    double factor = odd ? 1 - s : s, slope = (odd ? -1 : 1) / in->length;
    r -= in->size;
    for (int i = 0; i < in->size; i++) {
      rate[i] = slope * y[i] + factor * rate[i];
      y[i] = r[i] + factor * y[i];
    }
  }
}

/* The error in units of the tolerance: what the rates there are off, for half the way. */
static double land(trm_integrator *in, trm_dynamics *d, int parts, double t, double h,
                   const double *y) {
  int n = d->n;
  extrapolate(in, parts, t + h, in->trial, in->estimate);
  if (!trm_dynamics_correct(d, t + h, in->trial, in->rates)) return INFINITY;
  if (!trm_solver_is_sound(d->solver)) return INFINITY;
  for (int i = n; i < in->size; i++) in->estimate[i] = (in->rates[i] - in->estimate[i]) * h / 2;
  for (int i = 0; i < n; i++) in->estimate[i] = in->estimate[n + i] * h / 3;
  double error = trm_step_error(in, d, y);
  return isfinite(error) ? error : INFINITY;
}

typedef struct way {
  double part;
  bool whole; /* interpolant: for short ones */
} way;

static int parts_of(const trm_integrator *in, way w) {
  return w.whole ? in->control->parts : cubic;
}

/* Long ones first: a short one may end before the position. */
bool trm_leap(trm_integrator *in, trm_dynamics *d, double t, double *h, double end, bool decided,
              const double *y) {
  static const way ways[] = {{1, true},  {1, false},  {2, false},  {4, false},
                             {8, false}, {0.5, true}, {0.25, true}};
  double least = decided ? forgiven : 0, length = *h;
  const way *best = NULL;
  bool possible = in->length > 0 && !trm_system_has_branches(d->system);
  if (!possible || !trm_integrator_complete(in, d)) return false;
  for (const way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
    *h = length * w->part;
    double ahead = (t + *h - in->from) / in->length - 1;
    if (ahead > (w->whole ? 1 : farthest) || t + *h > end) continue;
    double error = land(in, d, parts_of(in, *w), t, *h, y);
    if (error <= 1) return true;
    if (w->whole || !(error < least)) continue;
    least = error;
    best = w;
  }
  if (!best) return false;
  *h = length * best->part;
  return isfinite(land(in, d, parts_of(in, *best), t, *h, y));
}
