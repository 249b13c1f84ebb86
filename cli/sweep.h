/* What `trammel sweep` prints. */
#ifndef TRM_CLI_SWEEP_H
#define TRM_CLI_SWEEP_H

#include "cli.h"

void trm_cli_print_study(const trm_sweep *study, const char *folder, bool page);

#endif
