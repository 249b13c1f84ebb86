/* Signals: inputs, variables and states, the order in which their formulas need one another, and
 * what each hangs on. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"

static const char *const sections[] = {"inputs", "variables", "states"};
static const char *const kinds[] = {"input", "variable", "state"};

static trm_subject subject_of(const trm_signal_def *def) {
  return (trm_subject){sections[def->kind], kinds[def->kind], def->name};
}

const char *trm_signal_kind_name(trm_signal_kind kind) {
  return kinds[kind];
}

static const char *with_prime(trm_arena *arena, const char *name) {
  size_t length = strlen(name);
  char *text = trm_arena_alloc(arena, length + 2, 1);
  if (text) snprintf(text, length + 2, "%s'", name);
  return text;
}

/* Every signal has a slot of its own, used or not. */
static bool declare(trm_draft *draft, int i) {
  trm_model *model = draft->model;
  trm_signal *signal = &model->signals[i];
  trm_measure measure = {.kind = TRM_MEASURE_SIGNAL, .index = i, .level = 1};
  *signal = (trm_signal){.name = draft->signals[i].name, .kind = draft->signals[i].kind};
  signal->slot = trm_draft_slot(draft, &measure, signal->name, strlen(signal->name));
  if (signal->kind != TRM_SIGNAL_STATE) return signal->slot > 0;
  const char *rate = with_prime(model->arena, signal->name);
  measure.kind = TRM_MEASURE_STATE_RATE;
  signal->state = model->state_count++;
  signal->rate_slot = rate ? trm_draft_slot(draft, &measure, rate, strlen(rate)) : 0;
  return signal->slot > 0 && signal->rate_slot > 0;
}

bool trm_draft_declare_signals(trm_draft *draft) {
  trm_model *model = draft->model;
  int count = draft->signal_count;
  model->signals = trm_grow_to(model->arena, count + 1, sizeof *model->signals);
  if (!model->signals) return false;
  for (; model->signal_count < count; model->signal_count++)
    if (!declare(draft, model->signal_count)) return false;
  model->named_signals = count;
  return true;
}

int trm_draft_add_state(trm_draft *draft, const char *name) {
  trm_model *model = draft->model;
  int i = model->signal_count;
  const trm_value nothing = trm_number(0);
  trm_model_add_state(model, name, &nothing, &nothing);
  trm_signal *signals = trm_grow(model->arena, model->signals, i, sizeof *signals);
  if (draft->signal_count != i + 1 || !signals) return -1;
  model->signals = signals;
  if (!declare(draft, i)) return -1;
  return model->signal_count++;
}

/* ---- formulas ---- */

/* What a function in an input's place would be of. */
static trm_quantity *read_arguments(trm_draft *draft, const trm_subject *subject,
                                    const trm_signal_def *def) {
  trm_quantity *arguments = TRM_NEW(draft->model->arena, trm_quantity, def->argument_count + 1);
  if (!arguments) draft->no_memory = true;
  for (int k = 0; arguments && k < def->argument_count; k++)
    trm_draft_quantity(draft, subject, "of", &def->arguments[k], TRM_USE_MOTION, &arguments[k]);
  return arguments;
}

static void read_formulas(trm_draft *draft, int i) {
  const trm_signal_def def = draft->signals[i]; /* formulas may add signals, and move them all */
  const trm_subject subject = subject_of(&def);
  trm_quantity value = {0}, initial = {0}, *arguments = NULL;
  switch (def.kind) {
  case TRM_SIGNAL_INPUT:
    trm_draft_quantity(draft, &subject, NULL, &def.value, TRM_USE_INPUT, &value);
    arguments = read_arguments(draft, &subject, &def);
    break;
  case TRM_SIGNAL_VARIABLE:
    trm_draft_quantity(draft, &subject, NULL, &def.value, TRM_USE_MOTION, &value);
    break;
  case TRM_SIGNAL_STATE:
    if (def.initial.given)
      trm_draft_quantity(draft, &subject, "initial", &def.initial, TRM_USE_START, &initial);
    if (def.value.given)
      trm_draft_quantity(draft, &subject, "rate", &def.value, TRM_USE_MOTION, &value);
  }
  trm_signal *signal = &draft->model->signals[i];
  signal->value = value;
  signal->initial = initial;
  signal->arguments = arguments;
  signal->argument_count = arguments ? def.argument_count : 0;
}

