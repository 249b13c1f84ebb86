/* A whole run: steps, rows at the output times, and the summary. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/version.h>

#include "analysis/checkpoint.h"
#include "analysis/verdict.h"
#include "base/clock.h"
#include "force/element.h"
#include "math/serial.h"
#include "result/results.h"

static bool lay_out(trm_simulation *sim, trm_results *results) {
  const trm_model *model = sim->engine->model;
  int columns = 1 + model->output_count + sim->extra_count;
  long rows = trm_grid_rows(&sim->grid) + 1; /* one more for the state before a failure */
  const char **names = malloc((size_t)columns * sizeof *names);
  if (!names || rows > INT_MAX) {
    free(names);
    errno = ENOMEM;
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

/* The time of an event that has not been is no number; a formula need not have a value. */
static bool may_be_nan(const trm_simulation *sim, int column) {
  int outputs = sim->engine->model->output_count;
  if (column == 0) return false;
  const trm_measure *measure = column <= outputs ? &sim->engine->model->outputs[column - 1]
                                                 : &sim->extra[column - 1 - outputs];
  return measure->kind == TRM_MEASURE_EVENT || measure->kind == TRM_MEASURE_FORMULA;
}

/* The first column of a row that is no finite number; −1: none. */
static int find_bad(const trm_simulation *sim, const double *row, int columns) {
  double sum = 0;
  for (int k = 0; k < columns; k++) sum += 0 * row[k];
  for (int k = 0; k < columns && sum != 0; k++)
    if (!isfinite(row[k]) && !may_be_nan(sim, k)) return k;
  return -1;
}

/* The file of the rows takes no more of them. */
static bool cannot_write(trm_simulation *sim, trm_results *results) {
  trm_system *sys = sim->engine->system;
  sys->place = (trm_place){0};
  snprintf(sys->error, sizeof sys->error, "cannot write '%s': %s; what was written before is kept",
           trm_results_part(results), strerror(trm_results_drain(results)));
  return false;
}

/* False: a column is not finite, and the row is not kept. */
static bool record(trm_simulation *sim, trm_results *results, double t) {
  trm_system *sys = sim->engine->system;
  double *row = results ? trm_results_next_row(results) : NULL;
  if (row) {
    row[0] = t;
    trm_engine_measures(sim->engine, sim->engine->model->outputs, sim->engine->model->output_count,
                        row + 1);
    trm_engine_measures(sim->engine, sim->extra, sim->extra_count,
                        row + 1 + sim->engine->model->output_count);
    int bad = find_bad(sim, row, trm_results_columns(results));
    if (bad >= 0) {
      sys->place = (trm_place){0};
      snprintf(sys->error, sizeof sys->error,
               "t = %.9g: '%s' is %s; what was computed before is kept", t,
               trm_results_name(results, bad), isnan(row[bad]) ? "not a number" : "infinite");
      return false;
    }
    if (!trm_results_add_row(results)) return cannot_write(sim, results);
  }
  trm_film_row(sim, t);
  trm_marks_row(sim, t);
  return true;
}

/* Violations and energies may overflow where the motion does not, and where nobody records them. */
static bool errors_are_finite(trm_simulation *sim) {
  const trm_dynamics *d = &sim->engine->dynamics;
  trm_system *sys = sim->engine->system;
  const char *what = NULL;
  if (sys->has_energy && !isfinite(d->max_energy_error)) what = "energy";
  if (!isfinite(d->max_velocity_violation)) what = "violation of the velocity constraints";
  if (!isfinite(d->max_position_violation)) what = "violation of the constraints";
  if (!what) return true;
  sys->place = (trm_place){0};
  snprintf(sys->error, sizeof sys->error, "t = %.9g: the %s is no longer finite", sim->engine->t,
           what);
  return false;
}

/* Rows inside the last step of a variable-step method: interpolated, then brought onto the
 * constraints. */
static bool record_inside(trm_simulation *sim, trm_results *results) {
  trm_system *sys = sim->engine->system;
  int size = sim->engine->dynamics.size;
  if (!results && sim->film.capacity == 0 && sim->marks.capacity == 0)
    return true; /* nothing is recorded */
  while (sim->course->output < sim->grid.steps &&
         trm_grid_time(&sim->grid, sim->course->output + 1) <= sim->engine->t) {
    double t = trm_grid_time(&sim->grid, ++sim->course->output);
    if (!trm_grid_is_output(&sim->grid, sim->course->output)) continue;
    if (!trm_integrator_complete(sim->integrator, &sim->engine->dynamics)) return false;
    trm_integrator_interpolate(sim->integrator, t, sim->engine->at);
    if (!trm_dynamics_correct(&sim->engine->dynamics, t, sim->engine->at, sim->engine->at + size))
      return false;
    sys->work = sim->engine->at[size - 1];
    sim->engine->reactions_ready = false;
    if (!record(sim, results, t)) return false;
  }
  sys->work = sim->engine->y[size - 1]; /* a row behind an event, or before a failure, has that */
  return true;
}

static trm_status fail(trm_simulation *sim, trm_diagnostics *diagnostics) {
  snprintf(sim->message, sizeof sim->message, "%s", sim->engine->system->error);
  trm_report_place(diagnostics, TRM_ERROR, sim->engine->system->place, "%s", sim->message);
  return TRM_FAILED;
}

/* An event ends the run: the last row is there, behind what it has set. */
static trm_status stop(trm_simulation *sim, trm_results *results, trm_diagnostics *diagnostics) {
  int rows = results ? trm_results_rows(results) : 0;
  double t = sim->engine->t;
  sim->engine->reactions_ready = false;
  if (rows > 0 && trm_results_get(results, rows - 1, 0) == t) return TRM_OK;
  if (!record(sim, results, t) || !errors_are_finite(sim)) return fail(sim, diagnostics);
  trm_film_end(sim, t);
  return TRM_OK;
}

static trm_status loop(trm_simulation *sim, trm_results *results, trm_progress progress,
                       void *context, trm_diagnostics *diagnostics) {
  const trm_grid *grid = &sim->grid;
  bool variable = sim->integrator->variable;
  if (!trm_checkpoints_resumes(sim) && !record(sim, results, sim->engine->t))
    return fail(sim, diagnostics);
  while (sim->engine->t < grid->duration) {
    trm_status status = trm_simulation_move(sim, INFINITY, diagnostics);
    if (variable && status == TRM_OK && !record_inside(sim, results)) return fail(sim, diagnostics);
    if (status == TRM_OK) status = trm_simulation_fire(sim, diagnostics);
    bool output = !variable && trm_grid_is_output(grid, sim->course->step);
    bool go_on = status != TRM_OK || !progress ||
                 progress(context, sim->engine->t, sim->engine->t / grid->duration);
    if (status == TRM_OK && trm_integrator_has_stopped(sim->integrator))
      return stop(sim, results, diagnostics);
    bool ends = status != TRM_OK || (!go_on && sim->engine->t < grid->duration);
    bool good = (status != TRM_OK || !output || record(sim, results, sim->engine->t)) &&
                errors_are_finite(sim);
    if (status == TRM_OK && good) trm_checkpoints_step(sim, results, ends, diagnostics);
    /* also the state before a failure or interruption */
    if (ends && good && !output && (status == TRM_OK ? !variable : sim->course->step > 0))
      good = record(sim, results, sim->engine->t);
    if (status == TRM_OK && !good) return fail(sim, diagnostics);
    if (ends && good && !variable) trm_film_end(sim, sim->engine->t);
    if (ends) return status == TRM_OK ? TRM_INTERRUPTED : status;
  }
  return TRM_OK;
}

static double value_of(void *context, int slot, int row) {
  return trm_results_get(context, row, slot);
}

/* Each may use those before it. */
static bool measure_run(trm_simulation *sim, trm_results *results) {
  const trm_model *model = sim->engine->model;
  size_t count = (size_t)model->metric_count;
  free(sim->metrics);
  free(sim->metric_names);
  sim->metrics = NULL;
  sim->metric_names = NULL;
  if (!results || count == 0) return true;
  sim->metrics = calloc(count, sizeof *sim->metrics);
  sim->metric_names = calloc(count, sizeof *sim->metric_names);
  if (!sim->metrics || !sim->metric_names) {
    free(sim->metrics);
    sim->metrics = NULL; /* none are known */
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    sim->metric_names[i] = model->metrics[i].name;
    sim->metrics[i] = trm_series_value(model->metrics[i].formula, trm_results_rows(results),
                                       value_of, results, sim->metrics);
  }
  return true;
}

static trm_status refuse_rows(const trm_results *results, int error, trm_diagnostics *diagnostics) {
  const char *path = trm_results_path(results);
  if (error == ENOMEM || !path)
    trm_report(diagnostics, TRM_ERROR, "out of memory: a longer output-step needs fewer rows");
  else if (error == EILSEQ)
    trm_report(diagnostics, TRM_ERROR,
               "'%s.part' has not the rows that the checkpoint goes on from", path);
  else
    trm_report(diagnostics, TRM_ERROR, "cannot write '%s.part': %s", path, strerror(error));
  if (error == EILSEQ) return TRM_BAD_USAGE;
  return error == ENOMEM || !path ? TRM_NO_MEMORY : TRM_IO_ERROR;
}

trm_status trm_simulation_run(trm_simulation *sim, trm_results *results, trm_progress progress,
                              void *context, trm_diagnostics *diagnostics) {
  if (results && !lay_out(sim, results))
    return sim->status = refuse_rows(results, errno, diagnostics);
  sim->estimate = (trm_error_estimate){0};
  if (!trm_film_lay_out(sim) || !trm_marks_lay_out(sim)) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return sim->status = TRM_NO_MEMORY;
  }
  trm_checkpoints_begin(sim, results);
  double wall = trm_wall_seconds(), cpu = trm_cpu_seconds();
  trm_serial_begin();
  sim->running = true;
  sim->status = loop(sim, results, progress, context, diagnostics);
  sim->running = false;
  trm_serial_end();
  if (sim->status == TRM_OK && results && trm_results_drain(results) != 0) {
    cannot_write(sim, results);
    sim->status = fail(sim, diagnostics);
  }
  trm_checkpoints_end(sim);
  sim->wall_seconds += trm_wall_seconds() - wall;
  sim->cpu_seconds += trm_cpu_seconds() - cpu;
  if (!measure_run(sim, results)) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return sim->status = TRM_NO_MEMORY;
  }
  return sim->status;
}

