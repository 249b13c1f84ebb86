/* What the commands that analyse a state share. */
#ifndef TRM_CLI_ANALYSIS_H
#define TRM_CLI_ANALYSIS_H

#include "cli.h"

/* A model brought to the state that --at names. */
typedef struct trm_cli_state {
  trm_model *model;
  trm_settings settings;
  trm_simulation *simulation;
  trm_diagnostics *diagnostics;
  const char *at;   /* "start", "equilibrium", "steady" or a time */
  const char *from; /* a time at which the search for one begins, or NULL: the start */
  trm_equilibrium_result settled; /* where it was sought */
} trm_cli_state;

/* What results are headed by: its name, or its file where it has none. */
const char *trm_cli_title(const trm_model *model);

/* Returns the exit status; what went wrong is said. Released in any case. */
int trm_cli_state_reach(trm_cli_state *state, const trm_cli_arguments *arguments);
/* The model and its simulation alone, and from its start to the state. */
int trm_cli_state_load(trm_cli_state *state, const trm_cli_arguments *arguments, const char *at);
int trm_cli_state_go(trm_cli_state *state);
int trm_cli_state_reach_at(trm_cli_state *state, const trm_cli_arguments *arguments,
                           const char *at);
void trm_cli_state_release(trm_cli_state *state);

/* "a,b" as a NULL-terminated list, free it; NULL of NULL. False: no memory, which is said. */
bool trm_cli_names(const char *text, char ***names);
void trm_cli_free_names(char **names);

/* A file in the folder for results; returns the exit status. */
int trm_cli_result_file(const trm_cli_arguments *arguments, const char *name, char *path,
                        size_t size);

#define TRM_CLI_AT                                                                                 \
  {                                                                                                \
    "at", 0, "STATE",                                                                              \
        "start (default), equilibrium, steady, or a time T to which the model is simulated first"  \
  }

#endif
