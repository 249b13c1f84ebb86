#include "base/files_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"

typedef struct note {
  struct note *next;
  char path[];
} note;

static _Thread_local struct {
  bool collecting, no_memory;
  int count;
  uint64_t sum;
  note *first, **last;
} files;

void trm_files_end(void) {
  while (files.first) {
    note *next = files.first->next;
    free(files.first);
    files.first = next;
  }
  files.last = &files.first;
  files.count = 0;
  files.sum = TRM_MIX_START;
  files.no_memory = files.collecting = false;
}

void trm_files_begin(void) {
  trm_files_end();
  files.collecting = true;
}

void trm_files_note(const char *path, const void *bytes, size_t size) {
  if (!files.collecting) return;
  for (const note *n = files.first; n; n = n->next)
    if (strcmp(n->path, path) == 0) return;
  note *added = malloc(sizeof *added + strlen(path) + 1);
  if (!added) {
    files.no_memory = true;
    return;
  }
  added->next = NULL;
  strcpy(added->path, path);
  *files.last = added;
  files.last = &added->next;
  files.count++;
  files.sum = trm_mix(trm_mix(files.sum, &size, sizeof size), bytes, size);
}

bool trm_files_take(trm_arena *arena, trm_files *taken) {
  const char **paths = TRM_NEW(arena, const char *, files.count + 1);
  if (!paths || files.no_memory) return false;
  *taken = (trm_files){.paths = paths, .sum = files.sum};
  for (const note *n = files.first; n; n = n->next)
    if (!(paths[taken->count++] = trm_arena_string(arena, n->path))) return false;
  return true;
}

bool trm_files_copy(trm_arena *arena, const trm_files *from, trm_files *copy) {
  const char **paths = TRM_NEW(arena, const char *, from->count + 1);
  if (!paths) return false;
  *copy = (trm_files){.count = from->count, .paths = paths, .sum = from->sum};
  for (int i = 0; i < from->count; i++)
    if (!(paths[i] = trm_arena_string(arena, from->paths[i]))) return false;
  return true;
}
