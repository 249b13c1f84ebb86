/* Slopes of formulas by parameters, and what they make of the equations of motion. */
#include "system/symbols.h"

#include <stdio.h>
#include <string.h>

#include "math/vector.h"

/* ---- the formulas ---- */

static const trm_quantity *value_of(const trm_force *force, int k) {
  const trm_quantity *others[] = {&force->stiffness, &force->damping, &force->free};
  return k < TRM_MOST_VALUES ? &force->value[k] : others[k - TRM_MOST_VALUES];
}

static bool is_parameter(const trm_model *model, int slot) {
  return slot > 0 && slot <= model->parameter_count;
}

/* With the slopes of the one before it behind `first`. */
static void add(trm_symbols *s, int *slopes, trm_symbol_formula formula) {
  const int *used;
  if (!formula.quantity->symbols) return;
  formula.first = *slopes;
  int count = trm_expression_used(formula.quantity->symbols, &used);
  for (int i = 0; i < count; i++) *slopes += is_parameter(s->model, used[i]);
  if (s->formula) s->formula[s->count] = formula;
  if (s->of_signal && formula.force < 0) s->of_signal[formula.signal] = s->count;
  s->count++;
}

/* How many slopes there are. */
static int list_formulas(trm_symbols *s) {
  const trm_model *model = s->model;
  int slopes = 0;
  s->count = 0;
  for (int i = 0; i < model->force_count; i++)
    for (int k = 0; k < TRM_SYMBOL_VALUES; k++)
      add(s, &slopes,
          (trm_symbol_formula){
              .quantity = value_of(&model->forces[i], k), .force = i, .value = k, .signal = -1});
  for (int i = 0; i < model->signal_count; i++)
    add(s, &slopes,
        (trm_symbol_formula){.quantity = &model->signals[i].value, .force = -1, .signal = i});
  return slopes;
}

trm_symbols *trm_symbols_create(const trm_system *sys, trm_arena *arena) {
  const trm_model *model = sys->model;
  int slots = 1 + model->parameter_count + model->input_count;
  trm_symbols *s = TRM_NEW(arena, trm_symbols, 1);
  if (!s) return NULL;
  s->model = model;
  int slopes = list_formulas(s);
  s->formula = TRM_NEW(arena, trm_symbol_formula, s->count + 1);
  s->of_signal = TRM_NEW(arena, int, model->signal_count + 1);
  s->slots = TRM_NEW(arena, double, slots);
  s->gradient = TRM_NEW(arena, double, slots);
  s->slope = TRM_NEW(arena, double, slopes + 1);
  s->weight = TRM_NEW(arena, double, s->count + 1);
  s->by_slot = TRM_NEW(arena, double, model->input_count + 1);
  s->Q = TRM_NEW(arena, double, sys->n + 1);
  if (trm_arena_failed(arena)) return NULL;
  for (int i = 0; i < model->signal_count; i++) s->of_signal[i] = -1;
  list_formulas(s);
  for (int k = 0; k < model->parameter_count; k++) s->slots[1 + k] = model->parameters[k].value;
  return s;
}

/* ---- what hangs on a parameter ---- */

bool trm_symbols_chain(const trm_symbols *s, trm_arena *arena, trm_chain *chain) {
  *chain = (trm_chain){0};
  if (!s) return true;
  chain->formula = TRM_NEW(arena, int, s->count + 1);
  chain->by = TRM_NEW(arena, double, s->model->parameter_count + 1);
  return chain->formula && chain->by;
}

/* A function in the place of an input has no formula. */
static bool has_functions(const trm_model *model) {
  for (int i = 0; i < model->signal_count; i++)
    if (model->functions[i].function) return true;
  return false;
}

/* By the parameters that a formula of parameters uses, in `gradient`. */
static double chain_slope(const trm_symbols *s, const trm_expression *formula, const double *by) {
  const int *used;
  double sum = 0;
  int count = trm_expression_used(formula, &used);
  trm_expression_gradient(formula, s->slots, s->gradient);
  for (int i = 0; i < count; i++)
    if (is_parameter(s->model, used[i])) sum += s->gradient[used[i]] * by[used[i] - 1];
  return sum;
}

