/* A model in motion: create, step, measure. */
#include "analysis/simulation.h"
#include "analysis/checkpoint.h"

#include <trammel/analysis.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/choose.h"
#include "analysis/jumps.h"
#include "base/flush.h"
#include "base/sized.h"
#include "math/serial.h"

#define DEFAULT_ROWS 500 /* of a variable-step run without an output step */

/* A variable-step method steps as it likes: its grid is that of the output times. */
static trm_grid choose_grid(const trm_settings *settings) {
  if (!trm_settings_is_variable(settings)) return trm_grid_create(settings);
  trm_settings rows = *settings;
  if (rows.output_step <= 0) rows.output_step = rows.duration / DEFAULT_ROWS;
  rows.step = rows.output_step > 0 ? rows.output_step : 1;
  return trm_grid_create(&rows);
}

/* A system need not give an energy; then there is none to keep. */
static trm_status check_energy(const trm_model *model, const trm_settings *settings,
                               trm_diagnostics *diagnostics) {
  const trm_user *user = model->user;
  const char *kept = settings->conserve;
  bool energy = !kept[0] || strcmp(kept, "energy.total") == 0;
  if (!user || user->has_energy || !energy || strcmp(settings->energy, "conserve") != 0)
    return TRM_OK;
  return trm_refuse_setting(model, settings, "energy", NULL, diagnostics,
                            "energy 'conserve' needs an energy: the system does not give one");
}

/* What the settings become, and whether these methods suit the model. */
static trm_status resolve(const trm_model *model, trm_settings *settings,
                          trm_diagnostics *diagnostics) {
  bool chosen = strcmp(settings->integrator, "auto") == 0;
  trm_status status = trm_settings_check(settings, diagnostics);
  if (status != TRM_OK) return status;
  if (!model->finished) {
    trm_report(diagnostics, TRM_ERROR, "the model is not finished: call trm_model_finish");
    return TRM_BAD_USAGE;
  }
  *settings = trm_settings_resolve(settings);
  if (strcmp(settings->coordinates, "auto") == 0) {
    const char *name = trm_choose_coordinates(model, settings, chosen);
    if (!name) return TRM_NO_MEMORY;
    trm_settings_set(settings, "coordinates", name, diagnostics);
  }
  const trm_coordinates *coordinates =
      model->user ? NULL : trm_coordinates_find(settings->coordinates, model->dim);
  if (!model->user && !coordinates)
    return trm_refuse_setting(model, settings, "coordinates", NULL, diagnostics,
                              model->dim == 3
                                  ? "coordinates '%s' are for planar models; in space there are "
                                    "natural, euler-parameters and relative"
                                  : "coordinates '%s' are for models in space; in the plane there "
                                    "are natural, angle, euler-parameters and cartesian",
                              settings->coordinates);
  if (settings->conserve[0]) /* naming it turns it on */
    trm_settings_set(settings, "energy", "conserve", diagnostics);
  status = check_energy(model, settings, diagnostics);
  if (status != TRM_OK) return status;
  const char *key, *refusal = model->user ? NULL : trm_refuse_joints(settings, &key);
  if (refusal)
    return trm_refuse_setting(model, settings, key, "coordinates", diagnostics,
                              "coordinates 'relative': %s", refusal);
  refusal = trm_integrator_refuses(settings, &key);
  if (refusal && strcmp(key, "energy") == 0 && settings->conserve[0]) key = "conserve";
  if (refusal)
    return trm_refuse_setting(model, settings, key, "integrator", diagnostics,
                              "integrator '%s': %s", settings->integrator, refusal);
  return TRM_OK;
}

static bool start(trm_simulation *sim) {
  trm_engine *e = sim->engine;
  sim->course = TRM_NEW(e->arena, trm_course, 1);
  sim->integrator = trm_integrator_create(&e->settings, e->arena, &e->dynamics);
  if (!sim->course || !sim->integrator) return false;
  if (sim->chosen &&
      !trm_integrator_add_stiff_method(sim->integrator, &e->settings, e->arena, &e->dynamics))
    return false;
  if (!trm_integrator_start(sim->integrator, &e->dynamics, e->arena, 0, e->y)) return false;
  if (!trm_integrator_watch(sim->integrator, &e->dynamics, e->arena)) return false;
  TRM_KEEP(e->arena, *sim->course);
  trm_engine_keep(e);
  return true;
}