/* The slots that all its formulas use, one after the other. */
static bool find_used(trm_model *model, trm_signal *signal) {
  const int *used;
  int total = 0;
  for (int k = -1; k < signal->argument_count; k++) {
    const trm_quantity *part = k < 0 ? &signal->value : &signal->arguments[k];
    total += part->formula ? trm_expression_used(part->formula, &used) : 0;
  }
  int *all = TRM_NEW(model->arena, int, total + 1);
  for (int k = -1; all && k < signal->argument_count; k++) {
    const trm_quantity *part = k < 0 ? &signal->value : &signal->arguments[k];
    int count = part->formula ? trm_expression_used(part->formula, &used) : 0;
    for (int i = 0; i < count; i++) all[signal->used_count++] = used[i];
  }
  signal->used = all;
  return all;
}

/* ---- their order ---- */

/* The signal whose formula gives a slot its value, or −1. */
static int formula_of(const trm_model *model, int slot) {
  if (slot == 0) return -1;
  const trm_measure *measure = &model->inputs[slot - 1];
  bool rate = measure->kind == TRM_MEASURE_STATE_RATE;
  if (measure->kind != TRM_MEASURE_SIGNAL && !rate) return -1;
  return rate || model->signals[measure->index].kind != TRM_SIGNAL_STATE ? measure->index : -1;
}

typedef enum mark { UNSEEN, OPEN, DONE } mark;

typedef struct search {
  trm_draft *draft;
  mark *marks; /* [signals] */
  int *way;    /* [signals] those that are open, one needing the next; */
  int *next;   /* [signals] which of its slots each has come to */
  int depth, count;
} search;

static void report_cycle(const search *s, int from) {
  const trm_model *model = s->draft->model;
  const trm_signal_def *def = &s->draft->signals[s->way[from]];
  const trm_subject subject = subject_of(def);
  char text[400];
  size_t used = 0;
  for (int i = from + 1; i <= s->depth && used < sizeof text; i++) {
    const trm_signal *signal = &model->signals[s->way[i < s->depth ? i : from]];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s needs '%.60s%s'",
                             i == from + 1 ? "" : ", which", signal->name,
                             signal->kind == TRM_SIGNAL_STATE ? "'" : "");
  }
  TRM_DRAFT_ERROR(s->draft, &subject, def->kind == TRM_SIGNAL_STATE ? "rate" : NULL,
                  ": circular: it%s; an algebraic loop has no value, a state in between would "
                  "break it",
                  text);
}

static void enter(search *s, int signal) {
  s->marks[signal] = OPEN;
  s->next[s->depth] = 0;
  s->way[s->depth++] = signal;
}

/* Depth first, without recursion: chains may be long. */
static void visit(search *s, int signal) {
  trm_model *model = s->draft->model;
  enter(s, signal);
  while (s->depth > 0) {
    int at = s->way[s->depth - 1];
    const int *used = model->signals[at].used;
    int count = model->signals[at].used_count, other = -1;
    while (other < 0 && s->next[s->depth - 1] < count)
      other = formula_of(model, used[s->next[s->depth - 1]++]);
    if (other >= 0 && s->marks[other] == UNSEEN) {
      enter(s, other);
    } else if (other >= 0 && s->marks[other] == OPEN) {
      int from = 0;
      while (s->way[from] != other) from++;
      report_cycle(s, from);
    } else if (other < 0) {
      s->marks[at] = DONE;
      model->signal_order[s->count++] = at;
      s->depth--;
    }
  }
}

static bool find_order(trm_draft *draft) {
  trm_model *model = draft->model;
  int count = model->signal_count, *states = TRM_NEW(model->arena, int, count + 1);
  model->states = states;
  model->signal_order = TRM_NEW(model->arena, int, count + 1);
  if (!states || !model->signal_order) return false;
  for (int i = 0; i < count; i++)
    if (model->signals[i].kind == TRM_SIGNAL_STATE) states[model->signals[i].state] = i;
  search s = {.draft = draft,
              .marks = TRM_NEW(draft->arena, mark, count + 1),
              .way = TRM_NEW(draft->arena, int, count + 1),
              .next = TRM_NEW(draft->arena, int, count + 1)};
  if (!s.marks || !s.way || !s.next) return false;
  for (int i = 0; i < count; i++)
    if (s.marks[i] == UNSEEN) visit(&s, i);
  return true;
}

