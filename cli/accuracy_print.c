/* The table of `trammel accuracy`, as text and as JSON. */
#include "accuracy.h"

#include <math.h>
#include <string.h>

enum { NAME = 96 };
static const char *const states[] = {"waiting", "completed", "failed", "refused"};

static const char *measure_of(const trm_cli_accuracy *a, const trm_cli_point *point) {
  int column = point->run.difference_column;
  return column < 0 ? NULL : trm_results_name(a->exact.table, column);
}

/* --- text --- */

static void print_fixed_methods(const trm_cli_accuracy *a) {
  const char *before = "";
  for (int key = 1; key < TRM_LIST_METHODS; key++) {
    if (a->lists[key].count > 1) continue;
    if (key == TRM_LIST_COORDINATES && trm_model_is_system(a->model)) continue; /* its own */
    printf("%s%s %s", before, trm_cli_list_keys[key], a->lists[key].names[0]);
    before = ", ";
  }
  if (*before) putchar('\n');
}

static void print_reference(const trm_cli_accuracy *a) {
  const trm_cli_exact *exact = &a->exact;
  const trm_settings *s = &exact->computed.settings;
  double floor = trm_cli_floor(a);
  if (exact->file) {
    printf("reference: %s", exact->file);
  } else {
    printf("reference: computed here by %s", s->integrator);
    if (trm_settings_is_variable(s))
      printf(", rtol = %g", s->rtol);
    else
      printf(", step = %g", exact->computed.step);
    if (exact->why) printf(" (%s)", exact->why);
  }
  printf("; %d measure%s, rows %g apart\n", exact->column_count,
         exact->column_count == 1 ? "" : "s", exact->interval);
  if (!exact->file)
    printf("floor: its own error is %.1e, errors below ten times that are marked\n", floor);
  else if (isnan(floor))
    puts("floor: not reached, all errors are those of the methods");
  else
    printf("floor: errors stop falling at %.1e (round-off, or the reference's own digits)\n",
           floor);
}

static void print_parameter(const trm_cli_point *point) {
  char text[32];
  if (point->variable)
    snprintf(text, sizeof text, "rtol %g", point->run.settings.rtol);
  else
    snprintf(text, sizeof text, "%.5g", /* as made, where it was */
             point->run.state == TRM_TRIAL_DONE ? point->run.step : point->run.settings.step);
  printf(" %12s", text);
}

static void print_point(const trm_cli_accuracy *a, const trm_cli_point *point, int width,
                        int measure) {
  const trm_cli_trial *run = &point->run;
  char name[NAME], order[16] = "-", energy[16] = "-";
  trm_cli_series_name(a, point, name, sizeof name);
  printf("%-*s", width, name);
  print_parameter(point);
  if (run->state != TRM_TRIAL_DONE) {
    printf("  %s: %s\n", states[run->state], run->message);
    return;
  }
  if (!isnan(point->order)) snprintf(order, sizeof order, "%.2f", point->order);
  if (!isnan(run->energy)) snprintf(energy, sizeof energy, "%.2e", run->energy);
  printf(" %9.2e %6s  %-*s %9.2e %9.2e %9s %8ld %9ld %9.2f", run->difference, order, measure,
         measure_of(a, point), run->position, run->velocity, energy, run->steps, run->evaluations,
         1e3 * run->cpu_seconds);
  printf("%s%s\n", point->front ? "  front" : "", point->floor ? "  floor" : "");
}

static void print_best(const trm_cli_accuracy *a) {
  char name[NAME];
  double level;
  for (int k = 0; (level = trm_cli_level(a, k)) > 0; k++) {
    const trm_cli_point *best = trm_cli_fastest(a, level);
    trm_cli_series_name(a, best, name, sizeof name);
    printf("%s%.0e by %s, ", k ? "; to " : "fastest: to ", level, name);
    if (best->variable)
      printf("rtol %g", best->run.settings.rtol);
    else
      printf("step %.5g", best->run.step);
    printf(" (%.3g ms)", 1e3 * best->run.cpu_seconds);
  }
  puts(trm_cli_level(a, 0) > 0 ? "" : "fastest: no run has an error below 1e-2");
}

static void print_end(const trm_cli_accuracy *a) {
  int waiting = trm_cli_count_points(a, TRM_TRIAL_WAITING);
  int failed = trm_cli_count_points(a, TRM_TRIAL_FAILED);
  int refused = trm_cli_count_points(a, TRM_TRIAL_REFUSED);
  printf("%d runs, %.3g s on %d thread%s", a->count - waiting, a->wall_seconds, a->threads,
         a->threads == 1 ? "" : "s");
  if (failed) printf(", %d failed", failed);
  if (refused) printf(", %d refused", refused);
  if (waiting) printf("; interrupted, %d runs are missing", waiting);
  putchar('\n');
}

static int wider(int width, const char *text) {
  int length = (int)strlen(text);
  return length > width ? length : width;
}

