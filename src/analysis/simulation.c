/* A model in motion: create, step, measure. */
#include "analysis/simulation.h"

#include "analysis/conserve.h"
#include "base/flush.h"
#include "base/parallel.h"
#include "math/serial.h"
#include "stabilization/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Coordinates from which threads gain more than starting them costs. */
enum { large = 6000 };

static int threads_for(const trm_simulation *sim) {
  if (sim->settings.threads != TRM_UNSET) return (int)sim->settings.threads;
  return sim->system->n >= large ? trm_cores() : 1;
}

static trm_status check_size(const trm_simulation *sim, const trm_solver_class *type,
                             trm_diagnostics *diagnostics) {
  int size = sim->system->n + sim->system->m;
  if (type->most == 0 || size <= type->most) return TRM_OK;
  trm_report(diagnostics, TRM_ERROR,
             "solver '%s' factors full matrices, of up to %d coordinates and constraints; the "
             "model has %d: take udwadia-kalaba or augmented",
             type->name, type->most, size);
  return TRM_BAD_USAGE;
}

/* System, solver, stabilizer, integrator: all memory of the time loop is taken here. */
static trm_status compile(trm_simulation *sim, trm_diagnostics *diagnostics) {
  const trm_settings *settings = &sim->settings;
  const trm_solver_class *type = trm_solver_find(settings->solver);
  const trm_coordinates *coordinates = NULL; /* a system of its own has its own */
  if (!sim->model->user) coordinates = trm_coordinates_find(settings->coordinates, sim->model->dim);
  if (coordinates && type->takes_singular && coordinates->singular)
    coordinates = coordinates->singular;
  sim->system =
      trm_system_create(sim->model, coordinates, type->takes_singular, NULL, 0, sim->arena);
  if (!sim->system) return TRM_NO_MEMORY;
  trm_status status = check_size(sim, type, diagnostics);
  if (status != TRM_OK) return status;
  sim->system->structure.pool = trm_pool_create(sim->arena, threads_for(sim));
  sim->solver = trm_solver_create_linear(type, sim->arena, &sim->system->structure,
                                         trm_linear_find(settings->linear));
  if (!sim->solver) return TRM_NO_MEMORY;
  trm_stabilizer *stabilizer =
      trm_stabilizer_create(sim->arena, sim->system, sim->solver, settings);
  if (!stabilizer || !trm_dynamics_create(&sim->dynamics, sim->arena, stabilizer, settings))
    return TRM_NO_MEMORY;
  int size = sim->dynamics.size;
  sim->integrator = trm_integrator_create(settings, sim->arena, &sim->dynamics);
  if (sim->integrator && sim->integrator->type->tableau)
    trm_dynamics_want_derivatives(&sim->dynamics, false);
  if (sim->integrator && sim->chosen &&
      !trm_integrator_relieve(sim->integrator, settings, sim->arena, &sim->dynamics))
    return TRM_NO_MEMORY;
  sim->y = TRM_NEW(sim->arena, double, size);
  sim->ydot = TRM_NEW(sim->arena, double, size);
  sim->at = TRM_NEW(sim->arena, double, 2 * size);
  return sim->integrator && sim->y && sim->ydot && sim->at ? TRM_OK : TRM_NO_MEMORY;
}

/* A driver among the redundant joints drives what the joints or another driver already fix. */
static trm_status refuse_drivers(const trm_simulation *sim, trm_diagnostics *diagnostics) {
  const trm_redundancy *r = &sim->redundancy;
  trm_status status = TRM_OK;
  for (int i = 0; i < r->group_count && !sim->model->user; i++) {
    const trm_joint *joint = &sim->model->joints[r->groups[i]];
    if (joint->type != TRM_JOINT_DRIVER && !joint->value.formula) continue;
    trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(sim->model, joint->origin),
                     "joint '%s' drives what the other joints and drivers already determine: "
                     "the model has more drivers than freedoms there",
                     joint->name);
    status = TRM_BAD_MODEL;
  }
  return status;
}

static bool name_redundant(trm_simulation *sim) {
  const trm_redundancy *r = &sim->redundancy;
  sim->redundant_names = TRM_NEW(sim->arena, const char *, r->group_count + 1);
  for (int i = 0; sim->redundant_names && i < r->group_count; i++) {
    char name[256];
    trm_system_group_name(sim->system, r->groups[i], name, sizeof name);
    sim->redundant_names[i] = trm_arena_string(sim->arena, name);
    if (!sim->redundant_names[i]) return false;
  }
  return sim->redundant_names != NULL;
}