static const char *status_word(trm_status status, bool doubtful) {
  if (status == TRM_OK) return doubtful ? "doubtful" : "completed";
  return status == TRM_INTERRUPTED ? "interrupted" : "failed";
}

/* One more remark, as far as there is room. */
__attribute__((format(printf, 2, 3))) static void remark(trm_simulation *sim, const char *format,
                                                         ...) {
  size_t used = strlen(sim->message), room = sizeof sim->message - used;
  va_list arguments;
  va_start(arguments, format);
  if (used > 0 && room > 2) {
    memcpy(sim->message + used, "; ", 3);
    used += 2;
    room -= 2;
  }
  vsnprintf(sim->message + used, room, format, arguments);
  va_end(arguments);
}

/* Who took over, or who should have. */
static void remark_stiffness(trm_simulation *sim, const trm_stiffness *s) {
  if (s->switches == 1)
    remark(sim, "stiff: radau5 took over from t = %.4g", s->times[0]);
  else if (s->switches > 1)
    remark(sim, "stiff at times: radau5 took over from t = %.4g to %.4g%s, %ld of the steps",
           s->times[0], s->times[1], s->switches > 2 ? " and again" : "", s->steps);
  else if (s->limits > sim->course->step / 2)
    remark(sim,
           "stiff from t = %.4g: stability, not accuracy, made most steps so short; %s would be "
           "faster",
           s->since,
           sim->chosen ? "radau5, which is not for these settings,"
                       : "integrator radau5, or auto,");
}

