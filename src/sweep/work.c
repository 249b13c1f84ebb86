/* The runs themselves, on as many threads as there are. */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "result/results.h"
#include "sweep/history.h"
#include "sweep/sweep.h"

/* Of all threads. */
typedef struct team {
  trm_sweep *sweep;
  int threads;
  trm_sweep_supply supply;
  void *supplier;
  trm_sweep_progress progress;
  void *context;
  atomic_bool stop, failed, no_memory;
  atomic_int workers;       /* that have begun */
  trm_history **histories;  /* [threads], or NULL: no series are kept */
  atomic_int history_error; /* errno */
  _Atomic uint64_t done;
  pthread_mutex_t reporting;
} team;

/* Of one thread. */
typedef struct worker {
  team *team;
  trm_recorder *recorder;
  trm_diagnostics *diagnostics;
  trm_results *rows;    /* where metrics need them, or they are kept */
  trm_history *history; /* or NULL */
  double *parameters, *values;
  int steps; /* since somebody was told */
} worker;

enum { STEPS = 256 }; /* between two looks at whether to stop */

/* Who comes second need not tell. */
static void tell(team *t) {
  if (!t->progress || pthread_mutex_trylock(&t->reporting) != 0) return;
  if (!t->progress(t->context, atomic_load(&t->done), t->sweep->end - t->sweep->begin))
    atomic_store(&t->stop, true);
  pthread_mutex_unlock(&t->reporting);
}

static bool on_step(void *context, double time, double fraction) {
  worker *w = context;
  (void)time;
  (void)fraction;
  if (++w->steps >= STEPS) {
    w->steps = 0;
    tell(w->team);
  }
  return !atomic_load(&w->team->stop);
}

static const char *first_error(const trm_diagnostics *diagnostics) {
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
    if (trm_diagnostics_get(diagnostics, i)->severity == TRM_ERROR)
      return trm_diagnostics_get(diagnostics, i)->message;
  return "";
}

static void forget_values(worker *w) {
  for (int i = 0; i < w->team->sweep->records.count; i++) w->values[i] = (double)NAN;
}

/* Its rows first: a run that is known to be finished has them. */
static bool keep_rows(worker *w, uint64_t run, const trm_results *rows) {
  trm_history_place place = {0};
  if (!w->history) return true;
  int error = rows ? trm_history_add(w->history, run, rows, &place) : 0;
  if (error) atomic_store(&w->team->history_error, error);
  double *to = w->values + w->team->sweep->records.count;
  to[0] = (double)place.file;
  to[1] = (double)place.first;
  to[2] = (double)place.rows;
  return error == 0;
}

/* A run that was begun: its end, or TRM_INTERRUPTED. */
static trm_status finish(worker *w, uint64_t run, const trm_model *model, trm_simulation *sim) {
  trm_sweep *s = w->team->sweep;
  if (!trm_recorder_begin(w->recorder, sim)) return TRM_NO_MEMORY;
  bool rows = s->records.rows || w->history;
  trm_status status = trm_simulation_run(sim, rows ? w->rows : NULL, on_step, w, w->diagnostics);
  if (status == TRM_INTERRUPTED || status == TRM_NO_MEMORY) return status;
  const trm_summary *summary = trm_simulation_summary(sim);
  trm_recorder_values(w->recorder, model, summary->metric_count > 0 ? summary->metrics : NULL,
                      w->values);
  if (status != TRM_OK)
    forget_values(w); /* of a part of the run: they would pass for the whole's */
  bool kept = keep_rows(w, run, w->rows) &&
              trm_store_append(s->store, run, w->values, summary->status, summary->message);
  return kept ? TRM_OK : TRM_IO_ERROR;
}

/* One that cannot begin is a row, too. */
static trm_status fail(worker *w, uint64_t run) {
  trm_sweep *s = w->team->sweep;
  forget_values(w);
  keep_rows(w, run, NULL);
  const char *message = first_error(w->diagnostics);
  return trm_store_append(s->store, run, w->values, "failed", message) ? TRM_OK : TRM_IO_ERROR;
}

static trm_status do_run(worker *w, uint64_t run) {
  trm_sweep *s = w->team->sweep;
  trm_status status = TRM_OK;
  trm_diagnostics_clear(w->diagnostics);
  trm_design_run(&s->design, run, w->parameters);
  trm_model *model = trm_model_with(s->model, s->design.columns, s->parameters, w->parameters,
                                    w->diagnostics, &status);
  trm_settings settings = trm_sweep_settings(s, model ? model : s->model);
  trm_simulation *sim =
      model ? trm_simulation_create(model, &settings, w->diagnostics, &status) : NULL;
  if (sim)
    status = finish(w, run, model, sim);
  else if (status != TRM_NO_MEMORY)
    status = fail(w, run);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  return status;
}