static trm_status watch(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_engine *e = sim->engine;
  bool good = trm_events_begin(sim->integrator, &e->dynamics, 0, e->y);
  if (!good)
    trm_report_place(diagnostics, TRM_ERROR, e->system->place,
                     "the initial state cannot be evaluated: %s", e->system->error);
  trm_engine_return(e);
  return good ? TRM_OK : TRM_BAD_MODEL;
}

static trm_status create(trm_simulation *sim, const trm_model *model,
                         trm_diagnostics *diagnostics) {
  trm_settings settings = sim->asked;
  trm_status status = resolve(model, &settings, diagnostics);
  if (status != TRM_OK) return status;
  status = trm_refuse_jumps(model, settings.duration, diagnostics);
  if (status != TRM_OK) return status;
  sim->chosen = strcmp(sim->asked.integrator, "auto") == 0;
  sim->grid = choose_grid(&settings);
  sim->engine = trm_engine_create(model, &settings, diagnostics, &status);
  if (!sim->engine) return status;
  return start(sim) ? watch(sim, diagnostics) : TRM_NO_MEMORY;
}

trm_simulation *trm_simulation_create(const trm_model *model, const trm_settings *settings,
                                      trm_diagnostics *diagnostics, trm_status *status) {
  trm_status result = TRM_NO_MEMORY;
  trm_simulation *sim = calloc(1, sizeof *sim);
  if (sim) {
    sim->asked = trm_settings_take(settings ? settings : trm_model_settings(model));
    trm_serial_begin();
    result = create(sim, model, diagnostics);
    if (result == TRM_OK && model->start != TRM_START_WRITTEN) {
      trm_equilibrium_options options = trm_default_equilibrium_options();
      options.steady = model->start == TRM_START_STEADY;
      result = trm_simulation_settle(sim, &options, NULL, diagnostics);
    }
    trm_serial_end();
  }
  if (result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (status) *status = result;
  if (result == TRM_OK) return sim;
  trm_simulation_destroy(sim);
  return NULL;
}

const char *trm_simulation_refusal(const trm_settings *settings) {
  trm_settings resolved = trm_settings_resolve(settings);
  const char *key, *refusal = trm_refuse_joints(&resolved, &key);
  return refusal ? refusal : trm_integrator_refuses(&resolved, NULL);
}

void trm_simulation_destroy(trm_simulation *sim) {
  if (!sim) return;
  free(sim->measures);
  free(sim->extra);
  free(sim->metrics);
  free(sim->metric_names);
  trm_film_free(&sim->film);
  trm_checkpoints_free(sim->checkpoints);
  trm_marks_free(&sim->marks);
  trm_engine_destroy(sim->engine);
  trm_model_destroy(sim->own_model);
  free(sim);
}

static trm_status fail(trm_simulation *sim, trm_diagnostics *diagnostics) {
  snprintf(sim->message, sizeof sim->message, "%s", sim->engine->system->error);
  trm_report_place(diagnostics, TRM_ERROR, sim->engine->system->place, "%s", sim->message);
  trm_engine_return(sim->engine);
  return sim->status = TRM_FAILED;
}

static trm_status fire_events(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_engine *e = sim->engine;
  const trm_observer *o = sim->observer;
  bool changes = o && trm_events_are_due(sim->integrator);
  if (!trm_events_fire(sim->integrator, &e->dynamics, e->t, e->y, e->ydot) ||
      (changes && !o->jump(o->context, sim)))
    return fail(sim, diagnostics);
  return TRM_OK;
}

/* In every step: a model without events does not pay for them. */
static inline trm_status fire(trm_simulation *sim, trm_diagnostics *diagnostics) {
  return sim->integrator->events ? fire_events(sim, diagnostics) : TRM_OK;
}

/* From where it is to *end, or to an event before it. */
static bool step_to(trm_simulation *sim, double h, double end) {
  trm_engine *e = sim->engine;
  const trm_observer *o = sim->observer;
  double from = e->t;
  e->reactions_ready = false;
  if (!trm_integrator_step(sim->integrator, &e->dynamics, from, &end, h, &e->y, &e->ydot))
    return false;
  e->t = end;
  return !o || o->step(o->context, sim, from);
}

/* To the end of the run at the latest. */
static trm_status move_variable(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  double t = sim->engine->t, duration = sim->grid.duration;
  if (!step_to(sim, 0, fmin(until, t < duration ? duration : INFINITY)))
    return fail(sim, diagnostics);
  sim->course->step++;
  return TRM_OK;
}

/* To where the grid says, by as many steps as events make of it. A multistep method has equal steps
 * behind it: before and behind another one it starts afresh. */
static trm_status move_fixed(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  const trm_grid *grid = &sim->grid;
  long step = sim->course->step;
  double next = trm_grid_time(grid, step + 1), end = until < next ? until : next;
  if (step == grid->uniform && grid->h_rest != grid->h) trm_integrator_restart(sim->integrator);
  do {
    double t = sim->engine->t;
    bool whole = t == trm_grid_time(grid, step) && end == next;
    if (!whole) trm_integrator_restart(sim->integrator);
    if (!step_to(sim, whole ? trm_grid_step(grid, step) : end - t, end))
      return fail(sim, diagnostics);
    if (!whole) trm_integrator_restart(sim->integrator);
    if (fire(sim, diagnostics) != TRM_OK) return TRM_FAILED;
  } while (sim->engine->t < end && !trm_integrator_has_stopped(sim->integrator));
  sim->course->step += sim->engine->t >= next;
  return TRM_OK;
}

/* What is due already: an input was set. */
static trm_status move(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  if (fire(sim, diagnostics) != TRM_OK) return TRM_FAILED;
  if (trm_integrator_has_stopped(sim->integrator)) return TRM_OK;
  return sim->integrator->variable ? move_variable(sim, until, diagnostics)
                                   : move_fixed(sim, until, diagnostics);
}

trm_status trm_simulation_move(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  unsigned before = trm_flush_begin();
  if (!sim->running) trm_serial_begin();
  trm_status status = move(sim, until, diagnostics);
  if (!sim->running) trm_serial_end();
  trm_flush_set(before);
  return status;
}

trm_status trm_simulation_fire(trm_simulation *sim, trm_diagnostics *diagnostics) {
  if (!sim->integrator->variable || !sim->integrator->events) return TRM_OK;
  if (trm_integrator_has_stopped(sim->integrator)) return TRM_OK;
  unsigned before = trm_flush_begin();
  if (!sim->running) trm_serial_begin();
  trm_status status = fire(sim, diagnostics);
  if (!sim->running) trm_serial_end();
  trm_flush_set(before);
  return status;
}

trm_status trm_simulation_step_to(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  trm_status status = trm_simulation_move(sim, until, diagnostics);
  return status == TRM_OK ? trm_simulation_fire(sim, diagnostics) : status;
}

trm_status trm_simulation_step(trm_simulation *sim, trm_diagnostics *diagnostics) {
  return trm_simulation_step_to(sim, INFINITY, diagnostics);
}

const char *trm_simulation_stopped(const trm_simulation *sim) {
  int event = trm_events_stopped(sim->integrator);
  return event < 0 ? NULL : sim->engine->model->events[event].name;
}

static trm_status advance(trm_simulation *sim, double until,
                          trm_status (*by)(trm_simulation *, double, trm_diagnostics *),
                          trm_diagnostics *diagnostics) {
  if (!(until >= sim->engine->t)) {
    trm_report(diagnostics, TRM_ERROR, "the simulation is at t = %.9g; it cannot advance to %.9g",
               sim->engine->t, until);
    return TRM_BAD_USAGE;
  }
  trm_status status = TRM_OK;
  bool goes = sim->engine->t < until;
  while (goes) {
    status = by(sim, until, diagnostics);
    goes = status == TRM_OK && sim->engine->t < until && !trm_simulation_stopped(sim) &&
           !trm_events_are_due(sim->integrator);
  }
  return status;
}

trm_status trm_simulation_advance(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  return advance(sim, until, trm_simulation_step_to, diagnostics);
}

trm_status trm_simulation_approach(trm_simulation *sim, double until, bool *due,
                                   trm_diagnostics *diagnostics) {
  trm_status status = advance(sim, until, trm_simulation_move, diagnostics);
  *due = trm_events_are_due(sim->integrator);
  return status;
}

double trm_simulation_time(const trm_simulation *sim) {
  return sim->engine->t;
}

/* Finds a measure and adds it to a list. */
static bool add_measure(trm_simulation *sim, const char *name, trm_measure **list, int *count,
                        trm_diagnostics *diagnostics) {
  char reason[256];
  trm_measure measure;
  if (!trm_measure_find(sim->engine->model, name, strlen(name), &measure, reason, sizeof reason)) {
    trm_report(diagnostics, TRM_ERROR, "unknown measure '%s'%s%s", name, reason[0] ? ": " : "",
               reason);
    return false;
  }
  trm_measure *grown = realloc(*list, (size_t)(*count + 1) * sizeof measure);
  if (grown) *list = grown;
  measure.name = trm_arena_string(sim->engine->arena, name);
  if (!grown || !measure.name) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return false;
  }
  grown[(*count)++] = measure;
  trm_system_expect(sim->engine->system, &measure);
  return true;
}

