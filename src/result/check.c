/* Results against a reference: the largest difference, over the times that both have. */
#include <math.h>
#include <stdlib.h>
#include <trammel/results.h>

#include "base/diagnostics.h"

#define SAME_TIME 1e-9 /* relative to t above 1 */

/* The row of a time, or −1; times increase. */
static int find_row(const trm_results *results, double t) {
  double slack = SAME_TIME * fmax(1, fabs(t));
  int low = 0, high = trm_results_rows(results);
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (trm_results_get(results, middle, 0) < t - slack)
      low = middle + 1;
    else
      high = middle;
  }
  return fabs(trm_results_get(results, low, 0) - t) <= slack ? low : -1;
}

/* What is no number agrees with nothing. */
static double difference(double a, double b) {
  double off = fabs(a - b);
  return isnan(off) ? INFINITY : off;
}

static void check_row(const trm_results *results, int row, const trm_results *reference, int i,
                      const int *columns, int time, trm_check *check) {
  for (int k = 0; k < trm_results_columns(reference); k++) {
    if (k == time) continue;
    double off =
        difference(trm_results_get(results, row, columns[k]), trm_results_get(reference, i, k));
    if (check->column && off <= check->max_difference) continue;
    check->max_difference = off;
    check->column = trm_results_name(reference, k);
    check->time = trm_results_get(reference, i, time);
  }
  check->rows++;
}

static bool find_columns(const trm_results *results, const trm_results *reference, int *columns,
                         trm_diagnostics *diagnostics) {
  bool good = true;
  for (int k = 0; k < trm_results_columns(reference); k++) {
    const char *name = trm_results_name(reference, k);
    columns[k] = trm_results_find(results, name);
    if (columns[k] >= 0) continue;
    trm_report(diagnostics, TRM_ERROR, "the results have no column '%s' of the reference", name);
    good = false;
  }
  return good;
}

static trm_status compare(const trm_results *results, const trm_results *reference,
                          const int *columns, int time, trm_check *check,
                          trm_diagnostics *diagnostics) {
  bool later = false, compared_later = false; /* the start agrees whatever the motion is */
  for (int i = 0; i < trm_results_rows(reference); i++) {
    double t = trm_results_get(reference, i, time);
    if (!isfinite(t)) {
      check->max_difference = NAN;
      trm_report(diagnostics, TRM_ERROR, "row %d of the reference: t is no finite number", i + 1);
      return TRM_FAILED;
    }
    int row = find_row(results, t);
    later |= t > 0;
    compared_later |= row >= 0 && t > 0;
    if (row >= 0) check_row(results, row, reference, i, columns, time, check);
  }
  if (check->rows > 0 && (compared_later || !later)) {
    check->passed = check->max_difference <= check->tolerance;
    return TRM_OK;
  }
  check->max_difference = NAN;
  trm_report(diagnostics, TRM_ERROR,
             "no time of the reference after the start is among the output times: choose another "
             "output-step or a longer duration");
  return TRM_FAILED;
}

trm_status trm_results_check(const trm_results *results, const trm_results *reference,
                             double tolerance, trm_check *check, trm_diagnostics *diagnostics) {
  *check = (trm_check){.tolerance = tolerance, .max_difference = NAN, .time = NAN};
  int time = trm_results_find(reference, "t");
  if (time < 0 || trm_results_columns(reference) < 2 || trm_results_rows(results) == 0) {
    trm_report(diagnostics, TRM_ERROR,
               "there is nothing to check: a reference has a column t, others, and rows");
    return TRM_FAILED;
  }
  int *columns = malloc((size_t)trm_results_columns(reference) * sizeof *columns);
  trm_status status = columns ? TRM_FAILED : TRM_NO_MEMORY;
  if (!columns) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (columns && find_columns(results, reference, columns, diagnostics))
    status = compare(results, reference, columns, time, check, diagnostics);
  free(columns);
  return status;
}
