/* Values: a number, or a formula whose names are parameters, t and measures of the motion. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expression/token.h"
#include "model/build.h"

typedef struct scope {
  trm_draft *draft;
  trm_formula_use use;
  int smooth;   /* 1 + the signal whose own formulas these are, or 0 */
  bool symbols; /* parameters are slots, see trm_model.symbols */
  bool found;   /* a parameter */
  char reason[512];
} scope;

static trm_symbol refuse(const scope *s) {
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
}

static trm_symbol unknown_word(scope *s, const char *name, size_t length) {
  const trm_model *model = s->draft->model;
  char hint[160];
  trm_suggest(model, name, length, s->draft->parameter_names, model->parameter_count, hint,
              sizeof hint);
  if (!hint[0] && model->index) /* signals, and what owns measures */
    trm_suggest(model, name, length, model->index->names, model->index->name_count, hint,
                sizeof hint);
  snprintf(s->reason, sizeof s->reason, "%s", hint[0] ? hint + 2 : ""); /* without the comma */
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN, .reason = hint[0] ? s->reason : NULL};
}

/* The slot of a measure: each is evaluated once, however many formulas use it. */
int trm_draft_slot(trm_draft *draft, const trm_measure *measure, const char *name, size_t length) {
  trm_model *model = draft->model;
  int k = trm_map_get(draft->inputs, name, length);
  if (k < 0) {
    k = model->input_count;
    trm_measure *inputs = trm_grow(model->arena, model->inputs, k, sizeof *inputs);
    char *copy = trm_arena_substring(model->arena, name, length);
    if (!inputs || !copy || !trm_map_put(draft->inputs, copy, length, k)) {
      draft->no_memory = true;
      return 0;
    }
    model->inputs = inputs;
    model->inputs[k] = *measure;
    model->inputs[k].name = copy;
    model->input_count++;
  }
  return 1 + k;
}

/* Behind the parameters, where these are slots. */
static trm_symbol input_at(const scope *s, int slot) {
  if (slot > 0 && s->symbols) slot += s->draft->model->parameter_count;
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = slot};
}

static trm_symbol use_measure(scope *s, const trm_measure *measure, const char *name,
                              size_t length) {
  int slot = trm_draft_slot(s->draft, measure, name, length);
  return slot ? input_at(s, slot) : (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

/* Why a signal cannot be used here; NULL: it can. */
static const char *refuse_signal(const scope *s, const trm_signal *signal) {
  switch (s->use) {
  case TRM_USE_TIME: /* of variables law.c decides, when it knows what they hang on */
    if (signal->kind == TRM_SIGNAL_VARIABLE) return NULL;
    return "a joint's law needs a second derivative, which it does not have: smooth(x, tau) of it "
           "has one";
  case TRM_USE_RATE:
    if (signal->kind != TRM_SIGNAL_INPUT) return NULL;
    return "a driver on velocity level needs a derivative, which it does not have: smooth(x, tau) "
           "of it has one";
  case TRM_USE_INPUT: return "an input is a number or a formula of t";
  default: return NULL;
  }
}

static trm_symbol find_measure(scope *s, const char *name, size_t length) {
  trm_measure measure;
  const trm_model *model = s->draft->model;
  if (!trm_measure_find(model, name, length, &measure, s->reason, sizeof s->reason))
    return refuse(s);
  bool known = measure.kind == TRM_MEASURE_SIGNAL || measure.kind == TRM_MEASURE_STATE_RATE;
  const char *reason = known ? refuse_signal(s, &model->signals[measure.index]) : NULL;
  if (reason) {
    snprintf(s->reason, sizeof s->reason, "'%.*s' is %s %s; %s", (int)length, name,
             model->signals[measure.index].kind == TRM_SIGNAL_INPUT ? "an" : "a",
             trm_signal_kind_name(model->signals[measure.index].kind), reason);
    return refuse(s);
  }
  if (s->use == TRM_USE_INPUT) {
    snprintf(s->reason, sizeof s->reason,
             "'%.*s' is a measure of the motion; an input is a number or a formula of t, a "
             "variable may use it",
             (int)length, name);
    return refuse(s);
  }
  if ((s->use == TRM_USE_TIME || s->use == TRM_USE_RATE) && !known) {
    snprintf(s->reason, sizeof s->reason,
             "'%.*s' is a measure of the motion; only t and parameters may be used here, since a "
             "joint may depend on time but not on the motion it constrains",
             (int)length, name);
    return refuse(s);
  }
  if (measure.level == 2) {
    snprintf(s->reason, sizeof s->reason,
             "'%.*s' is %s; forces and signals may use positions and velocities only, anything "
             "else would be "
             "an algebraic loop",
             (int)length, name, trm_measure_level_name(&measure));
    return refuse(s);
  }
  return use_measure(s, &measure, name, length);
}

static trm_symbol look_up(void *context, const char *name, size_t length);

/* Whatever the formula around it may use, a filter may follow the motion. */
static trm_expression *parse_smooth(void *context, const char *text, int smooth,
                                    trm_expression_error *error) {
  scope s = {.draft = ((scope *)context)->draft, .use = TRM_USE_MOTION, .smooth = smooth};
  return trm_expression_take(s.draft->model->shelf, text, look_up, &s, s.draft->folder, error);
}

static trm_symbol find_smooth(scope *s, const char *text, size_t length) {
  if (s->use != TRM_USE_INPUT) {
    trm_symbol symbol =
        trm_draft_smooth(s->draft, text, length, parse_smooth, s, s->reason, sizeof s->reason);
    return symbol.kind == TRM_SYMBOL_VARIABLE ? input_at(s, symbol.slot) : symbol;
  }
  snprintf(s->reason, sizeof s->reason,
           "an input is a number or a formula of t, a variable may use smooth");
  return refuse(s);
}

/* Value and rate of the filter whose formulas these are. */
static trm_symbol own_state(const scope *s, bool rate) {
  const trm_signal *signal = &s->draft->model->signals[s->smooth - 1];
  int slot = rate ? s->draft->model->signals[signal->smooth].slot : signal->slot;
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = slot};
}

trm_symbol trm_draft_unit(const trm_draft *draft, const char *text, size_t length,
                          trm_name_taken *taken, void *context, char *reason, size_t size) {
  double number = 0;
  size_t digits = trm_number_read(text, &number), unit = digits + strspn(text + digits, " ");
  for (size_t at = unit, end; trm_unit_next(text, length, &at, &end); at = end) {
    if (!taken(context, text + at, end - at)) continue;
    int n = (int)(end - at);
    snprintf(reason, size,
             "'%.*s' is a unit and a name of this model: write a product as 2*%.*s, or rename it",
             n, text + at, n, text + at);
    return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = reason};
  }
  double value = number * trm_unit_value(text + unit, length - unit, draft->units);
  draft->model->units = draft->units->name;
  return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = value};
}