/* Evaluates the last good state again, so that its measures hold. */
static void return_to_state(trm_simulation *sim) {
  trm_dynamics_evaluate(&sim->dynamics, sim->t, sim->y, sim->ydot);
}

#define FASTEST 0.1 /* of 1/h: above it the feedback acts on the stages' own small violations */
#define FASTER  10  /* than the motion; singular positions ask for it */
#define STEADY                                                                                     \
  5 /* the same with fixed steps: from moderate ones on it does not depend on them, so             \
     * that a method keeps its order */

/* QᵀM⁻¹Q: of the accelerations that forces alone would cause. */
static double free_acceleration(const trm_simulation *sim) {
  const trm_system *sys = sim->system;
  double *scale = sim->at, sum = 0; /* 1/√M */
  trm_partition_weigh(sys, scale);
  for (int i = 0; i < sys->n; i++) sum += sys->Q[i] * sys->Q[i] * scale[i] * scale[i];
  return sum;
}

/* Baumgarte's default: violations die out faster than the mechanism moves, as far as the method can
 * follow. A motion's own rate is √(a/length) or v/length, in the mean of the masses, a being what
 * forces alone would cause: at the start the constraints may hold them. */
static void choose_coefficients(trm_simulation *sim) {
  trm_settings *settings = &sim->settings;
  trm_dynamics *d = &sim->dynamics;
  const trm_method_class *method = trm_integrator_find(settings->integrator);
  double v2 = trm_dynamics_square(d, sim->y + d->n), a2 = free_acceleration(sim);
  double rate = sqrt(fmax(v2 / d->energy_unit, sqrt(a2 / d->energy_unit)));
  if (!(rate > 0 && isfinite(rate))) rate = settings->duration > 0 ? 30 / settings->duration : 1;
  double fastest = FASTER * rate, limit = fmin(FASTEST, method->stable / 2);
  if (!trm_settings_is_variable(settings))
    fastest = fmin(STEADY * rate, limit / trm_settings_step(settings));
  if (settings->alpha == TRM_UNSET) settings->alpha = fastest;
  if (settings->beta == TRM_UNSET) settings->beta = fastest;
  if (d->stabilizer->type != &trm_stabilization_baumgarte) return;
  d->stabilizer->alpha = settings->alpha;
  d->stabilizer->beta = settings->beta;
}

static trm_status start(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_system *sys = sim->system;
  double *q = sim->y, *v = sim->y + sys->n;
  trm_system_written(sys, q);
  trm_status status =
      trm_assemble(sys, sim->solver, sim->settings.tolerance, q, v, &sim->assembly, diagnostics);
  if (status != TRM_OK) return status;
  if (!trm_find_redundancy(sys, sim->solver, q, &sim->redundancy)) return TRM_NO_MEMORY;
  if (!name_redundant(sim)) return TRM_NO_MEMORY;
  status = refuse_drivers(sim, diagnostics);
  if (status != TRM_OK) return status;
  if (sim->redundancy.generic >= 0) sim->dynamics.stabilizer->rank = sim->redundancy.generic;
  memcpy(sim->dynamics.stabilizer->spare, sim->redundancy.spare, (size_t)sys->m * sizeof(bool));
  trm_solver_prepare(sim->solver);
  if (!trm_dynamics_rates(&sim->dynamics, 0, sim->y, sim->ydot)) {
    trm_report_place(diagnostics, TRM_ERROR, sys->place,
                     "the initial state cannot be evaluated: %s", sys->error);
    return TRM_BAD_MODEL;
  }
  double residual = 0;
  for (int i = 0; i < sim->dynamics.size; i++) residual += 0 * sim->ydot[i];
  if (residual != 0) {
    trm_report(diagnostics, TRM_ERROR, "the accelerations at t = 0 are not finite");
    return TRM_BAD_MODEL;
  }
  status = trm_conserve_measure(sim, diagnostics);
  if (status != TRM_OK) return status;
  sys->energy0 = trm_system_energy(sys);
  sim->dynamics.energy_unit = trm_dynamics_square(&sim->dynamics, sys->span);
  choose_coefficients(sim);
  sim->energy_initial = sys->has_energy ? sys->energy0 : NAN;
  sim->start = sys->energy0 + trm_dynamics_square(&sim->dynamics, sys->span);
  sys->velocity_violation = trm_system_velocity_residual(sys, v, sim->dynamics.stabilizer->g);
  sim->dynamics.max_position_violation = trm_system_violation(sys);
  sim->dynamics.max_velocity_violation = sys->velocity_violation;
  if (!trm_integrator_start(sim->integrator, &sim->dynamics, sim->arena, 0, sim->y))
    return TRM_NO_MEMORY;
  return_to_state(sim);
  return TRM_OK;
}

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
static trm_status check_energy(const trm_simulation *sim, trm_diagnostics *diagnostics) {
  const trm_user *user = sim->model->user;
  const char *kept = sim->settings.conserve;
  bool energy = !kept[0] || strcmp(kept, "energy.total") == 0;
  if (!user || user->has_energy || !energy || strcmp(sim->settings.energy, "conserve") != 0)
    return TRM_OK;
  trm_report(diagnostics, TRM_ERROR,
             "energy 'conserve' needs an energy: the system does not give one");
  return TRM_BAD_USAGE;
}

