/* An integrator of one's own over the library's derivatives: Runge-Kutta of order four, the state
 * handed back at the end. Run from the repository root. */
#include <stdio.h>
#include <stdlib.h>
#include <trammel/trammel.h>

/* y += h/6 (k1 + 2 k2 + 2 k3 + k4); work has room for three states */
static bool step(trm_simulation *simulation, int size, double t, double h, double *y,
                 double *work) {
  static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double *stage = work, *rates = work + size, *sum = work + 2 * size;
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < size; i++) stage[i] = y[i] + (s ? h * at[s] * rates[i] : 0);
    if (trm_simulation_derivatives(simulation, t + at[s] * h, stage, rates, NULL) != TRM_OK)
      return false;
    for (int i = 0; i < size; i++) sum[i] = (s ? sum[i] : 0) + weight[s] * rates[i];
  }
  for (int i = 0; i < size; i++) y[i] += h / 6 * sum[i];
  return true;
}

int main(void) {
  enum { STEPS = 2000 };
  trm_model *model = trm_model_load("models/pendulum.yaml", NULL, NULL, NULL);
  trm_simulation *simulation = model ? trm_simulation_create(model, NULL, NULL, NULL) : NULL;
  int size = simulation ? trm_simulation_state_size(simulation) : 0;
  double *y = malloc((size_t)(4 * size + 1) * sizeof *y), t = 0, h = 1.0 / STEPS;
  bool good = simulation && y;
  if (good) trm_simulation_get_state(simulation, &t, y);
  for (int i = 0; i < STEPS && good; i++) good = step(simulation, size, t + i * h, h, y, y + size);
  good = good && trm_simulation_set_state(simulation, 1, y, NULL) == TRM_OK; /* projected */
  if (good) {
    int x = trm_simulation_find(simulation, "bob.x", NULL);
    int v = trm_simulation_find(simulation, "bob.y", NULL);
    printf("after %g s the bob is at (%.7f, %.7f) m\n", trm_simulation_time(simulation),
           trm_simulation_get(simulation, x), trm_simulation_get(simulation, v));
  }
  free(y);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return good ? 0 : 1;
}
