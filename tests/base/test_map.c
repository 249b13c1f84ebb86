/* The hash map: many keys, slices, replacement. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void keys_are_slices(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  trm_map *map = trm_map_create(arena);
  const char *text = "crank.A";
  assert_int_equal(trm_map_get(map, text, 5), -1);
  assert_true(trm_map_put(map, text, 5, 7));
  assert_true(trm_map_put(map, text, 7, 8));
  assert_true(trm_map_put(map, "", 0, 9));
  assert_int_equal(trm_map_get(map, "crank", 5), 7);
  assert_int_equal(trm_map_get(map, "crank.A", 7), 8);
  assert_int_equal(trm_map_get(map, "", 0), 9);
  assert_int_equal(trm_map_get(map, "crank", 4), -1);
  assert_true(trm_map_put(map, "crank", 5, 0));
  assert_int_equal(trm_map_get(map, text, 5), 0);
  trm_arena_destroy(arena);
}

static void many_keys_are_kept_apart(void **state) {
  (void)state;
  enum { N = 20000 };
  trm_arena *arena = trm_arena_create();
  trm_map *map = trm_map_create(arena);
  char text[32];
  for (int i = 0; i < N; i++) {
    snprintf(text, sizeof text, "link%d", i);
    assert_true(trm_map_put(map, trm_arena_string(arena, text), strlen(text), 3 * i));
  }
  for (int i = 0; i < N; i++) {
    snprintf(text, sizeof text, "link%d", i);
    assert_int_equal(trm_map_get(map, text, strlen(text)), 3 * i);
  }
  assert_int_equal(trm_map_get(map, "link20000", 9), -1);
  trm_arena_destroy(arena);
}

/* Room asked for beforehand changes nothing but the time. */
static void reserved_room_keeps_what_is_there(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  trm_map *map = trm_map_create(arena);
  assert_true(trm_map_put(map, "a", 1, 1));
  assert_true(trm_map_reserve(map, 1000));
  assert_true(trm_map_reserve(map, 0));
  assert_true(trm_map_put(map, "b", 1, 2));
  assert_int_equal(trm_map_get(map, "a", 1), 1);
  assert_int_equal(trm_map_get(map, "b", 1), 2);
  assert_int_equal(trm_map_get(map, "c", 1), -1);
  trm_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_slices),
      cmocka_unit_test(many_keys_are_kept_apart),
      cmocka_unit_test(reserved_room_keeps_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
