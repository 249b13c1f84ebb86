/* What `energy: conserve` costs a step of RK4 (003, Fig. 4e): the fastest of runs taken in turn. */
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

#include "../tests/extremes.h"

enum { ROUNDS = 7 };
static const double most = 30; /* % */

/* ns a step */
static double run_once(const trm_model *model, const char *stabilization, const char *energy) {
  trm_settings settings = *trm_model_settings(model);
  settings.stabilization = stabilization;
  settings.energy = energy;
  settings.integrator = "rk4";
  settings.step = 1e-3;
  settings.duration = 5;
  settings.output_step = 1;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  if (!sim || trm_simulation_run(sim, NULL, NULL, NULL, NULL) != TRM_OK) {
    trm_simulation_destroy(sim);
    return NAN;
  }
  const trm_summary *summary = trm_simulation_summary(sim);
  double ns = 1e9 * summary->cpu_seconds / (double)summary->steps;
  trm_simulation_destroy(sim);
  return ns;
}

static bool compare(const trm_model *model, const char *name, const char *stabilization) {
  double free = INFINITY, kept = INFINITY;
  for (int i = 0; i < ROUNDS; i++) {
    free = smaller(free, run_once(model, stabilization, "free"));
    kept = smaller(kept, run_once(model, stabilization, "conserve"));
  }
  double more = 100 * (kept / free - 1);
  printf("%-32s %-13s %8.0f %8.0f %+6.0f %%%s\n", name, stabilization, free, kept, more,
         more <= most ? "" : "  more than 30 %");
  return more <= most;
}

int main(int count, char **paths) {
  bool good = count > 1;
  printf("%-32s %-13s %8s %8s\n", "RK4, ns/step", "", "free", "conserve");
  for (int i = 1; i < count; i++) {
    trm_model *model = trm_model_load(paths[i], NULL, NULL, NULL);
    good &= model && compare(model, paths[i], "direct") && compare(model, paths[i], "embedded");
    trm_model_destroy(model);
  }
  return good ? 0 : 1;
}
