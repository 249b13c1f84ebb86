/* sweep.html: the numbers, and a table of floats to draw. */
#include "sweep/page.h"

#include <stdio.h>
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

/* run, parameters, what a float has left of them, records, limits, whether it completed */
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
  for (int k = 0; k < s->design.columns; k++)
    *to++ = (float)(row->parameters[k] - (double)(float)row->parameters[k]);
  for (int i = 0; i < s->records.count; i++) *to++ = (float)row->values[i];
  *to = strcmp(row->status, "completed") == 0 ? 1 : 0;
  return true;
}

static void write_text_option(trm_json *json, const char *key, const char *value, const char *own) {
  if (strcmp(value, own) == 0) return;
  trm_json_string(json, NULL, key);
  trm_json_string(json, NULL, value);
}

static void write_number_option(trm_json *json, const char *key, double value, double own) {
  char text[40];
  if (value == own) return;
  snprintf(text, sizeof text, "%.15g", value);
  trm_json_string(json, NULL, key);
  trm_json_string(json, NULL, text);
}

/* What a single run needs to be the same: settings other than the model's own. */
static void write_options(const trm_sweep *s, trm_json *json) {
  const trm_settings *a = &s->settings, *b = trm_model_settings(s->model);
  trm_json_open_list(json, "options");
  write_text_option(json, "--coordinates", a->coordinates, b->coordinates);
  write_text_option(json, "--solver", a->solver, b->solver);
  write_text_option(json, "--stabilization", a->stabilization, b->stabilization);
  write_text_option(json, "--energy", a->energy, b->energy);
  write_text_option(json, "--integrator", a->integrator, b->integrator);
  write_text_option(json, "--stepping", a->stepping, b->stepping);
  write_number_option(json, "--duration", a->duration, b->duration);
  write_number_option(json, "--step", a->step, b->step);
  write_number_option(json, "--tolerance", a->tolerance, b->tolerance);
  write_number_option(json, "--rtol", a->rtol, b->rtol);
  write_number_option(json, "--atol", a->atol, b->atol);
  trm_json_close_list(json);
}

static void write_sets(const trm_sweep *s, trm_json *json) {
  trm_json_open_list(json, "sets");
  for (int i = 0; s->model->overrides && s->model->overrides[i]; i++)
    trm_json_string(json, NULL, s->model->overrides[i]);
  trm_json_close_list(json);
}

trm_status trm_sweep_write_page(trm_sweep *s, trm_store *store, const char *path,
                                trm_diagnostics *diagnostics) {
  sample p = {.sweep = s, .stride = (s->design.runs + MOST_ROWS - 1) / MOST_ROWS};
  p.columns = (size_t)(2 + 2 * s->design.columns + s->records.count);
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
    write_sets(s, &json);
    write_options(s, &json);
    trm_document_close_object(output, &json);
    good = trm_block_write(output, "table", p.values, p.rows, p.columns);
    trm_document_end(output);
  }
  trm_status status = output ? trm_output_close(output, diagnostics) : TRM_NO_MEMORY;
  if (!p.values || (output && !good)) trm_report(diagnostics, TRM_ERROR, "out of memory");
  free(p.values);
  return good ? status : TRM_NO_MEMORY;
}
