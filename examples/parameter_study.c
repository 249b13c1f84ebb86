/* One simulation, many values of a parameter: the file is read once. A pendulum is let go close to
 * its rest, for several lengths; the column of its angle tells how long a swing takes. Run from the
 * repository root. */
#include <stdio.h>
#include <trammel/trammel.h>

static const char pendulum[] =
    "trammel: 1\n"
    "name: Pendulum of any length\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {length: 1}\n"
    "bodies: {bob: {mass: 1, inertia: 0, position: [0, -length]}}\n"
    "joints: {pin: {type: revolute, connect: [ground, bob], at: [0, 0]}}\n"
    "initial: {pin.angle: 1e-6}\n"
    "simulate: {duration: 4, output-step: 1e-3}\n"
    "outputs: [pin.angle]\n";

/* Where the angle comes down through zero for the second time, by a straight line: after 5/4 of a
 * swing. */
static double find_period(const trm_results *results) {
  const double *t = trm_results_column(results, 0), *angle = trm_results_column(results, 1);
  int crossings = 0;
  for (int i = 1; i < trm_results_rows(results); i++)
    if (angle[i - 1] > 0 && angle[i] <= 0 && ++crossings == 2)
      return 0.8 * (t[i - 1] + (t[i] - t[i - 1]) * angle[i - 1] / (angle[i - 1] - angle[i]));
  return 0;
}

int main(void) {
  trm_model *model = trm_model_load_text(pendulum, "pendulum.yaml", NULL, NULL, NULL);
  trm_simulation *simulation = model ? trm_simulation_create(model, NULL, NULL, NULL) : NULL;
  trm_results *results = trm_results_create();
  bool good = simulation && results;
  for (int i = 1; i <= 4 && good; i++) {
    double length = 0.25 * i;
    good = trm_simulation_set_parameter(simulation, "length", length, NULL) == TRM_OK &&
           trm_simulation_run(simulation, results, NULL, NULL, NULL) == TRM_OK;
    if (good) printf("length %.2f m: a swing takes %.5f s\n", length, find_period(results));
  }
  trm_results_destroy(results);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return good ? 0 : 1;
}
