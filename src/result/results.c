/* The table of measures over time: one block of names, one block of numbers, column after column.
 */
#include "result/results.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct trm_results {
  int columns, rows, capacity;
  char *text;         /* all names, one after the other */
  const char **names; /* columns */
  double *values;     /* columns × capacity */
  double *row;        /* columns: the next one */
};

trm_results *trm_results_create(void) {
  return calloc(1, sizeof(trm_results));
}

static void clear(trm_results *results) {
  free(results->text);
  free(results->names);
  free(results->values);
  free(results->row);
  *results = (trm_results){0};
}

void trm_results_destroy(trm_results *results) {
  if (!results) return;
  clear(results);
  free(results);
}

static bool copy_names(trm_results *results, int columns, const char *const *names) {
  size_t size = 0;
  for (int k = 0; k < columns; k++) size += strlen(names[k]) + 1;
  results->text = malloc(size ? size : 1);
  results->names = calloc((size_t)columns, sizeof *results->names);
  if (!results->text || !results->names) return false;
  char *text = results->text;
  for (int k = 0; k < columns; k++) {
    size_t length = strlen(names[k]) + 1;
    results->names[k] = memcpy(text, names[k], length);
    text += length;
  }
  return true;
}

bool trm_results_layout(trm_results *results, int columns, const char *const *names, int rows) {
  clear(results);
  if (columns <= 0 || rows < 0) return false;
  size_t row_size = (size_t)columns * sizeof *results->values;
  results->row = calloc((size_t)columns, sizeof *results->row);
  if ((size_t)rows > SIZE_MAX / 2 / row_size) return false;
  results->values = calloc(rows ? (size_t)rows : 1, row_size);
  if (!results->values || !results->row || !copy_names(results, columns, names)) {
    clear(results);
    return false;
  }
  results->columns = columns;
  results->capacity = rows;
  return true;
}

double *trm_results_next_row(trm_results *results) {
  return results->rows < results->capacity ? results->row : NULL;
}

void trm_results_add_row(trm_results *results) {
  size_t capacity = (size_t)results->capacity, row = (size_t)results->rows++;
  for (int k = 0; k < results->columns; k++)
    results->values[(size_t)k * capacity + row] = results->row[k];
}

int trm_results_columns(const trm_results *results) {
  return results->columns;
}

int trm_results_rows(const trm_results *results) {
  return results->rows;
}

const char *trm_results_name(const trm_results *results, int column) {
  return column >= 0 && column < results->columns ? results->names[column] : NULL;
}

int trm_results_find(const trm_results *results, const char *name) {
  for (int k = 0; k < results->columns; k++)
    if (strcmp(results->names[k], name) == 0) return k;
  return -1;
}

double trm_results_get(const trm_results *results, int row, int column) {
  if (row < 0 || row >= results->rows || column < 0 || column >= results->columns) return NAN;
  return results->values[(size_t)column * (size_t)results->capacity + (size_t)row];
}

const double *trm_results_column(const trm_results *results, int column) {
  if (column < 0 || column >= results->columns) return NULL;
  return results->values + (size_t)column * (size_t)results->capacity;
}
