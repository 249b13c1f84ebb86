/* The table of measures over time: one block of names, one block of numbers, column after column;
 * or the numbers in a file. */
#define _POSIX_C_SOURCE 200809L
#include "result/results.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "result/stream.h"

struct trm_results {
  int columns, rows, capacity;
  char *text;         /* all names, one after the other */
  const char **names; /* columns */
  double *values;     /* columns × capacity */
  double *row;        /* columns: the next one */
  trm_stream *stream; /* has the rows, or NULL */
  char *path;         /* where it shall lead; NULL: to no file */
  const trm_row_class *format;
  long rows_there; /* of it, where a run goes on */
  long long bytes_there;
};

trm_results *trm_results_create(void) {
  return calloc(1, sizeof(trm_results));
}

static void clear(trm_results *results) {
  trm_stream_close(results->stream);
  free(results->text);
  free(results->names);
  free(results->values);
  free(results->row);
  *results = (trm_results){.path = results->path,
                           .format = results->format,
                           .rows_there = results->rows_there,
                           .bytes_there = results->bytes_there};
}

void trm_results_destroy(trm_results *results) {
  if (!results) return;
  clear(results);
  free(results->path);
  free(results);
}

static bool copy_names(trm_results *results, int columns, const char *const *names) {
  size_t size = 0;
  for (int k = 0; k < columns; k++) size += strlen(names[k]) + 1;
  results->text = malloc(size ? size : 1);
  results->names = calloc(columns > 0 ? (size_t)columns : 1, sizeof *results->names);
  if (!results->text || !results->names) return false;
  char *text = results->text;
  for (int k = 0; k < columns; k++) {
    size_t length = strlen(names[k]) + 1;
    results->names[k] = memcpy(text, names[k], length);
    text += length;
  }
  return true;
}

static bool open_stream(trm_results *results, int columns, const char *const *names, int rows) {
  if (!copy_names(results, columns, names)) return false;
  trm_stream_plan plan = {.path = results->path,
                          .type = results->format,
                          .columns = columns,
                          .names = results->names,
                          .most = rows,
                          .rows = results->rows_there,
                          .size = results->bytes_there};
  results->columns = columns;
  results->capacity = rows;
  results->stream = trm_stream_open(&plan);
  int error = errno;
  if (!results->stream) clear(results);
  errno = error;
  return results->stream != NULL;
}

bool trm_results_layout(trm_results *results, int columns, const char *const *names, int rows) {
  clear(results);
  errno = ENOMEM;
  if (columns <= 0 || rows < 0) return false;
  if (results->path) return open_stream(results, columns, names, rows);
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
  if (trm_results_rows(results) >= results->capacity) return NULL;
  return results->stream ? trm_stream_next(results->stream) : results->row;
}

bool trm_results_add_row(trm_results *results) {
  if (results->stream) return trm_stream_add(results->stream);
  size_t capacity = (size_t)results->capacity, row = (size_t)results->rows++;
  for (int k = 0; k < results->columns; k++)
    results->values[(size_t)k * capacity + row] = results->row[k];
  return true;
}

int trm_results_columns(const trm_results *results) {
  return results->columns;
}

int trm_results_rows(const trm_results *results) {
  return results->stream ? (int)trm_stream_rows(results->stream) : results->rows;
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
  if (row < 0 || column < 0 || column >= results->columns) return NAN;
  if (results->stream) {
    const double *values = trm_stream_row(results->stream, row);
    return values ? values[column] : NAN;
  }
  if (row >= results->rows) return NAN;
  return results->values[(size_t)column * (size_t)results->capacity + (size_t)row];
}

const double *trm_results_column(const trm_results *results, int column) {
  if (column < 0 || column >= results->columns || results->stream) return NULL;
  return results->values + (size_t)column * (size_t)results->capacity;
}

/* ---- rows in a file ---- */

trm_status trm_results_stream(trm_results *results, const char *path, const char *format,
                              trm_diagnostics *diagnostics) {
  clear(results);
  free(results->path);
  results->path = strdup(path);
  results->format = trm_rows_find(format);
  results->rows_there = 0;
  if (results->path && results->format) return TRM_OK;
  free(results->path);
  results->path = NULL;
  if (results->format)
    trm_report(diagnostics, TRM_ERROR, "out of memory");
  else
    trm_report(diagnostics, TRM_ERROR, "unknown format '%s'; it must be csv or hdf5", format);
  return results->format ? TRM_NO_MEMORY : TRM_BAD_USAGE;
}

void trm_results_go_on(trm_results *results, long rows, long long bytes) {
  results->rows_there = rows;
  results->bytes_there = bytes;
}

const char *trm_results_path(const trm_results *results) {
  return results->path;
}

const char *trm_results_part(const trm_results *results) {
  return results->stream ? trm_stream_part(results->stream) : NULL;
}

int trm_results_drain(trm_results *results) {
  return results->stream ? trm_stream_drain(results->stream, false) : 0;
}

int trm_results_sync(trm_results *results, long *rows, long long *bytes) {
  int error = trm_stream_drain(results->stream, true);
  *rows = trm_stream_rows(results->stream);
  *bytes = trm_stream_size(results->stream);
  return error;
}

trm_status trm_results_publish(trm_results *results, trm_diagnostics *diagnostics) {
  int error = results->stream ? trm_stream_publish(results->stream) : ENOENT;
  if (error)
    trm_report(diagnostics, TRM_ERROR, "cannot write '%s': %s", results->path ? results->path : "",
               strerror(error));
  return error ? TRM_IO_ERROR : TRM_OK;
}
