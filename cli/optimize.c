/* trammel optimize: the best values of parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "external.h"

#include <trammel/compare.h>
#include <trammel/report.h>
#include <trammel/scene.h>

typedef struct progress {
  trm_cli_bar bar;
  int most;
} progress;

static bool show(void *context, int evaluation, double value) {
  progress *p = context;
  char text[80];
  snprintf(text, sizeof text, "evaluation %d: %.6g", evaluation, value);
  trm_cli_bar_show(&p->bar, text, (double)evaluation / p->most);
  return !trm_cli_stopped();
}

static void print_table(const trm_optimum *o, const char *title, const char *path) {
  int n = o->count, good = 0;
  printf("%s: optimum %s after %d evaluations\n", title, o->status, o->evaluations);
  printf("  %-27s%.9g, from %.9g\n", "value", o->value, o->start_value);
  for (int k = 0; k < n; k++) {
    printf("  %-27s%.9g", o->parameters[k], o->values[k]);
    if (o->covariance) printf(" ± %.3g", sqrt(o->covariance[k * n + k]));
    printf(", from %.9g\n", o->start[k]);
  }
  for (int i = 0; i < o->goal_count && o->goal_count > 1; i++)
    printf("  %-27s%.9g, from %.9g: %s\n", o->goals[i].condition ? "condition" : "term",
           o->goals[i].value, o->goals[i].start, o->goals[i].formula);
  for (int i = 0; i < o->start_count; i++) good += strcmp(o->starts[i].status, "found") == 0;
  if (o->start_count > 1)
    printf("  %-27s%d of %d\n", "starts that led somewhere", good, o->start_count);
  if (o->covariance) printf("  %-27s%.3g over %d points\n", "left over", o->deviation, o->points);
  if (o->points > 0 && !o->covariance)
    printf("  %-27sthe record does not determine all parameters\n", "estimates");
  printf("  %-27s%s\n", "written", path);
}

/* A run, as `trammel run` writes it. */
static trm_status run_model(const trm_model *model, const trm_settings *settings,
                            const char *folder, trm_results *results,
                            trm_diagnostics *diagnostics) {
  char table[4096], summary[4096], scene[4096];
  snprintf(table, sizeof table, "%s/results.csv", folder);
  snprintf(summary, sizeof summary, "%s/summary.json", folder);
  snprintf(scene, sizeof scene, "%s/scene.json", folder);
  trm_status status;
  trm_simulation *simulation = trm_simulation_create(model, settings, diagnostics, &status);
  if (!simulation) return status;
  trm_simulation_keep_frames(simulation, TRM_REPORT_FRAMES);
  status = trm_simulation_run(simulation, results, NULL, NULL, diagnostics);
  if (status == TRM_OK) status = trm_results_write_csv(results, table, diagnostics);
  if (status == TRM_OK) status = trm_scene_write(simulation, scene, diagnostics);
  if (status == TRM_OK)
    status = trm_summary_write_json(trm_simulation_summary(simulation), summary, diagnostics);
  trm_simulation_destroy(simulation);
  return status;
}

/* Before and after in one page. */
static trm_status compare(const trm_results *before, const trm_results *after, const char *folder,
                          trm_diagnostics *diagnostics) {
  char page[4096], scenes[2][4096];
  snprintf(page, sizeof page, "%s/report.html", folder);
  snprintf(scenes[0], sizeof scenes[0], "%s/start/scene.json", folder);
  snprintf(scenes[1], sizeof scenes[1], "%s/scene.json", folder);
  trm_compare_options options = trm_default_compare_options();
  options.names[0] = "before";
  options.names[1] = "after";
  trm_status status;
  trm_comparison *comparison = trm_compare_results(before, after, &options, diagnostics, &status);
  if (!comparison) return status;
  const trm_report_run runs[2] = {
      {.name = "before", .results = before, .scene = scenes[0]},
      {.name = "after", .results = after, .scene = scenes[1], .comparison = comparison}};
  status = trm_report_write_comparison(runs, 2, page, diagnostics);
  trm_comparison_destroy(comparison);
  return status;
}

