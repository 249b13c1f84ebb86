/* Arena memory: many small allocations, one free. */
#ifndef TRM_BASE_ARENA_H
#define TRM_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trm_arena trm_arena;

trm_arena *trm_arena_create(void);
void trm_arena_destroy(trm_arena *arena); /* accepts NULL */

/* Zeroed, aligned for SIMD (64 bytes for blocks of 64 bytes or more); NULL when memory is out. */
void *trm_arena_alloc(trm_arena *arena, size_t count, size_t size);
size_t trm_arena_bytes(const trm_arena *arena);             /* given out so far */
char *trm_arena_string(trm_arena *arena, const char *text); /* a copy; NULL stays NULL */
char *trm_arena_substring(trm_arena *arena, const char *text, size_t length);

/* release(data) is called when the arena is destroyed, the last one first: for what a library took
 * elsewhere. False: out of memory, and it has been called. */
bool trm_arena_defer(trm_arena *arena, void (*release)(void *data), void *data);

#define TRM_NEW(arena, type, count)                                                                \
  ((type *)trm_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif
