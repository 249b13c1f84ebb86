/* A model given as a text, not as a file: a car between a spring and a damper. It is advanced to
 * the times that the caller wants, and asked for a position there. */
#include <stdio.h>
#include <trammel/trammel.h>

static const char car[] = "trammel: 1\n"
                          "name: Car on a spring\n"
                          "space: planar\n"
                          "parameters: {k: 100, c: 4, x0: 0.1}\n"
                          "bodies:\n"
                          "  car: {mass: 2, inertia: 1, position: [1 + x0, 0]}\n"
                          "joints:\n"
                          "  rail: {type: prismatic, connect: [ground, car], axis: [1, 0]}\n"
                          "forces:\n"
                          "  spring: {type: spring-damper, connect: [ground, car],\n"
                          "           stiffness: k, damping: c, length: 1}\n";

int main(void) {
  static const char *const stiffer[] = {"k=202", NULL}; /* another value for a parameter */
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_text(car, "car.yaml", stiffer, diagnostics, NULL);
  trm_simulation *simulation = NULL;
  if (model) simulation = trm_simulation_create(model, NULL, diagnostics, NULL);
  int x = simulation ? trm_simulation_find(simulation, "car.x", diagnostics) : -1;
  trm_status status = x < 0 ? TRM_FAILED : TRM_OK;
  for (int i = 0; i <= 4 && status == TRM_OK; i++) {
    status = trm_simulation_advance(simulation, 0.25 * i, diagnostics);
    printf("t = %.2f s: x = %.9f m\n", trm_simulation_time(simulation),
           trm_simulation_get(simulation, x));
  }
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++) {
    char text[512];
    trm_diagnostic_format(trm_diagnostics_get(diagnostics, i), text, sizeof text);
    fputs(text, stderr);
  }
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
  return status == TRM_OK ? 0 : 1;
}
