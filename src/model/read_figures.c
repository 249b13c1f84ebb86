/* Plots and metrics: what the report and the summary show of a run. */
#include "model/read_parts.h"

#include <string.h>

static bool read_formula(trm_reader *reader, trm_yaml *node, const char **text) {
  trm_value value;
  *text = "0"; /* in the place of a wrong one */
  if (!trm_read_formula(reader, node, &value)) return false;
  *text = value.text;
  return true;
}

static void read_title(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "a text", &((trm_figure_def *)target)->title);
}

static void read_x(trm_reader *reader, trm_yaml *node, void *target) {
  read_formula(reader, node, &((trm_figure_def *)target)->x);
}

static void read_x_label(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "a text", &((trm_figure_def *)target)->x_label);
}

static void read_y_label(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "a text", &((trm_figure_def *)target)->y_label);
}

/* One formula, a list of them, or a map of labels and formulas. */
static void read_y(trm_reader *reader, trm_yaml *node, void *target) {
  trm_figure_def *figure = target;
  bool list = node->kind == TRM_YAML_LIST, map = node->kind == TRM_YAML_MAP;
  int count = list || map ? node->count : 1;
  const char **y = TRM_NEW(reader->document.arena, const char *, count);
  const char **labels = TRM_NEW(reader->document.arena, const char *, count);
  if (!y || !labels) {
    reader->no_memory = true;
    return;
  }
  if (count == 0) trm_read_error(reader, node, "expected a formula or a list of them, found none");
  for (int i = 0; i < count; i++) {
    trm_yaml *item = list ? node->items[i] : map ? node->pairs[i].value : node;
    read_formula(reader, item, &y[i]);
    if (map) labels[i] = node->pairs[i].key->text;
  }
  figure->count = count;
  figure->y = y;
  figure->labels = map ? labels : NULL;
}

static void read_plot(trm_reader *reader, const trm_yaml_pair *pair) {
  static const trm_field fields[] = {{"title", read_title, 1, 0},
                                     {"x", read_x, 1, 0},
                                     {"y", read_y, 1, 1},
                                     {"x-label", read_x_label, 1, 0},
                                     {"y-label", read_y_label, 1, 0}};
  static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, NULL};
  trm_figure_def figure = trm_default_figure();
  figure.name = reader->name = pair->key->text;
  if (pair->value->kind != TRM_YAML_MAP) {
    trm_read_error(reader, pair->value, "expected a map like {x: t, y: [rod.B.x]}, found %s",
                   trm_yaml_kind_name(pair->value));
    return;
  }
  trm_read_fields(reader, pair, &schema, 0, &figure);
  if (figure.count > 0) trm_model_add_figure(reader->model, &figure);
}

void trm_read_plots(trm_reader *reader, trm_yaml *section) {
  reader->key = "plots";
  if (!trm_read_map(reader, section, "plots")) return;
  reader->kind = "plot";
  reader->key = NULL;
  for (int i = 0; i < section->count; i++) read_plot(reader, &section->pairs[i]);
}

void trm_read_metrics(trm_reader *reader, trm_yaml *section) {
  reader->key = "metrics";
  if (!trm_read_map(reader, section, "names and formulas like max(rod.B.x)")) return;
  reader->kind = "metric";
  reader->key = NULL;
  for (int i = 0; i < section->count; i++) {
    const char *formula;
    reader->name = section->pairs[i].key->text;
    read_formula(reader, section->pairs[i].value, &formula);
    trm_model_add_metric(reader->model, reader->name, formula);
  }
}
