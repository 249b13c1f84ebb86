#include "base/shelf.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"

/* Of each kind: a file may have millions of formulas, and is then read again. */
enum { MOST = 20000 };

struct trm_shelf {
  atomic_int holders;
  bool closed;
  trm_arena *arena; /* of names, and of the objects by trm_arena_defer */
  trm_map *index[TRM_SHELF_KINDS];
  int count[TRM_SHELF_KINDS];
  void **objects[TRM_SHELF_KINDS]; /* [count] */
};

trm_shelf *trm_shelf_create(void) {
  trm_arena *arena = trm_arena_create();
  trm_shelf *shelf = arena ? TRM_NEW(arena, trm_shelf, 1) : NULL;
  if (shelf) {
    shelf->arena = arena;
    atomic_init(&shelf->holders, 1);
    return shelf;
  }
  trm_arena_destroy(arena);
  return NULL;
}

trm_shelf *trm_shelf_share(trm_shelf *shelf) {
  if (shelf) atomic_fetch_add(&shelf->holders, 1);
  return shelf;
}

void trm_shelf_release(trm_shelf *shelf) {
  if (shelf && atomic_fetch_sub(&shelf->holders, 1) == 1) trm_arena_destroy(shelf->arena);
}

void trm_shelf_close(trm_shelf *shelf) {
  shelf->closed = true;
}

const void *trm_shelf_get(const trm_shelf *shelf, trm_shelf_kind kind, const char *name) {
  if (!shelf || !shelf->index[kind]) return NULL;
  int known = trm_map_get(shelf->index[kind], name, strlen(name));
  return known < 0 ? NULL : shelf->objects[kind][known];
}

bool trm_shelf_is_open(const trm_shelf *shelf, trm_shelf_kind kind) {
  return shelf && !shelf->closed && shelf->count[kind] < MOST;
}

/* Full at 0, 8, 16, 32, … */
static bool make_room(trm_shelf *shelf, trm_shelf_kind kind) {
  int count = shelf->count[kind];
  if (!shelf->index[kind]) shelf->index[kind] = trm_map_create(shelf->arena);
  if (!shelf->index[kind]) return false;
  if (count != 0 && (count < 8 || (count & (count - 1)))) return true;
  void **larger = TRM_NEW(shelf->arena, void *, count ? 2 * count : 8);
  if (!larger) return false;
  if (count) memcpy(larger, shelf->objects[kind], (size_t)count * sizeof *larger);
  shelf->objects[kind] = larger;
  return true;
}

bool trm_shelf_put(trm_shelf *shelf, trm_shelf_kind kind, const char *name, void *object,
                   void (*destroy)(void *object)) {
  if (!trm_shelf_is_open(shelf, kind)) {
    destroy(object);
    return false;
  }
  if (!trm_arena_defer(shelf->arena, destroy, object)) return false;
  const char *copy = trm_arena_string(shelf->arena, name);
  if (!copy || !make_room(shelf, kind)) return false;
  shelf->objects[kind][shelf->count[kind]] = object;
  return trm_map_put(shelf->index[kind], copy, strlen(copy), shelf->count[kind]++);
}
