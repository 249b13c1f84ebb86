#include "fmu/direct.h"

#include <stdlib.h>

typedef struct search {
  const trm_model *model;
  bool *found; /* [signal_count] inputs, and variables that were looked at */
} search;

static void add_measure(search *s, const trm_measure *measure);

static void add_all(search *s) {
  for (int i = 0; i < s->model->signal_count; i++)
    if (s->model->signals[i].kind == TRM_SIGNAL_INPUT) s->found[i] = true;
}

static void add_formula(search *s, const trm_expression *formula, const trm_measure *slots) {
  const int *used;
  int count = formula ? trm_expression_used(formula, &used) : 0;
  for (int k = 0; k < count; k++) add_measure(s, &slots[used[k]]);
}

/* slots of a model's own formulas: the time, then its inputs */
static void add_quantity(search *s, const trm_quantity *quantity) {
  const int *used;
  int count = quantity->formula ? trm_expression_used(quantity->formula, &used) : 0;
  for (int k = 0; k < count; k++)
    if (used[k] > 0) add_measure(s, &s->model->inputs[used[k] - 1]);
}

static void add_signal(search *s, int index) {
  const trm_signal *signal = &s->model->signals[index];
  if (s->found[index] || signal->kind == TRM_SIGNAL_STATE) return;
  s->found[index] = true;
  if (signal->kind == TRM_SIGNAL_VARIABLE) add_quantity(s, &signal->value);
}

/* Places and velocities are states, and so is work. */
static void add_measure(search *s, const trm_measure *measure) {
  const trm_output_formula *formula;
  switch (measure->kind) {
  case TRM_MEASURE_TIME:
  case TRM_MEASURE_EVENT:
  case TRM_MEASURE_CONSTRAINT:
  case TRM_MEASURE_KINETIC:
  case TRM_MEASURE_MOMENTUM: return;
  case TRM_MEASURE_SIGNAL: add_signal(s, measure->index); return;
  case TRM_MEASURE_STATE_RATE: add_quantity(s, &s->model->signals[measure->index].value); return;
  case TRM_MEASURE_FORMULA:
    formula = &s->model->formulas[measure->index];
    add_formula(s, formula->formula, formula->measures);
    return;
  case TRM_MEASURE_ENERGY:
    if (measure->component != 0 && measure->component != 3) add_all(s);
    return;
  default:
    if (measure->level >= 2) add_all(s);
  }
}

bool trm_fmu_direct(const trm_model *model, const trm_measure *measure, bool *direct) {
  search s = {model, calloc((size_t)model->signal_count + 1, sizeof *s.found)};
  if (!s.found) return false;
  add_measure(&s, measure);
  for (int i = 0, input = 0; i < model->named_signals; i++)
    if (model->signals[i].kind == TRM_SIGNAL_INPUT) direct[input++] = s.found[i];
  free(s.found);
  return true;
}
