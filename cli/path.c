/* trammel equilibrium --along: equilibria over a parameter. */
#include "path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAT      1e-9  /* of the largest change of all: round-off of what stays */
#define ROUND_OFF 1e-12 /* of the largest value */

static double change_of(const trm_path *path, int measure) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < path->count; i++) {
    double value = trm_path_measure(path, measure, i);
    low = fmin(low, value);
    high = fmax(high, value);
  }
  return high - low;
}

/* The first outputs that change, as many as a figure shows well. */
static bool draw(const trm_path *path, const char *parameter, bool steady, const char *file,
                 trm_diagnostics *diagnostics) {
  enum { MOST = 8 };
  int count = 0;
  double most = 0;
  size_t points = (size_t)path->count;
  trm_plot_series series[MOST];
  double *y = calloc(points * MOST, sizeof *y);
  if (!y) return false;
  for (int k = 0; k < path->measure_count; k++) {
    most = fmax(most, FLAT * change_of(path, k));
    most = fmax(most, ROUND_OFF * fabs(trm_path_measure(path, k, 0)));
  }
  for (int k = 0; k < path->measure_count && count < MOST; k++) {
    if (change_of(path, k) <= most) continue;
    double *column = y + (size_t)count * points;
    for (int i = 0; i < path->count; i++) column[i] = trm_path_measure(path, k, i);
    series[count++] = (trm_plot_series){.name = path->names[k],
                                        .count = points,
                                        .x = path->values,
                                        .y = column,
                                        .line = true,
                                        .markers = path->count < 40};
  }
  trm_plot plot = trm_default_plot();
  plot.title = count == 0 ? "No output changes" : steady ? "Steady motions" : "Equilibria";
  plot.x.label = parameter;
  plot.series_count = count;
  plot.series = series;
  trm_status status = trm_plot_write_svg(&plot, file, diagnostics);
  free(y);
  return status == TRM_OK;
}

int trm_cli_path(trm_cli_state *s, const trm_cli_along *along, const char *name, const char *figure,
                 bool json) {
  trm_path_options options = trm_default_path_options();
  options.parameter = along->name;
  options.first = along->first;
  options.last = along->last;
  options.count = along->count;
  options.steady = strcmp(s->at, "steady") == 0;
  trm_status found;
  trm_path *path = trm_simulation_follow(s->simulation, &options, s->diagnostics, &found);
  int status = path && path->complete ? 0 : path ? 1 : trm_cli_exit_status(found);
  if (path && (trm_path_write_json(path, along->name, name, s->diagnostics) != TRM_OK ||
               !draw(path, along->name, options.steady, figure, s->diagnostics)))
    status = 1;
  if (path && json) trm_path_write_json(path, along->name, "-", s->diagnostics);
  if (path && !json) {
    printf("%s: %d %s along %s\n", trm_cli_title(s->model), path->count,
           options.steady ? "steady motions" : "equilibria", along->name);
    for (int i = 0; i < path->count; i++)
      if (path->turning[i])
        printf("  %-27s%s = %.10g\n", "it turns at", along->name, path->values[i]);
    printf("  %-27s%s\n", "written", name);
  }
  trm_path_destroy(path);
  return status;
}
