/* A whole run: steps, rows at the output times, and the summary. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/version.h>

#include "analysis/simulation.h"
#include "base/clock.h"
#include "math/serial.h"
#include "result/results.h"

static bool lay_out(trm_simulation *sim, trm_results *results) {
  const trm_model *model = sim->model;
  int columns = 1 + model->output_count + sim->extra_count;
  long rows = trm_grid_rows(&sim->grid) + 1; /* one more for the state before a failure */
  const char **names = malloc((size_t)columns * sizeof *names);
  if (!names || rows > INT_MAX) {
    free(names);
    return false;
  }
  names[0] = "t";
  for (int i = 0; i < model->output_count; i++) names[i + 1] = model->outputs[i].name;
  for (int i = 0; i < sim->extra_count; i++)
    names[1 + model->output_count + i] = sim->extra[i].name;
  trm_measures_group(sim->extra, sim->extra_count);
  bool good = trm_results_layout(results, columns, names, (int)rows);
  free(names);
  return good;
}

static void record(trm_simulation *sim, trm_results *results, double t) {
  double *row = results ? trm_results_next_row(results) : NULL;
  trm_film_row(sim, t);
  if (!row) return;
  row[0] = t;
  trm_simulation_evaluate(sim, sim->model->outputs, sim->model->output_count, row + 1);
  trm_simulation_evaluate(sim, sim->extra, sim->extra_count, row + 1 + sim->model->output_count);
}

/* Rows inside the last step of a variable-step method: interpolated, then brought onto the
 * constraints. */
static bool record_inside(trm_simulation *sim, trm_results *results) {
  trm_system *sys = sim->system;
  int size = sim->dynamics.size;
  if (!results && sim->film.capacity == 0) return true; /* nobody looks */
  while (sim->output < sim->grid.steps && trm_grid_time(&sim->grid, sim->output + 1) <= sim->t) {
    double t = trm_grid_time(&sim->grid, ++sim->output);
    if (!trm_grid_is_output(&sim->grid, sim->output)) continue;
    if (!trm_integrator_complete(sim->integrator, &sim->dynamics)) return false;
    trm_integrator_interpolate(sim->integrator, t, sim->at);
    if (!trm_dynamics_correct(&sim->dynamics, t, sim->at, sim->at + size)) return false;
    sys->work = sim->at[size - 1];
    sim->reactions_ready = false;
    record(sim, results, t);
  }
  return true;
}

static trm_status fail(trm_simulation *sim, trm_diagnostics *diagnostics) {
  snprintf(sim->message, sizeof sim->message, "%s", sim->system->error);
  trm_report_place(diagnostics, TRM_ERROR, sim->system->place, "%s", sim->message);
  return TRM_FAILED;
}

static trm_status loop(trm_simulation *sim, trm_results *results, trm_progress progress,
                       void *context, trm_diagnostics *diagnostics) {
  const trm_grid *grid = &sim->grid;
  bool variable = sim->integrator->variable;
  record(sim, results, sim->t);
  while (sim->t < grid->duration) {
    trm_status status = trm_simulation_step(sim, diagnostics);
    bool output = variable ? false : trm_grid_is_output(grid, sim->step);
    bool go_on =
        status != TRM_OK || !progress || progress(context, sim->t, sim->t / grid->duration);
    bool ends = status != TRM_OK || (!go_on && sim->t < grid->duration);
    if (variable && status == TRM_OK && !record_inside(sim, results)) return fail(sim, diagnostics);
    if (status == TRM_OK ? output || (ends && !variable) : sim->step > 0 && !output)
      record(sim, results, sim->t); /* also the state before a failure or interruption */
    if (ends) return status == TRM_OK ? TRM_INTERRUPTED : status;
  }
  return TRM_OK;
}

trm_status trm_simulation_run(trm_simulation *sim, trm_results *results, trm_progress progress,
                              void *context, trm_diagnostics *diagnostics) {
  if (results && !lay_out(sim, results)) {
    trm_report(diagnostics, TRM_ERROR, "out of memory: a longer output-step needs fewer rows");
    return TRM_NO_MEMORY;
  }
  if (!trm_film_lay_out(sim)) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return TRM_NO_MEMORY;
  }
  double wall = trm_wall_seconds(), cpu = trm_cpu_seconds();
  trm_serial_begin();
  sim->running = true;
  sim->status = loop(sim, results, progress, context, diagnostics);
  if (sim->status != TRM_OK && !sim->integrator->variable) trm_film_end(sim, sim->t);
  sim->running = false;
  trm_serial_end();
  sim->wall_seconds += trm_wall_seconds() - wall;
  sim->cpu_seconds += trm_cpu_seconds() - cpu;
  return sim->status;
}

static const char *status_word(trm_status status) {
  if (status == TRM_OK) return "completed";
  return status == TRM_INTERRUPTED ? "interrupted" : "failed";
}

/* A run whose energies do not balance is wrong, however well it keeps the constraints. */
static bool is_unbalanced(const trm_dynamics *d) {
  double error = d->system->has_energy ? d->max_energy_error : 0;
  return error > 1e-2 * d->max_kinetic && error > 1e-6 * (d->max_kinetic + d->max_potential);
}

/* Who took over, or who should have. */
static size_t remark_stiffness(const trm_simulation *sim, const trm_stiffness *s, char *text,
                               size_t room) {
  int used = 0;
  if (s->switches == 1)
    used = snprintf(text, room, "stiff: radau5 took over from t = %.4g; ", s->times[0]);
  else if (s->switches > 1)
    used = snprintf(text, room,
                    "stiff at times: radau5 took over from t = %.4g to %.4g%s, %ld of the steps; ",
                    s->times[0], s->times[1], s->switches > 2 ? " and again" : "", s->steps);
  else if (s->limits > sim->step / 2)
    used = snprintf(text, room,
                    "stiff from t = %.4g: stability, not accuracy, made most steps so short; %s "
                    "would be faster; ",
                    s->since,
                    sim->chosen ? "radau5, which is not for these settings,"
                                : "integrator radau5, or auto,");
  return (size_t)used;
}

