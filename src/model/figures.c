/* Figures and metrics: formulas over the rows of a run. The measures they use become columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/text.h"
#include "model/build.h"

static const trm_figure_def no_figure = {.name = ""};

void trm_figure_init(trm_figure_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_figure, sizeof no_figure);
}

static const char *const *keep_list(trm_draft *draft, const char *const *texts, int count) {
  const char **copy = texts ? TRM_NEW(draft->model->arena, const char *, count) : NULL;
  if (texts && !copy) draft->no_memory = true;
  for (int i = 0; copy && i < count; i++) copy[i] = trm_draft_keep(draft, texts[i]);
  return copy;
}

void trm_model_add_figure(trm_model *model, const trm_figure_def *definition) {
  trm_draft *draft = model ? model->draft : NULL;
  if (!draft) return;
  trm_figure_def *list = trm_grow(draft->arena, draft->figures, draft->figure_count, sizeof *list);
  if (!list) {
    draft->no_memory = true;
    return;
  }
  draft->figures = list;
  trm_figure_def *figure = &list[draft->figure_count++];
  *figure = no_figure;
  trm_draft_take(draft, figure, sizeof *figure, definition);
  figure->name = trm_draft_keep(draft, figure->name ? figure->name : "");
  figure->title = trm_draft_keep(draft, figure->title);
  figure->x = trm_draft_keep(draft, figure->x);
  figure->x_label = trm_draft_keep(draft, figure->x_label);
  figure->y_label = trm_draft_keep(draft, figure->y_label);
  figure->y = keep_list(draft, figure->y, figure->count);
  figure->labels = keep_list(draft, figure->labels, figure->count);
}

void trm_model_add_metric(trm_model *model, const char *name, const char *formula) {
  trm_draft *draft = model ? model->draft : NULL;
  if (!draft) return;
  trm_metric_def *list = trm_grow(draft->arena, draft->metrics, draft->metric_count, sizeof *list);
  if (!list) {
    draft->no_memory = true;
    return;
  }
  draft->metrics = list;
  list[draft->metric_count++] = (trm_metric_def){trm_draft_keep(draft, name ? name : ""),
                                                 trm_draft_keep(draft, formula ? formula : "")};
}

/* --- names in their formulas --- */

typedef struct scope {
  trm_draft *draft;
  trm_map *columns;   /* names of the outputs → column */
  trm_map *metrics;   /* those before this one */
  const char **names; /* of them */
  char reason[256];
} scope;

/* The column of a measure, which is added where there is none; −1: no memory. */
static int column_of(scope *s, const trm_measure *measure, const char *name, size_t length) {
  trm_model *model = s->draft->model;
  int column = trm_map_get(s->columns, name, length);
  if (column >= 0) return column;
  trm_measure *outputs =
      trm_grow(model->arena, model->outputs, model->output_count, sizeof *outputs);
  char *copy = trm_arena_substring(model->arena, name, length);
  if (!outputs || !copy || !trm_map_put(s->columns, copy, length, model->output_count + 1)) {
    s->draft->no_memory = true;
    return -1;
  }
  model->outputs = outputs;
  outputs[model->output_count] = *measure;
  outputs[model->output_count].name = copy;
  return ++model->output_count;
}

trm_symbol trm_draft_unknown(trm_draft *draft, const char *name, size_t length,
                             const char *const *others, int count, char *reason, size_t size) {
  const trm_model *model = draft->model;
  char hint[160];
  trm_item item;
  /* the reason of a measure that is none lists those there are */
  if (memchr(name, '.', length) || trm_index_find(model, name, length, &item))
    return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = reason};
  trm_suggest(model, name, length, draft->parameter_names, model->parameter_count, hint,
              sizeof hint);
  if (!hint[0]) trm_suggest(model, name, length, others, count, hint, sizeof hint);
  snprintf(reason, size, "%s", hint[0] ? hint + 2 : ""); /* without the comma */
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN, .reason = hint[0] ? reason : NULL};
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  const trm_model *model = s->draft->model;
  int parameter = trm_map_get(s->draft->parameters, name, length);
  if (parameter >= 0)
    return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = model->parameters[parameter].value};
  int metric = s->metrics ? trm_map_get(s->metrics, name, length) : -1;
  if (metric >= 0) return (trm_symbol){.kind = TRM_SYMBOL_RESULT, .slot = metric};
  trm_measure measure;
  if (!trm_measure_find(model, name, length, &measure, s->reason, sizeof s->reason))
    return trm_draft_unknown(s->draft, name, length, s->names, model->metric_count, s->reason,
                             sizeof s->reason);
  int column = column_of(s, &measure, name, length);
  if (column < 0) return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = column};
}

/* --- figures --- */

/* A measure alone stays one in a formula of a part, which puts " (…)" about it. */
static const char *without_parentheses(scope *s, const char *text) {
  size_t length = strlen(text);
  if (length < 4 || strncmp(text, " (", 2) != 0 || text[length - 1] != ')') return text;
  if (strcspn(text + 2, " ()+-*/^,<>=") != length - 3) return text;
  const char *inside = trm_arena_substring(s->draft->model->arena, text + 2, length - 3);
  if (!inside) s->draft->no_memory = true;
  return inside ? inside : text;
}

