/* Formulas over the runs of a study: reading them. */
#include "sweep/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef struct scope {
  trm_records *records;
  const trm_model *model;
  trm_arena *arena;
  char reason[256];
} scope;

static int find_text(const char *const *texts, int count, const char *text, size_t length) {
  for (int i = 0; i < count; i++)
    if (strlen(texts[i]) == length && memcmp(texts[i], text, length) == 0) return i;
  return -1;
}

static trm_symbol refuse(scope *s, const char *reason) {
  snprintf(s->reason, sizeof s->reason, "%s", reason);
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
}

/* Slot 0 is the time. */
static trm_symbol take_measure(scope *s, const char *name, size_t length) {
  trm_records *r = s->records;
  int known = find_text(r->measures, r->measure_count, name, length);
  if (known >= 0) return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = known + 1};
  trm_measure measure;
  char reason[200] = "";
  if (!trm_measure_find(s->model, name, length, &measure, reason, sizeof reason)) {
    snprintf(s->reason, sizeof s->reason, "'%.*s' is no measure, parameter or metric%s%s",
             length < 60 ? (int)length : 60, name, reason[0] ? ": " : "", reason);
    return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
  }
  const char **grown = TRM_NEW(s->arena, const char *, r->measure_count + 1);
  char *copy = trm_arena_substring(s->arena, name, length);
  if (!grown || !copy) return refuse(s, "out of memory");
  for (int i = 0; i < r->measure_count; i++) grown[i] = r->measures[i];
  grown[r->measure_count] = copy;
  r->measures = grown;
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = ++r->measure_count};
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  const trm_model *model = s->model;
  if (length == 1 && *name == 't') return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  for (int i = 0; i < model->parameter_count; i++)
    if (strlen(model->parameters[i].name) == length &&
        memcmp(model->parameters[i].name, name, length) == 0)
      return (trm_symbol){.kind = TRM_SYMBOL_RESULT, .slot = i};
  for (int i = 0; i < model->metric_count; i++)
    if (strlen(model->metrics[i].name) == length &&
        memcmp(model->metrics[i].name, name, length) == 0) {
      s->records->rows = true;
      return (trm_symbol){.kind = TRM_SYMBOL_RESULT, .slot = model->parameter_count + i};
    }
  int record = find_text(s->records->names, s->records->count, name, length);
  if (record >= 0)
    return (trm_symbol){.kind = TRM_SYMBOL_RESULT,
                        .slot = model->parameter_count + model->metric_count + record};
  return take_measure(s, name, length);
}

/* Of NAME=FORMULA; 0: it has no name. A comparison is none. */
static size_t name_length(const char *text) {
  size_t length = strcspn(text, "=");
  bool name = text[length] == '=' && text[length + 1] != '=' && trm_is_name(text, length);
  return name ? length : 0;
}

static bool add(scope *s, const char *option, const char *text, trm_diagnostics *diagnostics) {
  trm_records *r = s->records;
  size_t length = name_length(text);
  const char *formula = length ? text + length + 1 : text;
  trm_expression_error error = {0};
  trm_series *series = trm_series_parse(formula, look_up, s, NULL, &error);
  trm_series_stream *stream = series ? trm_series_stream_create(series, &error) : NULL;
  trm_series_stream_destroy(stream);
  const char *name =
      length ? trm_arena_substring(s->arena, text, length) : trm_arena_string(s->arena, text);
  if (stream && find_text(r->names, r->count, name, strlen(name)) >= 0) {
    snprintf(error.message, sizeof error.message, "there are two of this name");
    stream = NULL;
  }
  if (!stream) {
    trm_report(diagnostics, TRM_ERROR, "%s '%s': %s", option, text, error.message);
    trm_series_destroy(series);
    return false;
  }
  r->series[r->count] = series;
  r->texts[r->count] = trm_arena_string(s->arena, text);
  r->names[r->count++] = name;
  return true;
}

bool trm_records_parse(trm_records *r, const trm_model *model, const char *option, int count,
                       const char *const *texts, trm_arena *arena, trm_diagnostics *diagnostics) {
  scope s = {.records = r, .model = model, .arena = arena};
  bool good = true;
  const char **names = TRM_NEW(arena, const char *, r->count + count + 1);
  const char **kept = TRM_NEW(arena, const char *, r->count + count + 1);
  trm_series **series = TRM_NEW(arena, trm_series *, r->count + count + 1);
  if (!names || !kept || !series) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return false;
  }
  for (int i = 0; i < r->count; i++) {
    names[i] = r->names[i];
    kept[i] = r->texts[i];
    series[i] = r->series[i];
  }
  r->names = names;
  r->texts = kept;
  r->series = series;
  for (int i = 0; i < count; i++)
    if (!add(&s, option, texts[i], diagnostics)) good = false;
  return good;
}

void trm_records_free(trm_records *r) {
  for (int i = 0; i < r->count; i++) trm_series_destroy(r->series[i]);
  r->count = 0;
}
