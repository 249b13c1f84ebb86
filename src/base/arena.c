/* Arena memory: blocks in a list, each filled from its start. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_BLOCK   ((size_t)4096)
#define LARGEST_BLOCK ((size_t)1 << 20)
#define WIDE          ((size_t)64) /* a cache line, and the widest SIMD register */
#define NARROW        ((size_t)16)
#define HUGE_PAGE     ((size_t)1 << 21)

typedef struct block {
  struct block *next;
  void *base;        /* what the allocator gave: the block starts at the next cache line */
  size_t used, size; /* of the bytes behind this header */
} block;

/* The header takes a whole cache line, so that what follows it is aligned too. */
#define HEADER WIDE

typedef struct deferred {
  struct deferred *before;
  void (*release)(void *data);
  void *data;
} deferred;

/* A part of the state, or what follows from the parts. */
typedef struct kept {
  struct kept *next;
  void *data, *at;
  size_t size;
  void (*restored)(void *data);
} kept;

struct trm_arena {
  block *newest;
  deferred *last;
  size_t next_size;
  kept *first, **end; /* parts of the state, and where the next one goes */
  bool failed;        /* something could not be given */
};

trm_arena *trm_arena_create(void) {
  trm_arena *arena = calloc(1, sizeof *arena);
  if (!arena) return NULL;
  arena->next_size = FIRST_BLOCK;
  arena->end = &arena->first;
  return arena;
}

void trm_arena_destroy(trm_arena *arena) {
  if (!arena) return;
  for (deferred *d = arena->last; d; d = d->before) d->release(d->data);
  for (block *b = arena->newest; b;) {
    block *next = b->next;
    free(b->base);
    b = next;
  }
  free(arena);
}

/* unit: a power of two */
static size_t round_up(size_t n, size_t unit) {
  return (n + unit - 1) & ~(unit - 1);
}

/* Arrays of many megabytes are passed over from end to end: with small pages, finding these costs a
 * tenth of the time. */
static void prefer_huge_pages(char *base, size_t size) {
#ifdef MADV_HUGEPAGE
  size_t skip = round_up((size_t)(uintptr_t)base, HUGE_PAGE) - (size_t)(uintptr_t)base;
  if (size >= skip + 2 * HUGE_PAGE)
    madvise(base + skip, (size - skip) & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
#else
  (void)base, (void)size;
#endif
}

static block *add_block(trm_arena *arena, size_t bytes) {
  size_t size = bytes > arena->next_size ? round_up(bytes, WIDE) : arena->next_size;
  /* calloc gives fresh pages that are zero already: those never used cost nothing */
  char *base = calloc(1, HEADER + size + WIDE - 1);
  if (!base) return NULL;
  prefer_huge_pages(base, HEADER + size + WIDE - 1);
  block *b = (block *)(void *)(base + (round_up((size_t)(uintptr_t)base, WIDE) - (uintptr_t)base));
  b->base = base;
  b->size = size;
  b->next = arena->newest;
  arena->newest = b;
  /* growing blocks keep the number of calls to the allocator logarithmic */
  if (arena->next_size < LARGEST_BLOCK) arena->next_size *= 2;
  return b;
}

static void *fail(trm_arena *arena) {
  arena->failed = true;
  return NULL;
}

bool trm_arena_failed(const trm_arena *arena) {
  return arena->failed;
}

void *trm_arena_alloc(trm_arena *arena, size_t count, size_t size) {
  /* half of the address space: no rounding below can overflow */
  if (size && count > SIZE_MAX / 2 / size) return fail(arena);
  size_t bytes = count * size;
  if (bytes == 0) bytes = 1; /* NULL means only one thing: no memory */
  size_t unit = bytes >= WIDE ? WIDE : NARROW;
  block *b = arena->newest;
  size_t start = b ? round_up(b->used, unit) : 0;
  if (!b || start > b->size || bytes > b->size - start) {
    b = add_block(arena, bytes);
    if (!b) return fail(arena);
    start = 0;
  }
  b->used = start + bytes;
  return (char *)b + HEADER + start;
}

size_t trm_arena_bytes(const trm_arena *arena) {
  size_t sum = 0;
  for (const block *b = arena->newest; b; b = b->next) sum += b->used;
  return sum;
}

char *trm_arena_substring(trm_arena *arena, const char *text, size_t length) {
  if (length >= SIZE_MAX / 2) return fail(arena);
  char *copy = trm_arena_alloc(arena, length + 1, 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

char *trm_arena_string(trm_arena *arena, const char *text) {
  return text ? trm_arena_substring(arena, text, strlen(text)) : NULL;
}

bool trm_arena_defer(trm_arena *arena, void (*release)(void *data), void *data) {
  deferred *d = TRM_NEW(arena, deferred, 1);
  if (d) {
    *d = (deferred){arena->last, release, data};
    arena->last = d;
  } else {
    release(data);
  }
  return d != NULL;
}

static void declare(trm_arena *arena, kept part) {
  kept *k = TRM_NEW(arena, kept, 1);
  if (!k) return;
  *k = part;
  *arena->end = k;
  arena->end = &k->next;
}

void trm_keep(trm_arena *arena, void *data, size_t size) {
  declare(arena, (kept){.data = data, .size = size});
}

void trm_keep_at(trm_arena *arena, void *at, size_t size) {
  declare(arena, (kept){.at = at, .size = size});
}

void *trm_keep_new(trm_arena *arena, size_t count, size_t size) {
  void *data = trm_arena_alloc(arena, count, size);
  if (data) trm_keep(arena, data, count * size);
  return data;
}

void trm_keep_derived(trm_arena *arena, void (*restored)(void *data), void *data) {
  declare(arena, (kept){.data = data, .restored = restored});
}

static void *place(const kept *k) {
  void *data = k->data;
  if (k->at) memcpy(&data, k->at, sizeof data); /* a pointer of any kind */
  return data;
}

size_t trm_kept_size(const trm_arena *arena) {
  size_t sum = 0;
  for (const kept *k = arena->first; k; k = k->next) sum += k->size;
  return arena->failed ? 0 : sum;
}

void trm_kept_save(const trm_arena *arena, void *bytes) {
  char *to = bytes;
  for (const kept *k = arena->first; k; to += k->size, k = k->next)
    if (k->size > 0) memcpy(to, place(k), k->size);
}

void trm_kept_restore(const trm_arena *arena, const void *bytes, size_t size) {
  const char *from = bytes, *end = from + size;
  for (const kept *k = arena->first; k && k->size <= (size_t)(end - from); k = k->next) {
    if (k->size > 0) memcpy(place(k), from, k->size);
    from += k->size;
  }
}

void trm_kept_derive(const trm_arena *arena) {
  for (const kept *k = arena->first; k; k = k->next)
    if (k->restored) k->restored(k->data);
}
