/* trammel sensitivity: derivatives of a run with respect to parameters. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"

static void print_table(const trm_sensitivity *s, const char *title, const char *path) {
  printf("%s: derivatives, %s\n", title, s->method);
  printf("  %-27s%.12g\n", "value", s->value);
  for (int k = 0; k < s->count; k++) printf("  d/d%-24s%.12g\n", s->parameters[k], s->gradient[k]);
  printf("  %-27s%s\n", "written", path);
}

static trm_sensitivity *differentiate(trm_cli_state *s, const trm_cli_arguments *arguments,
                                      int *status) {
  char **wrt;
  *status = 1;
  if (!trm_cli_names(trm_cli_value(arguments, "wrt"), &wrt)) return NULL;
  trm_sensitivity_options options = trm_default_sensitivity_options();
  options.of = trm_cli_value(arguments, "of");
  options.integral = trm_cli_value(arguments, "integral");
  options.method = trm_cli_value(arguments, "method");
  options.wrt = (const char *const *)wrt;
  trm_status found;
  trm_sensitivity *sensitivity =
      trm_simulation_sensitivity(s->simulation, &options, s->diagnostics, &found);
  *status = trm_cli_exit_status(found);
  trm_cli_print_diagnostics(s->diagnostics, false);
  trm_cli_free_names(wrt);
  return sensitivity;
}

static int sensitivity_command(const trm_cli_arguments *arguments) {
  trm_cli_state state;
  char path[4096];
  int status = trm_cli_state_load(&state, arguments, NULL);
  if (status == 0) status = trm_cli_result_file(arguments, "sensitivity.json", path, sizeof path);
  trm_sensitivity *found = status == 0 ? differentiate(&state, arguments, &status) : NULL;
  if (found) {
    if (trm_sensitivity_write_json(found, path, state.diagnostics) != TRM_OK) status = 1;
    if (trm_cli_given(arguments, "json"))
      trm_sensitivity_write_json(found, "-", state.diagnostics);
    else
      print_table(found, trm_cli_title(state.model), path);
    trm_cli_print_diagnostics(state.diagnostics, false);
  }
  trm_sensitivity_destroy(found);
  trm_cli_state_release(&state);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR", "folder for sensitivity.json; default: results/<model>"},
    {"of", 0, "FORMULA", "of measures, parameters and t, at the end of the run"},
    {"integral", 0, "FORMULA", "the same, integrated over the run and added"},
    {"wrt", 0, "P,Q", "parameters of the model"},
    {"method", 0, "M", "forward or adjoint; default: whichever costs less"},
    {"json", 0, NULL, "print sensitivity.json on standard output, and nothing else there"},
    {0}};

const trm_cli_command trm_cli_sensitivity = {
    .name = "sensitivity",
    .usage = "MODEL [--of FORMULA] [--integral FORMULA] --wrt P,Q [-o DIR] [--set NAME=VALUE]... "
             "[--KEY VALUE]...",
    .summary = "derivatives of a run with respect to parameters",
    .notes =
        "They are those of the exact motion, to rtol and atol. The method forward integrates the "
        "derivatives\nwith the motion, the method adjoint goes back along it, which costs "
        "about the same for any number\nof parameters.\n\n"
        "exit status: 0 done; 1 the motion has no such derivatives, or they could not be "
        "written; 2 wrong\nusage; 3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = sensitivity_command};
