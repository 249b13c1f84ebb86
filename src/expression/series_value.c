/* Evaluating formulas over a run. There is at least one row; a NaN in a row makes the value NaN. */
#include "expression/series_parts.h"

#include <math.h>
#include <stdlib.h>

/* An argument in one row. */
static double at_row(const trm_rows *rows, const trm_expression *argument, int row) {
  for (int i = 0; i < argument->used_count; i++) {
    const trm_series_name *name = &rows->names[argument->used[i]];
    if (name->kind == TRM_SERIES_COLUMN)
      rows->values[argument->used[i]] = rows->source(rows->context, name->index, row);
  }
  return trm_expression_value(argument, rows->values);
}

static double time_at(const trm_rows *rows, int row) {
  return rows->source(rows->context, 0, row);
}

/* The first row with the largest value of sign × x, or of NaN. */
static int extreme_row(const trm_rows *rows, const trm_reduction *r, double sign) {
  int best = 0;
  double largest = sign * at_row(rows, r->argument[0], 0);
  for (int i = 1; i < rows->count && !isnan(largest); i++) {
    double x = sign * at_row(rows, r->argument[0], i);
    if (x <= largest) continue;
    largest = x;
    best = i;
  }
  return best;
}

static double extreme(const trm_rows *rows, const trm_reduction *r, double sign) {
  return at_row(rows, r->argument[0], extreme_row(rows, r, sign));
}

static double time_of(const trm_rows *rows, const trm_reduction *r, double sign) {
  int row = extreme_row(rows, r, sign);
  return isnan(at_row(rows, r->argument[0], row)) ? NAN : time_at(rows, row);
}

double trm_reduce_min(const trm_rows *rows, const trm_reduction *r) {
  return extreme(rows, r, -1);
}

double trm_reduce_max(const trm_rows *rows, const trm_reduction *r) {
  return extreme(rows, r, 1);
}

double trm_reduce_range(const trm_rows *rows, const trm_reduction *r) {
  return extreme(rows, r, 1) - extreme(rows, r, -1);
}

double trm_reduce_time_of_min(const trm_rows *rows, const trm_reduction *r) {
  return time_of(rows, r, -1);
}

double trm_reduce_time_of_max(const trm_rows *rows, const trm_reduction *r) {
  return time_of(rows, r, 1);
}

double trm_reduce_initial(const trm_rows *rows, const trm_reduction *r) {
  return at_row(rows, r->argument[0], 0);
}

double trm_reduce_final(const trm_rows *rows, const trm_reduction *r) {
  return at_row(rows, r->argument[0], rows->count - 1);
}

/* ∫ xⁿ dt */
static double integrate(const trm_rows *rows, const trm_reduction *r, int n) {
  double sum = 0, before = 0;
  for (int i = 0; i < rows->count; i++) {
    double x = at_row(rows, r->argument[0], i);
    if (n == 2) x *= x;
    if (i > 0) sum += (time_at(rows, i) - time_at(rows, i - 1)) * (x + before) / 2;
    before = x;
  }
  return sum;
}

double trm_reduce_integral(const trm_rows *rows, const trm_reduction *r) {
  return integrate(rows, r, 1);
}

static double span_of(const trm_rows *rows) {
  return time_at(rows, rows->count - 1) - time_at(rows, 0);
}

double trm_reduce_mean(const trm_rows *rows, const trm_reduction *r) {
  double span = span_of(rows);
  return span > 0 ? integrate(rows, r, 1) / span : at_row(rows, r->argument[0], 0);
}

double trm_reduce_rms(const trm_rows *rows, const trm_reduction *r) {
  double span = span_of(rows);
  return span > 0 ? sqrt(integrate(rows, r, 2) / span) : fabs(at_row(rows, r->argument[0], 0));
}

static bool holds(const trm_reduction *r, double value) {
  double truth = r->compares ? trm_logic(r->comparison, value, 0) : value;
  return truth != 0 && !isnan(truth);
}

double trm_reduce_first(const trm_rows *rows, const trm_reduction *r) {
  double before = 0;
  for (int i = 0; i < rows->count; i++) {
    double x = at_row(rows, r->argument[0], i);
    if (!holds(r, x)) {
      before = x;
      continue;
    }
    if (i == 0 || !r->compares || isnan(before)) return time_at(rows, i);
    return time_at(rows, i - 1) + (time_at(rows, i) - time_at(rows, i - 1)) * before / (before - x);
  }
  return NAN;
}

double trm_reduce_at(const trm_rows *rows, const trm_reduction *r) {
  double t = at_row(rows, r->argument[1], 0);
  int last = rows->count - 1, low = 0, high = last;
  if (!(t >= time_at(rows, 0) && t <= time_at(rows, last))) return NAN;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (time_at(rows, middle) <= t)
      low = middle;
    else
      high = middle;
  }
  double a = at_row(rows, r->argument[0], low), span = time_at(rows, high) - time_at(rows, low);
  if (!(span > 0)) return a;
  return a + (t - time_at(rows, low)) / span * (at_row(rows, r->argument[0], high) - a);
}

/* About the means of x and y: the sums keep their digits. */
double trm_reduce_slope(const trm_rows *rows, const trm_reduction *r) {
  double low = r->count == 4 ? at_row(rows, r->argument[2], 0) : -INFINITY;
  double high = r->count == 4 ? at_row(rows, r->argument[3], 0) : INFINITY;
  double mean[2] = {0, 0}, xx = 0, xy = 0;
  for (int pass = 0; pass < 2; pass++) {
    int count = 0;
    double sum[2] = {0, 0};
    for (int i = 0; i < rows->count; i++) {
      double y = at_row(rows, r->argument[0], i), x = at_row(rows, r->argument[1], i);
      if (x < low || x > high) continue;
      count++;
      sum[0] += x;
      sum[1] += y;
      if (pass == 0) continue;
      xx += (x - mean[0]) * (x - mean[0]);
      xy += (x - mean[0]) * (y - mean[1]);
    }
    for (int k = 0; k < 2; k++) mean[k] = sum[k] / count;
  }
  return xx > 0 ? xy / xx : NAN;
}

double trm_series_value(const trm_series *series, int count, trm_series_source source,
                        void *context, const double *results) {
  size_t names = (size_t)series->name_count + 1;
  trm_rows rows = {.count = count, .source = source, .context = context, .names = series->names};
  rows.values = calloc(names, sizeof *rows.values);
  double value = NAN;
  bool good = count > 0 && rows.values;
  for (int i = 0; good && i < series->name_count; i++) {
    const trm_series_name *name = &series->names[i];
    if (name->kind == TRM_SERIES_RESULT) rows.values[i] = results[name->index];
  }
  for (int i = 0; good && i < series->name_count; i++) {
    const trm_series_name *name = &series->names[i];
    if (name->kind != TRM_SERIES_REDUCTION) continue;
    const trm_reduction *reduction = &series->reductions[name->index];
    rows.values[i] = reduction->kind->value(&rows, reduction);
  }
  if (good) value = trm_expression_value(series->whole, rows.values);
  free(rows.values);
  return value;
}