/* What a reader of the summary should know although the run completed. */
static void add_remarks(trm_simulation *sim) {
  const trm_stabilizer *st = sim->dynamics.stabilizer;
  const trm_grid *grid = &sim->grid;
  size_t used = 0;
  if (sim->status == TRM_FAILED) return;
  char *text = sim->message;
  text[0] = 0;
  if (sim->status == TRM_INTERRUPTED)
    used += (size_t)snprintf(text, sizeof sim->message, "stopped at t = %.9g; ",
                             trm_simulation_time(sim));
  if (is_unbalanced(&sim->dynamics))
    used += (size_t)snprintf(text + used, sizeof sim->message - used,
                             "not to be trusted: the energy is off by %.3g, with a kinetic energy "
                             "of up to %.3g (a smaller step or another solver may help); ",
                             sim->dynamics.max_energy_error, sim->dynamics.max_kinetic);
  const trm_integrator *in = sim->integrator;
  trm_work work = trm_integrator_work(in);
  if (in->stiffness)
    used += remark_stiffness(sim, in->stiffness, text + used, sizeof sim->message - used);
  if (work.rejections > sim->step / 2) /* fewer are how step control works */
    used += (size_t)snprintf(text + used, sizeof sim->message - used, "%ld steps rejected; ",
                             work.rejections);
  if (work.restarts > 0)
    used += (size_t)snprintf(text + used, sizeof sim->message - used,
                             "%ld steps ended at a jump or bend of a formula; ", work.restarts);
  if (in->projections > 0)
    used += (size_t)snprintf(text + used, sizeof sim->message - used,
                             "%ld fresh starts from a projected state; ", in->projections);
  if (in->ferries > 0)
    used += (size_t)snprintf(text + used, sizeof sim->message - used,
                             "%ld steps by dop853 next to singular positions; ", in->ferries);
  if (sim->dynamics.energy_skips > 0)
    used +=
        (size_t)snprintf(text + used, sizeof sim->message - used,
                         "the energy could not be corrected at %ld steps, too little moves there; ",
                         sim->dynamics.energy_skips);
  if (!in->variable && grid->h < trm_settings_step(&sim->settings) * (1 - 1e-6))
    used += (size_t)snprintf(text + used, sizeof sim->message - used,
                             "the step was reduced to %.9g to meet the output times; ", grid->h);
  if (st->stalls > 0)
    used +=
        (size_t)snprintf(text + used, sizeof sim->message - used,
                         "%ld corrections ended at round-off above the tolerance; ", st->stalls);
  if (sim->system->m > sim->redundancy.generic)
    used +=
        (size_t)snprintf(text + used, sizeof sim->message - used,
                         sim->model->user ? "multipliers of redundant constraints are not unique; "
                                          : "reactions of redundant joints are not unique; ");
  if (used >= 2) text[used - 2] = 0;
}

const trm_summary *trm_simulation_summary(trm_simulation *sim) {
  const trm_dynamics *d = &sim->dynamics;
  trm_inspection inspection = trm_simulation_inspect(sim);
  double reached = trm_simulation_time(sim);
  trm_work work = trm_integrator_work(sim->integrator);
  const trm_stiffness *stiffness = sim->integrator->stiffness;
  bool user = sim->model->user != NULL, balanced = sim->system->has_energy;
  add_remarks(sim);
  trm_system_complete_frames(sim->system);
  sim->summary = (trm_summary){
      .model = sim->model->file,
      .name = sim->model->name,
      .space = user                              ? NULL
               : sim->model->space == TRM_PLANAR ? "planar"
                                                 : "spatial",
      .coordinates = user ? NULL : sim->settings.coordinates,
      .solver = trm_solver_find(sim->settings.solver)->name,
      .stabilization = sim->settings.stabilization,
      .energy = sim->settings.energy,
      .integrator = sim->settings.integrator,
      .step =
          sim->integrator->variable && sim->step > 0 ? reached / (double)sim->step : sim->grid.h,
      .duration = sim->settings.duration,
      .status = status_word(sim->status),
      .message = sim->message,
      .time_reached = reached,
      .steps = sim->step,
      .evaluations = d->evaluations,
      .newton_iterations = work.iterations,
      .jacobians = work.jacobians,
      .factorizations = work.jacobians + work.refactorizations,
      .step_cuts = work.cuts,
      .stiff_steps = stiffness ? stiffness->steps : 0,
      .switches = stiffness ? stiffness->switches : 0,
      .switch_times = stiffness ? stiffness->times : NULL,
      .bodies = inspection.bodies,
      .generalized_coordinates = inspection.coordinates,
      .constraints = inspection.constraints,
      .redundant_constraints = inspection.redundant,
      .degrees_of_freedom = inspection.degrees_of_freedom,
      .wall_seconds = sim->wall_seconds,
      .cpu_seconds = sim->cpu_seconds,
      .real_time_factor = sim->wall_seconds > 0 ? reached / sim->wall_seconds : 0,
      .max_position_violation = d->max_position_violation,
      .max_velocity_violation = d->max_velocity_violation,
      .energy_initial = sim->energy_initial,
      .energy_final = balanced ? trm_system_energy(sim->system) : NAN,
      .max_energy_error = balanced ? d->max_energy_error : NAN,
      .version = trm_version(),
  };
  return &sim->summary;
}
