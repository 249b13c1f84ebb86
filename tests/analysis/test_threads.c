/* Results are the same, bit by bit, for any number of threads. */
#include <stdio.h>
#include <stdlib.h>

#include "../run.h"
#include "analysis/simulation.h"

enum { STEPS = 3 };

/* The state after a few steps; to be freed. */
static double *final_state(const trm_model *model, const char *integrator, int threads, int *size) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.threads = threads;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  for (int i = 0; i < STEPS; i++) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  *size = sim->engine->dynamics.size;
  double *y = malloc((size_t)*size * sizeof *y);
  assert_non_null(y);
  memcpy(y, sim->engine->y, (size_t)*size * sizeof *y);
  trm_simulation_destroy(sim);
  return y;
}

static void check(const char *path, const char *parameter, trm_space space,
                  const char *integrator) {
  static const int threads[] = {2, 3, 8};
  const char *const overrides[] = {parameter, NULL};
  trm_model *model = trm_model_load_as(path, overrides, space, NULL, NULL);
  assert_non_null(model);
  int size, other;
  double *one = final_state(model, integrator, 1, &size);
  for (int i = 0; i < 3; i++) {
    double *several = final_state(model, integrator, threads[i], &other);
    assert_int_equal(size, other);
    assert_memory_equal(one, several, (size_t)size * sizeof *one);
    free(several);
  }
  double moved = 0;
  for (int i = 0; i < size; i++) moved += fabs(one[i]);
  assert_true(isfinite(moved) && moved > 0);
  free(one);
  trm_model_destroy(model);
}

static void chains(void **state) {
  (void)state;
  check("models/chain.yaml", "N=1500", TRM_PLANAR, "rk4");
  check("models/chain.yaml", "N=1500", TRM_PLANAR, "ab6");
  check("models/chain.yaml", "N=400", TRM_SPATIAL, "dop853");
}

static void windows(void **state) {
  (void)state;
  check("models/n_four_bar.yaml", "N=700", TRM_PLANAR, "rk4");
}

/* Mechanisms that only the ground connects are factored apart, with springs between some of them.
 */
static void many_pendulums(void **state) {
  (void)state;
  const char *path = "test_threads.yaml";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(
      "trammel: 1\nname: pendulums\nspace: planar\ngravity: [0, -9.81]\nparameters: {N: 800}\n"
      "bodies:\n  rod$(i): {repeat: {i: [1, N]}, mass: 1 + i/N, inertia: 0.1, com: [0.5, 0],\n"
      "    position: [i, 0], points: {A: [0, 0], B: [1, 0]}}\n"
      "joints:\n  hinge$(i): {repeat: {i: [1, N]}, type: revolute, connect: [ground, rod$(i).A],\n"
      "    at: [i, 0]}\n"
      "forces:\n  spring$(i): {repeat: {i: [1, N/4]}, type: spring-damper, connect: [rod$(i).B,\n"
      "    rod$(i + 1).B], stiffness: 10, length: 0.9}\n",
      file);
  fclose(file);
  check(path, "N=800", TRM_PLANAR, "rk4");
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains),
      cmocka_unit_test(windows),
      cmocka_unit_test(many_pendulums),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
