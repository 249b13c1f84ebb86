/* Meshes. */
#include <stdio.h>
#include <stdlib.h>
#include <trammel/trammel.h>

#include "fuzz.h"
#include "report/mesh.h"

static const trm_model *model_with(const char *mesh) {
  static trm_model *model;
  char text[300];
  if (model) return model;
  snprintf(text, sizeof text,
           "trammel: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1], shape: {mesh: "
           "%s}}}\nsimulate: {duration: 1}\n",
           mesh);
  model = trm_model_load_text(text, "fuzz.yaml", NULL, NULL, NULL);
  if (!model) abort();
  return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const trm_model *model = model_with(fuzz_file(data, size));
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_mesh *meshes;
  int count;
  if (!trm_meshes_read(model, &meshes, &count, diagnostics) || count != 1) abort();
  /* taken, or left out with a warning */
  if ((meshes[0].corners == NULL) != (trm_diagnostics_count(diagnostics) > 0)) abort();
  for (int k = 0; k < 9 * meshes[0].count; k++)
    if (!(meshes[0].corners[k] - meshes[0].corners[k] == 0)) abort(); /* not finite */
  trm_meshes_free(meshes, count);
  trm_diagnostics_destroy(diagnostics);
  return 0;
}
