/* A run kept in pieces, each run again on the way back, is the run kept as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../check.h"
#include "analysis/trace.h"

static trm_variant begin(trm_model *model) {
  static const trm_asked nothing = {0};
  trm_settings settings = *trm_model_settings(model);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_variant v;
  trm_settings_set(&settings, "coordinates", "natural", diagnostics);
  trm_settings_set(&settings, "stabilization", "direct", diagnostics);
  trm_settings_set(&settings, "energy", "free", diagnostics);
  trm_settings_set(&settings, "integrator", "dop853", diagnostics);
  settings.rtol = 1e-9;
  settings.atol = 1e-11;
  assert_int_equal(trm_variant_create(&v, model, false, &settings, &nothing, diagnostics), TRM_OK);
  trm_diagnostics_destroy(diagnostics);
  return v;
}

static void compare(const char *path, double duration) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status;
  trm_model *model = trm_model_load(path, NULL, diagnostics, &status);
  assert_non_null(model);
  trm_variant whole = begin(model), parts = begin(model);
  trm_trace a, b;
  assert_int_equal(trm_trace_run(&a, &whole, duration, SIZE_MAX / 8, diagnostics), TRM_OK);
  size_t one = a.bytes + (size_t)a.size * TRM_NODES * sizeof(double);
  assert_int_equal(trm_trace_run(&b, &parts, duration, 7 * one + one / 2, diagnostics), TRM_OK);
  assert_int_equal(b.most, 7);
  assert_true(b.capacity <= 7);
  assert_true(a.steps > 30 && a.steps == b.steps && a.first == 0 && b.first > 20);
  assert_memory_equal(whole.y, parts.y, (size_t)a.size * sizeof(double));
  assert_memory_equal(a.time, b.time, (size_t)(a.steps + 1) * sizeof(double));
  assert_memory_equal(trm_trace_turns(&a, a.steps), trm_trace_turns(&b, a.steps), a.bytes);
  for (int step = a.steps - 1; step >= 0; step--) {
    assert_int_equal(trm_trace_reach(&b, &parts, step, diagnostics), TRM_OK);
    assert_true(step >= b.first && step < b.first + b.most);
    assert_memory_equal(trm_trace_turns(&a, step), trm_trace_turns(&b, step), a.bytes);
    for (int k = 0; k < TRM_NODES; k++)
      assert_memory_equal(trm_trace_state(&a, step, k), trm_trace_state(&b, step, k),
                          (size_t)a.size * sizeof(double));
  }
  assert_memory_equal(a.time, b.time, (size_t)(a.steps + 1) * sizeof(double));
  trm_trace_free(&a);
  trm_trace_free(&b);
  trm_variant_free(&whole);
  trm_variant_free(&parts);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

static void pieces_are_the_whole(void **state) {
  (void)state;
  compare("models/pendulum.yaml", 4);
  compare("models/four_bar.yaml", 2);
  compare("models/driven_four_bar.yaml", 3); /* led by a driver */
  compare("models/bricard.yaml", 2);         /* redundant constraints */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_the_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
