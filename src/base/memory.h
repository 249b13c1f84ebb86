/* Before a library is called that ends the program where it finds no memory. */
#ifndef TRM_BASE_MEMORY_H
#define TRM_BASE_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>

enum { TRM_MEMORY_SPARE = 1 << 18 }; /* for small things */

static inline bool trm_memory_left(size_t bytes) {
  void *volatile some = malloc(TRM_MEMORY_SPARE + bytes); /* volatile: it is not optimized away */
  bool left = some != NULL;
  free(some);
  return left;
}

#endif
