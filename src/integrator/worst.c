/* The constraint that a run violates most, whatever the units: lengths by the model's own. */
#include <math.h>

#include "integrator/dynamics.h"
#include "math/extremes.h"

#define NOTHING 1e-6 /* of the model's length, of the fastest motion: not worth a word */
#define SHRUNK                                                                                     \
  1e-3 /* of a row's unit at first, what it may become: of systems of the user's own               \
        */

static void find(const trm_system *sys, const double *residual, trm_worst *worst) {
  for (int i = 0; i < sys->m; i++) {
    if (sys->inconsistent && sys->inconsistent[i]) continue;
    double size = fabs(residual[i]) / trm_system_row_unit(sys, i);
    if (size > worst->size) *worst = (trm_worst){.size = size, .row = i, .t = sys->t};
  }
}

static double least_unit(const trm_system *sys) {
  double least = 1;
  for (int i = 0; i < sys->m; i++) least = fmin(least, trm_system_row_unit(sys, i));
  return least;
}

void trm_dynamics_measure_rows(trm_dynamics *d) {
  d->least_unit = d->system->generic ? 0 : least_unit(d->system);
}

void trm_dynamics_note_rate(trm_dynamics *d, const double *v) {
  d->max_rate = trm_largest_part(d->n, v, d->per_span, d->max_rate);
}

/* No row is more than the norm of all. */
void trm_dynamics_find_worst(trm_dynamics *d, double position, double velocity, const double *v) {
  const trm_system *sys = d->system;
  if (d->least_unit == 0) d->least_unit = SHRUNK * least_unit(sys);
  if (position > NOTHING * d->least_unit) find(sys, sys->C, &d->position);
  if (!(velocity > NOTHING * d->least_unit * d->max_rate)) return;
  trm_system_velocity_residual(sys, v, d->mu);
  find(sys, d->mu, &d->velocity);
}
