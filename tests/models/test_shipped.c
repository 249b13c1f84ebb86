/* The shipped models beside paper 000's: what each promises in its own comment. */
#include <pthread.h>

#include "../run.h"

/* IFToMM A01: elliptic functions to 1e-9. */
static void pendulum(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  trm_results *reference = run_reference("models/reference/pendulum.csv");
  for (int c = 0; c < RUN_FORMULATIONS * RUN_SOLVERS; c++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = run_formulations[c % RUN_FORMULATIONS];
    settings.solver = run_solvers[c / RUN_FORMULATIONS];
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    assert_true(run_difference(results, reference, 10) <= 1e-9);
    assert_true(summary.max_energy_error <= 1e-9);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

static double spread(const trm_results *results, const char *name, double *mean) {
  int column = trm_results_find(results, name);
  assert_true(column > 0);
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < trm_results_rows(results); i++) {
    low = smaller(low, trm_results_get(results, i, column));
    high = larger(high, trm_results_get(results, i, column));
  }
  if (mean) *mean = (low + high) / 2;
  return high - low;
}

/* The exact straight line: the inversor's point keeps its y while it travels in x. */
static void peaucellier(void **state) {
  (void)state;
  trm_model *model = run_load("models/peaucellier.yaml");
  for (int c = 0; c < RUN_FORMULATIONS; c++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = run_formulations[c];
    trm_results *results = run_model(model, &settings, NULL);
    assert_true(spread(results, "outerA.Q.y", NULL) <= 1e-13);
    assert_true(spread(results, "outerA.Q.x", NULL) >= 0.1);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* All formulations draw the same walking curve, and the crank turns over and over. */
static void jansen(void **state) {
  (void)state;
  trm_model *model = run_load("models/jansen.yaml");
  trm_results *runs[RUN_FORMULATIONS];
  for (int c = 0; c < RUN_FORMULATIONS; c++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = run_formulations[c];
    trm_summary summary;
    runs[c] = run_model(model, &settings, &summary);
    assert_int_equal(summary.degrees_of_freedom, 1);
    assert_true(summary.max_position_violation <= 1e-12);
  }
  for (int c = 1; c < RUN_FORMULATIONS; c++)
    assert_true(run_difference(runs[c], runs[0], 100) <= 1e-7);
  assert_true(spread(runs[0], "crank.angle", NULL) > 2 * 6.28);
  for (int c = 0; c < RUN_FORMULATIONS; c++) trm_results_destroy(runs[c]);
  trm_model_destroy(model);
}

/* Redundant and, twice a turn, singular: angle = π/2 − t, and each coupler pin carries a third,
 * −F/3 along the crank. */
static void parallel_cranks(void **state) {
  (void)state;
  static const char *const stabilizations[] = {"direct", "partition"};
  trm_model *model = run_load("models/parallel_cranks.yaml");
  for (int c = 0; c < 2 * RUN_FORMULATIONS * RUN_SOLVERS; c++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = run_formulations[c % RUN_FORMULATIONS];
    settings.solver = run_solvers[c / RUN_FORMULATIONS % RUN_SOLVERS];
    settings.stabilization = stabilizations[c / (RUN_FORMULATIONS * RUN_SOLVERS)];
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    assert_int_equal(summary.degrees_of_freedom, 1);
    assert_int_equal(summary.redundant_constraints, 1);
    int angle = trm_results_find(results, "left.angle"), fx[3];
    for (int k = 0; k < 3; k++)
      fx[k] = trm_results_find(results, (const char *[]){"D.fx", "E.fx", "F.fx"}[k]);
    double worst = 0, spread_of = 0;
    for (int i = 0; i < trm_results_rows(results); i++) {
      double t = trm_results_get(results, i, 0),
             away = fabs(remainder(t - 1.5707963267948966, 3.141592653589793));
      worst = larger(worst, fabs(trm_results_get(results, i, angle) - (1.5707963267948966 - t)));
      for (int k = 0; k < 3 && away > 0.03; k++) /* −m ω² x of 2 kg, shared equally */
        spread_of = larger(spread_of, fabs(trm_results_get(results, i, fx[k]) + 2 * sin(t) / 3));
    }
    print_message("%-16s %-22s %-9s off %.1e, reactions %.1e, energy %.1e J\n",
                  settings.coordinates, settings.solver, settings.stabilization, worst, spread_of,
                  summary.max_energy_error);
    assert_true(worst <= 1e-5);
    assert_true(summary.max_energy_error <= 1e-5);
    assert_true(spread_of <= 1e-5);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

static void *run_in_thread(void *model) {
  trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
  trm_results *results = trm_results_create();
  if (!sim || trm_simulation_run(sim, results, NULL, NULL, NULL) != TRM_OK) {
    trm_results_destroy(results);
    results = NULL;
  }
  trm_simulation_destroy(sim);
  return results;
}

/* One model, many threads at once, and every run the same to the last bit. */
static void repeatable_across_threads(void **state) {
  (void)state;
  enum { threads = 4 };
  trm_model *model = run_load("models/quick_return.yaml");
  pthread_t id[threads];
  trm_results *runs[threads];
  for (int i = 0; i < threads; i++)
    assert_int_equal(pthread_create(&id[i], NULL, run_in_thread, model), 0);
  for (int i = 0; i < threads; i++) pthread_join(id[i], (void **)&runs[i]);
  for (int i = 0; i < threads; i++) assert_non_null(runs[i]);
  for (int i = 1; i < threads; i++)
    for (int row = 0; row < trm_results_rows(runs[0]); row++)
      for (int k = 0; k < trm_results_columns(runs[0]); k++)
        assert_true(trm_results_get(runs[i], row, k) == trm_results_get(runs[0], row, k));
  for (int i = 0; i < threads; i++) trm_results_destroy(runs[i]);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum),
      cmocka_unit_test(peaucellier),
      cmocka_unit_test(jansen),
      cmocka_unit_test(parallel_cranks),
      cmocka_unit_test(repeatable_across_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