/* Tires that were taken at the ends of their data; the first is named. */
static void remark_tires(trm_simulation *sim) {
  const trm_model *model = sim->engine->model;
  const trm_element *elements = sim->engine->system->elements;
  const trm_rolling *first = NULL;
  int others = -1, which = 0;
  char ranges[200], more[40] = "";
  for (int i = 0; i < model->force_count; i++) {
    const trm_rolling *r = elements[i].rolling;
    if (!r || r->beyond == 0) continue;
    if (!first || r->beyond_t < first->beyond_t) first = r, which = i;
    others++;
  }
  if (!first) return;
  trm_tire_name_beyond(first->tire, first->beyond, ranges, sizeof ranges);
  if (others > 0) snprintf(more, sizeof more, ", and %d other%s", others, others > 1 ? "s" : "");
  remark(sim, "tire '%.60s' was beyond its data from t = %.4g on (%s)%s: taken at their end",
         model->forces[which].name, first->beyond_t, ranges, more);
}

/* What a reader of the summary should know although the run came to its end. True: it is doubtful.
 */
static bool add_remarks(trm_simulation *sim) {
  char doubts[sizeof sim->message];
  bool doubtful = false;
  const trm_dynamics *d = &sim->engine->dynamics;
  const trm_integrator *in = sim->integrator;
  const trm_grid *grid = &sim->grid;
  if (sim->status == TRM_FAILED) return false;
  sim->message[0] = 0;
  if (sim->status == TRM_INTERRUPTED) remark(sim, "stopped at t = %.9g", trm_simulation_time(sim));
  if (sim->status == TRM_OK && trm_simulation_stopped(sim))
    remark(sim, "event '%s' stopped the run at t = %.9g", trm_simulation_stopped(sim),
           trm_simulation_time(sim));
  doubtful = trm_verdict_doubts(sim, doubts, sizeof doubts);
  if (doubtful) remark(sim, "%s", doubts);
  if (trm_simulation_inspect(sim).locked)
    remark(sim, "nothing can move: there are no degrees of freedom and no driver");
  trm_work work = trm_integrator_work(in);
  if (in->stiffness) remark_stiffness(sim, in->stiffness);
  remark_tires(sim);
  if (work.rejections > sim->course->step / 2) /* fewer are how step control works */
    remark(sim, "%ld steps rejected", work.rejections);
  if (work.restarts > 0)
    remark(sim, "%ld steps ended at a jump or bend of a formula", work.restarts);
  if (in->projections > 0) remark(sim, "%ld fresh starts from a projected state", in->projections);
  if (in->substitutions > 0)
    remark(sim, "%ld steps by dop853 next to singular positions", in->substitutions);
  if (d->energy_skips > 0)
    remark(sim, "the energy could not be corrected at %ld steps, too little moves there",
           d->energy_skips);
  if (!in->variable && grid->h < trm_settings_step(&sim->engine->settings) * (1 - 1e-6))
    remark(sim, "the step was reduced to %.9g to meet the output times", grid->h);
  if (d->stabilizer->stalls > 0)
    remark(sim, "%ld corrections ended at round-off above the tolerance", d->stabilizer->stalls);
  if (sim->engine->system->m > sim->engine->redundancy.generic)
    remark(sim, "%s are not unique",
           sim->engine->model->user ? "multipliers of redundant constraints"
                                    : "reactions of redundant joints");
  return doubtful;
}