static trm_status create(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_status status = trm_settings_check(&sim->settings, diagnostics);
  if (status != TRM_OK) return status;
  sim->chosen = strcmp(sim->settings.integrator, "auto") == 0;
  sim->settings = trm_settings_resolve(&sim->settings);
  if (!sim->model->user && !trm_coordinates_find(sim->settings.coordinates, sim->model->dim)) {
    trm_report(diagnostics, TRM_ERROR,
               "coordinates '%s' are for planar models; in space there are "
               "natural and euler-parameters",
               sim->settings.coordinates);
    return TRM_BAD_USAGE;
  }
  if (sim->settings.conserve[0]) /* naming it turns it on */
    trm_settings_set(&sim->settings, "energy", "conserve", diagnostics);
  status = check_energy(sim, diagnostics);
  if (status != TRM_OK) return status;
  const char *refusal = trm_integrator_refuses(&sim->settings);
  if (refusal) {
    trm_report(diagnostics, TRM_ERROR, "integrator '%s': %s", sim->settings.integrator, refusal);
    return TRM_BAD_USAGE;
  }
  sim->grid = choose_grid(&sim->settings);
  if (!sim->model->finished) {
    trm_report(diagnostics, TRM_ERROR, "the model is not finished: call trm_model_finish");
    return TRM_BAD_USAGE;
  }
  status = compile(sim, diagnostics);
  if (status == TRM_OK) status = start(sim, diagnostics);
  if (status == TRM_OK) trm_simulation_keep(sim);
  return status;
}