static bool next_block(team *t, uint64_t *first, uint64_t *count) {
  if (atomic_load(&t->stop)) return false;
  return t->supply ? t->supply(t->supplier, first, count)
                   : trm_sweep_take(t->sweep, t->threads, first, count);
}

static bool create_worker(worker *w, team *t) {
  const trm_sweep *s = t->sweep;
  w->team = t;
  w->recorder = trm_recorder_create(&s->records);
  w->diagnostics = trm_diagnostics_create();
  w->rows = trm_results_create();
  w->parameters = calloc((size_t)s->design.columns + 1, sizeof *w->parameters);
  w->values = calloc((size_t)trm_sweep_values(s) + 1, sizeof *w->values);
  if (t->histories) w->history = t->histories[atomic_fetch_add(&t->workers, 1)];
  return w->recorder && w->diagnostics && w->rows && w->parameters && w->values;
}

static void free_worker(worker *w) {
  trm_recorder_destroy(w->recorder);
  trm_diagnostics_destroy(w->diagnostics);
  trm_results_destroy(w->rows);
  free(w->parameters);
  free(w->values);
}

static void *work(void *context) {
  team *t = context;
  worker w = {0};
  uint64_t first = 0, count = 0;
  bool good = create_worker(&w, t);
  if (!good) atomic_store(&t->no_memory, true);
  while (good && next_block(t, &first, &count))
    for (uint64_t run = first; good && run < first + count && !atomic_load(&t->stop); run++) {
      trm_status status = do_run(&w, run);
      if (status == TRM_NO_MEMORY) atomic_store(&t->no_memory, true);
      if (status == TRM_IO_ERROR) atomic_store(&t->failed, true);
      if (status != TRM_OK) atomic_store(&t->stop, true);
      good = status == TRM_OK;
      if (good) atomic_fetch_add(&t->done, 1);
      if (good) tell(t);
    }
  free_worker(&w);
  return NULL;
}

static trm_status outcome(team *t, trm_diagnostics *diagnostics) {
  trm_sweep *s = t->sweep;
  if (!trm_store_sync(s->store)) atomic_store(&t->failed, true);
  if (atomic_load(&t->failed)) {
    int error = atomic_load(&t->history_error);
    trm_report(diagnostics, TRM_ERROR,
               "a finished run could not be kept in '%s/%s': %s; what was kept before is there, "
               "and the study goes on when it is started again",
               s->folder, error ? "series" : "runs",
               error ? strerror(error) : trm_store_error(s->store));
    return TRM_IO_ERROR;
  }
  if (atomic_load(&t->no_memory)) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return TRM_NO_MEMORY;
  }
  return atomic_load(&t->stop) ? TRM_INTERRUPTED : TRM_OK;
}

/* --- series --- */

static int sync_histories(void *context) {
  const team *t = context;
  int error = 0;
  for (int i = 0; !error && i < t->threads; i++) error = trm_history_sync(t->histories[i]);
  return error;
}

static bool open_histories(team *t) {
  char folder[4160];
  snprintf(folder, sizeof folder, "%.4096s/series", t->sweep->folder);
  t->histories = calloc((size_t)t->threads, sizeof(trm_history *));
  bool good = t->histories != NULL;
  for (int i = 0; good && i < t->threads; i++)
    good = (t->histories[i] = trm_history_create(folder)) != NULL;
  if (good) trm_store_set_first(t->sweep->store, sync_histories, t);
  return good;
}

static void close_histories(team *t) {
  trm_store_set_first(t->sweep->store, NULL, NULL);
  for (int i = 0; t->histories && i < t->threads; i++) trm_history_destroy(t->histories[i]);
  free(t->histories);
}

trm_status trm_sweep_run(trm_sweep *s, int threads, trm_sweep_supply supply, void *supplier,
                         trm_sweep_progress progress, void *context, trm_diagnostics *diagnostics) {
  enum { MOST = 256 };
  pthread_t others[MOST];
  team t = {.sweep = s, .supply = supply, .supplier = supplier, .progress = progress};
  int started = 0;
  t.context = context;
  t.threads = threads < 1 ? trm_cores() : threads > MOST ? MOST : threads;
  atomic_store(&t.done, s->done);
  pthread_mutex_init(&t.reporting, NULL);
  if (s->series && !open_histories(&t)) {
    atomic_store(&t.no_memory, true);
    atomic_store(&t.stop, true);
  }
  while (started + 1 < t.threads && pthread_create(&others[started], NULL, work, &t) == 0)
    started++;
  work(&t);
  for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
  pthread_mutex_destroy(&t.reporting);
  s->done = atomic_load(&t.done);
  trm_status status = outcome(&t, diagnostics);
  close_histories(&t);
  return status;
}
