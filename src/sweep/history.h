/* Every row of every run: tables in HDF5, one worker writes a file at a time. Columns are the run's
 * number and the model's outputs; the rows of a run stand together. */
#ifndef TRM_SWEEP_HISTORY_H
#define TRM_SWEEP_HISTORY_H

#include <stdint.h>
#include <trammel/results.h>

typedef struct trm_history trm_history;

/* Where the rows of a run are; all zero: it has none. */
typedef struct trm_history_place {
  uint64_t file; /* its number, below 2^52: a double holds it */
  long first, rows;
} trm_history_place;

/* folder: made with the first file. NULL: out of memory. */
trm_history *trm_history_create(const char *folder);
void trm_history_destroy(trm_history *history); /* accepts NULL */

/* Written, and found by readers, when it returns. Returns errno, 0 where all is well. */
int trm_history_add(trm_history *history, uint64_t run, const trm_results *rows,
                    trm_history_place *place);
/* What was added is on the disk; from any thread. Returns errno. */
int trm_history_sync(trm_history *history);

/* FOLDER/0123456789abc.h5 */
void trm_history_name(const char *folder, uint64_t file, char *path, size_t size);

#endif