int trm_simulation_find(trm_simulation *sim, const char *name, trm_diagnostics *diagnostics) {
  bool found = add_measure(sim, name, &sim->measures, &sim->measure_count, diagnostics);
  return found ? sim->measure_count - 1 : -1;
}

static bool is_among(const trm_measure *list, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return true;
  return false;
}

bool trm_simulation_record(trm_simulation *sim, const char *name, trm_diagnostics *diagnostics) {
  if (strcmp(name, "t") == 0 ||
      is_among(sim->engine->model->outputs, sim->engine->model->output_count, name) ||
      is_among(sim->extra, sim->extra_count, name))
    return true;
  return add_measure(sim, name, &sim->extra, &sim->extra_count, diagnostics);
}

/* The measures of another simulation, which has the same names. */
static bool take_measures(trm_simulation *sim, const trm_simulation *from,
                          trm_diagnostics *diagnostics) {
  for (int i = 0; i < from->measure_count; i++)
    if (!add_measure(sim, from->measures[i].name, &sim->measures, &sim->measure_count, diagnostics))
      return false;
  for (int i = 0; i < from->extra_count; i++)
    if (!add_measure(sim, from->extra[i].name, &sim->extra, &sim->extra_count, diagnostics))
      return false;
  sim->film.most = from->film.most;
  sim->marks.wanted = from->marks.wanted;
  return true;
}

