/* trammel equilibrium --along: equilibria over a parameter, each sought from the one before. */
#include "path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct path {
  trm_cli_state *s;
  const trm_cli_along *along;
  int found, outputs;
  int *handles;
  double *state;      /* of the equilibrium before */
  double *values;     /* [outputs × count] */
  trm_answer *stable; /* [count] */
} path;

static bool create(path *p) {
  trm_simulation *sim = p->s->simulation;
  p->outputs = trm_model_output_count(p->s->model);
  p->handles = calloc((size_t)p->outputs + 1, sizeof *p->handles);
  p->values = calloc((size_t)p->outputs * (size_t)p->along->count + 1, sizeof *p->values);
  p->stable = calloc((size_t)p->along->count, sizeof *p->stable);
  p->state = calloc((size_t)trm_simulation_state_size(sim) + 1, sizeof *p->state);
  if (!p->handles || !p->values || !p->stable || !p->state) return false;
  for (int i = 0; i < p->outputs; i++)
    p->handles[i] =
        trm_simulation_find(sim, trm_model_output_name(p->s->model, i), p->s->diagnostics);
  return true;
}

static int step(path *p, int i) {
  trm_simulation *sim = p->s->simulation;
  double value = trm_cli_along_value(p->along, i), time;
  trm_status status = trm_simulation_set_parameter(sim, p->along->name, value, p->s->diagnostics);
  if (status != TRM_OK) return trm_cli_exit_status(status);
  trm_simulation_get_state(sim, &time, NULL);
  /* a state that does not fit the new geometry is left: the search then starts as written */
  if (i > 0) trm_simulation_set_state(sim, time, p->state, NULL);
  int found = trm_cli_state_go(p->s);
  if (found != 0) return found;
  trm_simulation_get_state(sim, &time, p->state);
  for (int k = 0; k < p->outputs; k++)
    p->values[k * p->along->count + i] = trm_simulation_get(sim, p->handles[k]);
  p->stable[i] = p->s->settled.stable;
  p->found = i + 1;
  return 0;
}

static void write_list(FILE *file, const double *values, int count) {
  fputc('[', file);
  for (int i = 0; i < count; i++) {
    fputs(i ? ", " : "", file);
    if (isfinite(values[i]))
      fprintf(file, "%.17g", values[i]);
    else
      fputs("null", file);
  }
  fputc(']', file);
}

static bool write_path(const path *p, const char *name) {
  static const char *const answers[] = {"null", "false", "true"};
  FILE *file = fopen(name, "w");
  if (!file) {
    trm_cli_error("cannot write '%s'", name);
    return false;
  }
  fprintf(file, "{\n  \"status\": \"%s\",\n  \"parameter\": \"%s\",\n  \"values\": [",
          p->found == p->along->count ? "found" : "none", p->along->name);
  for (int i = 0; i < p->found; i++)
    fprintf(file, "%s%.17g", i ? ", " : "", trm_cli_along_value(p->along, i));
  fprintf(file, "],\n  \"stable\": [");
  for (int i = 0; i < p->found; i++)
    fprintf(file, "%s%s", i ? ", " : "", answers[p->stable[i] + 1]);
  fprintf(file, "],\n  \"measures\": {");
  for (int k = 0; k < p->outputs; k++) {
    fprintf(file, "%s\n    \"%s\": ", k ? "," : "", trm_model_output_name(p->s->model, k));
    write_list(file, p->values + k * p->along->count, p->found);
  }
  fprintf(file, "\n  }\n}\n");
  bool failed = ferror(file) != 0;
  if (fclose(file) != 0) failed = true;
  if (failed) trm_cli_error("cannot write '%s'", name);
  return !failed;
}

/* The first outputs, as many as a figure shows well. */
static bool draw(const path *p, const char *name) {
  enum { MOST = 8 };
  int count = p->outputs < MOST ? p->outputs : MOST;
  trm_plot_series series[MOST];
  double *x = calloc((size_t)p->along->count, sizeof *x);
  if (!x) return false;
  for (int i = 0; i < p->found; i++) x[i] = trm_cli_along_value(p->along, i);
  for (int k = 0; k < count; k++)
    series[k] = (trm_plot_series){.name = trm_model_output_name(p->s->model, k),
                                  .count = (size_t)p->found,
                                  .x = x,
                                  .y = p->values + k * p->along->count,
                                  .line = true,
                                  .markers = p->found < 40};
  trm_plot plot = trm_default_plot();
  plot.title = "Equilibria";
  plot.x.label = p->along->name;
  plot.series_count = count;
  plot.series = series;
  trm_status status = trm_plot_write_svg(&plot, name, p->s->diagnostics);
  free(x);
  return status == TRM_OK;
}

int trm_cli_path(trm_cli_state *s, const trm_cli_along *along, const char *name,
                 const char *figure) {
  path p = {.s = s, .along = along};
  int status = create(&p) ? 0 : 1;
  for (int i = 0; i < along->count && status == 0; i++) status = step(&p, i);
  if (p.found > 0 && (!write_path(&p, name) || !draw(&p, figure))) status = 1;
  printf("%s: %d of %d equilibria along %s\n", trm_model_name(s->model), p.found, along->count,
         along->name);
  if (p.found > 0) printf("  %-27s%s\n", "written", name);
  free(p.handles);
  free(p.values);
  free(p.stable);
  free(p.state);
  return status;
}
