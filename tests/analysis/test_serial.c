/* A host program's threads of the matrix library: not used by a simulation, and given back. */
#include "../run.h"

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));

static bool has_one_thread(void *context, double time, double fraction) {
  (void)time;
  (void)fraction;
  ++*(int *)context;
  assert_int_equal(openblas_get_num_threads(), 1);
  return true;
}

static void threads_are_given_back(void **state) {
  (void)state;
  if (!openblas_get_num_threads || !openblas_set_num_threads) skip();
  int before = openblas_get_num_threads(), calls = 0;
  openblas_set_num_threads(2);
  if (openblas_get_num_threads() != 2) skip(); /* a library built without threads */
  trm_model *model = run_load("models/four_bar.yaml");
  trm_settings settings = *trm_model_settings(model);
  settings.duration = 10 * settings.step;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(openblas_get_num_threads(), 2);
  assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  assert_int_equal(openblas_get_num_threads(), 2);
  assert_int_equal(trm_simulation_run(sim, NULL, has_one_thread, &calls, NULL), TRM_OK);
  assert_int_equal(calls, 9);
  assert_int_equal(openblas_get_num_threads(), 2);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  openblas_set_num_threads(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_are_given_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