bool trm_symbols_begin(trm_symbols *s, const trm_model *other, int parameter, trm_chain *chain) {
  if (!s || !other->parameter_symbols || has_functions(s->model)) return false;
  for (int k = 0; k < s->model->parameter_count; k++) {
    const trm_expression *here = s->model->parameter_symbols[k],
                         *there = other->parameter_symbols[k];
    chain->by[k] = k == parameter;
    if (k == parameter) continue;
    if (!here != !there) return false;
    if (!here && s->model->parameters[k].value != other->parameters[k].value) return false;
    if (here && !trm_expression_is_same(here, there)) return false;
    if (here) chain->by[k] = chain_slope(s, here, chain->by);
  }
  return true;
}

static bool is_same(const trm_quantity *x, const trm_quantity *y) {
  if (!x->formula || !y->formula) return !x->formula && !y->formula && x->number == y->number;
  return trm_expression_is_same(x->formula, y->formula);
}

/* The text has no other numbers than parameters that change. */
static bool has_same_symbols(const trm_quantity *x, const trm_quantity *y) {
  return x->symbols && y->symbols && trm_expression_is_same(x->symbols, y->symbols);
}

bool trm_symbols_add_signals(const trm_symbols *s, const trm_model *other, trm_chain *chain) {
  int before = chain->formulas;
  for (int i = 0; i < s->model->signal_count; i++) {
    const trm_quantity *here = &s->model->signals[i].value, *there = &other->signals[i].value;
    if (is_same(here, there)) continue;
    if (!has_same_symbols(here, there)) {
      chain->formulas = before;
      return false;
    }
    chain->formula[chain->formulas++] = s->of_signal[i];
  }
  return true;
}

