/* Many runs on all processors, with one progress bar. */
#ifndef TRM_CLI_PARALLEL_H
#define TRM_CLI_PARALLEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "cli.h"

struct trm_cli_watch;

typedef struct trm_cli_jobs {
  int count, threads;
  void (*run)(void *context, int index, struct trm_cli_watch *watch); /* one job */
  void *context;
  double limit; /* s, for a job; 0: none */
  atomic_int next, done;
  atomic_long parts; /* thousandths of jobs computed */
  pthread_mutex_t drawing;
  trm_cli_bar bar;
} trm_cli_jobs;

/* Of one job. */
typedef struct trm_cli_watch {
  trm_cli_jobs *jobs;
  trm_cli_ticker ticker;
  long reported; /* thousandths */
  double end;    /* when it has to end, in the time of trm_cli_seconds */
  bool late;     /* it has not */
} trm_cli_watch;

/* --threads N, default as many as there are processors; false, and said why, where it is wrong. */
bool trm_cli_read_threads(const trm_cli_arguments *arguments, int *threads);

/* Shows the bar where it is wanted and lets Ctrl-C stop the jobs. */
void trm_cli_jobs_begin(trm_cli_jobs *jobs, bool bar);
void trm_cli_jobs_run_one(trm_cli_jobs *jobs); /* the next one, in this thread */
void trm_cli_jobs_run(trm_cli_jobs *jobs);     /* all that are left */
void trm_cli_jobs_end(trm_cli_jobs *jobs);

/* A trm_progress with the job's watch: false once Ctrl-C was pressed, or its time is over. */
bool trm_cli_watch_step(void *watch, double time, double fraction);

#endif
