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
/* Whether something that was asked for could not be given: to be asked once behind many. */
bool trm_arena_failed(const trm_arena *arena);
size_t trm_arena_bytes(const trm_arena *arena);             /* given out so far */
char *trm_arena_string(trm_arena *arena, const char *text); /* a copy; NULL stays NULL */
char *trm_arena_substring(trm_arena *arena, const char *text, size_t length);

/* release(data) is called when the arena is destroyed, the last one first: for what a library took
 * elsewhere. False: out of memory, and it has been called. */
bool trm_arena_defer(trm_arena *arena, void (*release)(void *data), void *data);

/* Declares memory to be a part of the state, at `data` or where *at points at the time: saved and
 * restored with the other parts, in the order of their declarations. */
void trm_keep(trm_arena *arena, void *data, size_t size);
void trm_keep_at(trm_arena *arena, void *at, size_t size);
#define TRM_KEEP(arena, x) trm_keep((arena), &(x), sizeof(x))
/* An array that is a part of the state. */
void *trm_keep_new(trm_arena *arena, size_t count, size_t size);
#define TRM_KEEP_NEW(arena, type, count)                                                           \
  ((type *)trm_keep_new((arena), (size_t)(count), sizeof(type)))
/* restored(data) is called behind the restoring of all parts, in the order of the declarations:
 * for what follows from them. */
void trm_keep_derived(trm_arena *arena, void (*restored)(void *data), void *data);
/* Bytes of all parts; 0: the arena has failed, maybe to declare one. */
size_t trm_kept_size(const trm_arena *arena);
void trm_kept_save(const trm_arena *arena, void *bytes);
/* Of the first parts alone, where there are fewer bytes than parts now. */
void trm_kept_restore(const trm_arena *arena, const void *bytes, size_t size);
/* After the last part has been restored. */
void trm_kept_derive(const trm_arena *arena);

#define TRM_NEW(arena, type, count)                                                                \
  ((type *)trm_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif
