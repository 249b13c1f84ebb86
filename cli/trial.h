/* Runs of one model by many methods: what `compare --methods` computes, judges and prints. */
#ifndef TRM_CLI_TRIAL_H
#define TRM_CLI_TRIAL_H

#include "parallel.h"

typedef enum trm_cli_state {
  TRM_TRIAL_WAITING, /* or stopped from the keyboard */
  TRM_TRIAL_DONE,
  TRM_TRIAL_FAILED,
  TRM_TRIAL_REFUSED, /* the methods do not go together */
  TRM_TRIAL_LATE,    /* no end within its time */
  TRM_TRIAL_SAME     /* completed, but bit by bit another's results: it tells nothing more */
} trm_cli_state;

typedef enum trm_cli_mark {
  TRM_MARK_NONE,
  TRM_MARK_OUTLIER, /* what formulation and solver cannot explain */
  TRM_MARK_LOST     /* stabilization and integrator cannot follow this motion at this step */
} trm_cli_mark;

typedef struct trm_cli_trial {
  trm_settings settings;
  trm_cli_state state;
  trm_cli_mark mark;
  double position, velocity, energy; /* largest violations, largest energy error */
  double difference, icc;            /* from the first; NaN: none */
  int difference_column, icc_column; /* where they are, in the first's table; −1: none */
  double time_reached, cpu_seconds;
  double step;  /* as made; of a variable-step method the mean */
  double usual; /* the difference to be expected with these methods; NaN: unknown */
  long steps, evaluations;
  unsigned long long print; /* of all its numbers; 0: it did not complete */
  char message[256];        /* why it failed, was refused or is an outlier */
} trm_cli_trial;

/* How a column's differences are measured. */
typedef struct trm_cli_column {
  bool compared; /* a position or a velocity */
  bool moves;    /* else its ICC says nothing */
  double scale;  /* its range over the first run, see trm_cli_scale_columns */
} trm_cli_column;

typedef struct trm_cli_trials {
  const char *path;
  bool system; /* of its own: it has no coordinates to choose */
  int count, threads;
  trm_cli_trial *trials;   /* count, the first is what the others are compared with */
  trm_results *first;      /* its table */
  trm_cli_column *columns; /* of this table */
  double wall_seconds;
  double limit; /* s, for each run; INFINITY: none */
} trm_cli_trials;

/* --- trial_run.c --- */

/* With these measures (NULL-terminated, or NULL) beside the model's outputs; the table is the
 * caller's. Waiting where it was stopped from the keyboard, late where the watch did. */
void trm_cli_run_trial(trm_cli_trial *trial, const trm_model *model, const char *const *measures,
                       trm_results *results, trm_cli_watch *watch, trm_diagnostics *diagnostics);
/* Of all that the run has computed. */
unsigned long long trm_cli_fingerprint(const trm_cli_trial *trial, const trm_results *results);
/* The first error becomes the trial's message. */
void trm_cli_keep_error(trm_cli_trial *trial, const trm_diagnostics *diagnostics);

/* --- trial_columns.c --- */

/* Chooses the columns to compare and how; the number of them, −1 without memory. */
int trm_cli_scale_columns(trm_cli_trials *trials);
/* Difference and ICC of a finished run; reports where the tables cannot be compared. */
bool trm_cli_compare_trial(const trm_cli_trials *trials, const trm_results *results,
                           trm_cli_trial *trial, trm_diagnostics *diagnostics);

/* --- trial_judge.c --- */

/* Of runs that are bit by bit the same only the first counts. */
void trm_cli_find_same(trm_cli_trials *trials);
void trm_cli_judge_trials(trm_cli_trials *trials);
int trm_cli_count_marks(const trm_cli_trials *trials, trm_cli_mark mark);
int trm_cli_count_states(const trm_cli_trials *trials, trm_cli_state state);

/* --- trial_print.c --- */

void trm_cli_print_trials(const trm_cli_trials *trials);
void trm_cli_json_trials(const trm_cli_trials *trials, FILE *file);

#endif
