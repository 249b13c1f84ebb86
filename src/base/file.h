/* The bytes of a file, all at once. */
#ifndef TRM_BASE_FILE_H
#define TRM_BASE_FILE_H

#include <stddef.h>
#include <trammel/diagnostics.h>

typedef struct trm_file {
  char *text; /* NULL: it could not be read; a NUL stands behind it, free() it */
  size_t length;
  trm_status status; /* TRM_OK, TRM_IO_ERROR, TRM_NO_MEMORY, or TRM_BAD_MODEL: it is too large */
  char reason[160];  /* why not */
} trm_file;

/* Of regular files only: a pipe may never be written to, a device never ends. `kind` is what it
 * should be ("model file"); it may have `most` bytes. */
trm_file trm_file_read(const char *path, const char *kind, size_t most);

#endif
