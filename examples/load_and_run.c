/* Loads a model file, runs it, prints where a point ends. Run from the repository root. */
#include <stdio.h>
#include <trammel/trammel.h>

int main(void) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load("models/four_bar.yaml", NULL, diagnostics, NULL);
  trm_simulation *simulation = NULL;
  if (model) simulation = trm_simulation_create(model, NULL, diagnostics, NULL);
  trm_results *results = trm_results_create();
  trm_status status = TRM_FAILED;
  if (simulation) status = trm_simulation_run(simulation, results, NULL, NULL, diagnostics);

  if (status == TRM_OK) {
    int last = trm_results_rows(results) - 1, y = trm_results_find(results, "coupler.y");
    printf("%s: after %g s the coupler is at y = %.9f m\n", trm_model_name(model),
           trm_results_get(results, last, 0), trm_results_get(results, last, y));
  }
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++) {
    char text[512];
    trm_diagnostic_format(trm_diagnostics_get(diagnostics, i), text, sizeof text);
    fputs(text, stderr);
  }
  trm_results_destroy(results);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
  return status == TRM_OK ? 0 : 1;
}
