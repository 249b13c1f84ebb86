/* Inputs, variables, states. */
#include "system/signals.h"

#include <math.h>
#include <string.h>

#include "system/mechanism.h"
#include "system/tangent_work.h"

/* Differences of order four of a function that tells no derivatives. */
#define NEXT 1e-3 /* of an argument, or of one */
static const double place[] = {-2, -1, 1, 2};

bool trm_signals_create(trm_system *sys) {
  const trm_model *model = sys->model;
  if (model->signal_count == 0) return true;
  trm_signals *signals = sys->signals = TRM_NEW(sys->arena, trm_signals, 1);
  if (!signals) return false;
  signals->slope = TRM_NEW(sys->arena, double *, model->signal_count);
  signals->gradient = TRM_NEW(sys->arena, double, model->input_count + 1);
  signals->sum = TRM_NEW(sys->arena, double, model->input_count + 1);
  int most = 0;
  for (int i = 0; i < model->signal_count; i++)
    if (model->signals[i].argument_count > most) most = model->signals[i].argument_count;
  signals->argument = TRM_NEW(sys->arena, double, most + 1);
  signals->by = TRM_NEW(sys->arena, double, most + 1);
  if (trm_arena_failed(sys->arena)) return false;
  for (int i = 0; i < model->signal_count; i++)
    if (!(signals->slope[i] = TRM_NEW(sys->arena, double, model->signals[i].base_count + 1)))
      return false;
  return true;
}

/* The slot that a signal's formula fills. */
static int slot_of(const trm_signal *signal) {
  return signal->kind == TRM_SIGNAL_STATE ? signal->rate_slot : signal->slot;
}

/* A function in an input's place; by: its derivatives are wanted. */
static double call(trm_system *sys, int i, double *by) {
  const trm_signal *signal = &sys->model->signals[i];
  const trm_own_function *own = &sys->model->functions[i];
  double *x = sys->signals->argument, t = sys->slots[0];
  for (int k = 0; k < signal->argument_count; k++)
    x[k] = trm_quantity_value(&signal->arguments[k], sys->slots);
  for (int k = 0; by && k < signal->argument_count; k++) by[k] = NAN;
  double value = own->function(own->context, t, x, by);
  for (int k = 0; by && k < signal->argument_count; k++) {
    if (!isnan(by[k])) continue;
    double at = x[k], h = NEXT * fmax(1, fabs(at)), side[4];
    for (int s = 0; s < 4; s++) {
      x[k] = at + place[s] * h;
      side[s] = own->function(own->context, t, x, NULL);
    }
    x[k] = at;
    by[k] = (8 * (side[2] - side[1]) - (side[3] - side[0])) / (12 * h);
  }
  return value;
}

/* An input's value comes from outside, from a function in its place or from its formula. */
static double value_of(trm_system *sys, int i) {
  const trm_given_input *taken = &sys->given_inputs[i];
  if (taken->over) return taken->value;
  if (sys->model->functions[i].function) return call(sys, i, NULL);
  return trm_quantity_value(&sys->model->signals[i].value, sys->slots);
}

void trm_signals_fill(trm_system *sys, const double *z) {
  const trm_model *model = sys->model;
  for (int k = 0; k < model->state_count; k++)
    sys->slots[model->signals[model->states[k]].slot] = z[k];
  for (int i = 0; i < model->signal_count; i++) {
    const trm_signal *signal = &model->signals[model->signal_order[i]];
    double value = value_of(sys, (int)(signal - model->signals));
    sys->slots[slot_of(signal)] = value;
    if (signal->kind == TRM_SIGNAL_STATE) sys->state_rate[signal->state] = value;
  }
}

static bool fail(trm_system *sys, const trm_signal *signal, const char *what) {
  sys->place = trm_origin_place(sys->model, signal->origin);
  return trm_system_fail(sys, sys->t,
                         "state '%s': its %s is not a finite number: a formula has left its "
                         "domain (a division by zero, a root of a negative number, a table "
                         "outside its range)",
                         signal->name, what);
}

bool trm_signals_are_finite(trm_system *sys) {
  const trm_model *model = sys->model;
  double sum = 0;
  for (int k = 0; k < model->state_count; k++) sum += 0 * sys->state_rate[k];
  if (sum == 0) return true;
  for (int k = 0; k < model->state_count; k++) /* of a state that is not finite others tell */
    if (!isfinite(sys->slots[model->signals[model->states[k]].slot])) return true;
  int bad = 0;
  while (isfinite(sys->state_rate[bad])) bad++;
  return fail(sys, &model->signals[model->states[bad]], "rate");
}

