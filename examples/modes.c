/* Where a mechanism comes to rest, and how it vibrates there: a bar on two springs. Run from the
 * repository root. */
#include <stdio.h>
#include <trammel/trammel.h>

static const char bar[] =
    "trammel: 1\n"
    "name: Bar on two springs\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "ground: {points: {P: [0, 1], Q: [1, 1]}}\n"
    "bodies: {bar: {mass: 12, inertia: 1, position: [0.5, 0], points: {A: [-0.5, 0], B: [0.5, "
    "0]}}}\n"
    "forces:\n"
    "  left: {type: spring-damper, connect: [bar.A, ground.P], stiffness: 600, length: 0.4}\n"
    "  right: {type: spring-damper, connect: [bar.B, ground.Q], stiffness: 600, length: 0.4}\n"
    "outputs: [bar.y]\n";

int main(void) {
  trm_model *model = trm_model_load_text(bar, "bar.yaml", NULL, NULL, NULL);
  trm_simulation *simulation = model ? trm_simulation_create(model, NULL, NULL, NULL) : NULL;
  trm_equilibrium_result rest = trm_default_equilibrium_result();
  bool good = simulation && trm_simulation_settle(simulation, NULL, &rest, NULL) == TRM_OK;
  int y = good ? trm_simulation_find(simulation, "bar.y", NULL) : -1;
  trm_modes *modes = good ? trm_simulation_modes(simulation, NULL, NULL, NULL) : NULL;
  if (modes) printf("at rest at y = %.6f m\n", trm_simulation_get(simulation, y));
  for (int k = 0; modes && k < modes->count; k++)
    if (modes->modes[k].im > 0) printf("vibrates at %.6f Hz\n", modes->modes[k].frequency);
  good = modes != NULL;
  trm_modes_destroy(modes);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return good ? 0 : 1;
}
