/* The state of a simulation from outside: read, set, saved and restored exactly, advanced to a
 * time. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/version.h>

#include "analysis/simulation.h"
#include "base/flush.h"
#include "base/mix.h"
#include "math/serial.h"

/* ---- read and set ---- */

int trm_simulation_state_size(const trm_simulation *sim) {
  const trm_layout *at = &sim->engine->dynamics.at;
  return at->n + at->size - at->v;
}

/* From (q, s, v, z, work) to (q, v, z, work), and back. */
static void take_out(const trm_layout *at, const double *y, double *state) {
  memcpy(state, y, (size_t)at->n * sizeof(double));
  memcpy(state + at->n, y + at->v, (size_t)(at->size - at->v) * sizeof(double));
}

static void put_in(const trm_layout *at, const double *state, double *y) {
  memcpy(y, state, (size_t)at->n * sizeof(double));
  memset(y + at->n, 0, (size_t)at->states * sizeof(double));
  memcpy(y + at->v, state + at->n, (size_t)(at->size - at->v) * sizeof(double));
}

void trm_simulation_get_state(const trm_simulation *sim, double *time, double *state) {
  if (time) *time = sim->engine->t;
  if (state) take_out(&sim->engine->dynamics.at, sim->engine->y, state);
}

static trm_status fail(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sim->engine->system->place, "%s",
                   sim->engine->system->error);
  return TRM_FAILED;
}

/* Of a state that is given from outside. */
static bool is_finite(const trm_simulation *sim, double time, const double *state, const char *what,
                      trm_diagnostics *diagnostics) {
  double zero = 0 * time;
  for (int i = 0; i < trm_simulation_state_size(sim); i++) zero += 0 * state[i];
  if (zero == 0) return true;
  trm_report(diagnostics, TRM_ERROR, "%s is not finite", isfinite(time) ? what : "the time");
  return false;
}

trm_status trm_simulation_set_state(trm_simulation *sim, double time, const double *state,
                                    trm_diagnostics *diagnostics) {
  trm_dynamics *d = &sim->engine->dynamics;
  double *y = sim->engine->at, *ydot = y + d->size;
  if (!is_finite(sim, time, state, "the state to be set", diagnostics)) return TRM_BAD_USAGE;
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  put_in(&d->at, state, y);
  bool good = trm_dynamics_correct(d, time, y, ydot);
  if (good) {
    memcpy(sim->engine->y, y, (size_t)d->size * sizeof(double));
    memcpy(sim->engine->ydot, ydot, (size_t)d->size * sizeof(double));
    sim->engine->t = time;
    sim->course->output = trm_grid_before(&sim->grid, time);
    sim->course->step = sim->integrator->variable ? 0 : sim->course->output;
    trm_integrator_restart(sim->integrator);
    /* what was set from outside is no error of the balance */
    d->system->energy0 = trm_system_energy(d->system) - y[d->at.work];
    sim->engine->energy_initial = d->system->has_energy ? d->system->energy0 : NAN;
    trm_dynamics_commit(d, sim->engine->y);
    trm_system_accept(d->system); /* it may be far from the last one */
    good = trm_events_begin(sim->integrator, d, time, sim->engine->y);
    trm_engine_return(sim->engine);
  } else {
    trm_engine_return(sim->engine);
  }
  sim->engine->reactions_ready = false;
  trm_serial_end();
  trm_flush_set(before);
  return good ? TRM_OK : fail(sim, diagnostics);
}

trm_status trm_simulation_derivatives(trm_simulation *sim, double time, const double *state,
                                      double *rates, trm_diagnostics *diagnostics) {
  if (!is_finite(sim, time, state, "the state whose rates are asked for", diagnostics))
    return TRM_BAD_USAGE;
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  trm_dynamics *d = &sim->engine->dynamics;
  double *y = sim->engine->at, *ydot = y + d->size;
  put_in(&d->at, state, y);
  bool good = trm_dynamics_evaluate(d, time, y, ydot);
  take_out(&d->at, ydot, rates);
  trm_engine_return(sim->engine);
  trm_serial_end();
  trm_flush_set(before);
  return good ? TRM_OK : fail(sim, diagnostics);
}

int trm_simulation_input(const trm_simulation *sim, const char *name) {
  const trm_model *model = sim->engine->model;
  for (int i = 0; i < model->signal_count; i++)
    if (model->signals[i].kind == TRM_SIGNAL_INPUT && strcmp(model->signals[i].name, name) == 0)
      return i;
  return -1;
}

