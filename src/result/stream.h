/* Rows on their way to a file while a run goes on. Threads of their own write and sync them, so
 * that each is on the disk within a second however long the next step takes; a second file without
 * a name has them as numbers, to be read back. Memory does not grow with their number. */
#ifndef TRM_RESULT_STREAM_H
#define TRM_RESULT_STREAM_H

#include "result/rows.h"

typedef struct trm_stream trm_stream;

/* What the file shall hold, and how much of it is there already. */
typedef struct trm_stream_plan {
  const char *path; /* of the finished file; until then it has `.part` behind its name */
  const trm_row_class *type;
  int columns;
  const char *const *names; /* [columns], which stay */
  long most;                /* rows at most */
  long rows;                /* to go on behind them; 0: a new file */
  long long size;           /* bytes of the file that belong to these */
} trm_stream_plan;

/* NULL, with errno set, where it fails. */
trm_stream *trm_stream_open(const trm_stream_plan *plan);
void trm_stream_close(trm_stream *stream); /* accepts NULL; the part stays where it is */

/* Room for a row (columns doubles), and to add it; false: what was added before could not be
 * written. */
double *trm_stream_next(trm_stream *stream);
bool trm_stream_add(trm_stream *stream);

/* All rows are written, or, for `sync`, on the disk; what there is of them then. Returns errno. */
int trm_stream_drain(trm_stream *stream, bool sync);
long trm_stream_rows(trm_stream *stream);
long long trm_stream_size(const trm_stream *stream);
const char *trm_stream_part(const trm_stream *stream); /* the name that it has until then */

/* A row that was written; NULL where it cannot be read. It stays until the next is asked for. */
const double *trm_stream_row(trm_stream *stream, long row);

/* Synced and renamed; afterwards rows can still be read. Returns errno. */
int trm_stream_publish(trm_stream *stream);

#endif
