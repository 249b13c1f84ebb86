/* Work in parts that do not depend on one another, on several threads. Which parts there are never
 * depends on the number of threads, and so results do not either.
 *
 * Threads join where they can and are never waited for before they have taken a part: those that a
 * busy machine has put aside hold nobody up. */
#ifndef TRM_BASE_PARALLEL_H
#define TRM_BASE_PARALLEL_H

#include "base/arena.h"

typedef struct trm_pool trm_pool;

/* They end with the arena. NULL: one thread, no pool is needed, or no memory. */
trm_pool *trm_pool_create(trm_arena *arena, int threads);

typedef void trm_part(void *data, int part);

void trm_pool_run(trm_pool *pool, int parts, trm_part *work, void *data);

/* work(data, 0 … parts − 1), each once, in any order; pool == NULL: by the caller alone. From one
 * thread at a time. */
static inline void trm_parallel(trm_pool *pool, int parts, trm_part *work, void *data) {
  if (pool && parts > 1) {
    trm_pool_run(pool, parts, work, data);
    return;
  }
  for (int part = 0; part < parts; part++) work(data, part);
}

/* Looks before a thread that waits gives its processor away. */
enum { TRM_LOOKS_PER_YIELD = 200 };

/* Processors at hand. */
int trm_cores(void);

/* Items begin … end − 1 of a part. */
typedef struct trm_range {
  int begin, end;
} trm_range;

/* Enough of them for a start to pay, few enough to stay in a cache. */
enum { TRM_PART = 128 };

static inline int trm_part_count(int items) {
  return (items + TRM_PART - 1) / TRM_PART;
}

static inline trm_range trm_part_range(int items, int part) {
  int begin = part * TRM_PART, end = begin + TRM_PART;
  return (trm_range){begin, end < items ? end : items};
}

#endif