/* ---- what they hang on ---- */

static void add_base(int slot, bool *has, int *base, int *count) {
  if (!has[slot]) base[(*count)++] = slot;
  has[slot] = true;
}

static bool find_base(trm_draft *draft, trm_signal *signal, bool *has, int *base) {
  const trm_model *model = draft->model;
  const int *used = signal->used;
  int count = signal->used_count;
  signal->base_count = 0;
  for (int i = 0; i < count; i++) {
    int other = formula_of(model, used[i]);
    const trm_signal *by = other >= 0 ? &model->signals[other] : NULL;
    if (!by && used[i] > 0) add_base(used[i], has, base, &signal->base_count);
    for (int k = 0; by && k < by->base_count; k++)
      add_base(by->base[k], has, base, &signal->base_count);
  }
  int *copy = TRM_NEW(model->arena, int, signal->base_count + 1);
  if (!copy) return false;
  for (int k = 0; k < signal->base_count; k++) has[copy[k] = base[k]] = false;
  signal->base = copy;
  return true;
}

/* ---- where states start ---- */

/* Whether all states that the initial value of one hangs on have theirs. */
static bool can_start(const trm_model *model, const trm_signal *signal, const bool *started) {
  const int *used;
  int count = signal->initial.formula ? trm_expression_used(signal->initial.formula, &used) : 0;
  for (int i = 0; i < count; i++) {
    int other = formula_of(model, used[i]);
    const trm_signal *by = other >= 0 ? &model->signals[other] : NULL;
    int bases = by ? by->base_count : used[i] > 0;
    const int *base = by ? by->base : &used[i];
    for (int k = 0; k < bases; k++) {
      const trm_measure *measure = &model->inputs[base[k] - 1];
      if (measure->kind == TRM_MEASURE_SIGNAL && !started[measure->index]) return false;
    }
  }
  return true;
}

static bool find_start(trm_draft *draft) {
  trm_model *model = draft->model;
  bool *started = TRM_NEW(draft->arena, bool, model->signal_count + 1);
  int *order = model->start_order = TRM_NEW(model->arena, int, model->state_count + 1), found = 0;
  if (!started || !order) return false;
  for (int before = -1; before < found;) {
    before = found;
    for (int k = 0; k < model->state_count; k++) {
      int i = model->states[k];
      if (started[i] || !can_start(model, &model->signals[i], started)) continue;
      started[i] = true;
      order[found++] = i;
    }
  }
  int open = 0; /* one message tells of all in the circle */
  while (found < model->state_count && started[model->states[open]]) open++;
  if (found < model->state_count) {
    const trm_subject subject = subject_of(&draft->signals[model->states[open]]);
    TRM_DRAFT_ERROR(draft, &subject, "initial",
                    ": circular: initial values need one another, none can be the first");
  }
  return true;
}

void trm_draft_signals(trm_draft *draft) {
  trm_model *model = draft->model;
  int before = draft->errors;
  for (int i = 0; i < model->named_signals; i++) read_formulas(draft, i);
  int errors = draft->errors;
  bool good = true;
  for (int i = 0; good && i < model->signal_count; i++) good = find_used(model, &model->signals[i]);
  good = good && find_order(draft);
  model->functions = TRM_NEW(model->arena, trm_own_function, model->signal_count + 1);
  good = good && model->functions;
  bool *has = TRM_NEW(draft->arena, bool, model->input_count + 1);
  int *base = TRM_NEW(draft->arena, int, model->input_count + 1);
  good = good && has && base;
  for (int i = 0; good && errors == draft->errors && i < model->signal_count; i++)
    good = find_base(draft, &model->signals[model->signal_order[i]], has, base);
  if (good && before == draft->errors) good = find_start(draft);
  if (!good) draft->no_memory = true;
  if (good && before == draft->errors) trm_draft_laws(draft);
}
