/* A thousand seconds through singular positions in natural coordinates; the other formulations are
 * in the long test. */
#include "singular.h"

static void natural(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar_1000s.csv");
  assert_true(singular_passages(model, reference, "natural", "direct") <= 1e-12);
  assert_true(singular_passages(model, reference, "natural", "embedded") <= 1e-8);
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(natural)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