trm_simulation *trm_simulation_create(const trm_model *model, const trm_settings *settings,
                                      trm_diagnostics *diagnostics, trm_status *status) {
  trm_status result = TRM_NO_MEMORY;
  trm_simulation *sim = calloc(1, sizeof *sim);
  if (sim) {
    sim->model = model;
    sim->settings = sim->asked = settings ? *settings : *trm_model_settings(model);
    sim->arena = trm_arena_create();
    trm_serial_begin();
    if (sim->arena) result = create(sim, diagnostics);
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
  return trm_integrator_refuses(&resolved);
}

void trm_simulation_destroy(trm_simulation *sim) {
  if (!sim) return;
  free(sim->measures);
  free(sim->extra);
  trm_film_free(&sim->film);
  trm_arena_destroy(sim->arena);
  trm_model_destroy(sim->own_model);
  free(sim);
}

/* Where the next step ends: a fixed one where the grid says, a variable one at the end of the run
 * at the latest. Steps that were cut short start a multistep method afresh. */
static double next_end(trm_simulation *sim, double until, double *h) {
  const trm_grid *grid = &sim->grid;
  *h = 0;
  if (sim->integrator->variable)
    return fmin(until, sim->t < grid->duration ? grid->duration : INFINITY);
  if (sim->step == grid->uniform && grid->h_rest != grid->h)
    trm_integrator_restart(sim->integrator);
  double end = trm_grid_time(grid, sim->step + 1), whole = trm_grid_step(grid, sim->step);
  bool rest = sim->t != trm_grid_time(grid, sim->step), cut = end > until;
  if (rest || cut) trm_integrator_restart(sim->integrator);
  if (cut) end = until;
  *h = rest || cut ? end - sim->t : whole;
  return end;
}

static trm_status advance(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  double h, end = next_end(sim, until, &h);
  sim->reactions_ready = false;
  if (trm_integrator_step(sim->integrator, &sim->dynamics, sim->t, &end, h, &sim->y, &sim->ydot)) {
    sim->step += sim->integrator->variable || end >= trm_grid_time(&sim->grid, sim->step + 1);
    sim->t = end;
    return TRM_OK;
  }
  snprintf(sim->message, sizeof sim->message, "%s", sim->system->error);
  trm_report_place(diagnostics, TRM_ERROR, sim->system->place, "%s", sim->message);
  return_to_state(sim);
  return sim->status = TRM_FAILED;
}

static trm_status step(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  unsigned before = trm_flush_begin();
  if (!sim->running) trm_serial_begin();
  trm_status status = advance(sim, until, diagnostics);
  if (!sim->running) trm_serial_end();
  trm_flush_set(before);
  return status;
}

trm_status trm_simulation_step(trm_simulation *sim, trm_diagnostics *diagnostics) {
  return step(sim, INFINITY, diagnostics);
}

trm_status trm_simulation_advance(trm_simulation *sim, double until, trm_diagnostics *diagnostics) {
  if (!(until >= sim->t)) {
    trm_report(diagnostics, TRM_ERROR, "the simulation is at t = %.9g; it cannot advance to %.9g",
               sim->t, until);
    return TRM_BAD_USAGE;
  }
  trm_status status = TRM_OK;
  while (status == TRM_OK && sim->t < until) status = step(sim, until, diagnostics);
  return status;
}

double trm_simulation_time(const trm_simulation *sim) {
  return sim->t;
}

static bool ask_reactions(const trm_measure *measures, int count) {
  for (int i = 0; i < count; i++)
    if (measures[i].kind == TRM_MEASURE_REACTION || measures[i].kind == TRM_MEASURE_EFFORT ||
        measures[i].kind == TRM_MEASURE_MULTIPLIER)
      return true;
  return false;
}

/* Reactions of redundant joints are shared out when somebody asks for them. */
static void prepare_reactions(trm_simulation *sim, const trm_measure *measures, int count) {
  if (sim->reactions_ready || trm_solver_rank(sim->solver) == sim->system->m) return;
  sim->reactions_ready = ask_reactions(measures, count);
  if (!sim->reactions_ready) return;
  if (trm_solver_share_links(sim->solver, sim->system->lambda)) return;
  trm_system_complete_rows(sim->system);
  trm_serial_begin();
  trm_solver_minimum_norm(sim->solver, sim->system->lambda);
  trm_serial_end();
}

void trm_simulation_evaluate(trm_simulation *sim, const trm_measure *measures, int count,
                             double *values) {
  trm_system_complete_frames(sim->system);
  prepare_reactions(sim, measures, count);
  trm_system_measures(sim->system, measures, count, values);
}

/* Finds a measure and adds it to a list. */
static bool add_measure(trm_simulation *sim, const char *name, trm_measure **list, int *count,
                        trm_diagnostics *diagnostics) {
  char reason[256];
  trm_measure measure;
  if (!trm_measure_find(sim->model, name, strlen(name), &measure, reason, sizeof reason)) {
    trm_report(diagnostics, TRM_ERROR, "unknown measure '%s'%s%s", name, reason[0] ? ": " : "",
               reason);
    return false;
  }
  trm_measure *grown = realloc(*list, (size_t)(*count + 1) * sizeof measure);
  if (grown) *list = grown;
  measure.name = trm_arena_string(sim->arena, name);
  if (!grown || !measure.name) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return false;
  }
  grown[(*count)++] = measure;
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
  if (strcmp(name, "t") == 0 || is_among(sim->model->outputs, sim->model->output_count, name) ||
      is_among(sim->extra, sim->extra_count, name))
    return true;
  return add_measure(sim, name, &sim->extra, &sim->extra_count, diagnostics);
}

double trm_simulation_get(trm_simulation *sim, int handle) {
  if (handle < 0 || handle >= sim->measure_count) return NAN;
  double value;
  trm_simulation_evaluate(sim, &sim->measures[handle], 1, &value);
  return value;
}

trm_inspection trm_simulation_inspect(const trm_simulation *sim) {
  const trm_redundancy *r = &sim->redundancy;
  return (trm_inspection){
      .bodies = sim->model->body_count,
      .coordinates = sim->system->n,
      .constraints = sim->system->m,
      .rank = r->generic,
      .redundant = sim->system->m - r->generic,
      .degrees_of_freedom = sim->system->n - r->generic,
      .rank_at_start = r->at_start,
      .position_gap = sim->assembly.position_gap,
      .velocity_gap = sim->assembly.velocity_gap,
      .moved = sim->assembly.moved,
      .turned = sim->assembly.turned,
      .moved_body = sim->assembly.moved_body,
      .redundant_joints = r->group_count,
      .memory = (double)(trm_arena_bytes(sim->arena) + trm_arena_bytes(sim->model->arena)),
  };
}

const char *trm_simulation_redundant_joint(const trm_simulation *sim, int index) {
  if (index < 0 || index >= sim->redundancy.group_count) return NULL;
  return sim->redundant_names[index];
}
