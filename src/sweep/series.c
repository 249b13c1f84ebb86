/* series.csv: where the rows of each run are. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "result/output.h"
#include "sweep/history.h"
#include "sweep/sweep.h"

typedef struct places {
  const trm_sweep *sweep;
  trm_output *output;
  uint64_t known; /* the file that was looked for last, and its path as the table has it */
  char path[4400];
} places;

/* In the study's folder, by a path from there; else in one of the others. */
static void find_file(places *x, uint64_t file) {
  const trm_sweep *s = x->sweep;
  char folder[4300], path[4400];
  x->known = file;
  trm_history_name("series", file, x->path, sizeof x->path);
  snprintf(folder, sizeof folder, "%.4000s/series", s->folder);
  trm_history_name(folder, file, path, sizeof path);
  for (int i = 0; i < s->other_count && access(path, F_OK) != 0; i++) {
    snprintf(folder, sizeof folder, "%.4000s/series", s->others[i]);
    trm_history_name(folder, file, path, sizeof path);
    if (access(path, F_OK) == 0) snprintf(x->path, sizeof x->path, "%s", path);
  }
}

static bool put_row(void *context, const trm_sweep_row *row) {
  places *x = context;
  const double *place = row->values + x->sweep->records.count;
  char text[80];
  if (!(place[2] > 0)) return true;
  if ((uint64_t)place[0] != x->known || !x->path[0]) find_file(x, (uint64_t)place[0]);
  snprintf(text, sizeof text, "%" PRIu64 ",", row->run + 1);
  trm_output_text(x->output, text);
  trm_output_text(x->output, x->path);
  snprintf(text, sizeof text, ",%.0f,%.0f\n", place[1], place[2]);
  trm_output_text(x->output, text);
  return !trm_output_failed(x->output);
}

trm_status trm_sweep_write_series(trm_sweep *s, trm_store *store, const char *path,
                                  trm_diagnostics *diagnostics) {
  places x = {.sweep = s, .output = trm_output_open(path, diagnostics)};
  if (!x.output) return TRM_NO_MEMORY;
  trm_output_text(x.output, "run,file,first,rows\n");
  bool good = trm_sweep_visit(s, store, put_row, &x, diagnostics);
  trm_status status = trm_output_close(x.output, diagnostics);
  return status != TRM_OK ? status : good ? TRM_OK : TRM_IO_ERROR;
}
