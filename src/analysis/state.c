/* The state of a simulation from outside: read, set, saved and restored exactly, advanced to a
 * time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/version.h>

#include "analysis/simulation.h"
#include "base/flush.h"
#include "math/serial.h"

void trm_simulation_keep(trm_simulation *sim) {
  size_t bytes = (size_t)sim->dynamics.size * sizeof(double);
  TRM_KEEP(sim->arena, sim->t);
  TRM_KEEP(sim->arena, sim->step);
  TRM_KEEP(sim->arena, sim->output);
  TRM_KEEP(sim->arena, sim->energy_initial);
  trm_keep_at(sim->arena, &sim->y, bytes);
  trm_keep_at(sim->arena, &sim->ydot, bytes);
  trm_system_keep(sim->system);
  trm_solver_keep(sim->solver);
  trm_dynamics_keep(&sim->dynamics, sim->arena);
}

/* ---- read and set ---- */

int trm_simulation_state_size(const trm_simulation *sim) {
  return sim->dynamics.size;
}

void trm_simulation_get_state(const trm_simulation *sim, double *time, double *state) {
  if (time) *time = sim->t;
  if (state) memcpy(state, sim->y, (size_t)sim->dynamics.size * sizeof(double));
}

static trm_status fail(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sim->system->place, "%s", sim->system->error);
  return TRM_FAILED;
}

/* The last good state, so that its measures hold. */
static void return_to_state(trm_simulation *sim) {
  trm_dynamics_evaluate(&sim->dynamics, sim->t, sim->y, sim->ydot);
  sim->reactions_ready = false;
}

trm_status trm_simulation_set_state(trm_simulation *sim, double time, const double *state,
                                    trm_diagnostics *diagnostics) {
  trm_dynamics *d = &sim->dynamics;
  double *y = sim->at, *ydot = y + d->size;
  double finite = 0 * time;
  for (int i = 0; i < d->size; i++) finite += 0 * state[i];
  if (finite != 0) {
    trm_report(diagnostics, TRM_ERROR, "the state to be set is not finite");
    return TRM_BAD_USAGE;
  }
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  memcpy(y, state, (size_t)d->size * sizeof(double));
  bool good = trm_dynamics_correct(d, time, y, ydot);
  if (good) {
    memcpy(sim->y, y, (size_t)d->size * sizeof(double));
    memcpy(sim->ydot, ydot, (size_t)d->size * sizeof(double));
    sim->t = time;
    sim->output = trm_grid_before(&sim->grid, time);
    sim->step = sim->integrator->variable ? 0 : sim->output;
    trm_integrator_restart(sim->integrator);
    trm_dynamics_commit(d, sim->y);
  } else {
    return_to_state(sim);
  }
  sim->reactions_ready = false;
  trm_serial_end();
  trm_flush_set(before);
  return good ? TRM_OK : fail(sim, diagnostics);
}

trm_status trm_simulation_derivatives(trm_simulation *sim, double time, const double *state,
                                      double *rates, trm_diagnostics *diagnostics) {
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  bool good = trm_dynamics_evaluate(&sim->dynamics, time, state, rates);
  return_to_state(sim);
  trm_serial_end();
  trm_flush_set(before);
  return good ? TRM_OK : fail(sim, diagnostics);
}

/* ---- saved and restored ---- */

typedef struct header {
  char magic[8];
  char version[24];
  uint64_t size, model; /* bytes behind the header; a number that the model and settings give */
  uint32_t word, order; /* of the machine */
  uint64_t both;        /* methods of `auto` have started */
} header;

/* FNV-1a */
static uint64_t mix(uint64_t sum, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) sum = (sum ^ byte[i]) * 1099511628211u;
  return sum;
}

static uint64_t mix_text(uint64_t sum, const char *text) {
  return mix(sum, text, strlen(text) + 1);
}

/* The written state, the masses and the methods: what a saved state must fit to. */
static uint64_t fingerprint(const trm_simulation *sim) {
  const trm_settings *s = &sim->settings;
  const trm_system *sys = sim->system;
  uint64_t sum = mix_text(14695981039346656037u, sim->model->name);
  const char *const words[] = {
      s->coordinates, s->solver,   s->stabilization, s->weighting,          s->energy,
      s->integrator,  s->stepping, s->linear,        s->constraint_inertia, s->conserve};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) sum = mix_text(sum, words[i]);
  const double numbers[] = {s->step, s->tolerance, s->alpha,          s->beta,
                            s->rtol, s->atol,      s->spectral_radius};
  sum = mix(sum, numbers, sizeof numbers);
  const int counts[] = {sys->n, sys->m, sim->model->body_count, sim->model->joint_count,
                        sim->model->force_count};
  sum = mix(sum, counts, sizeof counts);
  return mix(sum, &sim->start, sizeof sim->start);
}

static header describe(const trm_simulation *sim) {
  header h = {.magic = "trmstate",
              .size = trm_kept_size(sim->arena),
              .model = fingerprint(sim),
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
  trm_kept_save(sim->arena, (char *)bytes + sizeof h);
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

trm_status trm_simulation_restore(trm_simulation *sim, const void *bytes, size_t size,
                                  trm_diagnostics *diagnostics) {
  header is = {0}, should = describe(sim);
  if (size >= sizeof is) memcpy(&is, bytes, sizeof is);
  if (is.both && is.model == should.model) {
    if (!trm_stiffness_start(sim->integrator, &sim->dynamics, sim->t, sim->y)) {
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
  const char *state = (const char *)bytes + sizeof is;
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  trm_kept_restore(sim->arena, state, is.size);
  trm_kept_derive(sim->arena);
  return_to_state(sim);
  trm_kept_restore(sim->arena, state, is.size); /* what the evaluation has counted is taken back */
  trm_kept_derive(sim->arena);
  sim->status = TRM_OK;
  trm_serial_end();
  trm_flush_set(before);
  return TRM_OK;
}
