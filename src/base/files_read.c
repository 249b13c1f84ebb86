#include "base/files_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct note {
  struct note *next;
  char path[];
} note;

static _Thread_local struct {
  bool collecting, no_memory;
  int count;
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
  files.no_memory = files.collecting = false;
}

void trm_files_begin(void) {
  trm_files_end();
  files.collecting = true;
}

void trm_files_note(const char *path) {
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
}

int trm_files_list(trm_arena *arena, const char *const **paths) {
  int count = 0;
  const char **list = TRM_NEW(arena, const char *, files.count + 1);
  bool good = list && !files.no_memory;
  for (const note *n = files.first; good && n; n = n->next) {
    list[count] = trm_arena_string(arena, n->path);
    good = list[count++] != NULL;
  }
  *paths = list;
  return good ? count : -1;
}
