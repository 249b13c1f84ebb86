/* One process, unless mpirun has started several: then trammel-mpi takes over. */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#ifndef TRM_MPI /* see ranks_mpi.c */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

static int number_in(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

/* Several ranks: of Open MPI, of MPICH and Intel MPI, of PMIx under Slurm. */
static bool is_one_of_several(void) {
  return number_in("OMPI_COMM_WORLD_SIZE") > 1 || number_in("PMI_SIZE") > 1 ||
         (getenv("PMIX_RANK") && number_in("SLURM_STEP_NUM_TASKS") > 1);
}

/* Beside this program, in the same words. */
static bool become(const trm_cli_arguments *arguments) {
  char path[LONGEST_PATH + 16];
  ssize_t length = readlink("/proc/self/exe", path, LONGEST_PATH);
  char **words = calloc((size_t)arguments->word_count + 3, sizeof *words);
  if (length <= 0 || !words) {
    free(words);
    trm_cli_error("cannot find trammel-mpi: %s", length <= 0 ? strerror(errno) : "out of memory");
    return false;
  }
  path[length] = 0;
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, "trammel-mpi");
  words[0] = path;
  words[1] = (char *)(size_t)arguments->command->name; /* exec changes no word */
  for (int k = 0; k < arguments->word_count; k++) words[k + 2] = arguments->words[k];
  execv(path, words);
  trm_cli_error("started by mpirun, but '%s' cannot be executed: %s; where MPI is installed "
                "(Debian: libopenmpi-dev) it is built with this program, and without it every "
                "rank would do the whole study; --part i/n needs no MPI",
                path, strerror(errno));
  free(words);
  return false;
}

bool trm_cli_ranks_begin(trm_cli_ranks *ranks, const trm_cli_arguments *arguments) {
  *ranks = (trm_cli_ranks){0, 1};
  /* with --part each task does its own */
  return !is_one_of_several() || trm_cli_given(arguments, "part") || become(arguments);
}

void trm_cli_ranks_end(void) {}

int trm_cli_ranks_agree(int number) {
  return number;
}

trm_status trm_cli_ranks_run(const trm_cli_ranks *ranks, trm_sweep *sweep, int threads,
                             trm_sweep_progress progress, void *context,
                             trm_diagnostics *diagnostics) {
  (void)ranks;
  return trm_sweep_run(sweep, threads, NULL, NULL, progress, context, diagnostics);
}

#endif
