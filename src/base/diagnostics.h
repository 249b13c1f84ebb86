/* Reporting into a diagnostics object; the public part is in trammel/diagnostics.h. */
#ifndef TRM_BASE_DIAGNOSTICS_H
#define TRM_BASE_DIAGNOSTICS_H

#include <trammel/diagnostics.h>

typedef struct trm_place {
  const char *file; /* must outlive the call only: it is copied */
  int line, column;
  const char *source; /* start of the offending line (ends at newline or NUL), or NULL */
  const char *from;   /* "car.yaml:12:5" where the file is included from there, or NULL */
} trm_place;

/* Finds where in its file the thing at `path` stands ("bodies/crank/mass", "joints/A/connect/1");
 * `offset` counts characters into the scalar there. The builder knows paths, the reader knows
 * lines. */
typedef trm_place (*trm_locator)(void *context, const char *path, size_t offset);

/* NULL removes the locator: places found so far stay, later messages carry their path instead. */
void trm_diagnostics_set_locator(trm_diagnostics *diagnostics, trm_locator locator, void *context);

/* All accept diagnostics == NULL and then do nothing. */
__attribute__((format(printf, 3, 4))) void
trm_report(trm_diagnostics *diagnostics, trm_severity severity, const char *format, ...);
__attribute__((format(printf, 5, 6))) void trm_report_path(trm_diagnostics *diagnostics,
                                                           trm_severity severity, const char *path,
                                                           size_t offset, const char *format, ...);
__attribute__((format(printf, 4, 5))) void trm_report_place(trm_diagnostics *diagnostics,
                                                            trm_severity severity, trm_place place,
                                                            const char *format, ...);

#endif
