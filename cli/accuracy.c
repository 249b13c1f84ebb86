/* trammel accuracy: error against step and against time, for several methods. */
#include "accuracy.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST_PATH = 4096, REPEATS = 3 };
static const double brief = 0.02; /* s: a shorter run is timed again, the clock is not that good */

/* The least of some times is the one that nothing else disturbed. */
static void time_again(const trm_cli_accuracy *a, trm_cli_trial *run, trm_results *results,
                       trm_cli_watch *watch, trm_diagnostics *diagnostics) {
  for (int k = 1; k < REPEATS && run->cpu_seconds < brief && !trm_cli_stopped(); k++) {
    trm_cli_trial again = {.settings = run->settings};
    trm_cli_run_trial(&again, a->model, a->exact.measures, results, watch, diagnostics);
    if (again.state == TRM_TRIAL_DONE) run->cpu_seconds = fmin(run->cpu_seconds, again.cpu_seconds);
  }
}

static void run_point(void *context, int index, trm_cli_watch *watch) {
  trm_cli_accuracy *a = context;
  trm_cli_trial *run = &a->points[index].run;
  trm_results *results = trm_results_create();
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  if (results && diagnostics) {
    trm_cli_run_trial(run, a->model, a->exact.measures, results, watch, diagnostics);
    if (run->state != TRM_TRIAL_WAITING) trm_cli_keep_error(run, diagnostics);
    if (run->state == TRM_TRIAL_DONE && !trm_cli_exact_compare(&a->exact, results, run)) {
      run->state = TRM_TRIAL_FAILED;
      snprintf(run->message, sizeof run->message, "diverged: a position is not finite");
    }
    if (run->state == TRM_TRIAL_DONE) time_again(a, run, results, watch, diagnostics);
  } else {
    run->state = TRM_TRIAL_FAILED;
    snprintf(run->message, sizeof run->message, "out of memory");
  }
  trm_results_destroy(results);
  trm_diagnostics_destroy(diagnostics);
}

static void run_points(trm_cli_accuracy *a) {
  trm_cli_jobs jobs = {.count = a->count, .threads = a->threads, .run = run_point, .context = a};
  trm_cli_jobs_begin(&jobs, !trm_cli_given(a->arguments, "quiet"));
  trm_cli_jobs_run(&jobs);
  trm_cli_jobs_end(&jobs);
  a->threads = jobs.threads;
}

static int report(trm_cli_accuracy *a, const char *folder) {
  bool quiet = trm_cli_given(a->arguments, "quiet"), json = trm_cli_given(a->arguments, "json");
  trm_cli_judge_points(a);
  bool written = trm_cli_write_points(a, folder);
  if (json)
    trm_cli_json_points(a, stdout);
  else if (!quiet)
    trm_cli_print_points(a);
  if (!json && !quiet && written)
    printf("figures: %s/error-step.svg, %s/error-time.svg\n", folder, folder);
  bool some = trm_cli_count_points(a, TRM_TRIAL_DONE) > 0;
  if (!some && quiet) trm_cli_error("no run completed");
  return written && some && trm_cli_count_points(a, TRM_TRIAL_WAITING) == 0 ? 0 : 1;
}

static int load(trm_cli_accuracy *a) {
  if (trm_cli_given(a->arguments, "output-step")) {
    trm_cli_error("--output-step: rows are at the times of the reference");
    return 2;
  }
  if (!trm_cli_read_threads(a->arguments, &a->threads) || !trm_cli_read_lists(a)) return 2;
  int status = trm_cli_load(a->arguments, a->path, &a->model, &a->settings, a->diagnostics);
  if (status == 0) a->settings = trm_settings_resolve(&a->settings);
  if (status == 0) trm_cli_take_bodies(&a->settings);
  trm_cli_print_diagnostics(a->diagnostics, trm_cli_given(a->arguments, "quiet"));
  if (status == 0) status = trm_cli_refuse_coordinates(a->arguments, a->model);
  if (status == 0 && a->settings.duration <= 0) {
    trm_cli_error("the duration is 0: there is no motion to compare");
    return 2;
  }
  return status;
}

