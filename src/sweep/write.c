/* What a study leaves: tables, numbers, a page. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "result/beside.h"
#include "result/json.h"
#include "sweep/page.h"
#include "sweep/statistics.h"

static trm_status write_json(trm_sweep *s, trm_store *store, const char *path,
                             trm_diagnostics *diagnostics) {
  (void)store;
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_sweep_write_facts(s, &json);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}

static trm_status write_hdf5(trm_sweep *s, trm_store *store, const char *path,
                             trm_diagnostics *diagnostics) {
  return trm_sweep_write_hdf5(s, store, trm_sweep_present(s), path, diagnostics);
}

typedef trm_status (*writing)(trm_sweep *sweep, trm_store *store, const char *path,
                              trm_diagnostics *diagnostics);

/* On the disk, then in the place of what was there: a file is whole, or its old self. */
static bool move_there(const char *own, const char *path, trm_diagnostics *diagnostics) {
  int file = open(own, O_RDONLY | O_CLOEXEC);
  bool good = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
  if (file >= 0) close(file);
  if (good && rename(own, path) == 0) {
    trm_sync_name(path);
    return true;
  }
  trm_report(diagnostics, TRM_ERROR, "cannot write '%s': %s", path, strerror(errno));
  return false;
}

static bool write_one(trm_sweep *s, trm_store *store, const char *name, writing write_it,
                      trm_diagnostics *diagnostics) {
  char path[4200], own[4240];
  snprintf(path, sizeof path, "%.4000s/%s", s->folder, name);
  snprintf(own, sizeof own, "%s.part%ld", path, (long)getpid());
  trm_status status = write_it(s, store, own, diagnostics);
  if (status == TRM_OK && move_there(own, path, diagnostics)) return true;
  unlink(own);
  return false;
}

static bool write_all(trm_sweep *s, trm_store *store, bool page, trm_diagnostics *diagnostics) {
  bool good = write_one(s, store, "sweep.csv", trm_sweep_write_csv, diagnostics);
  if (trm_results_has_hdf5() && !write_one(s, store, "sweep.h5", write_hdf5, diagnostics))
    good = false;
  if (!write_one(s, store, "sweep.json", write_json, diagnostics)) good = false;
  if (s->series && !write_one(s, store, "series.csv", trm_sweep_write_series, diagnostics))
    good = false;
  if (page && !write_one(s, store, "sweep.html", trm_sweep_write_page, diagnostics)) good = false;
  return good;
}

trm_status trm_sweep_write(trm_sweep *s, int other_count, const char *const *others, bool page,
                           trm_diagnostics *diagnostics) {
  char runs[4160];
  snprintf(runs, sizeof runs, "%.4000s/runs", s->folder);
  /* afresh: also what others have done meanwhile */
  trm_store *store =
      trm_store_open(runs, s->print, s->design.runs, trm_sweep_values(s), diagnostics);
  bool good = store != NULL;
  for (int i = 0; good && i < other_count; i++) {
    snprintf(runs, sizeof runs, "%.4000s/runs", others[i]);
    good = trm_store_add(store, runs, diagnostics);
  }
  s->other_count = other_count;
  s->others = others;
  if (good) {
    trm_statistics_free(s->statistics);
    s->statistics = trm_statistics_create(s, store, diagnostics);
    good = s->statistics && write_all(s, store, page, diagnostics);
  }
  s->other_count = 0;
  trm_store_close(store);
  return good ? TRM_OK : TRM_IO_ERROR;
}
