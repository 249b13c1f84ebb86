/* One evaluation of the accelerations: tree MODEL.yaml [...] prints microseconds of CPU for each
 * model, the fastest of several rounds; of trees by articulated bodies, of loops as they start. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "analysis/simulation.h"
#include "trammel/trammel.h"

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool normalize(trm_dynamics *d, double *y, double *ydot) {
  return d->within->normalize && d->within->normalize(d->system, y, ydot);
}

/* The stage of an explicit method, state to rates: away from zero, where sines cost nothing. */
static double measure(trm_simulation *sim) {
  trm_dynamics *d = &sim->engine->dynamics;
  double best = 1e9, *y = sim->engine->y, *ydot = sim->engine->ydot;
  int repeats = 40000 / d->n + 1;
  bool tree = normalize(d, y, ydot); /* it has no constraints but those of quaternions */
  for (int i = 0; i < d->n; i++) {
    ydot[i] = tree ? cos(17 * i) : y[d->at.v + i];
    if (tree) y[i] += 0.3 * ydot[i];
  }
  if (tree) normalize(d, y, ydot);
  for (int round = 0; round < 20; round++) {
    double start = seconds();
    for (int k = 0; k < repeats; k++) trm_dynamics_stage(d, 0, y, ydot);
    double one = (seconds() - start) / repeats;
    if (one < best) best = one;
  }
  return 1e6 * best;
}

int main(int count, char **files) {
  for (int i = 1; i < count; i++) {
    trm_diagnostics *said = trm_diagnostics_create();
    trm_model *model = trm_model_load(files[i], NULL, said, NULL);
    if (!model) return 1;
    trm_settings settings = *trm_model_settings(model);
    trm_settings_set(&settings, "coordinates", "auto", said);
    trm_settings_set(&settings, "integrator", "dop853", said);
    trm_simulation *sim = trm_simulation_create(model, &settings, said, NULL);
    if (!sim || !sim->engine->dynamics.within->stage) return 1;
    printf("%.4f\n", measure(sim));
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
    trm_diagnostics_destroy(said);
  }
  return 0;
}