static int find_formula(const trm_symbols *s, int force, int value) {
  int low = 0, high = s->count;
  while (low < high) { /* forces are in order, and come first */
    int middle = (low + high) / 2;
    const trm_symbol_formula *f = &s->formula[middle];
    bool before = f->force >= 0 && (f->force < force || (f->force == force && f->value < value));
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool trm_symbols_add_force(const trm_symbols *s, const trm_model *other, int force,
                           trm_chain *chain) {
  int before = chain->formulas;
  for (int k = 0; k < TRM_SYMBOL_VALUES; k++) {
    const trm_quantity *here = value_of(&s->model->forces[force], k);
    const trm_quantity *there = value_of(&other->forces[force], k);
    if (is_same(here, there)) continue;
    if (!has_same_symbols(here, there)) {
      chain->formulas = before;
      return false;
    }
    chain->formula[chain->formulas++] = find_formula(s, force, k);
  }
  return chain->formulas > before;
}

/* ---- at a state ---- */

void trm_symbols_visit(trm_symbols *s, const trm_virtual *x) {
  const trm_model *model = s->model;
  s->slots[0] = x->slots[0];
  memcpy(s->slots + 1 + model->parameter_count, x->slots + 1,
         (size_t)model->input_count * sizeof(double));
  for (int f = 0; f < s->count; f++) {
    const int *used;
    const trm_expression *formula = s->formula[f].quantity->symbols;
    int count = trm_expression_used(formula, &used), at = s->formula[f].first;
    trm_expression_gradient(formula, s->slots, s->gradient);
    for (int i = 0; i < count; i++)
      if (is_parameter(model, used[i])) s->slope[at++] = s->gradient[used[i]];
  }
}

/* What ∂S by a formula's value makes of what it uses. */
void trm_symbols_pass_on(trm_symbols *s, const trm_expression *formula, const double *slots,
                         double weight) {
  const int *used;
  if (!formula || weight == 0) return;
  int count = trm_expression_used(formula, &used);
  trm_expression_gradient(formula, slots, s->gradient);
  for (int i = 0; i < count; i++) s->by_slot[used[i]] += weight * s->gradient[used[i]];
}

/* A spring's tension is k (s − s0) + c ṡ. */
static double weigh_spring(const trm_element *e, int value, const trm_virtual *x) {
  double along = trm_contract_stretch(e, x);
  if (value == TRM_MOST_VALUES + 1) return trm_element_rate(e, x->motion) * along;
  if (value > TRM_MOST_VALUES) return -trm_quantity_value(&e->stiffness, x->slots) * along;
  return (trm_element_value(e, x->motion) - trm_quantity_value(&e->free, x->slots)) * along;
}

/* Other forces are linear in their values. */
static const char *weigh_value(trm_symbols *s, const trm_element *e, int value,
                               const trm_virtual *x, double *weight) {
  trm_element unit = *e;
  *weight = 0;
  memset(unit.value, 0, sizeof unit.value);
  unit.value[value].number = 1;
  return trm_contract_push(&unit, x->slots, x, s->Q, weight);
}

static const char *weigh_force(trm_symbols *s, int i, int *next, const trm_virtual *x) {
  const trm_force *force = &s->model->forces[i];
  const trm_element *e = &x->system->elements[i];
  for (int k = 0; k < TRM_SYMBOL_VALUES; k++) {
    const trm_quantity *quantity = value_of(force, k);
    double weight = 0;
    if (!quantity->formula && !quantity->symbols) continue;
    const char *reason = NULL;
    if (k >= TRM_MOST_VALUES)
      weight = weigh_spring(e, k, x);
    else
      reason = weigh_value(s, e, k, x, &weight);
    if (reason) return reason;
    trm_symbols_pass_on(s, quantity->formula, x->slots, weight);
    if (quantity->symbols) s->weight[(*next)++] = weight;
  }
  return NULL;
}

/* Backwards: a signal comes before those that use it. With w [n + states] or without. */
static void pass_back(trm_symbols *s, const trm_system *sys, const double *slots, const double *w) {
  const trm_model *model = s->model;
  for (int i = model->signal_count - 1; i >= 0; i--) {
    int k = model->signal_order[i];
    const trm_signal *signal = &model->signals[k];
    bool state = signal->kind == TRM_SIGNAL_STATE;
    double weight = s->by_slot[state ? signal->rate_slot : signal->slot];
    if (state && w) weight -= w[sys->n + signal->state];
    if (sys->given_inputs[k].over) weight = 0;
    trm_symbols_pass_on(s, signal->value.formula, slots, weight);
    if (w && s->of_signal[k] >= 0) s->weight[s->of_signal[k]] = weight;
  }
}

void trm_symbols_clear(trm_symbols *s) {
  memset(s->by_slot, 0, (size_t)(s->model->input_count + 1) * sizeof(double));
}

void trm_symbols_resolve(trm_symbols *s, const trm_system *sys) {
  pass_back(s, sys, sys->slots, NULL);
}

bool trm_symbols_weigh(trm_symbols *s, const trm_virtual *x, char *error, size_t size) {
  int next = 0;
  trm_symbols_clear(s);
  for (int i = 0; i < s->model->force_count; i++) {
    const char *reason = weigh_force(s, i, &next, x);
    if (!reason) continue;
    snprintf(error, size, "t = %.9g: force '%s': %s", x->t, s->model->forces[i].name, reason);
    return false;
  }
  pass_back(s, x->system, x->slots, x->w);
  return true;
}

double trm_contract_chain(const trm_symbols *s, const trm_chain *chain) {
  double sum = 0;
  for (int i = 0; i < chain->formulas; i++) {
    const trm_symbol_formula *f = &s->formula[chain->formula[i]];
    const int *used;
    int count = trm_expression_used(f->quantity->symbols, &used);
    double slope = 0;
    for (int k = 0, at = f->first; k < count; k++)
      if (is_parameter(s->model, used[k])) slope += s->slope[at++] * chain->by[used[k] - 1];
    sum += s->weight[chain->formula[i]] * slope;
  }
  return sum;
}
