/* Eigenvalues over a parameter. */
#ifndef TRM_CLI_LOCUS_H
#define TRM_CLI_LOCUS_H

#include "along.h"

/* Writes the file and its figure, and prints where stability changes, or as JSON the file; returns
 * the exit status. */
int trm_cli_locus(trm_cli_state *state, const trm_cli_along *along, const char *path,
                  const char *figure, bool json);

#endif
