/* What the commands that analyse a state share. */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

static int load(trm_cli_state *s, const trm_cli_arguments *arguments) {
  int status =
      trm_cli_load(arguments, arguments->models[0], &s->model, &s->settings, s->diagnostics);
  if (status == 0) status = trm_cli_refuse_coordinates(arguments, s->model);
  if (status != 0) return status;
  trm_status created = TRM_OK;
  trm_cli_take_bodies(&s->settings);
  s->simulation = trm_simulation_create(s->model, &s->settings, s->diagnostics, &created);
  if (s->simulation) return 0;
  return created == TRM_OK ? 1 : trm_cli_exit_status(created);
}

static int advance(trm_cli_state *s, const char *text, const char *what) {
  char *end;
  double time = strtod(text, &end);
  if (end == text || *end || !(time >= 0)) {
    trm_cli_error("%s, not '%s'", what, text);
    return 2;
  }
  return trm_cli_exit_status(trm_simulation_advance(s->simulation, time, s->diagnostics));
}

static int settle(trm_cli_state *s, bool steady) {
  int status = s->from ? advance(s, s->from, "--at takes start or a time here") : 0;
  if (status != 0) return status;
  trm_equilibrium_options options = trm_default_equilibrium_options();
  options.steady = steady;
  s->settled = trm_default_equilibrium_result();
  return trm_cli_exit_status(
      trm_simulation_settle(s->simulation, &options, &s->settled, s->diagnostics));
}

const char *trm_cli_title(const trm_model *model) {
  const char *name = trm_model_name(model);
  return name && *name ? name : trm_model_file(model, 0);
}

int trm_cli_state_load(trm_cli_state *s, const trm_cli_arguments *arguments, const char *at) {
  *s = (trm_cli_state){.at = at ? at : "start", .diagnostics = trm_diagnostics_create()};
  if (!s->diagnostics) {
    trm_cli_error("out of memory");
    return 1;
  }
  int status = load(s, arguments);
  trm_cli_print_diagnostics(s->diagnostics, false);
  return status;
}

int trm_cli_state_go(trm_cli_state *s) {
  if (strcmp(s->at, "start") == 0) return 0;
  if (strcmp(s->at, "equilibrium") == 0) return settle(s, false);
  if (strcmp(s->at, "steady") == 0) return settle(s, true);
  return advance(s, s->at, "--at takes start, equilibrium, steady or a time");
}

int trm_cli_state_reach(trm_cli_state *s, const trm_cli_arguments *arguments) {
  return trm_cli_state_reach_at(s, arguments, trm_cli_value(arguments, "at"));
}

int trm_cli_state_reach_at(trm_cli_state *s, const trm_cli_arguments *arguments, const char *at) {
  int status = trm_cli_state_load(s, arguments, at);
  if (status == 0) {
    status = trm_cli_state_go(s);
    trm_cli_print_diagnostics(s->diagnostics, status == 0);
  }
  return status;
}

void trm_cli_state_release(trm_cli_state *s) {
  trm_simulation_destroy(s->simulation);
  trm_model_destroy(s->model);
  trm_diagnostics_destroy(s->diagnostics);
}

bool trm_cli_names(const char *text, char ***list) {
  int count = 1;
  *list = NULL;
  if (!text) return true;
  for (const char *c = text; *c; c++) count += *c == ',';
  char **names = calloc((size_t)count + 1, sizeof *names);
  for (int i = 0; names && *text; i++) {
    size_t length = strcspn(text, ",");
    const char *first = text + strspn(text, " ");
    size_t kept = length - (size_t)(first - text);
    while (kept > 0 && first[kept - 1] == ' ') kept--;
    names[i] = calloc(kept + 1, 1);
    if (!names[i]) { /* a list that ends here would be another question */
      trm_cli_free_names(names);
      names = NULL;
      break;
    }
    memcpy(names[i], first, kept);
    text += length + (text[length] == ',');
  }
  if (!names) trm_cli_error("out of memory");
  *list = names;
  return names != NULL;
}

void trm_cli_free_names(char **names) {
  for (int i = 0; names && names[i]; i++) free(names[i]);
  free(names);
}

int trm_cli_result_file(const trm_cli_arguments *arguments, const char *name, char *path,
                        size_t size) {
  char folder[3800];
  int status = trm_cli_results_folder(arguments, "", folder, sizeof folder);
  if (status != 0) return status;
  snprintf(path, size, "%s/%s", folder, name);
  return trm_cli_check_writable(path) ? 0 : 1;
}
