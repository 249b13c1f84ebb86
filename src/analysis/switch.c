/* Mechanisms whose formulas keep to their pieces, and when they leave them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/neighbour.h"

enum { HALVINGS = 200 };
#define BLOW                                                                                       \
  1e-7 /* of the fastest, and of a span in the run: so little is no jump of velocities             \
        */

/* The piece at a time `ahead` of (t, y), straight along the rates; room [size]. */
static unsigned long piece_along(trm_variant *v, double t, const double *y, const double *rates,
                                 double ahead) {
  trm_dynamics *d = &v->simulation->engine->dynamics;
  double *state = v->simulation->engine->at;
  memcpy(state, y, (size_t)d->size * sizeof(double));
  trm_axpy(d->size, ahead, rates, state);
  return trm_system_branch(d->system, t + ahead, state, state + d->at.v);
}

bool trm_variant_fix_branches(trm_variant *v, double t, const double *y, const double *rates,
                              double ahead) {
  trm_engine *e = v->simulation->engine;
  double *state = e->at;
  memcpy(state, y, (size_t)e->dynamics.size * sizeof(double));
  trm_axpy(e->dynamics.size, ahead, rates, state);
  if (!trm_system_fix_branches(e->system, t + ahead, state, state + e->dynamics.at.v)) return false;
  v->branch = trm_system_branch(e->system, t + ahead, state, state + e->dynamics.at.v);
  v->holds = true;
  return true;
}

bool trm_variant_leaves_branches(trm_variant *v, double t, const double *y) {
  trm_engine *e = v->simulation->engine;
  return v->holds && trm_system_branch(e->system, t, y, y + e->dynamics.at.v) != v->branch;
}

bool trm_variant_is_struck(trm_variant *v, const double *before, const double *behind) {
  const trm_engine *e = v->simulation->engine;
  const trm_dynamics *d = &e->dynamics;
  double jump = 0, fastest = e->settings.duration > 0 ? 1 / e->settings.duration : 0;
  for (int i = d->at.v; i < d->at.v + d->n; i++) {
    double unit = d->unit[i - d->at.v];
    jump = fmax(jump, fabs(behind[i] - before[i]) / unit);
    fastest = fmax(fastest, fmax(fabs(before[i]), fabs(behind[i])) / unit);
  }
  return !(jump <= BLOW * fastest);
}

bool trm_neighbours_fix_branches(trm_neighbours *n, const trm_variant *base) {
  for (int k = 0; k < n->by->sides; k++) {
    trm_variant *v = &n->side[k];
    v->holds = true;
    v->branch = base->branch;
    if (!trm_system_fix_branches_like(v->simulation->engine->system,
                                      base->simulation->engine->system))
      return false;
  }
  return true;
}

/* When a side leaves its piece, after t or before. */
static bool find_leaving(trm_variant *v, double t, double most, double *at) {
  double low = -DBL_EPSILON * (fabs(t) + most), high = -low;
  while (piece_along(v, t, v->y, v->ydot, low) != v->branch)
    if ((low *= 4) < -most) return false;
  while (piece_along(v, t, v->y, v->ydot, high) == v->branch)
    if ((high *= 4) > most) return false;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    *(piece_along(v, t, v->y, v->ydot, middle) == v->branch ? &low : &high) = middle;
  }
  *at = high;
  return true;
}

bool trm_neighbours_switch(trm_neighbours *n, double t, double most, double *drift) {
  *drift = 0;
  for (int k = 0; k < n->by->sides; k++) {
    double at;
    if (!find_leaving(&n->side[k], t, most, &at)) return false;
    *drift += trm_side_weight(n, k) * at;
  }
  return true;
}
