/* Numbers that no measurement could tell from zero are zero within a step, and only there. */
#include "../run.h"
#include "analysis/simulation.h"

static int subnormals(int size, const double *x) {
  int count = 0;
  for (int i = 0; i < size; i++) count += fpclassify(x[i]) == FP_SUBNORMAL;
  return count;
}

/* From horizontal rest every joint's force is 2 − √3 of the one before: rods 500 and on feel
 * nothing a double could hold. */
static void forces_die_out_to_zero(void **state) {
  (void)state;
  const char *const overrides[] = {"N=700", NULL};
  trm_model *model = trm_model_load("models/chain.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
  assert_non_null(sim);
  for (int i = 0; i < 3; i++) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  assert_int_equal(subnormals(sim->engine->dynamics.size, sim->engine->y), 0);
  assert_int_equal(subnormals(sim->engine->dynamics.size, sim->engine->ydot), 0);
  assert_int_equal(subnormals(sim->engine->system->m, sim->engine->system->lambda), 0);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

static void the_caller_keeps_his_arithmetic(void **state) {
  (void)state;
  trm_model *model = run_load("models/four_bar.yaml");
  trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  volatile double small = 1e-300;
  assert_true(small * 1e-10 > 0);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forces_die_out_to_zero),
                                     cmocka_unit_test(the_caller_keeps_his_arithmetic)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
