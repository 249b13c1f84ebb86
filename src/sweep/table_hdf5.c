/* The table of a study as HDF5: a data set for each column. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "result/beside.h"
#include "result/rows.h"
#include "sweep/sweep.h"

enum { BLOCK = 1024 }; /* rows at a time */

/* run, parameters, status, message, records */
typedef struct writer {
  const trm_sweep *sweep;
  trm_row_file file;
  int *texts;   /* [columns] */
  char **names; /* [columns] */
  double *rows; /* [BLOCK × wide], texts are bytes in it */
  int wide, waiting;
  int error; /* errno */
} writer;

/* A slash would be a folder. */
static char *set_name(const char *name) {
  char *safe = malloc(3 * strlen(name) + 1), *to = safe;
  for (; safe && *name; name++) {
    if (*name == '/') {
      memcpy(to, "\xe2\x88\x95", 3); /* a division slash */
      to += 3;
    } else {
      *to++ = *name;
    }
  }
  if (safe) *to = 0;
  return safe;
}

static int column_count(const trm_sweep *s) {
  return 3 + s->design.columns + s->record_count;
}

static const char *column_name(const trm_sweep *s, int k) {
  int parameters = s->design.columns;
  if (k == 0) return "run";
  if (k <= parameters) return s->parameters[k - 1];
  if (k == parameters + 1) return "status";
  if (k == parameters + 2) return "message";
  return s->records.names[k - parameters - 3];
}

static void widen(int *bytes, const char *text) {
  int need = ((int)strlen(text) + 7) / 8 * 8;
  if (need > *bytes) *bytes = need;
}

/* The columns of texts are as wide as their longest. */
static bool measure(void *context, const trm_sweep_row *row) {
  writer *w = context;
  widen(&w->texts[w->sweep->design.columns + 1], row->status);
  widen(&w->texts[w->sweep->design.columns + 2], row->message);
  return true;
}

static double *put_text(double *to, const char *text, int bytes) {
  memset(to, 0, (size_t)bytes);
  memcpy(to, text, strlen(text));
  return to + bytes / 8;
}

static bool flush(writer *w) {
  w->error = w->file.type->write(&w->file, w->rows, w->waiting);
  w->waiting = 0;
  return w->error == 0;
}

static bool put_row(void *context, const trm_sweep_row *row) {
  writer *w = context;
  const trm_sweep *s = w->sweep;
  double *to = w->rows + w->waiting++ * w->wide;
  *to++ = (double)row->run + 1;
  for (int k = 0; k < s->design.columns; k++) *to++ = row->parameters[k];
  to = put_text(to, row->status, w->texts[s->design.columns + 1]);
  to = put_text(to, row->message, w->texts[s->design.columns + 2]);
  for (int i = 0; i < s->record_count; i++) *to++ = row->values[i];
  return w->waiting < BLOCK || flush(w);
}

static bool create_writer(writer *w, trm_sweep *s, trm_store *store, uint64_t rows,
                          trm_diagnostics *diagnostics) {
  int columns = column_count(s);
  *w = (writer){.sweep = s};
  w->texts = calloc((size_t)columns, sizeof *w->texts);
  w->names = calloc((size_t)columns, sizeof *w->names);
  if (!w->texts || !w->names) return false;
  for (int k = 0; k < columns; k++)
    if (!(w->names[k] = set_name(column_name(s, k)))) return false;
  w->texts[s->design.columns + 1] = w->texts[s->design.columns + 2] = 8;
  if (!trm_sweep_visit(s, store, measure, w, diagnostics)) return false;
  for (int k = 0; k < columns; k++) w->wide += w->texts[k] ? w->texts[k] / 8 : 1;
  w->rows = malloc((size_t)BLOCK * (size_t)w->wide * sizeof *w->rows);
  w->file = (trm_row_file){.type = &trm_rows_hdf5,
                           .columns = columns,
                           .names = (const char *const *)w->names,
                           .texts = w->texts,
                           .most = (long)rows};
  return w->rows != NULL;
}

static int write_rows(writer *w, trm_sweep *s, trm_store *store, trm_diagnostics *diagnostics) {
  int error = w->file.type->begin(&w->file);
  if (!error && !(trm_sweep_visit(s, store, put_row, w, diagnostics) && flush(w)))
    error = w->error ? w->error : EIO;
  if (!error) error = w->file.type->settle(&w->file, w->file.rows);
  w->file.type->end(&w->file);
  return error;
}

trm_status trm_sweep_write_hdf5(trm_sweep *s, trm_store *store, uint64_t rows, const char *path,
                                trm_diagnostics *diagnostics) {
  writer w;
  trm_beside beside;
  int error = create_writer(&w, s, store, rows, diagnostics) ? 0 : ENOMEM;
  if (!error) error = trm_beside_open(&beside, path);
  if (!error) {
    w.file.file = beside.file;
    error = write_rows(&w, s, store, diagnostics);
    int closed = trm_beside_close(&beside, !error);
    if (!error) error = closed;
  }
  for (int k = 0; w.names && k < column_count(s); k++) free(w.names[k]);
  free(w.names);
  free(w.texts);
  free(w.rows);
  if (error) trm_report(diagnostics, TRM_ERROR, "cannot write '%s': %s", path, strerror(error));
  return error ? TRM_IO_ERROR : TRM_OK;
}
