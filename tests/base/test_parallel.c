/* A pool of threads: every part of every job once, whoever takes it. */
#include "../check.h"
#include "base/parallel.h"

#include <stdatomic.h>

enum { MOST = 1000 };

typedef struct job {
  atomic_int taken[MOST];
  double value[MOST];
} job;

static void work(void *data, int part) {
  job *j = data;
  atomic_fetch_add(&j->taken[part], 1);
  double sum = 0;
  for (int i = 1; i <= 10 + part % 7; i++) sum += 1.0 / (part + i);
  j->value[part] = sum;
}

static void check(trm_pool *pool, int parts) {
  static job alone, shared;
  for (int i = 0; i < MOST; i++) shared.taken[i] = 0;
  trm_parallel(NULL, parts, work, &alone);
  trm_parallel(pool, parts, work, &shared);
  for (int i = 0; i < MOST; i++) assert_int_equal(shared.taken[i], i < parts);
  assert_memory_equal(shared.value, alone.value, (size_t)parts * sizeof(double));
}

/* Jobs of all sizes one after the other: one that is over must not be taken for the next. */
static void every_part_once(void **state) {
  (void)state;
  for (int threads = 1; threads <= 8; threads++) {
    trm_arena *arena = trm_arena_create();
    trm_pool *pool = trm_pool_create(arena, threads);
    assert_int_equal(pool == NULL, threads == 1);
    for (int i = 0; i < 300; i++) check(pool, i * 37 % MOST);
    trm_arena_destroy(arena);
  }
}

static void ranges_cover_all(void **state) {
  (void)state;
  for (int items = 0; items < 3 * TRM_PART; items += 5) {
    int next = 0;
    for (int part = 0; part < trm_part_count(items); part++) {
      trm_range r = trm_part_range(items, part);
      assert_int_equal(r.begin, next);
      assert_true(r.end > r.begin);
      next = r.end;
    }
    assert_int_equal(next, items);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_part_once),
      cmocka_unit_test(ranges_cover_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
