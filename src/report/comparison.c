/* Pages of agreement: several runs over each other, and one model by many methods. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/report.h>
#include <trammel/version.h>

#include "base/diagnostics.h"
#include "report/block.h"
#include "report/document.h"
#include "report/excerpt.h"
#include "report/scene.h"
#include "result/results.h"

enum { DIGITS = 9, MOST_PAIRS = 1200 };

/* --- agreement --- */

static void write_estimate(trm_json *json, const char *key, const trm_estimate *estimate) {
  const double values[3] = {estimate->value, estimate->low, estimate->high};
  trm_json_numbers(json, key, values, 3, DIGITS);
}

static void write_column(trm_json *json, const trm_agreement *column) {
  trm_json_open(json, NULL);
  trm_json_string(json, "name", column->name);
  trm_json_number(json, "max", column->max_difference);
  trm_json_number(json, "at", column->max_time);
  trm_json_number(json, "rms", column->rms_difference);
  trm_json_number(json, "sd", column->sd);
  write_estimate(json, "bias", &column->bias);
  write_estimate(json, "lower", &column->lower_limit);
  write_estimate(json, "upper", &column->upper_limit);
  write_estimate(json, "consistency", &column->icc_consistency);
  write_estimate(json, "agreement", &column->icc_absolute_agreement);
  trm_json_close(json);
}

static void write_names(trm_json *json, const char *key, const char *const *names, int count) {
  trm_json_open_list(json, key);
  for (int k = 0; k < count; k++) trm_json_string(json, NULL, names[k]);
  trm_json_close_list(json);
}

/* --- differences: in double precision before they are stored in single --- */

typedef struct differences {
  trm_results *table; /* of all common times */
  trm_excerpt excerpt;
  float *pairs; /* mean and difference of each column, at some of the times */
  int pair_rows;
} differences;

static double value_at(const trm_results *results, int row, const char *name) {
  return trm_results_get(results, row, trm_results_find(results, name));
}

static void fill_row(double *row, const trm_report_run *first, const trm_report_run *other,
                     int index, const int *columns) {
  const trm_comparison *c = other->comparison;
  int a = c->row_in[0][index], b = c->row_in[1][index];
  row[0] = value_at(first->results, a, "t");
  for (int k = 0; k < c->column_count; k++)
    row[k + 1] = trm_results_get(first->results, a, columns[2 * k]) -
                 trm_results_get(other->results, b, columns[2 * k + 1]);
}

static void fill_pairs(differences *d, const trm_report_run *first, const trm_report_run *other,
                       const int *columns) {
  const trm_comparison *c = other->comparison;
  int stride = 1 + (c->rows - 1) / MOST_PAIRS;
  float *next = d->pairs;
  for (int i = 0; i < c->rows; i += stride, d->pair_rows++)
    for (int k = 0; k < c->column_count; k++) {
      double a = trm_results_get(first->results, c->row_in[0][i], columns[2 * k]);
      double b = trm_results_get(other->results, c->row_in[1][i], columns[2 * k + 1]);
      *next++ = (float)((a + b) / 2);
      *next++ = (float)(a - b);
    }
}

static bool lay_out(differences *d, const trm_comparison *c) {
  const char **names = calloc((size_t)c->column_count + 1, sizeof *names);
  bool good = names != NULL;
  for (int k = 0; good && k <= c->column_count; k++)
    names[k] = k == 0 ? "t" : c->columns[k - 1].name;
  d->table = trm_results_create();
  d->pairs = malloc(2 * (size_t)(MOST_PAIRS + 1) * (size_t)c->column_count * sizeof *d->pairs);
  good = good && d->table && d->pairs &&
         trm_results_layout(d->table, c->column_count + 1, names, c->rows);
  free(names);
  return good;
}

static bool compute(differences *d, const trm_report_run *first, const trm_report_run *other) {
  const trm_comparison *c = other->comparison;
  int *columns = calloc(2 * (size_t)c->column_count + 1, sizeof *columns);
  bool good = lay_out(d, c) && columns;
  for (int k = 0; good && k < c->column_count; k++) {
    columns[2 * k] = trm_results_find(first->results, c->columns[k].name);
    columns[2 * k + 1] = trm_results_find(other->results, c->columns[k].name);
  }
  for (int i = 0; good && i < c->rows; i++) {
    fill_row(trm_results_next_row(d->table), first, other, i, columns);
    trm_results_add_row(d->table);
  }
  if (good) fill_pairs(d, first, other, columns);
  free(columns);
  return good && trm_excerpt_create(&d->excerpt, d->table);
}

static void discard(differences *d) {
  trm_results_destroy(d->table);
  trm_excerpt_free(&d->excerpt);
  free(d->pairs);
}

/* --- the page --- */

typedef struct page {
  const trm_report_run *runs;
  int count;
  differences *differences; /* of each run but the first */
  trm_excerpt *excerpts;    /* of each run */
} page;

