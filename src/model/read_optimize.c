/* What parameters are to make best. */
#include "model/read_parts.h"

#include <math.h>
#include <string.h>

static bool is_parameter(const trm_reader *reader, const char *name) {
  for (int i = 0; i < reader->parameter_count; i++)
    if (strcmp(reader->parameters[i].name, name) == 0) return true;
  return false;
}

static void *room(trm_reader *reader, size_t count, size_t size) {
  void *memory = trm_arena_alloc(reader->model->arena, (count + 1) * size, 16);
  if (!memory) reader->no_memory = true;
  return memory;
}

static const char *keep(trm_reader *reader, const char *text) {
  const char *copy = trm_arena_string(reader->model->arena, text);
  if (!copy) reader->no_memory = true;
  return copy;
}

static void read_vary(trm_reader *reader, trm_yaml *node, void *target) {
  trm_optimize *o = target;
  if (!trm_read_map(reader, node, "parameters and bounds like {k: [10, 1000]}")) return;
  o->vary = room(reader, (size_t)node->count, sizeof *o->vary);
  o->bounds = room(reader, (size_t)node->count, sizeof *o->bounds);
  if (!o->vary || !o->bounds) return;
  for (int i = 0; i < node->count; i++) {
    const trm_yaml_pair *pair = &node->pairs[i];
    double *bounds = o->bounds[o->vary_count];
    if (!is_parameter(reader, pair->key->text)) {
      trm_read_error(reader, pair->key, "the model has no parameter '%.60s'", pair->key->text);
      continue;
    }
    if (!trm_read_vector(reader, pair->value, 2, bounds)) continue;
    if (!(bounds[0] < bounds[1])) {
      trm_read_error(reader, pair->value, "the lower bound must be below the upper one");
      continue;
    }
    o->vary[o->vary_count++] = keep(reader, pair->key->text);
  }
}

/* A formula, or {weight: 2, of: FORMULA}. */
static void read_term(trm_reader *reader, trm_yaml *node, trm_optimize *o) {
  const trm_yaml_pair *of = NULL, *weight = NULL;
  const char *text;
  double factor = 1;
  if (node->kind == TRM_YAML_MAP) {
    of = trm_yaml_get(node, "of", 2);
    weight = trm_yaml_get(node, "weight", 6);
    if (!of || node->count != 1 + (weight != NULL)) {
      trm_read_error(reader, node, "expected a formula, or a map like {weight: 2, of: FORMULA}");
      return;
    }
  }
  if (weight && !trm_read_number(reader, weight->value, &factor)) return;
  if (!trm_read_text(reader, of ? of->value : node, "a formula", &text)) return;
  o->weights[o->term_count] = factor;
  o->terms[o->term_count++] = keep(reader, text);
}

static void read_minimize(trm_reader *reader, trm_yaml *node, void *target) {
  trm_optimize *o = target;
  bool list = node->kind == TRM_YAML_LIST;
  int count = list ? node->count : 1;
  o->terms = room(reader, (size_t)count, sizeof *o->terms);
  o->weights = room(reader, (size_t)count, sizeof *o->weights);
  if (!o->terms || !o->weights) return;
  for (int i = 0; i < count; i++) read_term(reader, list ? node->items[i] : node, o);
}

static void read_conditions(trm_reader *reader, trm_yaml *node, void *target) {
  trm_optimize *o = target;
  if (node->kind != TRM_YAML_LIST) {
    trm_read_error(reader, node, "expected a list like [\"final(car.y) >= 1\"], found %s",
                   trm_yaml_kind_name(node));
    return;
  }
  o->conditions = room(reader, (size_t)node->count, sizeof *o->conditions);
  for (int i = 0; o->conditions && i < node->count; i++) {
    const char *text;
    if (!trm_read_text(reader, node->items[i], "a condition", &text)) continue;
    if (!strstr(text, ">=") == !strstr(text, "<="))
      trm_read_error(reader, node->items[i], "a condition is written FORMULA >= FORMULA, or <=");
    else
      o->conditions[o->condition_count++] = keep(reader, text);
  }
}

static void read_method(trm_reader *reader, trm_yaml *node, void *target) {
  trm_optimize *o = target;
  const char *text;
  if (!trm_read_text(reader, node, "slsqp or mma", &text)) return;
  if (strcmp(text, "slsqp") != 0 && strcmp(text, "mma") != 0)
    trm_read_error(reader, node, "'%.60s' is no method of search: there are slsqp and mma", text);
  else
    o->method = keep(reader, text);
}

static void read_starts(trm_reader *reader, trm_yaml *node, void *target) {
  trm_optimize *o = target;
  double count;
  if (!trm_read_number(reader, node, &count)) return;
  if (!(count >= 1 && count <= 1000 && count == floor(count)))
    trm_read_error(reader, node, "the number of starts is a whole one from 1 to 1000");
  else
    o->starts = (int)count;
}

static void read_weights(trm_reader *reader, trm_yaml *node, trm_optimize *o) {
  if (!trm_read_map(reader, node, "columns and weights like {rod.angle: 10}")) return;
  o->weighted = room(reader, (size_t)node->count, sizeof *o->weighted);
  o->column_weights = room(reader, (size_t)node->count, sizeof *o->column_weights);
  if (!o->weighted || !o->column_weights) return;
  for (int i = 0; i < node->count; i++) {
    double *weight = &o->column_weights[o->weight_count];
    if (!trm_read_number(reader, node->pairs[i].value, weight)) continue;
    if (!(*weight > 0))
      trm_read_error(reader, node->pairs[i].value, "a weight must be positive");
    else
      o->weighted[o->weight_count++] = keep(reader, node->pairs[i].key->text);
  }
}

/* {file: measured.csv, weights: {rod.angle: 10}} */
static void read_fit(trm_reader *reader, trm_yaml *node, void *target) {
  trm_optimize *o = target;
  const char *text;
  if (!trm_read_map(reader, node, "a file like {file: measured.csv}")) return;
  const trm_yaml_pair *file = trm_yaml_get(node, "file", 4);
  const trm_yaml_pair *weights = trm_yaml_get(node, "weights", 7);
  if (!file || node->count != 1 + (weights != NULL)) {
    trm_read_error(reader, node, "expected a map like {file: measured.csv, weights: {rod.x: 10}}");
    return;
  }
  if (!trm_read_text(reader, file->value, "a file", &text)) return;
  o->record = keep(reader, text);
  if (weights) read_weights(reader, weights->value, o);
}

void trm_read_optimize(trm_reader *reader, trm_yaml *section) {
  static const trm_field fields[] = {
      {"vary", read_vary, 1, 1},     {"minimize", read_minimize, 1, 0},
      {"fit", read_fit, 1, 0},       {"method", read_method, 1, 0},
      {"starts", read_starts, 1, 0}, {"subject-to", read_conditions, 1, 0}};
  static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, NULL};
  trm_optimize *o = room(reader, 1, sizeof *o);
  if (!o) return;
  *o = (trm_optimize){.method = "slsqp", .starts = 1};
  reader->key = "optimize";
  if (!trm_read_map(reader, section, "vary and minimize")) return;
  reader->kind = "optimize";
  reader->key = NULL;
  const trm_yaml_pair *pair = trm_yaml_get(reader->document.root, "optimize", 8);
  trm_read_fields(reader, pair, &schema, 0, o);
  reader->model->optimize = o;
  if (o->term_count == 0 && !o->record && pair)
    trm_read_error(reader, pair->value, "there is nothing to make small: give minimize, or fit");
}
