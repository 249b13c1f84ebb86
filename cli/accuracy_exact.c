/* What errors are measured against: a file, or a run that is tighter than all others. */
#include "accuracy.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME_TIME 1e-9 /* relative to t above 1 */

/* --- measures --- */

/* A place, an angle or a length. Coordinates of a system of the user's own have no dot. */
static bool is_position(const char *name) {
  static const char *const parts[] = {"x",      "y",  "z",  "angle", "displacement",
                                      "length", "qw", "qx", "qy",    "qz"};
  const char *dot = strrchr(name, '.');
  if (!dot) return strcmp(name, "t") != 0 && !strchr(name, '\'') && strncmp(name, "lambda", 6) != 0;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    if (strcmp(dot + 1, parts[k]) == 0) return true;
  return false;
}

/* Pose of every body. */
static bool name_bodies(trm_cli_exact *exact, const trm_model *model) {
  static const char *const planar[] = {"x", "y", "angle"};
  static const char *const spatial[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  bool plane = trm_model_space(model) == TRM_PLANAR;
  int bodies = trm_model_body_count(model), each = plane ? 3 : 7;
  size_t count = (size_t)bodies * (size_t)each, size = 1, used = 0;
  for (int k = 0; k < bodies; k++)
    size += (size_t)each * (strlen(trm_model_body_name(model, k)) + sizeof ".angle");
  exact->measures = calloc(count + 1, sizeof *exact->measures);
  exact->names = malloc(size);
  if (!exact->measures || !exact->names) return false;
  for (size_t k = 0; k < count; k++) {
    const char *body = trm_model_body_name(model, (int)k / each);
    exact->measures[k] = exact->names + used;
    used += (size_t)snprintf(exact->names + used, size - used, "%s.%s", body,
                             plane ? planar[(int)k % each] : spatial[(int)k % each]) +
            1;
  }
  return true;
}

static double range_of(const trm_results *table, int column) {
  double low = INFINITY, high = -INFINITY;
  for (int row = 0; row < trm_results_rows(table); row++) {
    low = fmin(low, trm_results_get(table, row, column));
    high = fmax(high, trm_results_get(table, row, column));
  }
  return high - low;
}

/* Positions, or all columns where there are none. */
static bool choose_columns(trm_cli_exact *exact) {
  int columns = trm_results_columns(exact->table);
  exact->time = trm_results_find(exact->table, "t");
  exact->columns = calloc((size_t)columns + 1, sizeof *exact->columns);
  if (!exact->columns) return false;
  for (int all = 0; all < 2 && exact->column_count == 0; all++)
    for (int k = 0; k < columns; k++)
      if (k != exact->time && (all || is_position(trm_results_name(exact->table, k))))
        exact->columns[exact->column_count++] = k;
  for (int k = 0; k < exact->column_count; k++)
    exact->scale = fmax(exact->scale, range_of(exact->table, exact->columns[k]));
  return true;
}

static bool name_columns(trm_cli_exact *exact) {
  exact->measures = calloc((size_t)exact->column_count + 1, sizeof *exact->measures);
  if (!exact->measures) return false;
  for (int k = 0; k < exact->column_count; k++)
    exact->measures[k] = trm_results_name(exact->table, exact->columns[k]);
  return true;
}

/* --- comparison --- */

static bool compare_row(const trm_cli_exact *exact, int row, const trm_results *results, int other,
                        const int *columns, trm_cli_trial *run) {
  for (int k = 0; k < exact->column_count; k++) {
    double off = fabs(trm_results_get(results, other, columns[k]) -
                      trm_results_get(exact->table, row, exact->columns[k]));
    if (!isfinite(off)) return false;
    if (run->difference_column >= 0 && off <= run->difference) continue;
    run->difference = off;
    run->difference_column = exact->columns[k];
  }
  return true;
}

static bool compare_rows(const trm_cli_exact *exact, const trm_results *results, const int *columns,
                         trm_cli_trial *run) {
  bool later = false;
  int other = 0, rows = trm_results_rows(results);
  for (int row = 0; row < trm_results_rows(exact->table); row++) {
    double t = trm_results_get(exact->table, row, exact->time),
           slack = SAME_TIME * fmax(1, fabs(t));
    while (other < rows && trm_results_get(results, other, 0) < t - slack) other++;
    if (other == rows) break;
    if (trm_results_get(results, other, 0) > t + slack) continue;
    if (!compare_row(exact, row, results, other, columns, run)) return false;
    later |= t > 0; /* the start agrees whatever the motion is */
  }
  return later;
}

bool trm_cli_exact_compare(const trm_cli_exact *exact, const trm_results *results,
                           trm_cli_trial *run) {
  int *columns = calloc((size_t)exact->column_count + 1, sizeof *columns);
  bool good = columns != NULL;
  for (int k = 0; good && k < exact->column_count; k++) {
    columns[k] = trm_results_find(results, trm_results_name(exact->table, exact->columns[k]));
    good = columns[k] >= 0;
  }
  run->difference = NAN;
  run->difference_column = -1;
  if (good) good = compare_rows(exact, results, columns, run);
  free(columns);
  return good;
}

/* --- a file --- */

/* The smallest distance of its rows; from their number where they are equally far apart, which
 * rounds less. */
static double interval_of(const trm_results *table, int time) {
  int rows = trm_results_rows(table);
  double least = INFINITY;
  for (int row = 1; row < rows; row++)
    least = fmin(least, trm_results_get(table, row, time) - trm_results_get(table, row - 1, time));
  double mean =
      (trm_results_get(table, rows - 1, time) - trm_results_get(table, 0, time)) / (rows - 1);
  return fabs(mean - least) < SAME_TIME * mean ? mean : least;
}

/* Behind this no number of the table can hide an error. */
static bool is_finite(const trm_cli_exact *exact) {
  for (int row = 0; row < trm_results_rows(exact->table); row++)
    for (int k = 0; k < trm_results_columns(exact->table); k++) {
      if (isfinite(trm_results_get(exact->table, row, k))) continue;
      trm_cli_error("the reference '%s' cannot be used: row %d, column '%s' is no finite number",
                    exact->file, row + 1, trm_results_name(exact->table, k));
      return false;
    }
  return true;
}

static int read_file(trm_cli_accuracy *a) {
  trm_cli_exact *exact = &a->exact;
  exact->table = trm_results_read(exact->file, a->diagnostics);
  trm_cli_print_diagnostics(a->diagnostics, true);
  int time = exact->table ? trm_results_find(exact->table, "t") : -1;
  if (time < 0 || trm_results_rows(exact->table) < 2 || trm_results_columns(exact->table) < 2) {
    trm_cli_error("the reference '%s' cannot be used: it is a table of t and measures",
                  exact->file);
    return 3;
  }
  if (!is_finite(exact)) return 3;
  exact->interval = interval_of(exact->table, time);
  if (exact->interval > 0) return 0;
  trm_cli_error("the reference '%s' cannot be used: its times do not increase", exact->file);
  return 3;
}

/* Back to a computed one. */
static int drop_file(trm_cli_exact *exact, const char *why) {
  trm_results_destroy(exact->table);
  *exact = (trm_cli_exact){.why = why, .own = NAN};
  return 0;
}

int trm_cli_exact_open(trm_cli_accuracy *a) {
  trm_cli_exact *exact = &a->exact;
  const char *given = trm_cli_value(a->arguments, "reference");
  double tolerance;
  *exact = (trm_cli_exact){.own = NAN};
  if (given && strcmp(given, "self") == 0) return 0;
  if (given)
    exact->file = given;
  else if (!trm_model_reference(a->model, &exact->file, &tolerance))
    return drop_file(exact, NULL);
  /* it holds for the model as it stands in its file */
  if (!given && a->arguments->set_count > 0)
    return drop_file(exact, "the model's reference does not hold with --set");
  int status = read_file(a);
  if (status != 0) return status;
  int rows = trm_results_rows(exact->table), time = trm_results_find(exact->table, "t");
  double end = trm_results_get(exact->table, rows - 1, time);
  if (end >= a->settings.duration * (1 - SAME_TIME)) return 0;
  if (!given) return drop_file(exact, "the model's reference is shorter than the run");
  trm_cli_error("the reference '%s' ends at t = %g, before the run: --duration %g", given, end,
                end);
  return 2;
}

/* --- a run --- */

enum { TIGHT = 4 }; /* runs: two methods, each with two steps or tolerances */

typedef struct tight {
  trm_cli_accuracy *a;
  trm_cli_trial runs[TIGHT];
  trm_results *tables[TIGHT];
} tight;

static void run_tight(void *context, int index, trm_cli_watch *watch) {
  tight *t = context;
  trm_cli_trial *run = &t->runs[index];
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  t->tables[index] = trm_results_create();
  run->state = TRM_TRIAL_FAILED;
  if (diagnostics && t->tables[index])
    trm_cli_run_trial(run, t->a->model, t->a->exact.measures, t->tables[index], watch, diagnostics);
  trm_cli_keep_error(run, diagnostics);
  trm_diagnostics_destroy(diagnostics);
}

/* Sixth order with fixed steps; or error control, which stops at jumps of forces. */
static void plan_tight(tight *t) {
  const trm_cli_accuracy *a = t->a;
  const trm_cli_list *steps = &a->lists[TRM_LIST_STEP];
  trm_settings best = a->settings;
  double step = steps->numbers[steps->count - 1];
  if (best.step > 0) step = fmin(step, best.step);
  trm_settings usual = trm_default_settings();
  best.coordinates = usual.coordinates;
  best.solver = usual.solver;
  best.stabilization = usual.stabilization;
  best.weighting = usual.weighting;
  best.energy = usual.energy;
  best.tolerance = fmin(best.tolerance, 1e-12);
  best.output_step = a->exact.interval;
  for (int k = 0; k < TIGHT; k++) {
    bool fixed = k < 2;
    best.step = fixed ? step / (1 + k) : TRM_UNSET;
    best.rtol = k == 2 ? 1e-11 : 1e-12;
    best.atol = 1e-3 * best.rtol;
    trm_settings_set(&best, "integrator", fixed ? "rk6" : "dopri5", NULL);
    t->runs[k] = (trm_cli_trial){.settings = best};
  }
}

/* Of a pair the second is the finer one; what its step is halved for tells its error. */
static int choose_pair(tight *t) {
  trm_cli_exact *exact = &t->a->exact;
  int best = -1;
  for (int k = 0; k < TIGHT; k += 2) {
    trm_cli_exact finer = {.table = t->tables[k + 1], .measures = exact->measures};
    bool done = t->runs[k].state == TRM_TRIAL_DONE && t->runs[k + 1].state == TRM_TRIAL_DONE;
    if (done && choose_columns(&finer) &&
        trm_cli_exact_compare(&finer, t->tables[k], &t->runs[k]) &&
        (best < 0 || t->runs[k].difference < exact->own)) {
      best = k + 1;
      exact->own = t->runs[k].difference;
    }
    free(finer.columns);
  }
  return best;
}

static int compute(trm_cli_accuracy *a) {
  tight t = {.a = a};
  plan_tight(&t);
  trm_cli_jobs jobs = {.count = TIGHT, .threads = a->threads, .run = run_tight, .context = &t};
  trm_cli_jobs_begin(&jobs, !trm_cli_given(a->arguments, "quiet"));
  trm_cli_jobs_run(&jobs);
  trm_cli_jobs_end(&jobs);
  int best = trm_cli_stopped() ? -1 : choose_pair(&t);
  if (best >= 0) {
    a->exact.computed = t.runs[best];
    a->exact.table = t.tables[best];
    t.tables[best] = NULL;
  } else if (trm_cli_stopped()) {
    trm_cli_error("interrupted before the reference was computed");
  } else {
    const char *why = t.runs[TIGHT - 1].message;
    trm_cli_error("the reference cannot be computed: %s", *why ? why : "out of memory");
  }
  for (int k = 0; k < TIGHT; k++) trm_results_destroy(t.tables[k]);
  return best >= 0 ? 0 : 1;
}

/* Whether the model has what is to be recorded, before all runs fail for it. */
static int try_measures(trm_cli_accuracy *a, const trm_settings *settings) {
  trm_status status = TRM_OK;
  trm_simulation *simulation = trm_simulation_create(a->model, settings, a->diagnostics, &status);
  for (int k = 0; simulation && a->exact.measures && a->exact.measures[k]; k++)
    if (!trm_simulation_record(simulation, a->exact.measures[k], a->diagnostics))
      status = TRM_BAD_MODEL;
  trm_simulation_destroy(simulation);
  trm_cli_print_diagnostics(a->diagnostics, trm_cli_given(a->arguments, "quiet") ||
                                                trm_cli_given(a->arguments, "json"));
  return trm_cli_exit_status(status);
}

int trm_cli_exact_prepare(trm_cli_accuracy *a) {
  trm_cli_exact *exact = &a->exact;
  trm_settings probe = a->settings;
  probe.coordinates = a->lists[TRM_LIST_COORDINATES].names[0];
  bool good = exact->file ? choose_columns(exact) && name_columns(exact)
                          : trm_model_body_count(a->model) == 0 || name_bodies(exact, a->model);
  int status = good ? try_measures(a, &probe) : 1;
  if (status == 0 && !exact->file) {
    exact->interval = a->lists[TRM_LIST_STEP].numbers[0];
    status = compute(a);
    good = status != 0 || choose_columns(exact);
    exact->own = fmax(exact->own, DBL_EPSILON * exact->scale); /* two runs may agree by chance */
  }
  if (!good) trm_cli_error("out of memory");
  if (!good || status != 0 || exact->column_count > 0) return good ? status : 1;
  trm_cli_error("the model has no measure that could be compared");
  return 3;
}

void trm_cli_exact_free(trm_cli_exact *exact) {
  trm_results_destroy(exact->table);
  free(exact->measures);
  free(exact->names);
  free(exact->columns);
}
