/* The runs themselves, on as many threads as there are. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "result/results.h"
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
  _Atomic uint64_t done;
  pthread_mutex_t telling;
} team;

/* Of one thread. */
typedef struct worker {
  team *team;
  trm_recorder *recorder;
  trm_diagnostics *diagnostics;
  trm_results *rows; /* where metrics need them */
  double *parameters, *values;
  int steps; /* since somebody was told */
} worker;

enum { STEPS = 256 }; /* between two looks at whether to stop */

/* Who comes second need not tell. */
static void tell(team *t) {
  if (!t->progress || pthread_mutex_trylock(&t->telling) != 0) return;
  if (!t->progress(t->context, atomic_load(&t->done), t->sweep->end - t->sweep->begin))
    atomic_store(&t->stop, true);
  pthread_mutex_unlock(&t->telling);
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

/* A run that was begun: its end, or TRM_INTERRUPTED. */
static trm_status finish(worker *w, uint64_t run, const trm_model *model, trm_simulation *sim) {
  trm_sweep *s = w->team->sweep;
  if (!trm_recorder_begin(w->recorder, sim)) return TRM_NO_MEMORY;
  trm_status status =
      trm_simulation_run(sim, s->records.rows ? w->rows : NULL, on_step, w, w->diagnostics);
  if (status == TRM_INTERRUPTED || status == TRM_NO_MEMORY) return status;
  const trm_summary *summary = trm_simulation_summary(sim);
  trm_recorder_values(w->recorder, model, summary->metric_count > 0 ? summary->metrics : NULL,
                      w->values);
  if (status != TRM_OK)
    forget_values(w); /* of a part of the run: they would pass for the whole's */
  bool kept = trm_store_append(s->store, run, w->values, summary->status, summary->message);
  return kept ? TRM_OK : TRM_IO_ERROR;
}

/* One that cannot begin is a row, too. */
static trm_status fail(worker *w, uint64_t run) {
  trm_sweep *s = w->team->sweep;
  forget_values(w);
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
  w->values = calloc((size_t)s->records.count + 1, sizeof *w->values);
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
    trm_report(diagnostics, TRM_ERROR,
               "a finished run could not be kept in '%s/runs': %s; what was kept before is there, "
               "and the study goes on when it is started again",
               s->folder, trm_store_error(s->store));
    return TRM_IO_ERROR;
  }
  if (atomic_load(&t->no_memory)) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return TRM_NO_MEMORY;
  }
  return atomic_load(&t->stop) ? TRM_INTERRUPTED : TRM_OK;
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
  pthread_mutex_init(&t.telling, NULL);
  while (started + 1 < t.threads && pthread_create(&others[started], NULL, work, &t) == 0)
    started++;
  work(&t);
  for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
  pthread_mutex_destroy(&t.telling);
  s->done = atomic_load(&t.done);
  return outcome(&t, diagnostics);
}
