/* The files that a model is read from, noted where each is opened. */
#ifndef TRM_BASE_FILES_READ_H
#define TRM_BASE_FILES_READ_H

#include "base/arena.h"

/* Collects in this thread, from begin to end. */
void trm_files_begin(void);
void trm_files_note(const char *path);
void trm_files_end(void);
/* Those noted so far, each path once, in the order of their opening; *paths in the arena. −1: no
 * memory. */
int trm_files_list(trm_arena *arena, const char *const **paths);

#endif
