/* Results in CSV: read, compared with themselves. */
#include <stdlib.h>
#include <trammel/compare.h>
#include <trammel/results.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_results *table = trm_results_read_csv(fuzz_file(data, size), diagnostics);
  fuzz_check(diagnostics, table != NULL);
  trm_diagnostics_clear(diagnostics);
  trm_status status = TRM_OK;
  trm_compare_options options = trm_default_compare_options();
  trm_comparison *same =
      table ? trm_compare_results(table, table, &options, diagnostics, &status) : NULL;
  if (table) fuzz_check(diagnostics, same != NULL);
  trm_comparison_destroy(same);
  trm_results_destroy(table);
  trm_diagnostics_destroy(diagnostics);
  return 0;
}
