/* Formulas of figures become columns beside the measures. */
#include "report/figures.h"

#include <stdlib.h>
#include <string.h>

/* Curve k of a figure; −1 is what it is drawn over. */
static const trm_figure_curve *curve_of(const trm_figure *figure, int k) {
  return k < 0 ? &figure->x : &figure->y[k];
}

typedef struct columns {
  const trm_results *from;
  int count;
  const char **names;
  const trm_expression **formulas; /* NULL: a column of the results */
  double *slots;                   /* of the formulas */
} columns;

static void add_formula(columns *c, const trm_figure_curve *curve) {
  for (int i = 0; i < c->count; i++)
    if (strcmp(c->names[i], curve->text) == 0) return;
  c->names[c->count] = curve->text;
  c->formulas[c->count++] = curve->formula;
}

static bool list_columns(columns *c, const trm_model *model) {
  int own = trm_results_columns(c->from), more = 0;
  for (int i = 0; i < model->figure_count; i++) more += 1 + model->figures[i].count;
  c->names = calloc((size_t)(own + more) + 1, sizeof *c->names);
  c->formulas = calloc((size_t)(own + more) + 1, sizeof *c->formulas);
  if (!c->names || !c->formulas) return false;
  for (; c->count < own; c->count++) c->names[c->count] = trm_results_name(c->from, c->count);
  for (int i = 0; i < model->figure_count; i++)
    for (int k = -1; k < model->figures[i].count; k++) {
      const trm_figure_curve *curve = curve_of(&model->figures[i], k);
      if (curve->formula) add_formula(c, curve);
    }
  return true;
}

static double value_at(const trm_results *from, const trm_expression *formula, int row,
                       double *slots) {
  const int *used;
  int count = trm_expression_used(formula, &used);
  for (int i = 0; i < count; i++) slots[used[i]] = trm_results_get(from, row, used[i]);
  return trm_expression_value(formula, slots);
}

static void read_row(void *context, int row, double *values) {
  const columns *c = context;
  int own = trm_results_columns(c->from);
  for (int k = 0; k < c->count; k++)
    values[k] = k < own ? trm_results_get(c->from, row, k)
                        : value_at(c->from, c->formulas[k], row, c->slots);
}

bool trm_figures_excerpt(const trm_model *model, const trm_results *results, trm_excerpt *excerpt) {
  columns c = {.from = results};
  c.slots = calloc((size_t)trm_results_columns(results) + 1, sizeof *c.slots);
  bool good = c.slots && list_columns(&c, model);
  trm_row_source source = {.rows = trm_results_rows(results),
                           .columns = c.count,
                           .names = c.names,
                           .read = read_row,
                           .context = &c};
  good = good && trm_excerpt_take(excerpt, &source);
  free(c.names);
  free(c.formulas);
  free(c.slots);
  return good;
}

static void write_curve(const trm_figure_curve *curve, const char *key, trm_json *json) {
  trm_json_open(json, key);
  trm_json_string(json, "name", curve->text);
  trm_json_string(json, "label", curve->label);
  trm_json_close(json);
}

void trm_figures_write(const trm_model *model, trm_json *json) {
  trm_json_open_list(json, "plots");
  for (int i = 0; i < model->figure_count; i++) {
    const trm_figure *figure = &model->figures[i];
    trm_json_open(json, NULL);
    trm_json_string(json, "name", figure->name);
    trm_json_string(json, "title", figure->title);
    trm_json_string(json, "x_label", figure->x_label);
    trm_json_string(json, "y_label", figure->y_label);
    write_curve(&figure->x, "x", json);
    trm_json_open_list(json, "y");
    for (int k = 0; k < figure->count; k++) write_curve(&figure->y[k], NULL, json);
    trm_json_close_list(json);
    trm_json_close(json);
  }
  trm_json_close_list(json);
}
