/* Arena memory. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void allocations_are_zeroed_aligned_and_apart(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  unsigned char *last = NULL;
  for (size_t n = 1; n < 3000; n += 7) {
    unsigned char *p = trm_arena_alloc(arena, n, 1);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % (n >= 64 ? 64 : 16), 0);
    for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 0);
    memset(p, 0xff, n);
    if (last) assert_true(p != last);
    last = p;
  }
  trm_arena_destroy(arena);
}

static void a_block_larger_than_any_fits(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  double *small = TRM_NEW(arena, double, 1);
  double *large = TRM_NEW(arena, double, 1000000);
  assert_non_null(large);
  *small = 1;
  large[0] = 2;
  large[999999] = 3;
  assert_true(*small == 1 && large[0] == 2 && large[999999] == 3);
  trm_arena_destroy(arena);
}

static void a_size_that_overflows_gives_null(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  assert_non_null(trm_arena_alloc(arena, 3, 8));
  assert_false(trm_arena_failed(arena));
  assert_null(trm_arena_alloc(arena, SIZE_MAX / 4, 8));
  assert_true(trm_arena_failed(arena)); /* and stays so */
  assert_null(trm_arena_substring(arena, "x", SIZE_MAX));
  assert_non_null(trm_arena_alloc(arena, 0, 8));
  assert_true(trm_arena_failed(arena));
  trm_arena_destroy(arena);
}

static void strings_are_copies(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  char word[] = "crank";
  char *copy = trm_arena_string(arena, word);
  char *part = trm_arena_substring(arena, word, 2);
  word[0] = 'X';
  assert_string_equal(copy, "crank");
  assert_string_equal(part, "cr");
  assert_null(trm_arena_string(arena, NULL));
  trm_arena_destroy(arena);
  trm_arena_destroy(NULL);
}

static void add_mark(void *data) {
  char **end = data;
  *(*end)++ = 'x';
}

static void swap_mark(void *data) {
  char **end = data;
  *(*end)++ = 'y';
}

/* What was taken last is given back first, and only when the arena goes. */
static void deferred_releases_run_backwards(void **state) {
  (void)state;
  char marks[4] = "", *end = marks;
  trm_arena *arena = trm_arena_create();
  assert_true(trm_arena_defer(arena, add_mark, &end));
  assert_true(trm_arena_defer(arena, swap_mark, &end));
  assert_ptr_equal(end, marks);
  trm_arena_destroy(arena);
  assert_string_equal(marks, "yx");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deferred_releases_run_backwards),
      cmocka_unit_test(allocations_are_zeroed_aligned_and_apart),
      cmocka_unit_test(a_block_larger_than_any_fits),
      cmocka_unit_test(a_size_that_overflows_gives_null),
      cmocka_unit_test(strings_are_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
