/* The measure that `energy: conserve` keeps in place of the energy. */
#include "analysis/conserve.h"

#include <math.h>
#include <string.h>

/* dH/dt at the current state, by differences along the motion. */
static double find_rate(trm_engine *e, const trm_measure *measure, double *scale) {
  trm_system *sys = e->system;
  const double dt = 1e-6; /* s; the rate is compared with the speeds that H is made of */
  double value[2];
  for (int i = 0; i < 2; i++) {
    double s = i ? dt : -dt;
    memcpy(e->at, e->y, (size_t)e->dynamics.size * sizeof(double));
    trm_axpy(e->dynamics.size, s, e->ydot, e->at);
    trm_system_take_states(sys, e->at + e->dynamics.at.v);
    trm_system_position(sys, s, e->at);
    trm_system_velocity(sys, e->at + e->dynamics.at.v);
    value[i] = trm_system_measure(sys, measure);
  }
  trm_system_gradient(sys, measure, e->at);
  *scale = 0;
  for (int i = 0; i < sys->n; i++)
    *scale += fabs(e->at[i]) * (fabs(e->ydot[i]) + fabs(e->ydot[e->dynamics.at.v + i]));
  return (value[1] - value[0]) / (2 * dt);
}

/* The measure of that name, if it can be kept. */
static trm_status find(trm_engine *e, const char *name, trm_diagnostics *diagnostics) {
  char reason[256];
  trm_measure *measure = TRM_NEW(e->arena, trm_measure, 1);
  if (!measure) return TRM_NO_MEMORY;
  if (!trm_measure_find(e->model, name, strlen(name), measure, reason, sizeof reason))
    return trm_refuse_setting(e->model, &e->settings, "conserve", NULL, diagnostics,
                              "conserve: unknown measure '%s'%s%s", name, reason[0] ? ": " : "",
                              reason);
  if (!trm_system_gradient(e->system, measure, e->at))
    return trm_refuse_setting(e->model, &e->settings, "conserve", NULL, diagnostics,
                              "conserve: '%s' is no velocity, rate or momentum; what is kept must "
                              "be one, or energy.total",
                              name);
  e->dynamics.kept = measure;
  return TRM_OK;
}

trm_status trm_conserve_measure(trm_engine *e, trm_diagnostics *diagnostics) {
  trm_dynamics *d = &e->dynamics;
  const char *name = e->settings.conserve;
  if (!name[0] || strcmp(name, "energy.total") == 0) return TRM_OK;
  trm_status status = find(e, name, diagnostics);
  if (status != TRM_OK) return status;
  double scale, rate = find_rate(e, d->kept, &scale);
  if (!trm_dynamics_rates(d, 0, e->y, e->ydot)) return TRM_FAILED;
  d->kept0 = trm_system_measure(e->system, d->kept);
  if (fabs(rate) <= 1e-6 * scale) return TRM_OK;
  return trm_refuse_setting(
      e->model, &e->settings, "conserve", NULL, diagnostics,
      "conserve: '%s' is not conserved here, it changes by %.3g per second at the start", name,
      rate);
}
