/* Equilibria over a parameter. */
#ifndef TRM_CLI_PATH_H
#define TRM_CLI_PATH_H

#include "along.h"

/* Writes the file and its figure, and prints what was found, or as JSON the file; returns the exit
 * status. */
int trm_cli_path(trm_cli_state *state, const trm_cli_along *along, const char *path,
                 const char *figure, bool json);

#endif
