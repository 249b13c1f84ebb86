/* Events in a model file: mistakes and where they are, names, columns, parts. */
#define _POSIX_C_SOURCE 200809L
#include "mistake.h"

#define START "trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
#define STATE START "states: {z: {initial: 0, rate: 1}, level: {initial: 0}}\ninputs: {u: 1}\n"

static void mistakes(void **state) {
  (void)state;
  static const mistake list[] = {
      {STATE "events: {e: {set: {z: 0}}}\n", 6, 10, "missing key 'when'"},
      {STATE "events:\n  e: {when: z - 1, direction: risin}\n", 7, 31,
       "expected rising, falling or both, found 'risin', did you mean 'rising'?"},
      {STATE "events:\n  e: {when: z - 1, stop: 1}\n", 7, 26, "expected true or false, found '1'"},
      {STATE "events:\n  e: {when: z - 1, set: {levle: 0}}\n", 7, 33,
       "event 'e': 'levle' is unknown; an event sets states, did you mean 'level'?"},
      {STATE "events:\n  e: {when: z - 1, set: {u: 0}}\n", 7, 29,
       "event 'e': 'u' is an input; an event sets states"},
      {STATE "events:\n  e: {when: z - 1, set: {b: 0}}\n", 7, 29, "'b' is a body"},
      {STATE "events:\n  e: {when: z - 1, set: {z: b.ax}}\n", 7, 29, "'b.ax' is an acceleration"},
      {STATE "events:\n  e: {when: b.ay}\n", 7, 13, "'b.ay' is an acceleration"},
      {STATE "events:\n  e: {when: z - 1, sets: {z: 0}}\n", 7, 20, "did you mean 'set'"},
      {STATE "events:\n  e: {when: z > 1}\n", 7, 13,
       "event 'e': a condition is 0 or 1 and does not go through zero; instead of a > b"},
      {STATE "events:\n  e: {when: z > 1 and b.x < 2}\n", 7, 13, "a condition is 0 or 1"},
      {STATE "events:\n  e: 5\n", 7, 6, "expected {when: …, set: …, stop: …}, found"},
      {STATE "events:\n  z: {when: z - 1}\n", 7, 3, "there is a state of this name"},
      {STATE "events:\n  e: {when: e.number - 1}\n", 7, 13, "event 'e' has no measure 'number'"},
      {STATE "events:\n  e: {when: e - 1}\n", 7, 13, "its measures are count, time"},
      {"trammel: 1\nsystem: {coordinates: {x: 0}, mass: [[1]]}\nevents: {e: {when: x}}\n", 3, 1,
       "'events'"},
  };
  EXPECT_ALL(list);
}

static void columns(void **state) {
  (void)state;
  loaded r = load_text(STATE "events: {e: {when: z - e.count - 1}, f: {when: \"if(e.count > 0, "
                             "e.time, -1)\"}}\noutputs: [e, f.time]\n",
                       NULL);
  assert_int_equal(r.status, TRM_OK);
  const char *const names[] = {"e.count", "e.time", "f.time"};
  assert_int_equal(r.model->output_count, 3);
  for (int i = 0; i < 3; i++) assert_string_equal(r.model->outputs[i].name, names[i]);
  assert_int_equal(r.model->events[1].origin.line, 6);
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes), cmocka_unit_test(columns)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
