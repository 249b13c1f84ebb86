/* The files that a model is read from, noted where each is read. */
#ifndef TRM_BASE_FILES_READ_H
#define TRM_BASE_FILES_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct trm_files {
  int count;
  const char *const *paths; /* each once, in the order of their reading */
  uint64_t sum;             /* a number that their contents give, as they were read */
} trm_files;

/* Collects in this thread, from begin to end. */
void trm_files_begin(void);
void trm_files_note(const char *path, const void *bytes, size_t size);
void trm_files_end(void);
/* Those noted so far, in the arena. False: no memory. */
bool trm_files_take(trm_arena *arena, trm_files *files);
/* The same of another list. */
bool trm_files_copy(trm_arena *arena, const trm_files *from, trm_files *files);

#endif
