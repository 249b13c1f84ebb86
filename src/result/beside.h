/* A file written beside the one it replaces: whoever looks sees the old one or the new one, whole.
 */
#ifndef TRM_RESULT_BESIDE_H
#define TRM_RESULT_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trm_beside {
  int file;        /* −1: it could not be opened */
  char *temporary; /* NULL: written in place, what stands there is no plain file */
  char *target;    /* where links lead */
} trm_beside;

/* Each returns errno, 0 where all is well. */
int trm_beside_open(trm_beside *beside, const char *path);
int trm_beside_close(trm_beside *beside, bool keep); /* synced and renamed, or given up */

/* The name of a file, new or another, is on the disk: that of its folder is not synced with it. */
void trm_sync_name(const char *path);

/* A file that is gone when it is closed, in the folder of a path; −1: see errno. */
int trm_open_nameless(const char *path);

/* All of it, however many calls that takes. At a place: −1 is where the file is. */
int trm_write_all(int file, const void *bytes, size_t size, long long at);
int trm_read_all(int file, void *bytes, size_t size, long long at);

#endif
