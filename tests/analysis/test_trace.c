/* A run kept in pieces, in a file or run again on the way back, is the run kept as a whole. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

static void compare_jumps(const trm_trace *a, const trm_trace *b) {
  size_t bytes = 2 * (size_t)a->size * sizeof(double) + a->bytes;
  assert_int_equal(a->jump_count, b->jump_count);
  for (int i = 0; i < a->jump_count; i++) {
    const trm_jump *x = &a->jumps[i], *y = &b->jumps[i];
    assert_true(x->step == y->step && x->event == y->event && x->t == y->t && x->stop == y->stop);
    assert_memory_equal(x->before, y->before, bytes); /* and what is behind it */
  }
}

/* On the way back; parts: the variant of its run. */
static void compare_pieces(const trm_trace *a, trm_trace *b, trm_variant *parts) {
  for (int step = a->steps - 1; step >= 0; step--) {
    assert_int_equal(trm_trace_reach(b, parts, step, NULL), TRM_OK);
    assert_true(step >= b->first && step < b->first + b->most);
    assert_memory_equal(trm_trace_turns(a, step), trm_trace_turns(b, step), a->bytes);
    for (int k = 0; k < TRM_NODES; k++)
      assert_memory_equal(trm_trace_state(a, step, k), trm_trace_state(b, step, k),
                          (size_t)a->size * sizeof(double));
  }
}

static void compare_parts(trm_model *model, double duration, const trm_trace *a,
                          const trm_variant *whole, bool file) {
  trm_variant parts = begin(model);
  trm_trace b;
  size_t one = a->bytes + (size_t)a->size * TRM_NODES * sizeof(double);
  if (!file) setenv("TMPDIR", "/no/such/folder", 1);
  assert_int_equal(trm_trace_run(&b, &parts, duration, 7 * one + one / 2, NULL), TRM_OK);
  unsetenv("TMPDIR");
  assert_int_equal(b.most, 7);
  assert_true(b.capacity <= 7 && (b.spill != NULL) == file);
  assert_true(a->steps > 30 && a->steps == b.steps && a->first == 0 && b.first > 20);
  assert_memory_equal(whole->y, parts.y, (size_t)a->size * sizeof(double));
  assert_memory_equal(a->time, b.time, (size_t)(a->steps + 1) * sizeof(double));
  assert_memory_equal(trm_trace_turns(a, a->steps), trm_trace_turns(&b, a->steps), a->bytes);
  compare_pieces(a, &b, &parts);
  assert_memory_equal(a->time, b.time, (size_t)(a->steps + 1) * sizeof(double));
  compare_jumps(a, &b);
  trm_trace_free(&b);
  trm_variant_free(&parts);
}

/* How many jumps there are. */
static int compare_model(trm_model *model, double duration) {
  assert_non_null(model);
  trm_variant whole = begin(model);
  trm_trace a;
  assert_int_equal(trm_trace_run(&a, &whole, duration, SIZE_MAX / 8, NULL), TRM_OK);
  compare_parts(model, duration, &a, &whole, true);
  compare_parts(model, duration, &a, &whole, false);
  int jumps = a.jump_count;
  trm_trace_free(&a);
  trm_variant_free(&whole);
  trm_model_destroy(model);
  return jumps;
}

static void compare(const char *path, double duration) {
  assert_int_equal(compare_model(trm_model_load(path, NULL, NULL, NULL), duration), 0);
}

/* A motor that a clock switches, a force that jumps where the rod hangs, and a stop at the end. */
static void pieces_with_jumps(void **state) {
  (void)state;
  static const char text[] =
      "trammel: 1\n"
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  rod: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {O: [-0.5, 0]}}\n"
      "joints:\n"
      "  pin: {type: revolute, connect: [ground, rod.O]}\n"
      "states:\n"
      "  clock: {initial: 0, rate: 1}\n"
      "  motor: {initial: 0.5}\n"
      "events:\n"
      "  tick: {when: clock - 0.3, direction: rising, set: {clock: 0, motor: -motor}}\n"
      "  end: {when: t - 3.1, stop: true}\n"
      "forces:\n"
      "  drive: {type: actuator, of: pin, value: \"motor - 0.4*sign(rod.x)\"}\n";
  int jumps = compare_model(trm_model_load_text(text, "jumps", NULL, NULL, NULL), 5);
  assert_true(jumps >= 10 + 3 + 1); /* ten ticks, some swings, the end */
}

static void pieces_are_the_whole(void **state) {
  (void)state;
  compare("models/pendulum.yaml", 4);
  compare("models/four_bar.yaml", 2);
  compare("models/driven_four_bar.yaml", 3); /* led by a driver */
  compare("models/bricard.yaml", 2);         /* redundant constraints */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_the_whole),
                                     cmocka_unit_test(pieces_with_jumps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
