/* The shipped models beside paper 000's: what each promises in its own comment. */
#include <pthread.h>

#include "../run.h"

static const char *const formulations[] = {"natural", "angle"};
static const char *const solvers[] = {"udwadia-kalaba", "augmented"};

/* IFToMM A01: elliptic functions to 1e-9. */
static void pendulum(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  trm_results *reference = run_reference("models/reference/pendulum.csv");
  for (int c = 0; c < 4; c++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = formulations[c % 2];
    settings.solver = solvers[c / 2];
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
    low = fmin(low, trm_results_get(results, i, column));
    high = fmax(high, trm_results_get(results, i, column));
  }
  if (mean) *mean = (low + high) / 2;
  return high - low;
}

/* The exact straight line: the inversor's point keeps its y while it travels in x. */
static void peaucellier(void **state) {
  (void)state;
  trm_model *model = run_load("models/peaucellier.yaml");
  for (int c = 0; c < 2; c++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = formulations[c];
    trm_results *results = run_model(model, &settings, NULL);
    assert_true(spread(results, "outerA.Q.y", NULL) <= 1e-13);
    assert_true(spread(results, "outerA.Q.x", NULL) >= 0.1);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* Both formulations draw the same walking curve, and the crank turns over and over. */
static void jansen(void **state) {
  (void)state;
  trm_model *model = run_load("models/jansen.yaml");
  trm_results *runs[2];
  for (int c = 0; c < 2; c++) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = formulations[c];
    trm_summary summary;
    runs[c] = run_model(model, &settings, &summary);
    assert_int_equal(summary.degrees_of_freedom, 1);
    assert_true(summary.max_position_violation <= 1e-12);
  }
  assert_true(run_difference(runs[1], runs[0], 100) <= 1e-7);
  assert_true(spread(runs[0], "crank.angle", NULL) > 2 * 6.28);
  trm_results_destroy(runs[0]);
  trm_results_destroy(runs[1]);
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
      cmocka_unit_test(repeatable_across_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