static int run_both(const trm_model *start, const trm_optimum *o, const trm_settings *settings,
                    const char *folder, bool report, trm_diagnostics *diagnostics) {
  char first[3900];
  snprintf(first, sizeof first, "%s/start", folder);
  trm_results *before = trm_results_create(), *after = trm_results_create();
  trm_status status = before && after ? TRM_OK : TRM_NO_MEMORY;
  if (status == TRM_OK) status = run_model(o->model, settings, folder, after, diagnostics);
  if (status == TRM_OK && report && !trm_cli_make_folder(first)) status = TRM_IO_ERROR;
  if (status == TRM_OK && report) status = run_model(start, settings, first, before, diagnostics);
  if (status == TRM_OK && report) status = compare(before, after, folder, diagnostics);
  trm_results_destroy(before);
  trm_results_destroy(after);
  return trm_cli_exit_status(status);
}

static int optimize(trm_cli_state *s, const trm_cli_arguments *arguments, progress *p) {
  char folder[3800], path[4096], log[4096];
  int status = trm_cli_results_folder(arguments, "", folder, sizeof folder);
  if (status != 0) return status;
  snprintf(path, sizeof path, "%s/optimum.json", folder);
  snprintf(log, sizeof log, "%s/optimize.log", folder);
  trm_status found;
  trm_cli_catch_signals();
  trm_cli_bar_start(&p->bar, true);
  trm_optimum *optimum =
      trm_model_optimize(s->model, &s->settings, p->most, log, show, p, s->diagnostics, &found);
  trm_cli_bar_end(&p->bar);
  if (!optimum) return trm_cli_exit_status(found);
  status = strcmp(optimum->status, "found") == 0 ? 0 : 1;
  if (trm_optimum_write_json(optimum, path, s->diagnostics) != TRM_OK) status = 1;
  bool report = !trm_cli_given(arguments, "no-report");
  if (run_both(s->model, optimum, &s->settings, folder, report, s->diagnostics) != 0) status = 1;
  if (trm_cli_given(arguments, "json"))
    trm_optimum_write_json(optimum, "-", s->diagnostics);
  else
    print_table(optimum, trm_cli_title(s->model), path);
  trm_optimum_destroy(optimum);
  return status;
}

static int optimize_command(const trm_cli_arguments *arguments) {
  trm_cli_state state = {.diagnostics = trm_diagnostics_create()};
  double most = 500;
  if (!state.diagnostics) {
    trm_cli_error("out of memory");
    return 1;
  }
  int status = trm_cli_number(arguments, "evaluations", 1, &most) ? 0 : 2;
  if (status == 0)
    status = trm_cli_load(arguments, arguments->models[0], &state.model, &state.settings,
                          state.diagnostics);
  progress p = {.most = most < 1e9 ? (int)most : 1000000000};
  if (status == 0) status = optimize(&state, arguments, &p);
  trm_cli_print_diagnostics(state.diagnostics, false);
  trm_cli_state_release(&state);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR",
     "folder for optimum.json, the log and the run of the optimum; default: results/<model>"},
    {"evaluations", 0, "N", "at most so many; default 500"},
    {"no-report", 0, NULL, "no run of the start, and no page that compares both"},
    {"json", 0, NULL, "print optimum.json on standard output, and nothing else there"},
    {0}};

const trm_cli_command trm_cli_optimize = {
    .name = "optimize",
    .usage =
        "MODEL [--evaluations N] [--no-report] [-o DIR] [--set NAME=VALUE]... [--KEY VALUE]...",
    .summary = "the best values of parameters, by the model's section `optimize`",
    .notes = "Every evaluation is kept in optimize.log: the same search in the same folder goes on "
             "from there.\n\n"
             "exit status: 0 found; 1 not found, interrupted, or it could not be written; 2 wrong "
             "usage; 3 bad\nmodel\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = optimize_command};