bool trm_system_start_states(trm_system *sys, double t, const double *q, double *v) {
  const trm_model *model = sys->model;
  if (sys->states == 0) return true;
  for (int k = 0; k < sys->states; k++) v[sys->n + k] = 0;
  trm_system_move_to(sys, t, q); /* laws may hang on what is found here */
  trm_system_take_position(sys, q);
  trm_system_take_velocity(sys, v);
  trm_system_fill_slots(sys, v);
  for (int i = 0; i < model->force_count; i++) {
    const trm_element *e = &sys->elements[i];
    if (e->type->start) e->type->start(e, &sys->motion, sys->slots, v + sys->n + e->first_state);
  }
  for (int k = 0; k < model->state_count; k++) {
    const trm_signal *signal = &model->signals[model->start_order[k]];
    double *z = v + sys->n;
    z[signal->state] = trm_quantity_value(&signal->initial, sys->slots);
    if (!isfinite(z[signal->state])) return fail(sys, signal, "initial value");
    trm_signals_fill(sys, z); /* for those that need it */
  }
  return true;
}

/* Whether a slot holds what a formula gives, not a state or a measure of the motion. */
static const trm_signal *formula_of(const trm_model *model, int slot) {
  const trm_measure *measure = &model->inputs[slot - 1];
  if (!trm_is_signal(measure)) return NULL;
  const trm_signal *signal = &model->signals[measure->index];
  return slot == slot_of(signal) ? signal : NULL;
}

/* By the chain rule: those that it uses come before it. */
static void add_formula(trm_system *sys, const trm_expression *formula, double scale) {
  const trm_model *model = sys->model;
  trm_signals *signals = sys->signals;
  const int *used;
  trm_expression_gradient(formula, sys->slots, signals->gradient);
  int count = trm_expression_used(formula, &used);
  for (int k = 0; k < count; k++) {
    if (used[k] == 0) continue; /* t */
    double slope = scale * signals->gradient[used[k]];
    const trm_signal *other = formula_of(model, used[k]);
    if (!other) signals->sum[used[k]] += slope;
    for (int b = 0; other && b < other->base_count; b++)
      signals->sum[other->base[b]] += slope * signals->slope[other - model->signals][b];
  }
}

static void differentiate(trm_system *sys, int i) {
  const trm_signal *signal = &sys->model->signals[i];
  trm_signals *signals = sys->signals;
  if (sys->model->functions[i].function && !sys->given_inputs[i].over) {
    call(sys, i, signals->by);
    for (int k = 0; k < signal->argument_count; k++)
      if (signal->arguments[k].formula && signals->by[k] != 0)
        add_formula(sys, signal->arguments[k].formula, signals->by[k]);
  } else if (signal->value.formula) {
    add_formula(sys, signal->value.formula, 1);
  }
  for (int b = 0; b < signal->base_count; b++) {
    signals->slope[i][b] = signals->sum[signal->base[b]];
    signals->sum[signal->base[b]] = 0;
  }
}

void trm_signals_differentiate(trm_system *sys) {
  for (int i = 0; i < sys->model->signal_count; i++)
    differentiate(sys, sys->model->signal_order[i]);
}

static void add_base(const trm_system *sys, const trm_signal *signal, double scale, trm_row *q,
                     trm_row *v) {
  const double *slope = sys->signals->slope[signal - sys->model->signals];
  for (int b = 0; b < signal->base_count; b++)
    if (slope[b] != 0)
      trm_system_add_slot_slope((void *)sys, signal->base[b], scale * slope[b], q, v);
}

void trm_signals_slope(const trm_system *sys, int slot, double scale, trm_row *q, trm_row *v) {
  const trm_signal *formula = formula_of(sys->model, slot);
  if (formula) {
    add_base(sys, formula, scale, q, v);
    return;
  }
  int state = sys->model->signals[sys->model->inputs[slot - 1].index].state;
  trm_row_part(v, trm_signals_block(sys, state))[state % v->width] += scale;
}

bool trm_signals_tangent(trm_system *sys, trm_force_tangent *to) {
  const trm_model *model = sys->model;
  for (int k = 0; k < model->state_count; k++) {
    int i = model->states[k];
    const trm_signal *signal = &model->signals[i];
    double sum = 0;
    for (int b = 0; b < signal->base_count; b++) sum += 0 * sys->signals->slope[i][b];
    if (sum != 0) return fail(sys, signal, "rate's derivative");
    *trm_state_part(to, to->push, k) = 1;
    add_base(sys, signal, 1, to->q, to->v);
    trm_push_slope(to);
  }
  return true;
}
