/* The stages of a long step are off the constraints, where a redundant row no longer looks so: it
 * must stay left out, or every stage would decide the rank anew (fifteen times the cost). */
#include "analysis/simulation.h"
#include "space_run.h"

static void thin_rods_keep_the_cheap_factorization(void **state) {
  (void)state;
  static const char *const thin[] = {"a=sqrt(6e-5)", NULL};
  trm_model *model = space_load("models/bricard.yaml", thin);
  for (int f = 0; f < SPACE_FORMULATIONS; f++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = space_formulations[f];
    settings.integrator = "dop853";
    settings.step = 100;
    settings.rtol = 1e-7;
    settings.atol = 1e-10;
    settings.duration = 5;
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
    assert_non_null(sim);
    long before = trm_solver_count(sim->engine->solver).decisions;
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
    trm_solver_counters counters = trm_solver_count(sim->engine->solver);
    print_message("%-16s %ld factorizations, %ld with a rank decision\n", settings.coordinates,
                  counters.factorizations, counters.decisions - before);
    assert_true(counters.factorizations > 300);
    assert_true(counters.decisions - before <= 2); /* another row may be left out on the way */
    const trm_summary *summary = trm_simulation_summary(sim);
    assert_true(summary->max_energy_error < 1e-6);
    assert_int_equal(summary->redundant_constraints, 1);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(thin_rods_keep_the_cheap_factorization)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
