/* trammel compare --methods: one model by every combination of methods, in parallel. */
#define _POSIX_C_SOURCE 200809L
#include "external.h"
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 5.0 /* s: what a run may take … */
#define TIMES    5.0 /* or as often as long as the first */

enum { KEYS = 4 };
static const char *const keys[KEYS] = {"coordinates", "solver", "stabilization", "integrator"};

typedef struct methods {
  const trm_cli_arguments *arguments;
  trm_model *model;
  trm_settings settings; /* of the first run */
  trm_cli_trials all;
  trm_cli_jobs jobs;
  trm_diagnostics *diagnostics; /* of the first run */
} methods;

/* --- the combinations --- */

static const char **field_of(trm_settings *settings, int key) {
  const char **fields[KEYS] = {&settings->coordinates, &settings->solver, &settings->stabilization,
                               &settings->integrator};
  return fields[key];
}

/* Of each kind two that share nothing: corrections onto the constraints, and beside the model's own
 * an explicit and an implicit integrator. Coordinates and solvers are few. */
static bool is_representative(const trm_method *method) {
  static const char *const names[] = {"direct", "partition", "dop853", "radau5"};
  if (strcmp(method->key, "coordinates") == 0 || strcmp(method->key, "solver") == 0) return true;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(method->name, names[k]) == 0) return true;
  return false;
}

static bool is_wanted(const methods *m, const trm_method *method, int key, const char *first) {
  if (strcmp(method->key, keys[key]) != 0) return false;
  if (strcmp(method->name, first) == 0) return true;
  if (trm_cli_given(m->arguments, keys[key])) return false;
  if (m->all.system && strcmp(keys[key], "coordinates") == 0) return false;
  bool planar = trm_model_space(m->model) == TRM_PLANAR;
  if (planar ? method->spatial_only : method->planar_only) return false;
  if (strcmp(method->name, "auto") == 0) return false; /* it only picks one of the others */
  if (trm_cli_given(m->arguments, "all")) return true;
  bool taken = strcmp(first, "auto") == 0 && strcmp(method->name, "dop853") == 0;
  return !taken && is_representative(method);
}

/* The model's own settings, in what all models can be computed with. */
static void choose_first(methods *m) {
  static const char *const usual[KEYS] = {"natural", "udwadia-kalaba", "direct", NULL};
  for (int k = 0; k < KEYS; k++)
    if (usual[k] && !trm_cli_given(m->arguments, keys[k]))
      trm_settings_set(&m->settings, keys[k], usual[k], NULL);
}

static bool same_methods(trm_settings a, trm_settings b) {
  for (int k = 0; k < KEYS; k++)
    if (strcmp(*field_of(&a, k), *field_of(&b, k)) != 0) return false;
  return true;
}

static void add_trial(methods *m, trm_settings settings) {
  m->all.trials[m->all.count++] = (trm_cli_trial){.settings = settings,
                                                  .difference = NAN,
                                                  .icc = NAN,
                                                  .difference_column = -1,
                                                  .icc_column = -1};
}

/* Every wanted method of this key with every one of the keys after it. */
static void combine(methods *m, int key, trm_settings settings) {
  if (key == KEYS) {
    if (!same_methods(settings, m->settings) && !trm_simulation_refusal(&settings))
      add_trial(m, settings);
    return;
  }
  const char *first = *field_of(&m->settings, key);
  for (int k = 0; k < trm_method_count(); k++) {
    if (!is_wanted(m, trm_method_get(k), key, first)) continue;
    *field_of(&settings, key) = trm_method_get(k)->name;
    combine(m, key + 1, settings);
  }
}

static bool list_trials(methods *m) {
  size_t most = 1;
  for (int key = 0; key < KEYS; key++) {
    size_t wanted = 0;
    const char *first = *field_of(&m->settings, key);
    for (int k = 0; k < trm_method_count(); k++)
      wanted += is_wanted(m, trm_method_get(k), key, first);
    most *= wanted;
  }
  m->all.trials = calloc(most, sizeof *m->all.trials);
  if (!m->all.trials) return false;
  add_trial(m, m->settings);
  combine(m, 0, m->settings);
  return true;
}

/* --- the runs --- */

