/* Status codes and diagnostics: how the library says what went wrong, and where. */
#ifndef TRAMMEL_DIAGNOSTICS_H
#define TRAMMEL_DIAGNOSTICS_H

#include <stddef.h>
#include <trammel/export.h>

TRM_BEGIN_C

/* The first four are also the exit statuses of the command-line program. */
typedef enum trm_status {
  TRM_OK = 0,
  TRM_FAILED = 1,      /* the simulation failed; what was computed up to there is kept */
  TRM_BAD_USAGE = 2,   /* a wrong argument or an unknown option */
  TRM_BAD_MODEL = 3,   /* the model has errors; the diagnostics say which */
  TRM_INTERRUPTED = 4, /* the progress callback asked to stop */
  TRM_NO_MEMORY = 5,
  TRM_IO_ERROR = 6 /* a file could not be read or written */
} trm_status;

typedef enum trm_severity { TRM_NOTE, TRM_WARNING, TRM_ERROR } trm_severity;

/* One message. Pointers belong to the diagnostics object; file is NULL and line 0 where there is
 * none. */
typedef struct trm_diagnostic {
  trm_severity severity;
  const char *file;
  int line, column;    /* from 1 */
  const char *message; /* one line, no trailing newline */
  const char *source;  /* the offending line of the file, or NULL */
} trm_diagnostic;

typedef struct trm_diagnostics trm_diagnostics;

TRM_API trm_diagnostics *trm_diagnostics_create(void);
TRM_API void trm_diagnostics_destroy(trm_diagnostics *diagnostics);
TRM_API void trm_diagnostics_clear(trm_diagnostics *diagnostics);

TRM_API int trm_diagnostics_count(const trm_diagnostics *diagnostics);
TRM_API int trm_diagnostics_errors(const trm_diagnostics *diagnostics);
TRM_API const trm_diagnostic *trm_diagnostics_get(const trm_diagnostics *diagnostics, int index);

/* "file:line:column: error: message" with the source line and a caret under it, newline-terminated.
 * Returns the length needed, like snprintf. */
TRM_API size_t trm_diagnostic_format(const trm_diagnostic *diagnostic, char *text, size_t size);

TRM_END_C

#endif
