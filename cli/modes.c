/* trammel modes: how a model vibrates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locus.h"

static void print_table(const trm_modes *m, const char *title, const char *at, const char *path) {
  enum { most = 40 };
  printf("%s: modes at %s\n", title, at);
  printf("  %-27s%d\n", "degrees of freedom", m->degrees_of_freedom);
  printf("  %-27s%d\n", "eigenvalues", m->total);
  printf("  %-27s%d\n", "of these zero", m->zero_modes);
  int shown = 0;
  for (int k = 0; k < m->count && shown < most; k++) {
    const trm_mode *mode = &m->modes[k];
    if (mode->im < 0 || (mode->re == 0 && mode->im == 0)) continue;
    if (shown++ == 0) printf("  %14s  %14s  %12s  %10s\n", "re", "im", "Hz", "damping");
    printf("  %14.8g  %14.8g  %12.7g  %10.5g\n", mode->re, mode->im, mode->frequency,
           mode->damping + 0.0);
  }
  printf("  %-27s%s\n", "written", path);
}

static int read_count(const char *text, int *count) {
  char *end;
  *count = 0;
  if (!text) return 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end || value < 1 || value > 1000000000) {
    trm_cli_error("--count takes a number of eigenvalues, 1 or more, not '%s'", text);
    return 2;
  }
  *count = (int)value;
  return 0;
}

static int locus_command(const trm_cli_arguments *arguments, const char *text) {
  trm_cli_state state = {0};
  trm_cli_along along;
  char path[4096], figure[4096];
  if (!trm_cli_along_read(&along, text)) return 2;
  int status = trm_cli_state_load(&state, arguments, trm_cli_value(arguments, "at"));
  if (status == 0) status = trm_cli_result_file(arguments, "locus.json", path, sizeof path);
  if (status == 0) status = trm_cli_result_file(arguments, "locus.svg", figure, sizeof figure);
  if (status == 0)
    status = trm_cli_locus(&state, &along, path, figure, trm_cli_given(arguments, "json"));
  if (state.diagnostics) trm_cli_print_diagnostics(state.diagnostics, false);
  trm_cli_state_release(&state);
  return status;
}

static int modes_command(const trm_cli_arguments *arguments) {
  const char *along = trm_cli_value(arguments, "along");
  if (along) return locus_command(arguments, along);
  trm_cli_state state = {0};
  char path[4096], page[4096], mat[4096];
  trm_modes_options wanted = trm_default_modes_options();
  int status = read_count(trm_cli_value(arguments, "count"), &wanted.count);
  if (status != 0) return status;
  status = trm_cli_state_reach(&state, arguments);
  if (status == 0) status = trm_cli_result_file(arguments, "modes.json", path, sizeof path);
  if (status == 0) status = trm_cli_result_file(arguments, "modes.html", page, sizeof page);
  if (status == 0) status = trm_cli_result_file(arguments, "modes.mat", mat, sizeof mat);
  trm_modes *modes = NULL;
  if (status == 0) {
    trm_status found;
    modes = trm_simulation_modes(state.simulation, &wanted, state.diagnostics, &found);
    status = trm_cli_exit_status(found);
  }
  if (modes) {
    if (trm_modes_write_json(modes, state.at, path, state.diagnostics) != TRM_OK ||
        trm_modes_write_mat(modes, mat, state.diagnostics) != TRM_OK)
      status = 1;
    bool shown = modes->count > 0 && modes->modes[0].motion;
    if (shown && trm_modes_write_page(modes, state.simulation, page, state.diagnostics) != TRM_OK)
      status = 1;
    if (trm_cli_given(arguments, "json"))
      trm_modes_write_json(modes, state.at, "-", state.diagnostics);
    else
      print_table(modes, trm_cli_title(state.model), state.at, path);
  }
  if (state.diagnostics) trm_cli_print_diagnostics(state.diagnostics, false);
  trm_modes_destroy(modes);
  trm_cli_state_release(&state);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR",
     "folder for modes.json, modes.mat and modes.html, where modes move; default: results/<model>"},
    TRM_CLI_AT,
    {"count", 0, "N", "the lowest N eigenvalues; a pair is never split"},
    {"along", 0, "P=A:B:N",
     "eigenvalues for N values of a parameter, and where stability changes: locus.json, locus.svg"},
    {"json", 0, NULL,
     "print modes.json, or locus.json, on standard output, and nothing else there"},
    {0}};

const trm_cli_command trm_cli_modes = {
    .name = "modes",
    .usage = "MODEL [--at STATE] [--count N] [--along P=A:B:N] [-o DIR] [--set NAME=VALUE]... "
             "[--KEY VALUE]...",
    .summary = "how a model vibrates: eigenvalues, damping, shapes",
    .notes = "About a state that moves modes are those of the frame that goes with it: it must "
             "be\nsteady.\n\n"
             "exit status: 0 done; 1 they could not be found, or written; 2 wrong usage; 3 bad "
             "model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = modes_command};