static bool is_parameter(void *context, const char *name, size_t length) {
  return trm_map_get(((const scope *)context)->draft->parameters, name, length) >= 0;
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  const trm_model *model = s->draft->model;
  if (name[0] == '.' || (name[0] >= '0' && name[0] <= '9'))
    return trm_draft_unit(s->draft, name, length, is_parameter, s, s->reason, sizeof s->reason);
  if (name[length - 1] == ')' && strncmp(name, "smooth", 6) != 0)
    return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
  if (name[length - 1] == ')') return find_smooth(s, name, length);
  bool value = s->smooth && trm_text_is("smooth.own.value", name, length);
  if (value || (s->smooth && trm_text_is("smooth.own.rate", name, length)))
    return own_state(s, !value);
  int parameter = trm_map_get(s->draft->parameters, name, length);
  s->found |= parameter >= 0;
  if (parameter >= 0 && s->symbols)
    return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 1 + parameter};
  if (parameter >= 0)
    return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = model->parameters[parameter].value};
  if (length == 1 && name[0] == 't') return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  bool prime = length > 1 && name[length - 1] == '\'';
  trm_item item; /* a bare body's name is no number either; the reason lists its measures */
  if (memchr(name, '.', length) || trm_index_find(model, name, length - prime, &item))
    return find_measure(s, name, length);
  return unknown_word(s, name, length);
}

/* What has been parsed before, with parameters as slots. */
static trm_expression *parse_symbols(trm_draft *draft, const char *text, trm_formula_use use) {
  scope s = {.draft = draft, .use = use, .symbols = true};
  trm_expression_error error = {0};
  trm_expression *formula =
      trm_expression_take(draft->model->shelf, text, look_up, &s, draft->folder, &error);
  draft->no_memory |= !formula && error.no_memory;
  return formula;
}

static bool parse(trm_draft *draft, const trm_subject *subject, const char *key, const char *text,
                  trm_formula_use use, trm_quantity *quantity) {
  scope s = {.draft = draft, .use = use};
  trm_expression_error error = {0};
  quantity->formula =
      trm_expression_take(draft->model->shelf, text, look_up, &s, draft->folder, &error);
  if (!quantity->formula) {
    draft->no_memory |= error.no_memory;
    trm_draft_report(draft, TRM_ERROR, subject, key, error.offset, ": %s", error.message);
    return false;
  }
  bool kept = draft->model->symbols && s.found && (use == TRM_USE_MOTION || use == TRM_USE_INPUT);
  if (kept) quantity->symbols = parse_symbols(draft, text, use);
  if (!trm_expression_is_constant(quantity->formula)) return true;
  const double nothing = 0;
  quantity->number = trm_expression_value(quantity->formula, &nothing);
  trm_expression_destroy(quantity->formula);
  quantity->formula = NULL;
  return trm_draft_finite(draft, subject, key, quantity->number);
}

bool trm_draft_quantity(trm_draft *draft, const trm_subject *subject, const char *key,
                        const trm_value *value, trm_formula_use use, trm_quantity *quantity) {
  if (value->text) return parse(draft, subject, key, value->text, use, quantity);
  quantity->number = value->number;
  return trm_draft_finite(draft, subject, key, value->number);
}
