/* Events for integrators outside the library: what they watch, what they do. */
#include "analysis/simulation.h"
#include "base/flush.h"
#include "math/serial.h"

static trm_status fail(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sim->engine->system->place, "%s",
                   sim->engine->system->error);
  return TRM_FAILED;
}

void trm_simulation_watch(trm_simulation *sim, double *values) {
  trm_engine *e = sim->engine;
  if (e->model->event_count == 0) return;
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  trm_system_watch(e->system, e->t, e->y, e->y + e->dynamics.at.v, values);
  trm_serial_end();
  trm_flush_set(before);
}

trm_status trm_simulation_pass(trm_simulation *sim, int event, trm_diagnostics *diagnostics) {
  trm_engine *e = sim->engine;
  if (event < 0 || event >= e->model->event_count) {
    trm_report(diagnostics, TRM_ERROR, "the model has no event %d", event);
    return TRM_BAD_USAGE;
  }
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  bool good = trm_system_set_states(e->system, event, e->t, e->y, e->y + e->dynamics.at.v) &&
              trm_dynamics_correct(&e->dynamics, e->t, e->y, e->ydot);
  trm_integrator_restart(sim->integrator);
  good = good && trm_events_begin(sim->integrator, &e->dynamics, e->t, e->y);
  trm_engine_return(e);
  trm_serial_end();
  trm_flush_set(before);
  return good ? TRM_OK : fail(sim, diagnostics);
}
