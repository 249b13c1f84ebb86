/* Formulas of the outputs: measures that the user makes of others, accelerations and forces
 * included. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"

typedef struct scope {
  trm_draft *draft;
  trm_output_formula *formula;
  char reason[256];
} scope;

/* The measure's slot; −1: no memory. */
static int slot_of(scope *s, const trm_measure *measure, const char *name, size_t length) {
  trm_output_formula *f = s->formula;
  trm_arena *arena = s->draft->model->arena;
  for (int k = 0; k < f->count; k++)
    if (trm_text_is(f->measures[k].name, name, length)) return k;
  trm_measure *measures = trm_grow(arena, f->measures, f->count, sizeof *measures);
  const char *copy = trm_arena_substring(arena, name, length);
  if (!measures || !copy) {
    s->draft->no_memory = true;
    return -1;
  }
  f->measures = measures;
  measures[f->count] = *measure;
  measures[f->count].name = copy;
  return f->count++;
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  const trm_model *model = s->draft->model;
  trm_measure measure;
  int parameter = trm_map_get(s->draft->parameters, name, length);
  if (parameter >= 0)
    return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = model->parameters[parameter].value};
  if (!trm_measure_find(model, name, length, &measure, s->reason, sizeof s->reason))
    return trm_draft_unknown(s->draft, name, length, NULL, 0, s->reason, sizeof s->reason);
  if (measure.kind == TRM_MEASURE_FORMULA) {
    snprintf(s->reason, sizeof s->reason,
             "'%.*s' is a formula of an output itself; write out what it stands for, or make it a "
             "variable",
             (int)length, name);
    return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
  }
  int slot = slot_of(s, &measure, name, length);
  if (slot < 0) return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = slot};
}

/* A coordinate of a system of the user's own is no item. */
static bool is_taken(const trm_model *model, const char *name) {
  trm_measure measure;
  char reason[256];
  return model->user &&
         trm_user_measure(model, name, strlen(name), &measure, reason, sizeof reason);
}

static void parse(trm_draft *draft, const trm_output_def *definition, trm_output_formula *f) {
  trm_model *model = draft->model;
  scope s = {.draft = draft, .formula = f};
  const trm_subject subject = {"outputs", "output", definition->name};
  trm_expression_error error = {0};
  if (is_taken(model, definition->name))
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": there is a measure of this name");
  f->formula =
      trm_expression_take(model->shelf, definition->formula, look_up, &s, draft->folder, &error);
  if (!f->formula)
    trm_draft_report(draft, TRM_ERROR, &subject, NULL, error.offset, ": %s", error.message);
  trm_measures_group(f->measures, f->count);
  if (f->count > model->most_slots) model->most_slots = f->count;
}

void trm_draft_formulas(trm_draft *draft) {
  for (int i = 0, k = 0; i < draft->output_count; i++)
    if (draft->outputs[i].formula) parse(draft, &draft->outputs[i], &draft->model->formulas[k++]);
}

void trm_formulas_destroy(trm_model *model) {
  for (int i = 0; i < model->formula_count; i++) trm_expression_destroy(model->formulas[i].formula);
}
