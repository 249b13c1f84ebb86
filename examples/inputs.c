/* A controller outside the library: every 10 ms it reads where a car is and sets the force that
 * drives it, which stays until the next time. An event tells when the car has come past 1 m. */
#include <stdio.h>
#include <trammel/trammel.h>

static const char car[] = "trammel: 1\n"
                          "name: Car on a rail\n"
                          "space: planar\n"
                          "bodies:\n"
                          "  car: {mass: 2, inertia: 1}\n"
                          "joints:\n"
                          "  rail: {type: prismatic, connect: [ground, car], axis: [1, 0]}\n"
                          "inputs: {drive: 0}\n"
                          "forces:\n"
                          "  motor: {type: actuator, of: rail, value: drive}\n"
                          "events:\n"
                          "  past: {when: car.x - 1, direction: rising}\n";

int main(void) {
  enum { TIMES = 100, SHOWN = 25 };
  trm_model *model = trm_model_load_text(car, "car.yaml", NULL, NULL, NULL);
  trm_simulation *simulation = model ? trm_simulation_create(model, NULL, NULL, NULL) : NULL;
  trm_status status = simulation ? TRM_OK : TRM_FAILED;
  int drive = -1, x = -1, v = -1, past = -1;
  if (simulation) {
    drive = trm_simulation_input(simulation, "drive");
    x = trm_simulation_find(simulation, "car.x", NULL);
    v = trm_simulation_find(simulation, "car.vx", NULL);
    past = trm_simulation_find(simulation, "past.time", NULL);
  }
  for (int i = 0; i < TIMES && status == TRM_OK; i++) {
    double place = trm_simulation_get(simulation, x), speed = trm_simulation_get(simulation, v);
    trm_simulation_set_input(simulation, drive, 200 * (1.2 - place) - 12 * speed);
    status = trm_simulation_advance(simulation, 0.01 * (i + 1), NULL);
    if ((i + 1) % SHOWN == 0)
      printf("t = %.2f s: x = %.7f m\n", trm_simulation_time(simulation),
             trm_simulation_get(simulation, x));
  }
  if (status == TRM_OK)
    printf("it last came past 1 m at t = %.7f s\n", trm_simulation_get(simulation, past));
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return status == TRM_OK ? 0 : 1;
}
