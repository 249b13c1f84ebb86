/* Many runs on all processors, with one progress bar. */
#define _POSIX_C_SOURCE 200809L
#include "parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

bool trm_cli_read_threads(const trm_cli_arguments *arguments, int *threads) {
  const char *text = trm_cli_value(arguments, "threads");
  long cores = sysconf(_SC_NPROCESSORS_ONLN), wanted = cores < 1 ? 1 : cores;
  if (text) {
    char *end;
    wanted = strtol(text, &end, 10);
    if (end == text || *end || wanted < 1 || wanted > MOST_THREADS) {
      trm_cli_error("--threads: '%s' is no number from 1 to %d", text, MOST_THREADS);
      return false;
    }
  }
  *threads = wanted < MOST_THREADS ? (int)wanted : MOST_THREADS;
  return true;
}

static void tell(trm_cli_watch *watch, double fraction) {
  trm_cli_jobs *jobs = watch->jobs;
  long part = (long)(1000 * fraction);
  char text[64];
  atomic_fetch_add(&jobs->parts, part - watch->reported);
  watch->reported = part;
  /* who comes second need not draw */
  if (pthread_mutex_trylock(&jobs->drawing) != 0) return;
  snprintf(text, sizeof text, "%d of %d", atomic_load(&jobs->done), jobs->count);
  trm_cli_bar_show(&jobs->bar, text, (double)atomic_load(&jobs->parts) / 1000 / jobs->count);
  pthread_mutex_unlock(&jobs->drawing);
}

bool trm_cli_watch_step(void *context, double time, double fraction) {
  trm_cli_watch *watch = context;
  double now;
  (void)time;
  if (trm_cli_tick(&watch->ticker, &now)) {
    tell(watch, fraction);
    watch->late = now > watch->end;
  }
  return !watch->late && !trm_cli_stopped();
}

void trm_cli_jobs_begin(trm_cli_jobs *jobs, bool bar) {
  pthread_mutex_init(&jobs->drawing, NULL);
  trm_cli_catch_signals();
  trm_cli_bar_start(&jobs->bar, bar);
}

static void run_job(trm_cli_jobs *jobs, int index) {
  double now = trm_cli_seconds(), end = jobs->limit > 0 ? now + jobs->limit : HUGE_VAL;
  trm_cli_watch watch = {.jobs = jobs, .ticker.last = now, .end = end};
  jobs->run(jobs->context, index, &watch);
  atomic_fetch_add(&jobs->done, 1);
  tell(&watch, 1);
}

void trm_cli_jobs_run_one(trm_cli_jobs *jobs) {
  run_job(jobs, atomic_fetch_add(&jobs->next, 1));
}

static void *work(void *context) {
  trm_cli_jobs *jobs = context;
  for (;;) {
    int index = atomic_fetch_add(&jobs->next, 1);
    if (index >= jobs->count || trm_cli_stopped()) return NULL;
    run_job(jobs, index);
  }
}

void trm_cli_jobs_run(trm_cli_jobs *jobs) {
  pthread_t threads[MOST_THREADS];
  int started = 0;
  while (started + 1 < jobs->threads && pthread_create(&threads[started], NULL, work, jobs) == 0)
    started++;
  jobs->threads = started + 1;
  work(jobs);
  for (int k = 0; k < started; k++) pthread_join(threads[k], NULL);
}

void trm_cli_jobs_end(trm_cli_jobs *jobs) {
  trm_cli_bar_end(&jobs->bar);
  pthread_mutex_destroy(&jobs->drawing);
}
