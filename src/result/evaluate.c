/* Formulas over the columns of a table. */
#include <stdio.h>
#include <stdlib.h>

#include "base/diagnostics.h"
#include "base/text.h"
#include "expression/expression.h"
#include "result/results.h"

enum { LONGEST_NAME = 200 };

typedef struct scope {
  const trm_results *results;
  char reason[LONGEST_NAME + 40];
} scope;

static trm_symbol suggest(scope *s, const char *name) {
  int count = trm_results_columns(s->results);
  const char **names = calloc((size_t)count + 1, sizeof *names);
  for (int k = 0; names && k < count; k++) names[k] = trm_results_name(s->results, k);
  const char *nearest = names ? trm_nearest(name, names, count) : NULL;
  if (nearest) snprintf(s->reason, sizeof s->reason, "did you mean '%.*s'?", LONGEST_NAME, nearest);
  free(names);
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN, .reason = nearest ? s->reason : NULL};
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  char copy[LONGEST_NAME];
  snprintf(copy, sizeof copy, "%.*s", (int)length, name);
  int column = trm_results_find(s->results, copy);
  if (column < 0) return suggest(s, copy);
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = column};
}

trm_status trm_results_evaluate(const trm_results *results, const char *formula, double *values,
                                trm_diagnostics *diagnostics) {
  scope s = {.results = results};
  trm_expression_error error;
  trm_expression *parsed = trm_expression_parse(formula, look_up, &s, NULL, &error);
  double *slots = calloc((size_t)trm_results_columns(results) + 1, sizeof *slots);
  trm_status status = !slots ? TRM_NO_MEMORY : parsed ? TRM_OK : TRM_BAD_USAGE;
  if (!slots)
    trm_report(diagnostics, TRM_ERROR, "out of memory");
  else if (!parsed)
    trm_report(diagnostics, TRM_ERROR, "'%s': %s", formula, error.message);
  const int *used = NULL;
  int count = parsed ? trm_expression_used(parsed, &used) : 0;
  for (int row = 0; status == TRM_OK && row < trm_results_rows(results); row++) {
    for (int i = 0; i < count; i++) slots[used[i]] = trm_results_get(results, row, used[i]);
    values[row] = trm_expression_value(parsed, slots);
  }
  free(slots);
  trm_expression_destroy(parsed);
  return status;
}
