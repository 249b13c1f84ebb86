/* sweep.html: the numbers, and a table of floats to draw. */
#include "sweep/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/version.h>

#include "report/block.h"
#include "report/document.h"
#include "sweep/statistics.h"

enum { MOST_ROWS = 10000 };

void trm_sweep_write_facts(const trm_sweep *s, trm_json *json) {
  const trm_design *d = &s->design;
  trm_json_string(json, "model", s->model->file);
  trm_json_string(json, "name", s->model->name);
  trm_json_string(json, "design", trm_design_name(d->kind));
  trm_json_number(json, "runs", (double)d->runs);
  trm_json_number(json, "seed", (double)d->seed);
  trm_json_number(json, "present", (double)trm_sweep_present(s));
  trm_json_number(json, "completed", (double)trm_sweep_completed(s));
  trm_json_open_list(json, "parameters");
  for (int k = 0; k < d->columns; k++) trm_json_string(json, NULL, s->parameters[k]);
  trm_json_close_list(json);
  trm_statistics_write(s, json);
  trm_json_string(json, "version", trm_version());
}

/* run, parameters, records, limits, whether it completed */
typedef struct sample {
  const trm_sweep *sweep;
  uint64_t stride;
  size_t rows, columns;
  float *values;
} sample;

static bool take_row(void *context, const trm_sweep_row *row) {
  sample *p = context;
  const trm_sweep *s = p->sweep;
  if (row->run % p->stride || p->rows >= MOST_ROWS) return true;
  float *to = p->values + p->rows++ * p->columns;
  *to++ = (float)(row->run + 1);
  for (int k = 0; k < s->design.columns; k++) *to++ = (float)row->parameters[k];
  for (int i = 0; i < s->records.count; i++) *to++ = (float)row->values[i];
  *to = strcmp(row->status, "completed") == 0 ? 1 : 0;
  return true;
}

static void write_settings(const trm_sweep *s, trm_json *json) {
  trm_json_open_list(json, "sets");
  for (int i = 0; s->model->overrides && s->model->overrides[i]; i++)
    trm_json_string(json, NULL, s->model->overrides[i]);
  trm_json_close_list(json);
}

trm_status trm_sweep_write_page(trm_sweep *s, trm_store *store, const char *path,
                                trm_diagnostics *diagnostics) {
  sample p = {.sweep = s, .stride = (s->design.runs + MOST_ROWS - 1) / MOST_ROWS};
  p.columns = (size_t)(2 + s->design.columns + s->records.count);
  p.values = malloc(MOST_ROWS * p.columns * sizeof *p.values);
  bool good = p.values && trm_sweep_visit(s, store, take_row, &p, diagnostics);
  trm_output *output = good ? trm_output_open(path, diagnostics) : NULL;
  if (output) {
    trm_json json;
    trm_document_begin(output, *s->model->name ? s->model->name : "Trammel");
    trm_document_open_object(output, &json, "data");
    trm_json_string(&json, "kind", "sweep");
    trm_json_string(&json, "trammel", trm_version());
    trm_sweep_write_facts(s, &json);
    trm_json_number(&json, "rows", (double)p.rows);
    write_settings(s, &json);
    trm_document_close_object(output, &json);
    good = trm_block_write(output, "table", p.values, p.rows, p.columns);
    trm_document_end(output);
  }
  trm_status status = output ? trm_output_close(output, diagnostics) : TRM_NO_MEMORY;
  free(p.values);
  return good ? status : TRM_NO_MEMORY;
}