const trm_summary *trm_simulation_summary(trm_simulation *sim) {
  const trm_dynamics *d = &sim->engine->dynamics;
  trm_inspection inspection = trm_simulation_inspect(sim);
  double reached = trm_simulation_time(sim);
  trm_work work = trm_integrator_work(sim->integrator);
  const trm_stiffness *stiffness = sim->integrator->stiffness;
  bool user = sim->engine->model->user != NULL, balanced = sim->engine->system->has_energy;
  bool doubtful = add_remarks(sim);
  trm_system_complete_frames(sim->engine->system);
  sim->summary = (trm_summary){
      .model = sim->engine->model->file,
      .name = sim->engine->model->name,
      .space = user                                      ? NULL
               : sim->engine->model->space == TRM_PLANAR ? "planar"
                                                         : "spatial",
      .coordinates = user ? NULL : sim->engine->settings.coordinates,
      .solver = trm_solver_find(sim->engine->settings.solver)->name,
      .stabilization = sim->engine->settings.stabilization,
      .energy = sim->engine->settings.energy,
      .integrator = sim->engine->settings.integrator,
      .step = sim->integrator->variable && sim->course->step > 0
                  ? reached / (double)sim->course->step
                  : sim->grid.h,
      .duration = sim->engine->settings.duration,
      .status = status_word(sim->status, doubtful),
      .message = sim->message,
      .time_reached = reached,
      .estimated_error = sim->estimate.made ? sim->estimate.error : NAN,
      .estimate_seconds = sim->estimate.cpu_seconds,
      .steps = sim->course->step,
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
      .energy_initial = sim->engine->energy_initial,
      .energy_final = balanced ? trm_system_energy(sim->engine->system) : NAN,
      .max_energy_error = balanced ? d->max_energy_error : NAN,
      .version = trm_version(),
      .metric_count = sim->metrics ? sim->engine->model->metric_count : 0,
      .metric_names = sim->metric_names,
      .metrics = sim->metrics,
  };
  return &sim->summary;
}
