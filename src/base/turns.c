/* Turns of parts. */
#include "base/turns.h"

#include <sched.h>
#include <stdatomic.h>

struct trm_turns {
  int parts;
  atomic_bool *ready; /* [parts] worked on, its turn may come */
  atomic_int next;    /* part */
  atomic_bool taken;  /* somebody is at it */
  trm_part *work, *in_turn;
  void *data;
};

trm_turns *trm_turns_create(trm_arena *arena, int parts) {
  trm_turns *t = TRM_NEW(arena, trm_turns, 1);
  if (!t) return NULL;
  t->parts = parts;
  t->ready = TRM_NEW(arena, atomic_bool, parts + 1); /* the last one stays false */
  return t->ready ? t : NULL;
}

static void begin(trm_turns *t, int next, trm_part *work, trm_part *in_turn, void *data) {
  for (int i = 0; i < t->parts; i++) atomic_store(&t->ready[i], false);
  atomic_store(&t->next, next);
  t->work = work;
  t->in_turn = in_turn;
  t->data = data;
}

static bool is_next_ready(trm_turns *t) {
  return atomic_load(&t->ready[atomic_load(&t->next)]);
}

/* Who finds it taken may go: whoever has it looks again after giving it back. */
static void work_behind(void *data, int part) {
  trm_turns *t = data;
  t->work(t->data, part);
  atomic_store(&t->ready[part], true);
  while (is_next_ready(t) && !atomic_exchange(&t->taken, true)) {
    while (is_next_ready(t)) {
      t->in_turn(t->data, atomic_load(&t->next));
      atomic_fetch_add(&t->next, 1);
    }
    atomic_store(&t->taken, false);
  }
}

void trm_turns_behind(trm_turns *t, trm_pool *pool, trm_part *work, trm_part *then, void *data) {
  for (int i = 0; i < t->parts && !pool; i++) {
    work(data, i);
    then(data, i);
  }
  if (!pool) return;
  begin(t, 0, work, then, data);
  trm_parallel(pool, t->parts, work_behind, t);
}

/* Whoever needs a turn to be over takes all that are left until then: a thread that has been put
 * aside holds up the others in a turn of its own only. */
static void work_after(void *data, int from_last) {
  trm_turns *t = data;
  int part = t->parts - 1 - from_last;
  for (int look = 1; atomic_load(&t->next) >= part; look++) {
    if (look % TRM_LOOKS_PER_YIELD == 0) sched_yield();
    if (atomic_exchange(&t->taken, true)) continue;
    for (int next; (next = atomic_load(&t->next)) >= part; atomic_store(&t->next, next - 1))
      t->in_turn(t->data, next);
    atomic_store(&t->taken, false);
  }
  t->work(t->data, part);
}

void trm_turns_before(trm_turns *t, trm_pool *pool, trm_part *first, trm_part *work, void *data) {
  begin(t, t->parts - 1, work, first, data);
  trm_parallel(pool, t->parts, work_after, t);
}
