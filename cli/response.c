/* trammel response: from one input to one output over frequencies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

#define PI 3.14159265358979323846

typedef struct response {
  int points;
  double low, high;
  double *frequency, *magnitude, *phase; /* [points] */
} response;

static bool read_number(const trm_cli_arguments *arguments, const char *name, double *value) {
  const char *text = trm_cli_value(arguments, name);
  char *end;
  if (!text) return true;
  double number = strtod(text, &end);
  if (end != text && !*end && number > 0 && isfinite(number)) {
    *value = number;
    return true;
  }
  trm_cli_error("--%s takes a positive number, not '%s'", name, text);
  return false;
}

static int read_range(const trm_cli_arguments *arguments, response *r) {
  double points = 200;
  *r = (response){.low = 0.1, .high = 100};
  if (!read_number(arguments, "low", &r->low) || !read_number(arguments, "high", &r->high) ||
      !read_number(arguments, "points", &points))
    return 2;
  if (!(r->high > r->low) || points < 2 || points > 1e7 || points != floor(points)) {
    trm_cli_error("--low must be below --high, and --points a whole number from 2");
    return 2;
  }
  r->points = (int)points;
  return 0;
}

static bool fill(response *r, const trm_linear_model *linear) {
  r->frequency = calloc(3 * (size_t)r->points, sizeof(double));
  if (!r->frequency) return false;
  r->magnitude = r->frequency + r->points;
  r->phase = r->magnitude + r->points;
  double ratio = log(r->high / r->low) / (r->points - 1);
  for (int i = 0; i < r->points; i++) {
    double re, im, *f = &r->frequency[i];
    *f = i == 0 ? r->low : i == r->points - 1 ? r->high : r->low * exp(ratio * i);
    if (!trm_linear_model_response(linear, 0, 0, 2 * PI * *f, &re, &im)) re = im = NAN;
    r->magnitude[i] = hypot(re, im);
    r->phase[i] = atan2(im, re);
    if (r->phase[i] == -PI) r->phase[i] = PI;
  }
  return true;
}

static int write_table(const response *r, const char *path) {
  FILE *file = trm_cli_create(path);
  if (!file) return 1;
  fprintf(file, "frequency,magnitude,phase\n");
  for (int i = 0; i < r->points; i++)
    fprintf(file, "%.17g,%.17g,%.17g\n", r->frequency[i], r->magnitude[i], r->phase[i]);
  return trm_cli_commit(file, path, true) ? 0 : 1;
}

static trm_status draw(const response *r, const char *path, const char *title,
                       trm_diagnostics *diagnostics) {
  trm_plot_series series[] = {{.count = (size_t)r->points, .line = true},
                              {.count = (size_t)r->points, .line = true}};
  trm_plot plots[2] = {trm_default_plot(), trm_default_plot()};
  const trm_plot *panels[] = {&plots[0], &plots[1]};
  series[0].y = r->magnitude;
  series[1].y = r->phase;
  for (int k = 0; k < 2; k++) {
    series[k].x = r->frequency;
    plots[k].x.label = "frequency, Hz";
    plots[k].x.log = true;
    plots[k].series_count = 1;
    plots[k].series = &series[k];
  }
  plots[0].title = title;
  plots[0].y.label = "magnitude";
  plots[0].y.log = true;
  plots[1].y.label = "phase, rad";
  return trm_plot_write_panels(panels, 2, path, diagnostics);
}

static int respond(trm_cli_state *s, const trm_cli_arguments *arguments, response *r) {
  const char *inputs[] = {trm_cli_value(arguments, "from-input"), NULL};
  const char *outputs[] = {trm_cli_value(arguments, "to-output"), NULL};
  char path[4096], figure[4096];
  trm_linear_options options = trm_default_linear_options();
  options.inputs = inputs;
  options.outputs = outputs;
  int status = trm_cli_result_file(arguments, "response.csv", path, sizeof path);
  if (status == 0) status = trm_cli_result_file(arguments, "response.svg", figure, sizeof figure);
  if (status != 0) return status;
  trm_status found;
  trm_linear_model *linear =
      trm_simulation_linearize(s->simulation, &options, s->diagnostics, &found);
  if (!linear) return trm_cli_exit_status(found);
  bool good = fill(r, linear);
  trm_linear_model_destroy(linear);
  if (!good) {
    trm_cli_error("out of memory");
    return 1;
  }
  status = write_table(r, path);
  char title[512];
  snprintf(title, sizeof title, "%.200s from %.200s", outputs[0], inputs[0]);
  if (draw(r, figure, title, s->diagnostics) != TRM_OK) status = 1;
  int peak = 0;
  for (int i = 1; i < r->points; i++)
    if (r->magnitude[i] > r->magnitude[peak]) peak = i;
  printf("%s: %s\n  %-27s%g at %g Hz\n  %-27s%s\n", trm_cli_title(s->model), title,
         "largest magnitude", r->magnitude[peak], r->frequency[peak], "written", path);
  return status;
}

static int response_command(const trm_cli_arguments *arguments) {
  response r;
  trm_cli_state state = {0};
  if (!trm_cli_given(arguments, "from-input") || !trm_cli_given(arguments, "to-output")) {
    trm_cli_error("response needs --from-input and --to-output");
    return 2;
  }
  int status = read_range(arguments, &r);
  if (status != 0) return status;
  status = trm_cli_state_reach(&state, arguments);
  if (status == 0) status = respond(&state, arguments, &r);
  if (state.diagnostics) trm_cli_print_diagnostics(state.diagnostics, false);
  free(r.frequency);
  trm_cli_state_release(&state);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR", "folder for response.csv and response.svg; default: results/<model>"},
    TRM_CLI_AT,
    {"from-input", 0, "NAME", "an input of the model"},
    {"to-output", 0, "MEASURE", "a measure"},
    {"low", 0, "F", "the lowest frequency, Hz; default 0.1"},
    {"high", 0, "F", "the highest frequency, Hz; default 100"},
    {"points", 0, "N", "how many, in logarithmic steps with both ends; default 200"},
    {0}};

const trm_cli_command trm_cli_response = {
    .name = "response",
    .usage = "MODEL --from-input NAME --to-output MEASURE [--at STATE] [--low F] [--high F] "
             "[--points N] [-o DIR] [--set NAME=VALUE]... [--KEY VALUE]...",
    .summary = "frequency response from an input to a measure",
    .notes = "Small motions about the state. Magnitude in units of the output by units of the "
             "input, phase\nin radians.\n\n"
             "exit status: 0 done; 1 it could not be linearized there, or written; 2 wrong usage; "
             "3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = response_command};