static int measure(trm_cli_accuracy *a) {
  char folder[LONGEST_PATH - 32];
  double start = trm_cli_seconds();
  int status = load(a);
  if (status == 0) status = trm_cli_exact_open(a);
  if (status != 0) return status;
  trm_cli_choose_lists(a, a->exact.interval);
  status = trm_cli_results_folder(a->arguments, "-accuracy", folder, sizeof folder);
  if (status == 0) status = trm_cli_exact_prepare(a);
  if (status != 0) return status;
  if (!trm_cli_list_points(a)) {
    trm_cli_error("out of memory");
    return 1;
  }
  run_points(a);
  a->wall_seconds = trm_cli_seconds() - start;
  return report(a, folder);
}

static int accuracy_command(const trm_cli_arguments *arguments) {
  trm_cli_accuracy *a = calloc(1, sizeof *a);
  if (a) a->diagnostics = trm_diagnostics_create();
  if (!a || !a->diagnostics) {
    free(a);
    trm_cli_error("out of memory");
    return 1;
  }
  a->arguments = arguments;
  a->path = arguments->models[0];
  int status = measure(a);
  trm_cli_exact_free(&a->exact);
  trm_model_destroy(a->model);
  trm_diagnostics_destroy(a->diagnostics);
  free(a->points);
  free(a);
  return status;
}

static const char *const lists[] = {"integrator", "coordinates", "solver", "stabilization",
                                    "energy",     "step",        "rtol",   NULL};

static const trm_cli_option options[] = {
    {"steps", 0, "LIST", "of fixed-step methods; default: seven, halved, around the model's own"},
    {"methods", 0, "LIST",
     "integrators; default: rk4, rk6, ab4, ab6 and the like, the model's own"},
    {"reference", 0, "FILE", "CSV of measures, or self: computed; default: the model's reference"},
    {"output", 'o', "DIR", "folder for the figures and tables; default: results/<model>-accuracy"},
    {"threads", 0, "N", "runs at a time; default: as many as there are processors"},
    {"json", 0, NULL, "print the table as JSON, and nothing else there"},
    {"quiet", 0, NULL, "print nothing but errors"},
    {0}};

const trm_cli_command trm_cli_accuracy_command = {
    .name = "accuracy",
    .usage = "MODEL [--steps LIST] [--methods LIST] [--reference FILE] [-o DIR] [--threads N] "
             "[--json] [--quiet] [--set NAME=VALUE]... [--input NAME=VALUE]... [--KEY VALUE]...",
    .summary = "error against step and against CPU time, with observed orders and figures",
    .notes =
        "A LIST has commas: --steps 1e-2,5e-3 --methods rk4,ab6. --coordinates, --solver,\n"
        "--stabilization, --energy and --rtol take lists, too: every item with every other.\n"
        "Variable-step methods run at the tolerances of --rtol (default 1e-3 to 1e-10, atol in\n"
        "proportion) in place of the steps.\n\n"
        "error: the largest difference of a position or angle from the reference, and its "
        "measure.\n"
        "order: observed between neighbouring steps. floor: as good as the reference or round-off\n"
        "allow. front: no other run is both faster and more accurate. A reference is computed,\n"
        "and its own error estimated, where the model names none, it ends early, or --set is "
        "given.\n"
        "DIR gets accuracy.json, accuracy.csv, error-step.svg and error-time.svg.\n\n"
        "Ctrl-C stops and prints what there is; a second one kills.\n\n"
        "exit status: 0 done; 1 no run completed, interrupted, or a file could not be written;\n"
        "2 wrong usage; 3 bad model, or a bad reference\n",
    .options = options,
    .settings = true,
    .lists = lists,
    .least_models = 1,
    .most_models = 1,
    .run = accuracy_command};
