/* Writing results as CSV: one header line, full double precision. */
#include "result/output.h"

#include <trammel/results.h>

static void write_header(trm_output *output, const trm_results *results) {
  for (int k = 0; k < trm_results_columns(results); k++) {
    if (k > 0) trm_output_write(output, ",", 1);
    trm_output_text(output, trm_results_name(results, k));
  }
  trm_output_write(output, "\n", 1);
}

static void write_rows(trm_output *output, const trm_results *results) {
  int rows = trm_results_rows(results), columns = trm_results_columns(results);
  /* a failed output takes no more: a full disk must not cost the time of a whole table */
  for (int row = 0; row < rows && !trm_output_failed(output); row++) {
    for (int k = 0; k < columns; k++) {
      if (k > 0) trm_output_write(output, ",", 1);
      trm_output_exact(output, trm_results_get(results, row, k));
    }
    trm_output_write(output, "\n", 1);
  }
}

trm_status trm_results_write_csv(const trm_results *results, const char *path,
                                 trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  write_header(output, results);
  write_rows(output, results);
  return trm_output_close(output, diagnostics);
}
