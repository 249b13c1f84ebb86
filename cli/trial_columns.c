/* Which columns of a run are compared with the first one's, and in what measure. */
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STILL 1e-6 /* of the largest range of its kind: a column that hardly moves */
#define REST  1e-9 /* of 1 or the largest value: nothing of this kind moves */

typedef struct extent {
  double range, size; /* largest − smallest, largest |value| */
} extent;

static const char *last_part(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

/* Accelerations and efforts carry the error of a derivative, energies and violations have columns
 * of their own in the table. */
static bool is_compared(const char *name) {
  static const char *const others[] = {"ax",     "ay",     "az",    "alpha",  "alphax", "alphay",
                                       "alphaz", "fx",     "fy",    "fz",     "tx",     "ty",
                                       "tz",     "effort", "force", "torque", "aX",     "aY",
                                       "aZ",     "axh",    "ayh",   "f",      "t"};
  if (strcmp(name, "t") == 0) return false;
  size_t length = strlen(name);
  bool second = length > 2 && strcmp(name + length - 2, "''") == 0;
  if (second || strncmp(name, "lambda", 6) == 0) return false; /* of a system of its own */
  if (strncmp(name, "energy.", 7) == 0 || strncmp(name, "constraint.", 11) == 0) return false;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (strcmp(last_part(name), others[k]) == 0) return false;
  return true;
}

/* The same measure of anything; components are of one kind. */
static bool same_kind(const char *a, const char *b) {
  a = last_part(a);
  b = last_part(b);
  size_t length = strlen(a);
  if (strlen(b) != length || length == 0) return false;
  static const char *const letters[] = {"uvw", "pqr"}; /* in body axes; "uh", "vh" */
  for (int k = 0; k < 2; k++)
    if (strchr(letters[k], a[0]) && strchr(letters[k], b[0]) && strcmp(a + 1, b + 1) == 0)
      return true;
  bool components = strchr("xyz", a[length - 1]) && strchr("xyz", b[length - 1]);
  return memcmp(a, b, components ? length - 1 : length) == 0;
}

static extent measure(const trm_results *table, int column) {
  double low = INFINITY, high = -INFINITY;
  for (int row = 0; row < trm_results_rows(table); row++) {
    double value = trm_results_get(table, row, column);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return (extent){high - low, fmax(fabs(low), fabs(high))};
}

static trm_cli_column scale(const trm_results *table, const extent *extents, int column) {
  const char *name = trm_results_name(table, column);
  extent kind = {0, 1};
  trm_cli_column found = {.compared = is_compared(name), .scale = extents[column].range};
  for (int k = 0; k < trm_results_columns(table); k++) {
    const char *other = trm_results_name(table, k);
    if (!is_compared(other) || !same_kind(name, other)) continue;
    kind.range = fmax(kind.range, extents[k].range);
    kind.size = fmax(kind.size, extents[k].size);
  }
  found.moves = kind.range > REST * kind.size && found.scale > STILL * kind.range;
  /* round-off in what a guide holds still is no disagreement */
  if (!found.moves) found.scale = kind.range > REST * kind.size ? kind.range : kind.size;
  return found;
}

int trm_cli_scale_columns(trm_cli_trials *trials) {
  const trm_results *table = trials->first;
  int columns = trm_results_columns(table), compared = 0;
  extent *extents = calloc((size_t)columns + 1, sizeof *extents);
  trials->columns = calloc((size_t)columns + 1, sizeof *trials->columns);
  if (!extents || !trials->columns) {
    free(extents);
    return -1;
  }
  for (int k = 0; k < columns; k++) extents[k] = measure(table, k);
  for (int k = 0; k < columns; k++) {
    trials->columns[k] = scale(table, extents, k);
    compared += trials->columns[k].compared;
  }
  free(extents);
  return compared;
}

static void take_worst(const trm_cli_trials *trials, const trm_comparison *found,
                       trm_cli_trial *trial) {
  for (int k = 0; k < found->column_count; k++) {
    const trm_agreement *agreement = &found->columns[k];
    int index = trm_results_find(trials->first, agreement->name);
    const trm_cli_column *column = &trials->columns[index];
    double difference = agreement->max_difference / column->scale;
    double icc = agreement->icc_absolute_agreement.value;
    if (trial->difference_column < 0 || !(difference <= trial->difference)) {
      trial->difference = difference;
      trial->difference_column = index;
    }
    if (column->moves && isfinite(icc) && (trial->icc_column < 0 || icc < trial->icc)) {
      trial->icc = icc;
      trial->icc_column = index;
    }
  }
}

bool trm_cli_compare_trial(const trm_cli_trials *trials, const trm_results *results,
                           trm_cli_trial *trial, trm_diagnostics *diagnostics) {
  trm_compare_options options = trm_default_compare_options();
  int columns = trm_results_columns(trials->first);
  const char **names = calloc((size_t)columns + 1, sizeof *names);
  if (!names) {
    snprintf(trial->message, sizeof trial->message, "out of memory");
    return false;
  }
  for (int k = 0; k < columns; k++)
    if (trials->columns[k].compared)
      names[options.column_count++] = trm_results_name(trials->first, k);
  options.columns = names;
  options.names[0] = "the first run";
  options.names[1] = "this run";
  trm_comparison *found = trm_compare_results(trials->first, results, &options, diagnostics, NULL);
  if (found) take_worst(trials, found, trial);
  trm_comparison_destroy(found);
  free(names);
  return found != NULL;
}
