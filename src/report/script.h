/* The objects and blocks of a written page. */
#ifndef TRM_REPORT_SCRIPT_H
#define TRM_REPORT_SCRIPT_H

#include <stddef.h>
#include <trammel/diagnostics.h>

/* The text of a file; free() it. NULL, reported, where it cannot be read. */
char *trm_script_read(const char *path, trm_diagnostics *diagnostics);

/* What stands inside <script … id="ID" …>, its length and its data-rows (rows may be NULL); NULL
 * where there is none. */
const char *trm_script_find(const char *text, const char *id, size_t *length, long *rows);

#endif
