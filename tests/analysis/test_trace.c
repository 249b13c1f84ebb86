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
#include <trammel/analysis.h>

#include "analysis/trace.h"

static const trm_asked nothing = {0};

static trm_variant begin(trm_model *model) {
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
  assert_int_equal(trm_trace_run(&b, &parts, &nothing, duration, 7 * one + one / 2, NULL), TRM_OK);
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
  assert_int_equal(trm_trace_run(&a, &whole, &nothing, duration, SIZE_MAX / 8, NULL), TRM_OK);
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

typedef struct watch {
  int asked, most; /* most: then it says no; −1: never */
  double last;
} watch;

static bool look(void *context, double time, double fraction) {
  watch *w = context;
  assert_true(time >= 0 && fraction >= w->last && fraction <= 1);
  w->last = fraction;
  return w->asked++ != w->most;
}

static trm_status differentiate(trm_simulation *simulation, const char *method, watch *w,
                                double *slope) {
  static const char *const wrt[] = {"L", NULL};
  trm_sensitivity_options options = trm_default_sensitivity_options();
  options.of = "bob.y";
  options.wrt = wrt;
  options.method = method;
  options.progress = look;
  options.context = w;
  trm_status status;
  trm_sensitivity *found = trm_simulation_sensitivity(simulation, &options, NULL, &status);
  assert_true((found != NULL) == (status == TRM_OK));
  if (found) *slope = found->gradient[0];
  trm_sensitivity_destroy(found);
  return status;
}

/* Sensitivities ask once a step, there and back, and stop where they are told to. */
static void asked_on_the_way(void **state) {
  (void)state;
  trm_model *model = trm_model_load("models/pendulum.yaml", NULL, NULL, NULL);
  trm_settings settings = *trm_model_settings(model);
  settings.duration = 1;
  trm_simulation *simulation = trm_simulation_create(model, &settings, NULL, NULL);
  static const char *const methods[] = {"forward", "adjoint", NULL};
  double slope[3] = {0};
  for (int k = 0; k < 3; k++) {
    watch w = {.most = -1};
    assert_int_equal(differentiate(simulation, methods[k], &w, &slope[k]), TRM_OK);
    assert_true(w.last > 0.8);
    int whole = w.asked;
    assert_true(whole > 10);
    for (int part = 0; part < 3; part++) { /* at once, on the way there, at the last step back */
      int most = part * (whole - 1) / 2;
      w = (watch){.most = most};
      double ignored;
      assert_int_equal(differentiate(simulation, methods[k], &w, &ignored), TRM_INTERRUPTED);
      assert_int_equal(w.asked, most + 1);
    }
  }
  assert_near(slope[0], slope[1], 1e-8);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_the_whole),
                                     cmocka_unit_test(pieces_with_jumps),
                                     cmocka_unit_test(asked_on_the_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
