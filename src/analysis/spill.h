/* Pieces of a long run that memory has no room for, in a file without a name: it is gone with the
 * program. In the folder TMPDIR, else /var/tmp. */
#ifndef TRM_ANALYSIS_SPILL_H
#define TRM_ANALYSIS_SPILL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trm_spill trm_spill;

/* Pieces of two parts each. NULL: there is no file. */
trm_spill *trm_spill_create(size_t first, size_t second);
/* False: there is no room, or not twice as much. */
bool trm_spill_write(trm_spill *spill, int piece, const void *first, const void *second);
bool trm_spill_read(const trm_spill *spill, int piece, void *first, void *second);
void trm_spill_free(trm_spill *spill); /* accepts NULL */

#endif
