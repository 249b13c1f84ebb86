/* Several processes of one study under mpirun. In the plain program there is one. */
#ifndef TRM_CLI_RANKS_H
#define TRM_CLI_RANKS_H

#include "cli.h"

typedef struct trm_cli_ranks {
  int rank, count;
} trm_cli_ranks;

/* The plain program under mpirun becomes trammel-mpi here. False, and said why, where it cannot. */
bool trm_cli_ranks_begin(trm_cli_ranks *ranks, const trm_cli_arguments *arguments);
void trm_cli_ranks_end(void);

/* All have come here; rank 0's number is everybody's afterwards. */
int trm_cli_ranks_agree(int number);

/* Does what is left of the study, rank 0 handing out blocks to whoever asks. */
trm_status trm_cli_ranks_run(const trm_cli_ranks *ranks, trm_sweep *sweep, int threads,
                             trm_sweep_progress progress, void *context,
                             trm_diagnostics *diagnostics);

#endif