static void add_curve(scope *s, const trm_subject *subject, const char *key, const char *text,
                      const char *label, trm_figure_curve *curve) {
  trm_draft *draft = s->draft;
  trm_expression_error error = {0};
  text = without_parentheses(s, text);
  *curve = (trm_figure_curve){.text = text, .label = label ? label : text, .column = -1};
  curve->formula =
      trm_expression_take(draft->model->shelf, text, look_up, s, draft->folder, &error);
  if (!curve->formula) {
    trm_draft_report(draft, TRM_ERROR, subject, key, error.offset, ": %s", error.message);
    return;
  }
  int column = trm_map_get(s->columns, text, strlen(text));
  if (column < 0) return;
  curve->column = column;
  trm_expression_destroy(curve->formula);
  curve->formula = NULL;
}

/* A formula that is not one of a list is named without its place in it. */
static void key_of(const trm_figure_def *definition, int i, char *key, size_t size) {
  if (definition->labels)
    snprintf(key, size, "y/%s", definition->labels[i]);
  else
    snprintf(key, size, "y/%d", i);
}

static void add_figure(scope *s, const trm_figure_def *definition, trm_figure *figure) {
  trm_draft *draft = s->draft;
  const trm_subject subject = {"plots", "plot", definition->name};
  *figure = (trm_figure){.name = definition->name,
                         .title = definition->title ? definition->title : definition->name,
                         .x_label = definition->x_label,
                         .y_label = definition->y_label};
  figure->y = TRM_NEW(draft->model->arena, trm_figure_curve, definition->count);
  if (!figure->y) {
    draft->no_memory = true;
    return;
  }
  if (definition->count == 0)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": y is missing, it says what is drawn");
  add_curve(s, &subject, "x", definition->x ? definition->x : "t", NULL, &figure->x);
  for (int i = 0; i < definition->count; i++) {
    char key[256];
    key_of(definition, i, key, sizeof key);
    add_curve(s, &subject, key, definition->y[i], definition->labels ? definition->labels[i] : NULL,
              &figure->y[figure->count++]);
  }
}

/* --- metrics --- */

static void add_metric(scope *s, const trm_metric_def *definition) {
  trm_draft *draft = s->draft;
  trm_model *model = draft->model;
  const char *name = definition->name;
  const trm_subject subject = {"metrics", "metric", name};
  trm_expression_error error = {0};
  trm_item item;
  size_t length = strlen(name);
  if (!trm_is_name(name, length))
    TRM_DRAFT_ERROR(
        draft, &subject, NULL,
        ": '%.60s' is no name; names are letters, digits and '_', starting with a letter", name);
  else if (trm_map_get(s->metrics, name, length) >= 0)
    TRM_DRAFT_ERROR(draft, &subject, NULL, " is defined twice");
  else if (trm_is_reserved(name) || trm_map_get(draft->parameters, name, length) >= 0 ||
           trm_index_find(model, name, length, &item))
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": this name has a meaning already");
  trm_series *formula = trm_series_parse(definition->formula, look_up, s, draft->folder, &error);
  if (!formula)
    trm_draft_report(draft, TRM_ERROR, &subject, NULL, error.offset, ": %s", error.message);
  draft->no_memory |= !formula && error.no_memory;
  model->metrics[model->metric_count] = (trm_metric){name, formula};
  s->names[model->metric_count] = name;
  if (!trm_map_put(s->metrics, name, length, model->metric_count++)) draft->no_memory = true;
}

void trm_draft_figures(trm_draft *draft) {
  trm_model *model = draft->model;
  scope s = {.draft = draft, .columns = trm_map_create(draft->arena)};
  trm_map *metrics = trm_map_create(draft->arena);
  model->figures = TRM_NEW(model->arena, trm_figure, draft->figure_count);
  model->metrics = TRM_NEW(model->arena, trm_metric, draft->metric_count);
  s.names = TRM_NEW(draft->arena, const char *, draft->metric_count);
  bool good = s.columns && metrics && s.names && model->figures && model->metrics;
  good = good && trm_map_put(s.columns, "t", 1, 0);
  int used = draft->figure_count + draft->metric_count;
  for (int i = 0; good && used > 0 && i < model->output_count; i++) {
    const char *name = model->outputs[i].name; /* NULL: there was no memory for it */
    good = name && trm_map_put(s.columns, name, strlen(name), i + 1);
  }
  if (!good) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < draft->figure_count; i++)
    add_figure(&s, &draft->figures[i], &model->figures[model->figure_count++]);
  s.metrics = metrics;
  for (int i = 0; i < draft->metric_count; i++) add_metric(&s, &draft->metrics[i]);
}

void trm_figures_destroy(trm_model *model) {
  for (int i = 0; i < model->figure_count; i++) {
    trm_figure *figure = &model->figures[i];
    trm_expression_destroy(figure->x.formula);
    for (int k = 0; k < figure->count; k++) trm_expression_destroy(figure->y[k].formula);
  }
  for (int i = 0; i < model->metric_count; i++) trm_series_destroy(model->metrics[i].formula);
}
