/* Property files of tires: read, evaluated at some slips. */
#include <stdlib.h>
#include <trammel/tire.h>

#include "fuzz.h"

static void roll(const trm_tire *tire) {
  static const trm_tire_slip slips[] = {
      {4000, 0, 0, 0, 16}, {2000, 0.1, -0.1, 0.05, 30}, {0, -1, 1, -0.2, 0}, {1e6, 9, 1.5, 1, -5}};
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    trm_tire_forces forces;
    double slopes[5][5];
    char text[300];
    unsigned beyond = trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slips[i], 0.9, &forces, slopes);
    trm_tire_name_beyond(tire, beyond, text, sizeof text);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = TRM_OK;
  trm_tire *tire = trm_tire_load(fuzz_file(data, size), diagnostics, &status);
  fuzz_check(diagnostics, tire != NULL);
  if ((tire != NULL) != (status == TRM_OK)) abort();
  if (tire) roll(tire);
  trm_tire_destroy(tire);
  trm_diagnostics_destroy(diagnostics);
  return 0;
}
