/* A zip archive: whole, or not there. */
#ifndef TRM_FMU_ARCHIVE_H
#define TRM_FMU_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trm_archive trm_archive;

bool trm_archive_available(void);
trm_archive *trm_archive_create(const char *path); /* NULL: see errno */
bool trm_archive_add(trm_archive *archive, const char *name, const void *bytes, size_t size);
bool trm_archive_add_file(trm_archive *archive, const char *name, const char *path);
/* Puts it in place where all went well; frees it. */
bool trm_archive_close(trm_archive *archive, bool good);

#endif
