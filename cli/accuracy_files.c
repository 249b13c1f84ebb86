/* What `trammel accuracy` leaves in its folder: accuracy.json, accuracy.csv and two figures. */
#define _POSIX_C_SOURCE 200809L
#include "accuracy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, NAME = 96 };

/* --- tables --- */

static FILE *open_file(const char *folder, const char *name, char path[LONGEST_PATH]) {
  snprintf(path, LONGEST_PATH, "%s/%s", folder, name);
  return trm_cli_create(path);
}

static bool write_json(const trm_cli_accuracy *a, const char *folder) {
  char path[LONGEST_PATH];
  FILE *file = open_file(folder, "accuracy.json", path);
  if (!file) return false;
  trm_cli_json_points(a, file);
  return trm_cli_commit(file, path, true);
}

static void write_row(const trm_cli_accuracy *a, const trm_cli_point *point, FILE *file) {
  const trm_cli_trial *run = &point->run;
  const trm_settings *s = &run->settings;
  fprintf(file, "%s,%s,%s,%s,%s,%.17g,", s->integrator,
          trm_model_is_system(a->model) ? "own" : s->coordinates, s->solver, s->stabilization,
          s->energy, run->step);
  if (point->variable) fprintf(file, "%.17g", s->rtol);
  fprintf(file, ",%.17g,%s,", run->difference,
          trm_results_name(a->exact.table, run->difference_column));
  if (!isnan(point->order)) fprintf(file, "%.17g", point->order);
  fprintf(file, ",%d,%d,%.17g,%.17g,", point->floor, point->front, run->position, run->velocity);
  if (!isnan(run->energy)) fprintf(file, "%.17g", run->energy); /* a system may give none */
  fprintf(file, ",%ld,%ld,%.17g\n", run->steps, run->evaluations, run->cpu_seconds);
}

/* The completed runs; why others are not stands in the JSON. */
static bool write_csv(const trm_cli_accuracy *a, const char *folder) {
  char path[LONGEST_PATH];
  FILE *file = open_file(folder, "accuracy.csv", path);
  if (!file) return false;
  fputs("integrator,coordinates,solver,stabilization,energy,step,rtol,error,measure,order,floor,"
        "front,max_position_violation,max_velocity_violation,max_energy_error,steps,evaluations,"
        "cpu_seconds\n",
        file);
  for (int k = 0; k < a->count; k++)
    if (a->points[k].run.state == TRM_TRIAL_DONE) write_row(a, &a->points[k], file);
  return trm_cli_commit(file, path, true);
}

/* --- figures --- */

typedef struct figure {
  trm_plot_series *series; /* one for each, the front and the reference's own error */
  char (*names)[NAME];
  double *x, *y; /* of all points, then of the front, then two more */
  int used, count;
} figure;

static void add(figure *f, const char *name, double x, double y) {
  trm_plot_series *series = &f->series[f->count - 1];
  if (series->count == 0) {
    series->x = f->x + f->used;
    series->y = f->y + f->used;
    series->name = name;
  }
  f->x[f->used] = x;
  f->y[f->used++] = y;
  series->count++;
}

static double place(const trm_cli_point *point, bool time) {
  return time ? point->run.cpu_seconds : point->run.step;
}

static int by_time(const void *a, const void *b) {
  double x = (*(const trm_cli_point *const *)a)->run.cpu_seconds;
  double y = (*(const trm_cli_point *const *)b)->run.cpu_seconds;
  return (x > y) - (x < y);
}

static void add_front(figure *f, const trm_cli_accuracy *a, const trm_cli_point **sorted) {
  int count = 0;
  for (int k = 0; k < a->count; k++)
    if (a->points[k].front) sorted[count++] = &a->points[k];
  qsort(sorted, (size_t)count, sizeof *sorted, by_time);
  f->series[f->count++] = (trm_plot_series){.line = true, .pale = true};
  for (int k = 0; k < count; k++)
    add(f, "front", place(sorted[k], true), sorted[k]->run.difference);
}

/* A run that failed interrupts the line. */
static void add_series(figure *f, const trm_cli_accuracy *a, bool time) {
  for (int k = 0; k < a->count; k++) {
    const trm_cli_point *point = &a->points[k];
    bool done = point->run.state == TRM_TRIAL_DONE;
    if (k == 0 || point->series != point[-1].series) {
      f->series[f->count++] = (trm_plot_series){.line = true, .markers = true};
      trm_cli_series_name(a, point, f->names[point->series], NAME);
    }
    add(f, f->names[point->series], done ? place(point, time) : NAN,
        done ? point->run.difference : NAN);
  }
}

static double largest_error(const trm_cli_accuracy *a) {
  double largest = 0;
  for (int k = 0; k < a->count; k++)
    if (a->points[k].run.state == TRM_TRIAL_DONE)
      largest = fmax(largest, a->points[k].run.difference);
  return largest;
}

static bool write_figure(const trm_cli_accuracy *a, const char *folder, const char *name, bool time,
                         figure *f, const trm_cli_point **sorted) {
  char path[LONGEST_PATH], title[256];
  f->used = f->count = 0;
  add_series(f, a, time);
  if (time) add_front(f, a, sorted);
  trm_plot plot = trm_default_plot();
  snprintf(title, sizeof title, "%s, t = 0 to %g", trm_model_name(a->model), a->settings.duration);
  plot.title = title;
  plot.x.label = time ? "CPU time [s]" : "step (of variable-step methods the mean)";
  plot.y.label = "largest error of a position";
  plot.x.log = plot.y.log = true;
  /* farther off than the motion is wide tells nothing */
  if (largest_error(a) > 3 * a->exact.scale) plot.y.high = 3 * a->exact.scale;
  plot.series = f->series;
  plot.series_count = f->count;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  trm_status status = trm_plot_write_svg(&plot, path, a->diagnostics);
  trm_cli_print_diagnostics(a->diagnostics, true);
  return status == TRM_OK;
}

static bool write_figures(const trm_cli_accuracy *a, const char *folder) {
  size_t points = (size_t)a->count, series = (size_t)a->series_count;
  const trm_cli_point **sorted = calloc(points + 1, sizeof *sorted);
  figure f = {.series = calloc(series + 1, sizeof *f.series),
              .names = calloc(series + 1, sizeof *f.names),
              .x = calloc(2 * points + 1, sizeof *f.x),
              .y = calloc(2 * points + 1, sizeof *f.y)};
  bool good = sorted && f.series && f.names && f.x && f.y;
  if (!good) trm_cli_error("out of memory");
  if (good) {
    bool step = write_figure(a, folder, "error-step.svg", false, &f, sorted);
    good = write_figure(a, folder, "error-time.svg", true, &f, sorted) && step;
  }
  free(sorted);
  free(f.series);
  free(f.names);
  free(f.x);
  free(f.y);
  return good;
}

bool trm_cli_write_points(const trm_cli_accuracy *a, const char *folder) {
  bool json = write_json(a, folder), csv = write_csv(a, folder);
  return write_figures(a, folder) && json && csv;
}
