/* Filling a results table; the public part is in trammel/results.h. */
#ifndef TRM_RESULT_RESULTS_H
#define TRM_RESULT_RESULTS_H

#include <stdbool.h>
#include <trammel/results.h>

/* Empties the table and lays it out: all memory for `rows` rows is taken here. Names are copied. */
bool trm_results_layout(trm_results *results, int columns, const char *const *names, int rows);

/* Room for the next row (columns doubles), or NULL when all rows are used; and to add it. */
double *trm_results_next_row(trm_results *results);
void trm_results_add_row(trm_results *results);

#endif
