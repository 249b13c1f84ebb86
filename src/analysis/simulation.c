/* A model in motion: create, step, measure. */
#include "analysis/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trm_solver_class *solver_class(const char *name) {
  return strcmp(name, "augmented") == 0 ? &trm_augmented : &trm_udwadia_kalaba;
}

/* System, solver, stabilizer, integrator: all memory of the time loop is taken here. */
static bool compile(trm_simulation *sim) {
  const trm_settings *settings = &sim->settings;
  const trm_solver_class *type = solver_class(settings->solver);
  const trm_coordinates *coordinates = trm_coordinates_find(settings->coordinates, sim->model->dim);
  sim->system = trm_system_create(sim->model, coordinates, NULL, 0, sim->arena);
  if (!sim->system) return false;
  sim->solver = trm_solver_create(type, sim->arena, &sim->system->structure);
  if (!sim->solver) return false;
  int n = sim->system->n, size = 2 * n + 1;
  trm_stabilizer *stabilizer =
      trm_stabilizer_create(sim->arena, sim->system, sim->solver, type, settings);
  sim->dynamics = (trm_dynamics){sim->system, sim->solver, stabilizer, n, size, 0, 0, 0, 0};
  sim->integrator = trm_integrator_create(settings->integrator, sim->arena, size);
  sim->y = TRM_NEW(sim->arena, double, size);
  sim->ydot = TRM_NEW(sim->arena, double, size);
  return stabilizer && sim->integrator && sim->y && sim->ydot;
}

static trm_status start(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_system *sys = sim->system;
  double *q = sim->y, *v = sim->y + sys->n;
  trm_system_written(sys, q, v);
  trm_status status =
      trm_assemble(sys, sim->solver, sim->settings.tolerance, q, v, &sim->assembly, diagnostics);
  if (status != TRM_OK) return status;
  if (!trm_find_redundancy(sys, sim->solver, q, &sim->redundancy)) return TRM_NO_MEMORY;
  if (!trm_dynamics_rates(&sim->dynamics, 0, sim->y, sim->ydot)) {
    trm_report(diagnostics, TRM_ERROR, "the initial state cannot be evaluated: %s", sys->error);
    return TRM_BAD_MODEL;
  }
  double residual = 0;
  for (int i = 0; i < sim->dynamics.size; i++) residual += 0 * sim->ydot[i];
  if (residual != 0) {
    trm_report(diagnostics, TRM_ERROR, "the accelerations at t = 0 are not finite");
    return TRM_BAD_MODEL;
  }
  sys->energy0 = sim->energy_initial = trm_system_energy(sys);
  sys->velocity_violation = trm_system_velocity_residual(sys, v, sim->dynamics.stabilizer->g);
  sim->dynamics.max_position_violation = trm_system_violation(sys);
  sim->dynamics.max_velocity_violation = sys->velocity_violation;
  return TRM_OK;
}

static trm_status create(trm_simulation *sim, trm_diagnostics *diagnostics) {
  trm_status status = trm_settings_check(&sim->settings, diagnostics);
  if (status != TRM_OK) return status;
  sim->grid = trm_grid_create(&sim->settings);
  if (!sim->model->finished) {
    trm_report(diagnostics, TRM_ERROR, "the model is not finished: call trm_model_finish");
    return TRM_BAD_USAGE;
  }
  if (!compile(sim)) return TRM_NO_MEMORY;
  return start(sim, diagnostics);
}

trm_simulation *trm_simulation_create(const trm_model *model, const trm_settings *settings,
                                      trm_diagnostics *diagnostics, trm_status *status) {
  trm_status result = TRM_NO_MEMORY;
  trm_simulation *sim = calloc(1, sizeof *sim);
  if (sim) {
    sim->model = model;
    sim->settings = settings ? *settings : *trm_model_settings(model);
    sim->arena = trm_arena_create();
    if (sim->arena) result = create(sim, diagnostics);
  }
  if (result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (status) *status = result;
  if (result == TRM_OK) return sim;
  trm_simulation_destroy(sim);
  return NULL;
}

void trm_simulation_destroy(trm_simulation *sim) {
  if (!sim) return;
  free(sim->measures);
  trm_arena_destroy(sim->arena);
  free(sim);
}

/* Evaluates the last good state again, so that its measures hold. */
static void return_to_state(trm_simulation *sim) {
  trm_system *sys = sim->system;
  if (trm_dynamics_rates(&sim->dynamics, trm_simulation_time(sim), sim->y, sim->ydot))
    sys->velocity_violation =
        trm_system_velocity_residual(sys, sim->y + sys->n, sim->dynamics.stabilizer->g);
}

trm_status trm_simulation_step(trm_simulation *sim, trm_diagnostics *diagnostics) {
  const trm_grid *grid = &sim->grid;
  double h = trm_grid_step(grid, sim->step);
  if (sim->step == grid->uniform && grid->h_rest != grid->h)
    trm_integrator_restart(sim->integrator);
  sim->reactions_ready = false;
  if (trm_integrator_step(sim->integrator, &sim->dynamics, trm_grid_time(grid, sim->step),
                          trm_grid_time(grid, sim->step + 1), h, sim->y, sim->ydot)) {
    sim->step++;
    return TRM_OK;
  }
  snprintf(sim->message, sizeof sim->message, "%s", sim->system->error);
  trm_report(diagnostics, TRM_ERROR, "%s", sim->message);
  return_to_state(sim);
  return sim->status = TRM_FAILED;
}

double trm_simulation_time(const trm_simulation *sim) {
  return trm_grid_time(&sim->grid, sim->step);
}

double trm_simulation_evaluate(trm_simulation *sim, const trm_measure *measure) {
  if (!sim->reactions_ready) trm_solver_minimum_norm(sim->solver, sim->system->lambda);
  sim->reactions_ready = true;
  return trm_system_measure(sim->system, measure);
}

int trm_simulation_find(trm_simulation *sim, const char *name, trm_diagnostics *diagnostics) {
  char reason[256];
  trm_measure measure;
  if (!trm_measure_find(sim->model, name, strlen(name), &measure, reason, sizeof reason)) {
    trm_report(diagnostics, TRM_ERROR, "unknown measure '%s'%s%s", name, reason[0] ? ": " : "",
               reason);
    return -1;
  }
  size_t bytes = (size_t)(sim->measure_count + 1) * sizeof measure;
  trm_measure *grown = realloc(sim->measures, bytes);
  if (!grown) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return -1;
  }
  sim->measures = grown;
  sim->measures[sim->measure_count] = measure;
  return sim->measure_count++;
}

double trm_simulation_get(trm_simulation *sim, int handle) {
  if (handle < 0 || handle >= sim->measure_count) return NAN;
  return trm_simulation_evaluate(sim, &sim->measures[handle]);
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
      .redundant_joints = r->joint_count,
  };
}

const char *trm_simulation_redundant_joint(const trm_simulation *sim, int index) {
  return index >= 0 && index < sim->redundancy.joint_count ? sim->redundancy.joints[index] : NULL;
}
