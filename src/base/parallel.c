/* A pool of threads that take parts of one job after the other. */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN */
#include "base/parallel.h"

#include "base/flush.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

/* Looks at the ticket before a thread goes to sleep, some ten microseconds. */
enum { patience = 4000 };

/* The job's number and the next part of it: taken together, so that nobody takes a part of a job
 * that is over. */
typedef uint64_t ticket;
#define NUMBER(t) ((uint32_t)((t) >> 32))
#define NEXT(t)   ((uint32_t)(t))
#define CLOSED    UINT32_MAX

struct trm_pool {
  _Atomic ticket ticket;
  _Atomic(trm_part *) work;
  _Atomic(void *) data;
  atomic_uint parts, done;
  atomic_uint flush; /* all compute as the caller does */
  atomic_int sleeping;
  atomic_bool over;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  int workers;
  pthread_t *thread; /* [workers] */
};

static ticket make_ticket(uint32_t number, uint32_t next) {
  return (ticket)number << 32 | next;
}

/* Takes parts while there are any. */
static void take_parts(trm_pool *pool) {
  for (;;) {
    ticket t = atomic_load(&pool->ticket);
    trm_part *work = atomic_load(&pool->work);
    void *data = atomic_load(&pool->data);
    if (NEXT(t) == CLOSED || NEXT(t) >= atomic_load(&pool->parts)) return;
    /* fails where another was faster, or the job another one */
    if (!atomic_compare_exchange_strong(&pool->ticket, &t, t + 1)) continue;
    trm_flush_set(atomic_load(&pool->flush));
    work(data, (int)NEXT(t));
    atomic_fetch_add(&pool->done, 1);
  }
}

static bool has_parts(trm_pool *pool) {
  ticket t = atomic_load(&pool->ticket);
  return NEXT(t) != CLOSED && NEXT(t) < atomic_load(&pool->parts);
}

static void sleep_until_needed(trm_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleeping, 1);
  while (!has_parts(pool) && !atomic_load(&pool->over))
    pthread_cond_wait(&pool->wake, &pool->mutex);
  atomic_fetch_sub(&pool->sleeping, 1);
  pthread_mutex_unlock(&pool->mutex);
}

static void *help(void *data) {
  trm_pool *pool = data;
  while (!atomic_load(&pool->over)) {
    take_parts(pool);
    for (int look = 0; look < patience && !has_parts(pool); look++)
      if (look % TRM_LOOKS_PER_YIELD == TRM_LOOKS_PER_YIELD - 1) sched_yield();
    if (!has_parts(pool)) sleep_until_needed(pool);
  }
  return NULL;
}

static void wake_all(trm_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

void trm_pool_run(trm_pool *pool, int parts, trm_part *work, void *data) {
  uint32_t number = NUMBER(atomic_load(&pool->ticket)) + 1;
  atomic_store(&pool->ticket, make_ticket(number, CLOSED)); /* before anything of it is there */
  atomic_store(&pool->work, work);
  atomic_store(&pool->data, data);
  atomic_store(&pool->parts, (unsigned)parts);
  atomic_store(&pool->done, 0);
  atomic_store(&pool->flush, trm_flush_get());
  atomic_store(&pool->ticket, make_ticket(number, 0));
  if (atomic_load(&pool->sleeping) > 0) wake_all(pool);
  take_parts(pool);
  for (int look = 1; atomic_load(&pool->done) < (unsigned)parts; look++)
    if (look % TRM_LOOKS_PER_YIELD == 0) sched_yield();
}

static void end(void *data) {
  trm_pool *pool = data;
  atomic_store(&pool->over, true);
  wake_all(pool);
  for (int i = 0; i < pool->workers; i++) pthread_join(pool->thread[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
}

trm_pool *trm_pool_create(trm_arena *arena, int threads) {
  trm_pool *pool = threads > 1 ? TRM_NEW(arena, trm_pool, 1) : NULL;
  if (pool) pool->thread = TRM_NEW(arena, pthread_t, threads - 1);
  if (!pool || !pool->thread) return NULL;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  atomic_store(&pool->ticket, make_ticket(0, CLOSED));
  /* as many as the system gives */
  while (pool->workers < threads - 1 &&
         pthread_create(&pool->thread[pool->workers], NULL, help, pool) == 0)
    pool->workers++;
  return trm_arena_defer(arena, end, pool) ? pool : NULL;
}

int trm_cores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores > 256 ? 256 : (int)cores;
}
