/* The table of a study: its rows in order, whatever the order they were done in. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/output.h"
#include "sweep/sweep.h"

static bool visit_window(trm_sweep *s, const trm_kept_run *runs, uint64_t first, uint64_t count,
                         double *parameters, trm_sweep_sink sink, void *context) {
  for (uint64_t i = 0; i < count; i++) {
    if (!runs[i].status) continue;
    trm_design_run(&s->design, first + i, parameters);
    const trm_sweep_row row = {first + i, parameters, runs[i].status, runs[i].message,
                               runs[i].values};
    if (!sink(context, &row)) return false;
  }
  return true;
}

bool trm_sweep_visit(trm_sweep *s, trm_store *store, trm_sweep_sink sink, void *context,
                     trm_diagnostics *diagnostics) {
  double *parameters = calloc((size_t)s->design.columns + 1, sizeof *parameters);
  bool good = parameters != NULL;
  if (!good) trm_report(diagnostics, TRM_ERROR, "out of memory");
  for (uint64_t first = 0; good && first < s->design.runs; first += TRM_STORE_WINDOW) {
    uint64_t left = s->design.runs - first;
    uint64_t count = left < TRM_STORE_WINDOW ? left : TRM_STORE_WINDOW;
    const trm_kept_run *runs = trm_store_window(store, first, count, diagnostics);
    good = runs && visit_window(s, runs, first, count, parameters, sink, context);
  }
  free(parameters);
  return good;
}

/* --- sweep.csv --- */

typedef struct csv {
  const trm_sweep *sweep;
  trm_output *output;
} csv;

/* In quotes where it holds a comma, a quote or a line break. */
static void put_text(trm_output *output, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    trm_output_text(output, text);
    return;
  }
  trm_output_text(output, "\"");
  for (; *text; text++) {
    if (*text == '"') trm_output_text(output, "\"");
    trm_output_write(output, text, 1);
  }
  trm_output_text(output, "\"");
}

static void put_header(const csv *c) {
  const trm_sweep *s = c->sweep;
  trm_output_text(c->output, "run");
  for (int k = 0; k < s->design.columns; k++) {
    trm_output_text(c->output, ",");
    put_text(c->output, s->parameters[k]);
  }
  trm_output_text(c->output, ",status,message");
  for (int i = 0; i < s->record_count; i++) {
    trm_output_text(c->output, ",");
    put_text(c->output, s->records.names[i]);
  }
  trm_output_text(c->output, "\n");
}

static bool put_row(void *context, const trm_sweep_row *row) {
  const csv *c = context;
  char number[32];
  snprintf(number, sizeof number, "%" PRIu64, row->run + 1);
  trm_output_text(c->output, number);
  for (int k = 0; k < c->sweep->design.columns; k++) {
    trm_output_text(c->output, ",");
    trm_output_exact(c->output, row->parameters[k]);
  }
  trm_output_text(c->output, ",");
  put_text(c->output, row->status);
  trm_output_text(c->output, ",");
  put_text(c->output, row->message);
  for (int i = 0; i < c->sweep->record_count; i++) {
    trm_output_text(c->output, ",");
    trm_output_exact(c->output, row->values[i]);
  }
  trm_output_text(c->output, "\n");
  return !trm_output_failed(c->output);
}

trm_status trm_sweep_write_csv(trm_sweep *s, trm_store *store, const char *path,
                               trm_diagnostics *diagnostics) {
  csv c = {s, trm_output_open(path, diagnostics)};
  if (!c.output) return TRM_NO_MEMORY;
  put_header(&c);
  bool good = trm_sweep_visit(s, store, put_row, &c, diagnostics);
  trm_status status = trm_output_close(c.output, diagnostics);
  return status != TRM_OK ? status : good ? TRM_OK : TRM_IO_ERROR;
}
