/* Least squares over a record, and what the estimates are worth. */
#include "analysis/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/cholesky.h"
#include "result/results.h"

#define LEAST_PIVOT 1e-13
#define NOTHING     1e-8 /* of what was measured */

static double weight_of(const trm_optimize *o, const char *name) {
  for (int i = 0; i < o->weight_count; i++)
    if (strcmp(o->weighted[i], name) == 0) return o->column_weights[i];
  return 1;
}

static trm_status check_weights(const trm_optimize *o, const trm_results *table,
                                trm_diagnostics *diagnostics) {
  for (int i = 0; i < o->weight_count; i++)
    if (trm_results_find(table, o->weighted[i]) < 1) {
      trm_report(diagnostics, TRM_ERROR, "optimize: fit: '%s' has no column '%s'", o->record,
                 o->weighted[i]);
      return TRM_BAD_MODEL;
    }
  return TRM_OK;
}

static trm_status take(trm_measured *f, const trm_optimize *o, const trm_results *table,
                       trm_arena *arena, trm_diagnostics *diagnostics) {
  f->rows = trm_results_rows(table);
  f->columns = trm_results_columns(table) - 1;
  size_t cells = (size_t)f->rows * (size_t)f->columns;
  f->names = TRM_NEW(arena, const char *, f->columns + 1);
  f->weights = TRM_NEW(arena, double, f->columns + 1);
  f->times = TRM_NEW(arena, double, f->rows + 1);
  f->data = TRM_NEW(arena, double, cells + 1);
  if (trm_arena_failed(arena)) return TRM_NO_MEMORY;
  for (int c = 0; c < f->columns; c++) {
    f->names[c] = trm_arena_string(arena, trm_results_name(table, c + 1));
    if (!f->names[c]) return TRM_NO_MEMORY;
    f->weights[c] = weight_of(o, f->names[c]);
  }
  for (int r = 0; r < f->rows; r++) {
    f->times[r] = trm_results_get(table, r, 0);
    for (int c = 0; c < f->columns; c++) {
      double x = f->data[r * f->columns + c] = trm_results_get(table, r, c + 1);
      if (!isfinite(x)) continue;
      f->points++;
      f->size = hypot(f->size, sqrt(f->weights[c]) * x);
    }
  }
  return check_weights(o, table, diagnostics);
}

static trm_status check(const trm_measured *f, const char *path, double duration,
                        trm_diagnostics *diagnostics) {
  char wrong[160] = "";
  if (f->points == 0) snprintf(wrong, sizeof wrong, "there is nothing measured in it");
  for (int r = 0; r < f->rows && !wrong[0]; r++) {
    double t = f->times[r];
    if (!(t >= 0) || (r > 0 && !(t > f->times[r - 1])))
      snprintf(wrong, sizeof wrong, "its times must increase, from 0 at the earliest");
    else if (t > duration * (1 + 1e-12))
      snprintf(wrong, sizeof wrong,
               "it goes on to t = %g, and the run ends at %g; a longer duration would meet it",
               f->times[f->rows - 1], duration);
  }
  if (!wrong[0]) return TRM_OK;
  trm_report_path(diagnostics, TRM_ERROR, path, 0, "%s", wrong);
  return TRM_BAD_MODEL;
}

trm_status trm_measured_read(trm_measured *f, const trm_model *model, double duration,
                             trm_arena *arena, trm_diagnostics *diagnostics) {
  const trm_optimize *o = model->optimize;
  char path[4096];
  const char *slash = o->record[0] != '/' && model->file ? strrchr(model->file, '/') : NULL;
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - model->file + 1) : 0,
           slash ? model->file : "", o->record);
  trm_results *table = trm_results_read(path, diagnostics);
  if (!table) return TRM_BAD_MODEL;
  trm_status status = take(f, o, table, arena, diagnostics);
  trm_results_destroy(table);
  if (status == TRM_OK) status = check(f, path, duration, diagnostics);
  f->count = o->vary_count;
  f->bounds = (const double(*)[2])o->bounds;
  f->slope = TRM_NEW(arena, double, f->count + 1);
  f->squares = TRM_NEW(arena, double, f->count * f->count + 1);
  f->room = TRM_NEW(arena, double, (f->count + 2) * f->count + 1);
  return f->slope && f->squares && f->room ? status : TRM_NO_MEMORY;
}

void trm_measured_begin(trm_measured *f) {
  f->sum = 0;
  memset(f->slope, 0, (size_t)f->count * sizeof(double));
  memset(f->squares, 0, (size_t)(f->count * f->count) * sizeof(double));
}

void trm_measured_add(void *context, int row, const double *value, const double *slope) {
  trm_measured *f = context;
  for (int c = 0; c < f->columns; c++) {
    double measured = f->data[row * f->columns + c];
    const double *s = slope + (f->first + c) * f->count;
    if (!isfinite(measured)) continue;
    double off = value[f->first + c] - measured, w = f->weights[c];
    f->sum += w * off * off;
    for (int i = 0; i < f->count; i++) {
      f->slope[i] += 2 * w * off * s[i];
      for (int k = 0; k < f->count; k++) f->squares[i * f->count + k] += w * s[i] * s[k];
    }
  }
}

/* Parameters are measured by their own effect, so that their units do not matter. */
bool trm_measured_covariance(const trm_measured *f, double *covariance, double *deviation) {
  int n = f->count, freedoms = f->points - n;
  double *scale = f->room, *x = scale + n, *L = x + n;
  if (freedoms <= 0) return false;
  double variance = f->sum / freedoms;
  *deviation = sqrt(variance);
  for (int i = 0; i < n; i++) {
    scale[i] = sqrt(f->squares[i * n + i]);
    /* what all of its values change is round-off */
    if (!(scale[i] * (f->bounds[i][1] - f->bounds[i][0]) > NOTHING * f->size)) return false;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) L[i * n + k] = f->squares[i * n + k] / (scale[i] * scale[k]);
  /* a pivot next to nothing: some combination of parameters changes nothing that was measured */
  if (trm_cholesky_bad_pivot(n, L, covariance) >= 0 ||
      !(trm_cholesky_factor(n, L, L) > LEAST_PIVOT))
    return false;
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < n; i++) x[i] = i == c;
    trm_cholesky_forward(n, L, x);
    trm_cholesky_backward(n, L, x);
    for (int i = 0; i < n; i++) covariance[i * n + c] = variance * x[i] / (scale[i] * scale[c]);
  }
  return true;
}
