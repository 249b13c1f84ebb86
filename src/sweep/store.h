/* The finished runs of a study: logs in one folder, one a process, each run a record with a
 * checksum behind it. What was written is there whatever happens to the process; a record that was
 * cut short is not counted, and its run is done again. */
#ifndef TRM_SWEEP_STORE_H
#define TRM_SWEEP_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/diagnostics.h>

typedef struct trm_store trm_store;

/* study: a number of what the runs are of; logs of another one are refused. Reads all logs of the
 * folder, which is made where there is none. NULL, reported. */
trm_store *trm_store_open(const char *folder, uint64_t study, uint64_t runs, int values,
                          trm_diagnostics *diagnostics);
/* Reads the logs of another folder, too, or again those that were written meanwhile. */
bool trm_store_add(trm_store *store, const char *folder, trm_diagnostics *diagnostics);
void trm_store_close(trm_store *store); /* accepts NULL */

/* Of what was there when it was opened. */
bool trm_store_has(const trm_store *store, uint64_t run);
uint64_t trm_store_count(const trm_store *store, uint64_t first, uint64_t end); /* runs there are */

/* Keeps a run; from any thread. False: see trm_store_error. */
bool trm_store_append(trm_store *store, uint64_t run, const double *values, const char *status,
                      const char *message);
/* What went wrong when a run was to be kept, or NULL. */
const char *trm_store_error(const trm_store *store);
bool trm_store_sync(trm_store *store);
/* Before a log is synced: what its records speak of must be on the disk. Returns errno. */
typedef int (*trm_store_first)(void *context);
void trm_store_set_first(trm_store *store, trm_store_first first, void *context);

typedef struct trm_kept_run {
  const char *status, *message; /* NULL: the run is not there */
  const double *values;
} trm_kept_run;

/* Runs first … first + count − 1; they stay until the next call. NULL, reported. */
const trm_kept_run *trm_store_window(trm_store *store, uint64_t first, uint64_t count,
                                     trm_diagnostics *diagnostics);
enum { TRM_STORE_WINDOW = 8192 }; /* a good count */

#endif