static void run_trial(methods *m, trm_cli_trial *trial, trm_results *results, trm_cli_watch *watch,
                      trm_diagnostics *diagnostics) {
  trm_cli_run_trial(trial, m->model, NULL, results, watch, diagnostics);
  bool comparable = trial->state == TRM_TRIAL_DONE && m->all.columns;
  if (comparable && !trm_cli_compare_trial(&m->all, results, trial, diagnostics))
    trial->state = TRM_TRIAL_FAILED; /* a number is not finite */
  if (trial->state == TRM_TRIAL_DONE) trial->print = trm_cli_fingerprint(trial, results);
  if (trial->state == TRM_TRIAL_LATE)
    snprintf(trial->message, sizeof trial->message, "no end within %.3g s, t = %.4g of %.4g",
             m->jobs.limit, trial->time_reached, trial->settings.duration);
  if (trial->state == TRM_TRIAL_FAILED || trial->state == TRM_TRIAL_REFUSED)
    trm_cli_keep_error(trial, diagnostics);
}

/* The first keeps its table and its messages. */
static void run_job(void *context, int index, trm_cli_watch *watch) {
  methods *m = context;
  trm_cli_trial *trial = &m->all.trials[index];
  trm_results *results = index == 0 ? m->all.first : trm_results_create();
  trm_diagnostics *diagnostics = index == 0 ? m->diagnostics : trm_diagnostics_create();
  if (results && diagnostics) {
    run_trial(m, trial, results, watch, diagnostics);
  } else {
    trial->state = TRM_TRIAL_FAILED;
    snprintf(trial->message, sizeof trial->message, "out of memory");
  }
  if (index == 0) return;
  trm_results_destroy(results);
  trm_diagnostics_destroy(diagnostics);
}

/* Without an output step each method would choose its own times. */
static void fix_output_times(methods *m) {
  if (trm_results_rows(m->all.first) < 2) return;
  double first = trm_results_get(m->all.first, 1, 0) - trm_results_get(m->all.first, 0, 0);
  for (int k = 1; k < m->all.count; k++)
    if (m->all.trials[k].settings.output_step <= 0) m->all.trials[k].settings.output_step = first;
}

/* Returns the exit status where there is nothing to go on with. */
static int run_first(methods *m) {
  trm_cli_trial *first = &m->all.trials[0];
  trm_cli_jobs_run_one(&m->jobs);
  if (first->state == TRM_TRIAL_WAITING) {
    trm_cli_error("interrupted at t = %g of the first run", first->time_reached);
    return 1;
  }
  if (first->state == TRM_TRIAL_LATE) {
    trm_cli_error("the first run has %s; --time-limit gives it more", first->message);
    return 1;
  }
  if (first->state == TRM_TRIAL_REFUSED) return 2;
  if (first->state == TRM_TRIAL_FAILED) return first->steps > 0 ? 0 : 3;
  if (trm_results_rows(m->all.first) < 3) {
    trm_cli_error("the run has fewer than three rows: nothing to compare");
    return 2;
  }
  fix_output_times(m);
  int columns = trm_cli_scale_columns(&m->all);
  if (columns > 0) return 0;
  trm_cli_error(columns < 0 ? "out of memory"
                            : "no position or velocity is among the model's outputs");
  return columns < 0 ? 1 : 3;
}

static int run_all(methods *m) {
  double start = trm_cli_seconds();
  if (!list_trials(m) || !(m->all.first = trm_results_create())) {
    trm_cli_error("out of memory");
    return 1;
  }
  m->jobs.count = m->all.count;
  m->jobs.run = run_job;
  m->jobs.context = m;
  trm_cli_jobs_begin(&m->jobs, true);
  int status = run_first(m);
  if (m->jobs.limit == 0) m->jobs.limit = fmax(PATIENCE, TIMES * (trm_cli_seconds() - start));
  m->all.limit = m->jobs.limit;
  if (status == 0) trm_cli_jobs_run(&m->jobs);
  trm_cli_jobs_end(&m->jobs);
  m->all.threads = m->jobs.threads;
  m->all.wall_seconds = trm_cli_seconds() - start;
  /* what the first run's assembly moved holds for all of them */
  trm_cli_print_diagnostics(m->diagnostics, status == 0);
  return status;
}

/* --- the command --- */

static bool write_page(methods *m, const char *path) {
  char *json = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&json, &length);
  if (!file) {
    trm_cli_error("out of memory");
    return false;
  }
  trm_cli_json_trials(&m->all, file);
  trm_status status = TRM_NO_MEMORY;
  bool whole = !ferror(file);
  if (fclose(file) == 0 && whole && json)
    status = trm_report_write_methods(trm_model_name(m->model), json, path, m->diagnostics);
  free(json);
  trm_cli_print_diagnostics(m->diagnostics, false);
  return status == TRM_OK;
}