void trm_simulation_set_input(trm_simulation *sim, int input, double value) {
  trm_engine *e = sim->engine;
  if (input < 0 || input >= e->model->signal_count ||
      e->model->signals[input].kind != TRM_SIGNAL_INPUT)
    return;
  const trm_given_input *taken = &e->system->given_inputs[input];
  if (taken->over && taken->value == value) return;
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  trm_events_set_input(sim->integrator, &e->dynamics, e->t, e->y, input, value);
  trm_integrator_restart(sim->integrator);
  trm_engine_return(e);
  trm_serial_end();
  trm_flush_set(before);
}

/* ---- saved and restored ---- */

typedef struct header {
  char magic[8];
  char version[24];
  uint64_t size, model; /* bytes behind the header; a number that the model and settings give */
  uint32_t word, order; /* of the machine */
  uint64_t both;        /* methods of `auto` have started */
} header;

/* The model as it was read, or what its calls have made, and the methods: what a saved state must
 * fit to. */
uint64_t trm_simulation_fingerprint(const trm_simulation *sim) {
  const trm_settings *s = &sim->engine->settings;
  const trm_system *sys = sim->engine->system;
  const trm_model *model = sim->engine->model;
  uint64_t sum = trm_mix_texts(trm_model_mix(model), model->overrides);
  const char *const words[] = {
      s->coordinates, s->solver,   s->stabilization, s->weighting,          s->energy,
      s->integrator,  s->stepping, s->linear,        s->constraint_inertia, s->conserve};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) sum = trm_mix_text(sum, words[i]);
  const double numbers[] = {s->step, s->tolerance, s->alpha,          s->beta,
                            s->rtol, s->atol,      s->spectral_radius};
  sum = trm_mix(sum, numbers, sizeof numbers);
  const int counts[] = {sys->n,
                        sys->m,
                        model->body_count,
                        model->joint_count,
                        model->force_count,
                        model->signal_count,
                        model->event_count};
  sum = trm_mix(sum, counts, sizeof counts);
  return trm_mix(sum, &sim->engine->start, sizeof sim->engine->start);
}

static header describe(const trm_simulation *sim) {
  header h = {.magic = "trmstate",
              .size = trm_kept_size(sim->engine->arena),
              .model = trm_simulation_fingerprint(sim),
              .word = sizeof(void *),
              .order = 0x01020304,
              .both = trm_stiffness_has_started(sim->integrator)};
  snprintf(h.version, sizeof h.version, "%s", trm_version());
  return h;
}

size_t trm_simulation_save(const trm_simulation *sim, void *bytes, size_t room) {
  header h = describe(sim);
  size_t size = h.size > 0 ? sizeof h + h.size : 0;
  if (size == 0 || room < size || !bytes) return size;
  memcpy(bytes, &h, sizeof h);
  trm_kept_save(sim->engine->arena, (char *)bytes + sizeof h);
  return size;
}

static const char *why_not(const header *is, const header *should, size_t size) {
  if (size < sizeof *is || memcmp(is->magic, should->magic, sizeof is->magic) != 0)
    return "these bytes are no saved state";
  if (memcmp(is->version, should->version, sizeof is->version) != 0)
    return "the state was saved by another version of Trammel";
  if (is->word != should->word || is->order != should->order)
    return "the state was saved on another kind of machine";
  bool fits = is->both == should->both ? is->size == should->size : is->size < should->size;
  if (is->model != should->model || !fits)
    return "the state was saved of another model, or with other methods";
  return size < sizeof *is + is->size ? "the saved state is cut short" : NULL;
}

void trm_simulation_put_back(trm_simulation *sim, const void *kept, size_t size) {
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  trm_kept_restore(sim->engine->arena, kept, size);
  trm_kept_derive(sim->engine->arena);
  trm_engine_return(sim->engine);
  /* what the evaluation has counted is taken back */
  trm_kept_restore(sim->engine->arena, kept, size);
  trm_kept_derive(sim->engine->arena);
  sim->status = TRM_OK;
  trm_serial_end();
  trm_flush_set(before);
}

trm_status trm_simulation_restore(trm_simulation *sim, const void *bytes, size_t size,
                                  trm_diagnostics *diagnostics) {
  header is = {0}, should = describe(sim);
  if (size >= sizeof is) memcpy(&is, bytes, sizeof is);
  if (is.both && is.model == should.model) {
    if (!trm_stiffness_start(sim->integrator, &sim->engine->dynamics, sim->engine->t,
                             sim->engine->y)) {
      trm_report(diagnostics, TRM_ERROR, "out of memory");
      return TRM_NO_MEMORY;
    }
    should = describe(sim);
  }
  const char *reason = why_not(&is, &should, size);
  if (reason) {
    trm_report(diagnostics, TRM_ERROR, "%s", reason);
    return TRM_BAD_USAGE;
  }
  trm_simulation_put_back(sim, (const char *)bytes + sizeof is, is.size);
  return TRM_OK;
}
