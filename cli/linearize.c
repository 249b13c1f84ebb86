/* trammel linearize: a model as a linear system. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"

static void print_matrix(const char *name, const double *M, int rows, int columns) {
  if (rows == 0 || columns == 0) return;
  printf("  %s\n", name);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) printf("  %12.6g", M[i * columns + j] + 0.0);
    putchar('\n');
  }
}

static void print_names(const char *label, const char *const *names, int count) {
  printf("  %-12s", label);
  for (int i = 0; i < count; i++) printf("%s%s", i ? ", " : "", names[i]);
  putchar('\n');
}

static void print_table(const trm_linear_model *l, const char *title, const char *path) {
  enum { wide = 12 };
  printf("%s: linear about t = %g%s\n", title, l->time, l->steady ? "" : ", for the moment");
  print_names("states", l->states, l->state_count);
  print_names("inputs", l->inputs, l->input_count);
  print_names("outputs", l->outputs, l->output_count);
  if (l->state_count <= wide) {
    print_matrix("A", l->A, l->state_count, l->state_count);
    print_matrix("B", l->B, l->state_count, l->input_count);
    print_matrix("C", l->C, l->output_count, l->state_count);
    print_matrix("D", l->D, l->output_count, l->input_count);
  }
  printf("  %-12s%s\n", "written", path);
}

static trm_linear_model *linearize(trm_cli_state *s, const trm_cli_arguments *arguments,
                                   int *status) {
  char **inputs = NULL, **outputs = NULL, **states = NULL;
  bool good = trm_cli_names(trm_cli_value(arguments, "inputs"), &inputs) &&
              trm_cli_names(trm_cli_value(arguments, "outputs"), &outputs) &&
              trm_cli_names(trm_cli_value(arguments, "states"), &states);
  trm_linear_options options = trm_default_linear_options();
  options.inputs = (const char *const *)inputs;
  options.outputs = (const char *const *)outputs;
  options.states = (const char *const *)states;
  trm_status found = TRM_NO_MEMORY;
  trm_linear_model *linear =
      good ? trm_simulation_linearize(s->simulation, &options, s->diagnostics, &found) : NULL;
  *status = trm_cli_exit_status(found);
  trm_cli_print_diagnostics(s->diagnostics, false);
  trm_cli_free_names(inputs);
  trm_cli_free_names(outputs);
  trm_cli_free_names(states);
  return linear;
}

static int linearize_command(const trm_cli_arguments *arguments) {
  trm_cli_state state;
  char path[4096], mat[4096];
  int status = trm_cli_state_reach(&state, arguments);
  if (status == 0) status = trm_cli_result_file(arguments, "linear.json", path, sizeof path);
  if (status == 0) status = trm_cli_result_file(arguments, "linear.mat", mat, sizeof mat);
  trm_linear_model *linear = status == 0 ? linearize(&state, arguments, &status) : NULL;
  if (linear) {
    if (trm_linear_model_write_json(linear, path, state.diagnostics) != TRM_OK ||
        trm_linear_model_write_mat(linear, mat, state.diagnostics) != TRM_OK)
      status = 1;
    if (trm_cli_given(arguments, "json"))
      trm_linear_model_write_json(linear, "-", state.diagnostics);
    else
      print_table(linear, trm_cli_title(state.model), path);
    trm_cli_print_diagnostics(state.diagnostics, false);
  }
  trm_linear_model_destroy(linear);
  trm_cli_state_release(&state);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR", "folder for linear.json and linear.mat; default: results/<model>"},
    TRM_CLI_AT,
    {"inputs", 0, "A,B", "inputs of the model"},
    {"outputs", 0, "X,Y", "measures"},
    {"states", 0, "X,Y",
     "independent positions, as many as there are freedoms; default: of joints, bodies, points"},
    {"json", 0, NULL, "print linear.json on standard output, and nothing else there"},
    {0}};

const trm_cli_command trm_cli_linearize = {
    .name = "linearize",
    .usage = "MODEL [--at STATE] [--inputs A,B] [--outputs X,Y] [--states X,Y] [-o DIR] "
             "[--set NAME=VALUE]... [--KEY VALUE]...",
    .summary = "a model near a state as a linear system: A, B, C, D",
    .notes = "The states are measures: independent positions, their rates, the model's own "
             "states.\n\n"
             "exit status: 0 done; 1 it could not be linearized there, or written; 2 wrong usage; "
             "3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = linearize_command};
