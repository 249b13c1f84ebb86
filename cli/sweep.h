/* What `trammel sweep` prints, and its page. */
#ifndef TRM_CLI_SWEEP_H
#define TRM_CLI_SWEEP_H

#include "cli.h"

void trm_cli_print_study(const trm_sweep *study, const char *folder, bool series, bool page);

/* sweep_open.c: serves the page until a signal comes. options: "--rtol=1e-6" …, NULL at the end.
 * False, and said, where it cannot. */
bool trm_cli_open_study(const trm_cli_arguments *arguments, const trm_sweep *study,
                        const char *folder, char *const *options, bool quiet);

#endif
