/* Hash map from strings to integers, in an arena. */
#ifndef TRM_BASE_MAP_H
#define TRM_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct trm_map trm_map;

trm_map *trm_map_create(trm_arena *arena); /* NULL when memory is out */

/* Room for `count` keys at once: growing key by key leaves smaller tables behind. */
bool trm_map_reserve(trm_map *map, size_t count);
/* Adds or replaces; value ≥ 0. The key is kept by reference. False when memory is out. */
bool trm_map_put(trm_map *map, const char *key, size_t length, int value);
int trm_map_get(const trm_map *map, const char *key, size_t length); /* −1: not there */

#endif
