/* Where a library does not say that it has found no memory. */
#ifndef TRM_BASE_MEMORY_H
#define TRM_BASE_MEMORY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRM_MEMORY_SPARE = 1 << 18 }; /* for small things */

/* Before one is called that ends the program then. */
static inline bool trm_memory_left(size_t bytes) {
  void *volatile some = malloc(TRM_MEMORY_SPARE + bytes); /* volatile: it is not optimized away */
  bool left = some != NULL;
  free(some);
  return left;
}

/* Closes what open_memstream has opened. False: it is not whole, and fclose alone does not tell. */
static inline bool trm_memory_close(FILE *file, char *const *text) {
  bool whole = ferror(file) == 0;
  return fclose(file) == 0 && whole && *text;
}

#endif
