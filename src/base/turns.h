/* Work on several threads with a share that has to be done in the order of the parts, by one thread
 * at a time, while the others go on. */
#ifndef TRM_BASE_TURNS_H
#define TRM_BASE_TURNS_H

#include "base/parallel.h"

typedef struct trm_turns trm_turns;

/* NULL: out of memory. */
trm_turns *trm_turns_create(trm_arena *arena, int parts);

/* work(data, part) in any order, and behind it then(data, part) in order: done by whoever completes
 * the part whose turn it is, and nobody waits for it. pool == NULL: each part's one behind the
 * other. */
void trm_turns_behind(trm_turns *turns, trm_pool *pool, trm_part *work, trm_part *then, void *data);

/* first(data, part) from the last part to the first, and behind it work(data, part) in any order. A
 * thread does both of a part, and waits for the one before to have done the first. */
void trm_turns_before(trm_turns *turns, trm_pool *pool, trm_part *first, trm_part *work,
                      void *data);

#endif
