/* Laws of joints: they need first and second derivatives. t has them, smooth(x, tau), and variables
 * that hang on nothing else. */
#include <math.h>
#include <stdio.h>

#include "model/build.h"

/* The variable or smooth(x, tau) of a slot, or NULL. */
static const trm_signal *signal_of(const trm_model *model, int slot) {
  if (slot == 0) return NULL;
  const trm_measure *measure = &model->inputs[slot - 1];
  if (measure->kind != TRM_MEASURE_SIGNAL) return NULL;
  const trm_signal *signal = &model->signals[measure->index];
  return signal->kind == TRM_SIGNAL_VARIABLE || signal->smooth ? signal : NULL;
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
  while ((signal = signal_of(model, slot)))
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
  return joint->type == TRM_JOINT_DISTANCE ? "length" : "value";
}

static bool refuse(trm_draft *draft, const trm_joint *joint, int slot, const bool *marked) {
  const trm_subject subject = {"joints", "joint", joint->name};
  const trm_model *model = draft->model;
  TRM_DRAFT_ERROR(draft, &subject, key_of(joint),
                  ": '%s' is a variable that hangs on '%s'; a joint's law needs a second "
                  "derivative, which it does not have: smooth(x, tau) of it has one",
                  model->inputs[slot - 1].name, cause(model, slot, marked));
  return false;
}

/* What a filter starts from is known after assembly only. */
static bool is_filtered(const trm_model *model, const trm_quantity *quantity,
                        const bool *filtered) {
  const int *used;
  int count = quantity->formula ? trm_expression_used(quantity->formula, &used) : 0;
  for (int i = 0; i < count; i++) {
    const trm_signal *signal = signal_of(model, used[i]);
    if (signal && filtered[signal - model->signals]) return true;
  }
  return false;
}

static void check_start(trm_draft *draft, const trm_joint *joint, const double *slots) {
  const trm_subject subject = {"joints", "joint", joint->name};
  double value = trm_quantity_value(&joint->value, slots);
  if (joint->type == TRM_JOINT_DISTANCE)
    trm_draft_length(draft, &subject, value, " at t = 0");
  else if (joint->type == TRM_JOINT_DRIVER && !isfinite(value))
    TRM_DRAFT_ERROR(draft, &subject, "value", ": value is NaN or infinite at t = 0");
}

/* What laws need, filters first, then variables in their order. */
static bool keep_needed(trm_model *model, const bool *needed) {
  model->law_signals = TRM_NEW(model->arena, int, model->signal_count + 1);
  for (int filters = 1; filters >= 0; filters--)
    for (int k = 0; model->law_signals && k < model->signal_count; k++) {
      int i = model->signal_order[k];
      if (needed[i] && (model->signals[i].smooth > 0) == filters)
        model->law_signals[model->law_signal_count++] = i;
    }
  return model->law_signals;
}

void trm_draft_laws(trm_draft *draft) {
  trm_model *model = draft->model;
  bool *marked = TRM_NEW(draft->arena, bool, model->signal_count + 1);
  bool *needed = TRM_NEW(draft->arena, bool, model->signal_count + 1);
  bool *filtered = TRM_NEW(draft->arena, bool, model->signal_count + 1);
  double *slots = TRM_NEW(draft->arena, double, model->input_count + 1);
  if (!marked || !needed || !filtered || !slots) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < model->signal_count; i++) marked[i] = filtered[i] = model->signals[i].smooth;
  for (int k = 0; k < model->signal_count; k++) {
    int i = model->signal_order[k];
    const trm_signal *signal = &model->signals[i];
    if (signal->kind != TRM_SIGNAL_VARIABLE) continue;
    marked[i] = without_derivatives(model, &signal->value, marked) == 0;
    filtered[i] = is_filtered(model, &signal->value, filtered);
    if (marked[i]) slots[signal->slot] = trm_quantity_value(&signal->value, slots);
  }
  for (int j = 0; j < model->joint_count; j++) {
    const trm_joint *joint = &model->joints[j];
    int bad = without_derivatives(model, &joint->value, marked);
    if (bad > 0) {
      refuse(draft, joint, bad, marked);
    } else if (joint->value.formula) {
      if (!is_filtered(model, &joint->value, filtered)) check_start(draft, joint, slots);
      need(model, &joint->value, needed);
    }
  }
  for (int k = model->signal_count - 1; k >= 0; k--) /* those that need come behind */
    if (needed[model->signal_order[k]] && !model->signals[model->signal_order[k]].smooth)
      need(model, &model->signals[model->signal_order[k]].value, needed);
  if (!keep_needed(model, needed)) draft->no_memory = true;
}
