/* Laws of joints: they need first and second derivatives. t has them, smooth(x, tau), and variables
 * that hang on nothing else. */
#include <math.h>
#include <stdio.h>

#include "model/build.h"

/* The variable or state of a slot, or NULL. */
static const trm_signal *signal_of(const trm_model *model, int slot) {
  if (slot == 0) return NULL;
  const trm_measure *measure = &model->inputs[slot - 1];
  if (measure->kind != TRM_MEASURE_SIGNAL) return NULL;
  const trm_signal *signal = &model->signals[measure->index];
  return signal->kind != TRM_SIGNAL_INPUT ? signal : NULL;
}

/* The first slot of a formula that has no derivatives: not t, nor what is marked. */
static int without_derivatives(const trm_model *model, const trm_quantity *quantity,
                               const bool *marked) {
  const int *used;
  int count = quantity->formula ? trm_expression_used(quantity->formula, &used) : 0;
  for (int i = 0; i < count; i++) {
    const trm_signal *signal = signal_of(model, used[i]);
    if (used[i] > 0 && !(signal && marked[signal - model->signals])) return used[i];
  }
  return 0;
}

/* Through the variables down to what they hang on. */
static const char *cause(const trm_model *model, int slot, const bool *marked) {
  const trm_signal *signal;
  while ((signal = signal_of(model, slot)) && signal->kind == TRM_SIGNAL_VARIABLE)
    slot = without_derivatives(model, &signal->value, marked);
  return model->inputs[slot - 1].name;
}

/* Marks what a formula uses. */
static void need(const trm_model *model, const trm_quantity *quantity, bool *needed) {
  const int *used;
  int count = quantity->formula ? trm_expression_used(quantity->formula, &used) : 0;
  for (int i = 0; i < count; i++) {
    const trm_signal *signal = signal_of(model, used[i]);
    if (signal) needed[signal - model->signals] = true;
  }
}

static const char *key_of(const trm_joint *joint) {
  return joint->type == TRM_JOINT_DISTANCE ? "length" : joint->of_rate ? "rate" : "value";
}

static bool refuse(trm_draft *draft, const trm_joint *joint, int slot, const bool *marked) {
  const trm_subject subject = {"joints", "joint", joint->name};
  const trm_model *model = draft->model;
  TRM_DRAFT_ERROR(draft, &subject, key_of(joint),
                  ": '%s' is a variable that hangs on '%s'; %s, which it does not have: "
                  "smooth(x, tau) of it has one",
                  model->inputs[slot - 1].name, cause(model, slot, marked),
                  joint->of_rate ? "a driver on velocity level needs a derivative"
                                 : "a joint's law needs a second derivative");
  return false;
}

/* What a state starts from is known after assembly only. */
static bool is_open(const trm_model *model, const trm_quantity *quantity, const bool *open) {
  const int *used;
  int count = quantity->formula ? trm_expression_used(quantity->formula, &used) : 0;
  for (int i = 0; i < count; i++) {
    const trm_signal *signal = signal_of(model, used[i]);
    if (signal && open[signal - model->signals]) return true;
  }
  return false;
}

static void check_start(trm_draft *draft, const trm_joint *joint, const double *slots) {
  const trm_subject subject = {"joints", "joint", joint->name};
  double value = trm_quantity_value(&joint->value, slots);
  if (joint->type == TRM_JOINT_DISTANCE)
    trm_draft_length(draft, &subject, value, " at t = 0");
  else if (joint->type == TRM_JOINT_DRIVER && !isfinite(value))
    TRM_DRAFT_ERROR(draft, &subject, key_of(joint), ": %s is NaN or infinite at t = 0",
                    key_of(joint));
}

/* What laws need, states first, then variables in their order. */
static bool keep_needed(trm_model *model, const bool *needed) {
  model->law_signals = TRM_NEW(model->arena, int, model->signal_count + 1);
  for (int states = 1; states >= 0; states--)
    for (int k = 0; model->law_signals && k < model->signal_count; k++) {
      int i = model->signal_order[k];
      if (needed[i] && (model->signals[i].kind == TRM_SIGNAL_STATE) == states)
        model->law_signals[model->law_signal_count++] = i;
    }
  return model->law_signals;
}

/* Marks the signals that have the derivatives laws need: filters, for a rate all states, and
 * variables of such alone. */
static void mark(const trm_model *model, bool rate, bool *marked) {
  for (int k = 0; k < model->signal_count; k++) {
    int i = model->signal_order[k];
    if (model->signals[i].kind == TRM_SIGNAL_STATE) marked[i] = rate || model->signals[i].smooth;
  }
  for (int k = 0; k < model->signal_count; k++) {
    int i = model->signal_order[k];
    const trm_signal *signal = &model->signals[i];
    if (signal->kind == TRM_SIGNAL_VARIABLE)
      marked[i] = without_derivatives(model, &signal->value, marked) == 0;
  }
}

/* Values of variables of t at the start; `open`: those that hang on states, too. */
static void look_at_start(const trm_model *model, const bool *marked, double *slots, bool *open) {
  for (int i = 0; i < model->signal_count; i++)
    open[i] = model->signals[i].kind == TRM_SIGNAL_STATE;
  for (int k = 0; k < model->signal_count; k++) {
    int i = model->signal_order[k];
    const trm_signal *signal = &model->signals[i];
    if (signal->kind != TRM_SIGNAL_VARIABLE || !marked[i]) continue;
    open[i] = is_open(model, &signal->value, open);
    slots[signal->slot] = trm_quantity_value(&signal->value, slots);
  }
}

void trm_draft_laws(trm_draft *draft) {
  trm_model *model = draft->model;
  int count = model->signal_count + 1;
  bool *marked[2] = {TRM_NEW(draft->arena, bool, count), TRM_NEW(draft->arena, bool, count)};
  bool *needed = TRM_NEW(draft->arena, bool, count), *open = TRM_NEW(draft->arena, bool, count);
  double *slots = TRM_NEW(draft->arena, double, model->input_count + 1);
  if (!marked[0] || !marked[1] || !needed || !open || !slots) {
    draft->no_memory = true;
    return;
  }
  for (int rate = 0; rate < 2; rate++) mark(model, rate, marked[rate]);
  look_at_start(model, marked[1], slots, open);
  for (int j = 0; j < model->joint_count; j++) {
    const trm_joint *joint = &model->joints[j];
    int bad = without_derivatives(model, &joint->value, marked[joint->of_rate]);
    if (bad > 0) {
      refuse(draft, joint, bad, marked[joint->of_rate]);
    } else if (joint->value.formula) {
      if (!is_open(model, &joint->value, open)) check_start(draft, joint, slots);
      need(model, &joint->value, needed);
    }
  }
  for (int k = model->signal_count - 1; k >= 0; k--) { /* those that need come behind */
    int i = model->signal_order[k];
    if (needed[i] && model->signals[i].kind == TRM_SIGNAL_VARIABLE)
      need(model, &model->signals[i].value, needed);
  }
  if (!keep_needed(model, needed)) draft->no_memory = true;
}
