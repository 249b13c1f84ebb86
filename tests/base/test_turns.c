/* Parts on several threads with turns: each part once, turns in order, each behind its own part or
 * before it. */
#include "../check.h"
#include "base/turns.h"

#include <stdatomic.h>

enum { MOST = 200 };

typedef struct job {
  int parts, turns;
  bool down; /* from the last part to the first */
  atomic_int worked[MOST];
  bool turned[MOST];
  atomic_int inside; /* threads in a turn */
  double sum;        /* of a series that depends on the order */
  double value[MOST];
} job;

static void work(void *data, int part) {
  job *j = data;
  double sum = 0;
  for (int i = 1; i <= 10 + part % 97; i++) sum += 1.0 / (part + i);
  if (j->down) assert_true(j->turned[part]);
  j->value[part] = sum;
  atomic_fetch_add(&j->worked[part], 1);
}

static void turn(void *data, int part) {
  job *j = data;
  assert_int_equal(atomic_fetch_add(&j->inside, 1), 0);
  assert_int_equal(part, j->down ? j->parts - 1 - j->turns : j->turns);
  assert_int_equal(j->worked[part], !j->down);
  j->sum = 0.5 * j->sum + (j->down ? part : j->value[part]);
  j->turned[part] = true;
  j->turns++;
  atomic_fetch_sub(&j->inside, 1);
}

static double run(trm_pool *pool, trm_turns *turns, int parts, bool down) {
  job j = {.parts = parts, .down = down};
  if (down)
    trm_turns_before(turns, pool, turn, work, &j);
  else
    trm_turns_behind(turns, pool, work, turn, &j);
  assert_int_equal(j.turns, parts);
  for (int i = 0; i < parts; i++) assert_int_equal(j.worked[i], 1);
  return j.sum;
}

static void turns_come_in_order(void **state) {
  (void)state;
  for (int threads = 2; threads <= 8; threads += 3)
    for (int parts = 1; parts <= MOST; parts += 1 + parts / 3) {
      trm_arena *arena = trm_arena_create();
      trm_pool *pool = trm_pool_create(arena, threads);
      trm_turns *turns = trm_turns_create(arena, parts);
      for (int i = 0; i < 20; i++)
        assert_true(run(pool, turns, parts, i % 2) == run(NULL, turns, parts, i % 2));
      trm_arena_destroy(arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(turns_come_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