void trm_cli_print_points(const trm_cli_accuracy *a) {
  int width = wider(0, "method"), measure = wider(0, "measure");
  char name[NAME];
  for (int k = 0; k < a->count; k++) {
    trm_cli_series_name(a, &a->points[k], name, sizeof name);
    width = wider(width, name);
    if (measure_of(a, &a->points[k])) measure = wider(measure, measure_of(a, &a->points[k]));
  }
  printf("%s, t = 0 to %g\n", trm_model_name(a->model), a->settings.duration);
  print_reference(a);
  print_fixed_methods(a);
  printf("\n%-*s %12s %9s %6s  %-*s %9s %9s %9s %8s %9s %9s\n", width, "method", "step", "error",
         "order", measure, "measure", "position", "velocity", "energy", "steps", "evals", "CPU ms");
  for (int k = 0; k < a->count; k++)
    if (a->points[k].run.state != TRM_TRIAL_WAITING) print_point(a, &a->points[k], width, measure);
  putchar('\n');
  print_best(a);
  print_end(a);
}

/* --- JSON --- */

static void json_point(trm_cli_json *json, const trm_cli_accuracy *a, const trm_cli_point *point) {
  const trm_cli_trial *run = &point->run;
  const trm_settings *s = &run->settings;
  bool done = run->state == TRM_TRIAL_DONE;
  trm_cli_json_open(json, NULL, '{');
  trm_cli_json_string(json, "integrator", s->integrator);
  trm_cli_json_string(json, "coordinates", trm_model_is_system(a->model) ? NULL : s->coordinates);
  trm_cli_json_string(json, "solver", s->solver);
  trm_cli_json_string(json, "stabilization", s->stabilization);
  trm_cli_json_string(json, "energy", s->energy);
  trm_cli_json_number(json, "step", done || !point->variable ? done ? run->step : s->step : NAN);
  trm_cli_json_number(json, "rtol", point->variable ? s->rtol : NAN);
  trm_cli_json_string(json, "status", states[run->state]);
  trm_cli_json_string(json, "message", run->message);
  trm_cli_json_number(json, "error", done ? run->difference : NAN);
  trm_cli_json_string(json, "measure", done ? measure_of(a, point) : NULL);
  trm_cli_json_number(json, "order", point->order);
  trm_cli_json_bool(json, "floor", point->floor);
  trm_cli_json_bool(json, "front", point->front);
  trm_cli_json_number(json, "max_position_violation", run->position);
  trm_cli_json_number(json, "max_velocity_violation", run->velocity);
  trm_cli_json_number(json, "max_energy_error", run->energy);
  trm_cli_json_number(json, "time_reached", run->time_reached);
  trm_cli_json_number(json, "steps", (double)run->steps);
  trm_cli_json_number(json, "evaluations", (double)run->evaluations);
  trm_cli_json_number(json, "cpu_seconds", run->cpu_seconds);
  trm_cli_json_close(json, '}');
}

static void json_reference(trm_cli_json *json, const trm_cli_accuracy *a) {
  const trm_cli_exact *exact = &a->exact;
  const trm_settings *s = exact->file ? NULL : &exact->computed.settings;
  trm_cli_json_open(json, "reference", '{');
  trm_cli_json_string(json, "file", exact->file);
  trm_cli_json_string(json, "integrator", s ? s->integrator : NULL);
  trm_cli_json_number(json, "step", s ? exact->computed.step : NAN);
  trm_cli_json_string(json, "why", exact->why);
  trm_cli_json_number(json, "interval", exact->interval);
  trm_cli_json_number(json, "floor", trm_cli_floor(a));
  trm_cli_json_open(json, "measures", '[');
  for (int k = 0; k < exact->column_count; k++)
    trm_cli_json_string(json, NULL, trm_results_name(exact->table, exact->columns[k]));
  trm_cli_json_close(json, ']');
  trm_cli_json_close(json, '}');
}

static void json_best(trm_cli_json *json, const trm_cli_accuracy *a) {
  double level;
  trm_cli_json_open(json, "fastest", '[');
  for (int k = 0; (level = trm_cli_level(a, k)) > 0; k++) {
    const trm_cli_point *best = trm_cli_fastest(a, level);
    trm_cli_json_open(json, NULL, '{');
    trm_cli_json_number(json, "error", level);
    trm_cli_json_string(json, "integrator", best->run.settings.integrator);
    trm_cli_json_number(json, "run", (double)(best - a->points));
    trm_cli_json_close(json, '}');
  }
  trm_cli_json_close(json, ']');
}

void trm_cli_json_points(const trm_cli_accuracy *a, FILE *file) {
  trm_cli_json json = {.file = file};
  trm_cli_json_open(&json, NULL, '{');
  trm_cli_json_string(&json, "model", a->path);
  trm_cli_json_string(&json, "name", trm_model_name(a->model));
  trm_cli_json_number(&json, "duration", a->settings.duration);
  json_reference(&json, a);
  trm_cli_json_open(&json, "runs", '[');
  for (int k = 0; k < a->count; k++) json_point(&json, a, &a->points[k]);
  trm_cli_json_close(&json, ']');
  json_best(&json, a);
  trm_cli_json_number(&json, "missing", trm_cli_count_points(a, TRM_TRIAL_WAITING));
  trm_cli_json_number(&json, "failed", trm_cli_count_points(a, TRM_TRIAL_FAILED));
  trm_cli_json_number(&json, "refused", trm_cli_count_points(a, TRM_TRIAL_REFUSED));
  trm_cli_json_number(&json, "threads", a->threads);
  trm_cli_json_number(&json, "wall_seconds", a->wall_seconds);
  trm_cli_json_string(&json, "version", trm_version());
  trm_cli_json_close(&json, '}');
}
