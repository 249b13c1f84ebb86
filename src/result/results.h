/* Filling a results table; the public part is in trammel/results.h. */
#ifndef TRM_RESULT_RESULTS_H
#define TRM_RESULT_RESULTS_H

#include <stdbool.h>
#include <trammel/results.h>

/* Empties the table and lays it out: all memory for `rows` rows is taken here, or their file is
 * opened. Names are copied. False: errno says why. */
bool trm_results_layout(trm_results *results, int columns, const char *const *names, int rows);

/* Room for the next row (columns doubles), or NULL when all rows are used; and to add it. False:
 * rows can no longer be written to their file. */
double *trm_results_next_row(trm_results *results);
bool trm_results_add_row(trm_results *results);

/* Rows in a file. The next layout goes on behind the first rows there, of so many bytes. */
void trm_results_go_on(trm_results *results, long rows, long long bytes);
const char *trm_results_path(const trm_results *results); /* NULL: rows are in memory */
const char *trm_results_part(const trm_results *results); /* the file while it is written */
/* All rows are written; on the disk, and how many, with all bytes of their file. Return errno. */
int trm_results_drain(trm_results *results);
int trm_results_sync(trm_results *results, long *rows, long long *bytes);

#endif
