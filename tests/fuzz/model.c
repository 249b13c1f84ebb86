/* Model files: read, assembled where they are small, two steps made. */
#include <stdlib.h>
#include <trammel/trammel.h>

#include "fuzz.h"

enum { MOST_BODIES = 12 };

static void move(const trm_model *model) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_simulation *motion = trm_simulation_create(model, NULL, diagnostics, NULL);
  fuzz_check(diagnostics, motion != NULL);
  for (int i = 0; motion && i < 2; i++) {
    int before = trm_diagnostics_errors(diagnostics);
    trm_status status = trm_simulation_step(motion, diagnostics);
    if (status != TRM_OK && trm_diagnostics_errors(diagnostics) == before) abort();
    if (status != TRM_OK) break;
  }
  trm_simulation_destroy(motion);
  trm_diagnostics_destroy(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = TRM_OK;
  trm_model *model = trm_model_load_text(text, "fuzz.yaml", NULL, diagnostics, &status);
  fuzz_check(diagnostics, model != NULL);
  if ((model != NULL) != (status == TRM_OK)) abort();
  if (model && trm_model_body_count(model) <= MOST_BODIES) move(model);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
  free(text);
  return 0;
}
