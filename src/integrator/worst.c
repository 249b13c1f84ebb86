/* The constraint that a run violates most, whatever the units: lengths by the model's own. */
#include <math.h>

#include "integrator/dynamics.h"

#define NOTHING 1e-6 /* of the model's length, of the fastest motion: not worth a word */

static void find(const trm_system *sys, const double *residual, trm_worst *worst) {
  for (int i = 0; i < sys->m; i++) {
    if (sys->inconsistent && sys->inconsistent[i]) continue;
    double size = fabs(residual[i]) / trm_system_row_unit(sys, i);
    if (size > worst->size) *worst = (trm_worst){size, i, sys->t};
  }
}

bool trm_dynamics_measure_rows(trm_dynamics *d, trm_arena *arena) {
  const trm_system *sys = d->system;
  d->per_span = TRM_NEW(arena, double, d->n + 1);
  for (int i = 0; d->per_span && i < d->n; i++) d->per_span[i] = 1 / sys->span[i];
  d->least_unit = sys->generic ? 0 : 1; /* of a system of the user's own nothing is known before */
  for (int i = 0; i < sys->m && !sys->generic; i++)
    d->least_unit = fmin(d->least_unit, trm_system_row_unit(sys, i));
  return d->per_span;
}

/* Two maxima side by side: each waits for its own last one only. */
void trm_dynamics_note_rate(trm_dynamics *d, const double *v) {
  double even = d->max_rate, odd = even;
  for (int i = 0; i + 1 < d->n; i += 2) {
    double one = fabs(v[i]) * d->per_span[i], two = fabs(v[i + 1]) * d->per_span[i + 1];
    even = one > even ? one : even;
    odd = two > odd ? two : odd;
  }
  double last = d->n % 2 ? fabs(v[d->n - 1]) * d->per_span[d->n - 1] : 0;
  even = last > even ? last : even;
  d->max_rate = odd > even ? odd : even;
}

/* No row is more than the norm of all. */
void trm_dynamics_find_worst(trm_dynamics *d, double position, double velocity, const double *v) {
  const trm_system *sys = d->system;
  if (position > NOTHING * d->least_unit) find(sys, sys->C, &d->position);
  if (!(velocity > NOTHING * d->least_unit * d->max_rate)) return;
  trm_system_velocity_residual(sys, v, d->mu);
  find(sys, d->mu, &d->velocity);
}
