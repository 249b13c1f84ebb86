/* Sparse and dense matrices give the same accelerations: every shipped model, every solver. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdlib.h>

#include "../run.h"
#include "analysis/simulation.h"

static trm_simulation *start(const trm_model *model, const char *solver, const char *coordinates,
                             const char *linear) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = "rk4";
  settings.solver = solver;
  settings.coordinates = coordinates;
  settings.linear = linear;
  settings.step = 1e-3;
  return trm_simulation_create(model, &settings, NULL, NULL);
}

/* `off`: the largest difference of the rates, relative to their size; false: not for this model */
static bool compare(const trm_model *model, const char *solver, const char *coordinates,
                    double *off) {
  trm_simulation *dense = start(model, solver, coordinates, "dense");
  trm_simulation *sparse = start(model, solver, coordinates, "sparse");
  bool both = dense && sparse;
  if (both) {
    double size = 1, most = 0; /* some are at rest */
    for (int i = 0; i < dense->engine->dynamics.size; i++) {
      size = larger(size, fabs(dense->engine->ydot[i]));
      most = larger(most, fabs(dense->engine->ydot[i] - sparse->engine->ydot[i]));
    }
    *off = most / size;
  }
  assert_true(!dense == !sparse);
  trm_simulation_destroy(dense);
  trm_simulation_destroy(sparse);
  return both;
}

static int is_model(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && strcmp(dot, ".yaml") == 0;
}

static void shipped_models(void **state) {
  (void)state;
  struct dirent **list;
  int count = scandir("models", &list, is_model, alphasort), compared = 0;
  assert_true(count > 20);
  for (int i = 0; i < count; i++) {
    char path[300];
    snprintf(path, sizeof path, "models/%s", list[i]->d_name);
    trm_model *model = run_load(path);
    for (int k = 0; k < RUN_SOLVERS * 2; k += RUN_STRIDE) {
      const char *coordinates = k % 2 ? "euler-parameters" : "natural";
      double off;
      if (!compare(model, run_solvers[k / 2], coordinates, &off)) continue;
      if (!(off < 1e-12))
        print_message("%s %s %s: %.1e\n", path, run_solvers[k / 2], coordinates, off);
      assert_true(off <= 1e-10);
      compared++;
    }
    trm_model_destroy(model);
    free(list[i]);
  }
  free(list);
  assert_true(compared > 100 / RUN_STRIDE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
