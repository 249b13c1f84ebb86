/* Results in HDF5. */
#include <trammel/results.h>

#include "fuzz.h"
#include "result/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_results *table = trm_results_read_hdf5(fuzz_file(data, size), diagnostics);
  fuzz_check(diagnostics, table != NULL);
  trm_results_destroy(table);
  trm_diagnostics_destroy(diagnostics);
  return 0;
}