static void write_comparison(const page *p, int run, trm_json *json) {
  const trm_comparison *c = p->runs[run].comparison;
  trm_json_open(json, NULL);
  trm_json_integer(json, "rows", c->rows);
  trm_json_number(json, "first_time", c->first_time);
  trm_json_number(json, "last_time", c->last_time);
  write_names(json, "only_in_first", c->only_in[0], c->only_count[0]);
  write_names(json, "only_in_second", c->only_in[1], c->only_count[1]);
  trm_json_open_list(json, "columns");
  for (int k = 0; k < c->column_count; k++) write_column(json, &c->columns[k]);
  trm_json_close_list(json);
  trm_excerpt_write(&p->differences[run].excerpt, "differences", json);
  trm_json_integer(json, "pairs", p->differences[run].pair_rows);
  trm_json_close(json);
}

static void write_data(const page *p, trm_output *output) {
  trm_json json;
  trm_document_open_object(output, &json, "data");
  trm_json_string(&json, "kind", "compare");
  trm_json_string(&json, "trammel", trm_version());
  trm_json_open_list(&json, "runs");
  for (int i = 0; i < p->count; i++) {
    trm_json_open(&json, NULL);
    trm_json_string(&json, "name", p->runs[i].name);
    trm_excerpt_write(&p->excerpts[i], "table", &json);
    trm_json_close(&json);
  }
  trm_json_close_list(&json);
  trm_json_open_list(&json, "comparisons");
  for (int i = 1; i < p->count; i++) write_comparison(p, i, &json);
  trm_json_close_list(&json);
  trm_document_close_object(output, &json);
}

static bool write_block(trm_output *output, const char *letter, int run, const char *name,
                        const float *values, int rows, int columns) {
  char id[48];
  snprintf(id, sizeof id, "%s%d-%s", letter, run, name);
  return trm_block_write(output, id, values, (size_t)rows, (size_t)columns);
}

static bool write_blocks(const page *p, trm_output *output, trm_diagnostics *diagnostics) {
  bool good = true;
  for (int i = 0; i < p->count && good; i++) {
    const trm_excerpt *e = &p->excerpts[i];
    char id[32], *text = p->runs[i].scene ? trm_scene_text(p->runs[i].scene, diagnostics) : NULL;
    snprintf(id, sizeof id, "r%d-scene", i);
    if (text) trm_document_copy_object(output, id, text);
    free(text);
    good = write_block(output, "r", i, "table", e->values, e->rows, e->columns);
    if (i == 0 || !good) continue;
    const differences *d = &p->differences[i];
    good = write_block(output, "c", i - 1, "differences", d->excerpt.values, d->excerpt.rows,
                       d->excerpt.columns) &&
           write_block(output, "c", i - 1, "pairs", d->pairs, d->pair_rows, 2 * d->excerpt.columns);
  }
  return good;
}

static trm_status write_page(const page *p, const char *path, trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_document_begin(output, "Comparison of runs");
  write_data(p, output);
  bool good = write_blocks(p, output, diagnostics);
  trm_document_end(output);
  trm_status status = trm_output_close(output, diagnostics);
  return good ? status : TRM_NO_MEMORY;
}

trm_status trm_report_write_comparison(const trm_report_run *runs, int count, const char *path,
                                       trm_diagnostics *diagnostics) {
  page p = {.runs = runs, .count = count};
  p.differences = calloc((size_t)count + 1, sizeof *p.differences);
  p.excerpts = calloc((size_t)count + 1, sizeof *p.excerpts);
  bool good = p.differences && p.excerpts;
  for (int i = 0; good && i < count; i++) {
    good = trm_excerpt_create(&p.excerpts[i], runs[i].results);
    if (good && i > 0) good = compute(&p.differences[i], &runs[0], &runs[i]);
  }
  trm_status status = good ? write_page(&p, path, diagnostics) : TRM_NO_MEMORY;
  if (status == TRM_NO_MEMORY)
    trm_report(diagnostics, TRM_ERROR, "cannot write '%s': out of memory", path);
  for (int i = 0; i < count; i++) {
    if (p.differences) discard(&p.differences[i]);
    if (p.excerpts) trm_excerpt_free(&p.excerpts[i]);
  }
  free(p.differences);
  free(p.excerpts);
  return status;
}

/* --- one model by many methods --- */

trm_status trm_report_write_methods(const char *title, const char *object, const char *path,
                                    trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_document_begin(output, title);
  trm_output_text(output,
                  "<script type=\"application/json\" id=\"data\">{\"kind\":\"methods\",\"title\":");
  trm_json json = {.output = output, .html = true};
  trm_json_string(&json, NULL, title);
  trm_output_text(output, ",\"trials\":");
  trm_document_json(output, object);
  trm_output_text(output, "}</script>\n");
  trm_document_end(output);
  return trm_output_close(output, diagnostics);
}