trm_status trm_simulation_set_parameter(trm_simulation *sim, const char *name, double value,
                                        trm_diagnostics *diagnostics) {
  trm_status status = TRM_BAD_USAGE;
  if (!sim->engine->model->overrides || !isfinite(value)) {
    trm_report(diagnostics, TRM_ERROR,
               isfinite(value) ? "only models that were read have parameters to change, not '%s'"
                               : "the new value of parameter '%s' is not finite",
               name);
    return status;
  }
  trm_model *model = trm_model_with(sim->engine->model, 1, &name, &value, diagnostics, &status);
  trm_simulation *other =
      model ? trm_simulation_create(model, &sim->asked, diagnostics, &status) : NULL;
  if (!other) {
    trm_model_destroy(model);
    return status;
  }
  other->own_model = model;
  bool good = take_measures(other, sim, diagnostics);
  if (good) {
    trm_simulation before = *sim;
    *sim = *other;
    *other = before;
  }
  trm_simulation_destroy(other);
  return good ? TRM_OK : TRM_NO_MEMORY;
}

double trm_simulation_get(trm_simulation *sim, int handle) {
  if (handle < 0 || handle >= sim->measure_count) return NAN;
  double value;
  trm_engine_measures(sim->engine, &sim->measures[handle], 1, &value);
  return value;
}

void trm_simulation_inspect_into(const trm_simulation *sim, trm_inspection *inspection,
                                 size_t size) {
  const trm_redundancy *r = &sim->engine->redundancy;
  const trm_system *sys = sim->engine->system;
  int rows = 0;
  for (int i = 0; i < sys->m; i++) rows += trm_system_row_group(sys, i) >= 0;
  const trm_inspection found = {
      .bodies = trm_model_placed(sim->engine->model),
      .shafts = sim->engine->model->shaft_count,
      .coordinates = sim->engine->system->n,
      .constraints = sim->engine->system->m,
      .rank = r->generic,
      .redundant = sim->engine->system->m - r->generic,
      .degrees_of_freedom = sim->engine->system->n - r->generic,
      .rank_at_start = r->at_start,
      .position_gap = sim->engine->assembly.position_gap,
      .velocity_gap = sim->engine->assembly.velocity_gap,
      .moved = sim->engine->assembly.moved,
      .turned = sim->engine->assembly.turned,
      .moved_body = sim->engine->assembly.moved_body,
      .redundant_joints = r->group_count,
      .memory = (double)(trm_arena_bytes(sim->engine->arena) +
                         trm_arena_bytes(sim->engine->model->arena)),
      .joints = sim->engine->model->joint_count,
      .joint_constraints = rows,
      .locked = sys->n > 0 && sys->n == r->generic && !trm_system_is_driven(sys),
  };
  trm_sized_give(inspection, size, &found, sizeof found);
}

const char *trm_simulation_redundant_joint(const trm_simulation *sim, int index) {
  if (index < 0 || index >= sim->engine->redundancy.group_count) return NULL;
  return sim->engine->redundant_names[index];
}
