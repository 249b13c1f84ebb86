/* Hash map: open addressing, linear probing, at most half full. */
#include "base/map.h"

#include "base/mix.h"

#include <stdint.h>
#include <string.h>

#define FIRST_SIZE ((size_t)16)

/* Kept small: a look at a large map is a cache miss. */
typedef struct slot {
  const char *key; /* NULL: empty */
  uint32_t length, hash;
  int value;
} slot;

struct trm_map {
  trm_arena *arena;
  slot *slots;
  size_t size; /* a power of two */
  size_t count;
};

trm_map *trm_map_create(trm_arena *arena) {
  trm_map *map = TRM_NEW(arena, trm_map, 1);
  if (!map) return NULL;
  map->arena = arena;
  map->size = FIRST_SIZE;
  map->slots = TRM_NEW(arena, slot, map->size);
  return map->slots ? map : NULL;
}

/* The upper half is folded down because the index takes the lower bits. */
static uint32_t hash_of(const char *key, size_t length) {
  uint64_t h = trm_mix(TRM_MIX_START, key, length);
  return (uint32_t)(h ^ (h >> 32));
}

/* The slot that holds the key, or the empty one where it belongs. */
static slot *probe(slot *slots, size_t size, const char *key, size_t length, uint32_t hash) {
  size_t i = hash & (size - 1);
  for (;; i = (i + 1) & (size - 1)) {
    slot *s = &slots[i];
    if (!s->key) return s;
    if (s->hash == hash && s->length == length && memcmp(s->key, key, length) == 0) return s;
  }
}

static bool resize(trm_map *map, size_t size) {
  slot *slots = TRM_NEW(map->arena, slot, size);
  if (!slots) return false;
  for (size_t i = 0; i < map->size; i++) {
    const slot *s = &map->slots[i];
    if (s->key) *probe(slots, size, s->key, s->length, s->hash) = *s;
  }
  map->slots = slots;
  map->size = size;
  return true;
}

bool trm_map_reserve(trm_map *map, size_t count) {
  size_t size = map->size;
  while (size / 2 < count) size *= 2;
  return size == map->size || resize(map, size);
}

bool trm_map_put(trm_map *map, const char *key, size_t length, int value) {
  if (length > UINT32_MAX || !trm_map_reserve(map, map->count + 1)) return false;
  uint32_t hash = hash_of(key, length);
  slot *s = probe(map->slots, map->size, key, length, hash);
  if (!s->key) map->count++;
  *s = (slot){key, (uint32_t)length, hash, value};
  return true;
}

int trm_map_get(const trm_map *map, const char *key, size_t length) {
  const slot *s = probe(map->slots, map->size, key, length, hash_of(key, length));
  return s->key ? s->value : -1;
}
