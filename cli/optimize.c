/* trammel optimize: the best values of parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "external.h"

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
  printf("%s: optimum %s after %d evaluations\n", title, o->status, o->evaluations);
  printf("  %-27s%.9g, from %.9g\n", "value", o->value, o->start_value);
  for (int k = 0; k < o->count; k++)
    printf("  %-27s%.9g, from %.9g\n", o->parameters[k], o->values[k], o->start[k]);
  printf("  %-27s%s\n", "written", path);
}

/* The run of the optimum, as `trammel run` writes it. */
static int run_optimum(const trm_optimum *o, const trm_settings *settings, const char *folder,
                       trm_diagnostics *diagnostics) {
  char table[4096], summary[4096];
  snprintf(table, sizeof table, "%s/results.csv", folder);
  snprintf(summary, sizeof summary, "%s/summary.json", folder);
  trm_status status = TRM_NO_MEMORY;
  trm_results *results = trm_results_create();
  trm_simulation *simulation =
      results ? trm_simulation_create(o->model, settings, diagnostics, &status) : NULL;
  if (simulation) status = trm_simulation_run(simulation, results, NULL, NULL, diagnostics);
  if (status == TRM_OK) status = trm_results_write_csv(results, table, diagnostics);
  if (status == TRM_OK)
    status = trm_summary_write_json(trm_simulation_summary(simulation), summary, diagnostics);
  trm_simulation_destroy(simulation);
  trm_results_destroy(results);
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
  if (run_optimum(optimum, &s->settings, folder, s->diagnostics) != 0) status = 1;
  if (trm_cli_given(arguments, "json"))
    trm_optimum_write_json(optimum, "-", s->diagnostics);
  else
    print_table(optimum, trm_model_name(s->model), path);
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
    {"json", 0, NULL, "print optimum.json on standard output, and nothing else there"},
    {0}};

const trm_cli_command trm_cli_optimize = {
    .name = "optimize",
    .usage = "MODEL [--evaluations N] [-o DIR] [--set NAME=VALUE]... [--KEY VALUE]...",
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