static int report(methods *m) {
  trm_cli_find_same(&m->all);
  trm_cli_judge_trials(&m->all);
  if (trm_cli_given(m->arguments, "json"))
    trm_cli_json_trials(&m->all, stdout);
  else
    trm_cli_print_trials(&m->all);
  const char *page = trm_cli_value(m->arguments, "page");
  if (page && !write_page(m, page)) return 1;
  bool good = trm_cli_count_marks(&m->all, TRM_MARK_OUTLIER) == 0 &&
              trm_cli_count_states(&m->all, TRM_TRIAL_WAITING) == 0;
  return good ? 0 : 1;
}

/* Where `auto` may go over to another method it stays, with its tolerances for all. */
static void resolve(methods *m) {
  const char *own = m->settings.integrator;
  m->settings = trm_settings_resolve(&m->settings);
  if (trm_integrator_is_variable(m->settings.integrator)) m->settings.integrator = own;
}

static int compare_methods(methods *m) {
  int status = trm_cli_load(m->arguments, m->all.path, &m->model, &m->settings, m->diagnostics);
  if (status == 0) resolve(m);
  trm_cli_print_diagnostics(m->diagnostics, false);
  if (status == 0) status = trm_cli_refuse_coordinates(m->arguments, m->model);
  if (status == 0) {
    m->all.system = trm_model_is_system(m->model);
    choose_first(m);
    status = run_all(m);
  }
  return status == 0 ? report(m) : status;
}

static int methods_command(const trm_cli_arguments *arguments) {
  methods m = {.arguments = arguments, .all.path = arguments->models[0]};
  if (!trm_cli_read_threads(arguments, &m.jobs.threads) ||
      !trm_cli_number(arguments, "time-limit", 1e-3, &m.jobs.limit))
    return 2;
  m.diagnostics = trm_diagnostics_create();
  if (!m.diagnostics) {
    trm_cli_error("out of memory");
    return 1;
  }
  int status = compare_methods(&m);
  trm_diagnostics_destroy(m.diagnostics);
  trm_results_destroy(m.all.first);
  trm_model_destroy(m.model);
  free(m.all.trials);
  free(m.all.columns);
  return status;
}

static const trm_cli_option options[] = {
    {"methods", 0, NULL, "run MODEL by many combinations of methods"},
    {"all", 0, NULL, "by every one: all integrators and stabilizations, also euler and none"},
    {"time-limit", 0, "S", "for each run; default: five times that of the first, at least 5 s"},
    {"threads", 0, "N", "runs at a time; default: as many as there are processors"},
    {"json", 0, NULL, "print the table as JSON"},
    {"page", 0, "FILE", "also as a page: a table to be sorted and filtered"},
    {0}};

const trm_cli_command trm_cli_compare_methods = {
    .name = "compare",
    .usage = "--methods MODEL [--all] [--time-limit S] [--threads N] [--json] [--set "
             "NAME=VALUE]... [--input NAME=VALUE]... "
             "[--KEY VALUE]...",
    .summary = "one model by many combinations of methods: violations, energy, agreement, time",
    .notes =
        "Every combination of all coordinates and solvers, stabilization direct and partition, "
        "and\n"
        "the model's own integrator, dop853 and radau5; with --all of all methods. One of these\n"
        "given as an option is the only one of its kind. All runs are compared with the first:\n"
        "the model's own settings in natural coordinates, with udwadia-kalaba and direct.\n\n"
        "difference: the largest |difference| of a position or velocity among the model's "
        "outputs,\n"
        "divided by the range of its column; ICC(A,1): of the column that agrees least.\n"
        "outlier: a run that failed, left the constraints, or is more than ten times as far from\n"
        "the first as is usual with its integrator in other coordinates and with other solvers.\n"
        "lost: stabilization and integrator cannot follow this motion at this step.\n"
        "same: bit by bit the results of another, so that it tells nothing more; not counted.\n"
        "late: no end within the time limit; not compared.\n\n"
        "Ctrl-C stops and prints what there is; a second one kills.\n\n"
        "exit status: 0 no outlier; 1 an outlier, or interrupted; 2 wrong usage; 3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = methods_command};
