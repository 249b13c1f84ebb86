/* A whole table as HDF5: a chunked data set for each column, for runs whose text would be long. */
#include <stdlib.h>
#include <string.h>
#include <trammel/results.h>

#include "base/diagnostics.h"
#include "result/beside.h"
#include "result/rows.h"

enum { BLOCK = 1 << 17 }; /* numbers */

bool trm_results_has_hdf5(void) {
  return true;
}

static int write_rows(trm_row_file *file, const trm_results *results) {
  int columns = file->columns, all = (int)file->most, part = BLOCK / (columns + 1) + 1;
  double *rows = malloc((size_t)part * (size_t)(columns + 1) * sizeof *rows);
  int error = rows ? file->type->begin(file) : -1;
  for (int first = 0; !error && first < all; first += part) {
    int count = all - first < part ? all - first : part;
    for (int i = 0; i < count; i++)
      for (int k = 0; k < columns; k++)
        rows[(size_t)i * (size_t)columns + (size_t)k] = trm_results_get(results, first + i, k);
    error = file->type->write(file, rows, count);
  }
  if (!error) error = file->type->settle(file, file->rows);
  file->type->end(file);
  free(rows);
  return error;
}

trm_status trm_results_write_hdf5(const trm_results *results, const char *path,
                                  trm_diagnostics *diagnostics) {
  trm_beside beside;
  int columns = trm_results_columns(results);
  const char **names = malloc(((size_t)columns + 1) * sizeof *names);
  for (int k = 0; names && k < columns; k++) names[k] = trm_results_name(results, k);
  int error = names ? trm_beside_open(&beside, path) : -1;
  if (!error) {
    trm_row_file file = {.type = &trm_rows_hdf5,
                         .file = beside.file,
                         .columns = columns,
                         .names = names,
                         .most = trm_results_rows(results)};
    error = write_rows(&file, results);
    int closed = trm_beside_close(&beside, !error);
    if (!error) error = closed;
  }
  free(names);
  if (error)
    trm_report(diagnostics, TRM_ERROR, "cannot write '%s': %s", path,
               error < 0 ? "out of memory" : strerror(error));
  return error < 0 ? TRM_NO_MEMORY : error ? TRM_IO_ERROR : TRM_OK;
}
