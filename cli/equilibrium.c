/* trammel equilibrium: where a model comes to rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

static void print_table(const trm_cli_state *s, const char *path) {
  const trm_equilibrium_result *r = &s->settled;
  static const char *const answers[] = {"undecided", "no", "yes"};
  printf("%s: %s %s\n", trm_cli_title(s->model), r->steady ? "steady motion" : "equilibrium",
         r->found ? "found" : "not found");
  printf("  %-27s%.2e\n", "residual", r->residual);
  printf("  %-27s%d\n", "iterations", r->iterations);
  if (r->found) printf("  %-27s%s\n", "stable", answers[r->stable + 1]);
  printf("  %-27s%s\n", "written", path);
}

/* Where the search begins. */
static const char *beginning(const trm_cli_arguments *given) {
  const char *at = trm_cli_value(given, "at");
  return at && strcmp(at, "start") != 0 ? at : NULL;
}

static int path_command(const trm_cli_arguments *arguments, const char *text) {
  trm_cli_state state = {0};
  trm_cli_along along;
  char path[4096], figure[4096];
  if (!trm_cli_along_read(&along, text)) return 2;
  if (beginning(arguments)) {
    trm_cli_error("--at and --along do not go together: a path begins at the start");
    return 2;
  }
  int status = trm_cli_result_file(arguments, "path.json", path, sizeof path);
  if (status == 0) status = trm_cli_result_file(arguments, "path.svg", figure, sizeof figure);
  if (status != 0) return status;
  status = trm_cli_state_load(&state, arguments,
                              trm_cli_given(arguments, "steady") ? "steady" : "equilibrium");
  if (status == 0)
    status = trm_cli_path(&state, &along, path, figure, trm_cli_given(arguments, "json"));
  if (state.diagnostics) trm_cli_print_diagnostics(state.diagnostics, true);
  trm_cli_state_release(&state);
  return status;
}

static int equilibrium_command(const trm_cli_arguments *given) {
  if (trm_cli_given(given, "along")) return path_command(given, trm_cli_value(given, "along"));
  trm_cli_state state;
  char path[4096];
  int status = trm_cli_result_file(given, "equilibrium.json", path, sizeof path);
  if (status != 0) return status;
  status =
      trm_cli_state_load(&state, given, trm_cli_given(given, "steady") ? "steady" : "equilibrium");
  state.from = beginning(given);
  if (status == 0) {
    status = trm_cli_state_go(&state);
    trm_cli_print_diagnostics(state.diagnostics, status == 0);
  }
  bool sought = state.simulation && (status == 0 || status == 1);
  if (sought) {
    if (trm_equilibrium_write_json(state.simulation, &state.settled, path, state.diagnostics) !=
        TRM_OK)
      status = 1;
    if (trm_cli_given(given, "json"))
      trm_equilibrium_write_json(state.simulation, &state.settled, "-", state.diagnostics);
    else
      print_table(&state, path);
    trm_cli_print_diagnostics(state.diagnostics, false);
  }
  trm_cli_state_release(&state);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR", "folder for equilibrium.json; default: results/<model>"},
    {"steady", 0, NULL, "a steady motion: everything at rest in a frame that turns and moves on"},
    {"at", 0, "STATE",
     "where the search begins: start (default), or a time to which the model is simulated first"},
    {"along", 0, "P=A:B:N",
     "equilibria over a parameter at N values, also round turning points: path.json, path.svg"},
    {"json", 0, NULL,
     "print equilibrium.json, or path.json, on standard output, and nothing else there"},
    {0}};

const trm_cli_command trm_cli_equilibrium = {
    .name = "equilibrium",
    .usage = "MODEL [-o DIR] [--steady] [--at T] [--along P=A:B:N] [--set NAME=VALUE]... [--input "
             "NAME=VALUE]... "
             "[--KEY VALUE]...",
    .summary = "where a model comes to rest, or moves steadily",
    .notes = "exit status: 0 found; 1 none was found, or it could not be written; 2 wrong usage; "
             "3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = equilibrium_command};
