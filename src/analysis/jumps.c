/* A driver whose law jumps asks for an infinite speed, one whose rate jumps for an infinite force.
 * Where its formula goes from one piece to the next is searched for over the duration. */
#include "analysis/jumps.h"

#include <math.h>
#include <stdlib.h>

#include "base/diagnostics.h"

enum { SAMPLES = 4096, HALVINGS = 200 };
#define JUMP 1e-6 /* of the law's range, or of that of its rate */

typedef struct law {
  const trm_model *model;
  const trm_joint *joint;
  trm_jet *jets;  /* [1 + inputs] of t, and of the variables that laws need */
  double *values; /* the same, for the pieces */
} law;

typedef struct instant {
  double t;
  trm_jet value;
  unsigned long piece;
} instant;

static instant look_at(const law *l, double t) {
  instant at = {.t = t, .piece = 1};
  l->jets[0] = (trm_jet){t, 1, 0};
  l->values[0] = t;
  for (int i = 0; i < l->model->law_signal_count; i++) {
    const trm_signal *signal = &l->model->signals[l->model->law_signals[i]];
    const trm_expression *formula = signal->value.formula;
    if (signal->kind == TRM_SIGNAL_STATE) continue; /* goes over smoothly, whatever its value */
    if (formula) at.piece = at.piece * 1000003 + trm_expression_branch(formula, l->values);
    l->jets[signal->slot] =
        formula ? trm_expression_jet(formula, l->jets) : trm_jet_constant(signal->value.number);
    l->values[signal->slot] = l->jets[signal->slot].f;
  }
  at.piece = at.piece * 1000003 + trm_expression_branch(l->joint->value.formula, l->values);
  at.value = trm_expression_jet(l->joint->value.formula, l->jets);
  return at;
}

/* Itself, or through variables. */
static bool hangs_on_states(const trm_model *model, const trm_quantity *quantity) {
  const int *used;
  int count = quantity->formula ? trm_expression_used(quantity->formula, &used) : 0;
  for (int i = 0; i < count; i++) {
    const trm_measure *measure = used[i] > 0 ? &model->inputs[used[i] - 1] : NULL;
    if (!measure || measure->kind != TRM_MEASURE_SIGNAL) continue;
    const trm_signal *signal = &model->signals[measure->index];
    if (signal->kind == TRM_SIGNAL_STATE || hangs_on_states(model, &signal->value)) return true;
  }
  return false;
}

static bool has_pieces(const trm_model *model, const trm_joint *joint) {
  if (!trm_expression_is_smooth(joint->value.formula)) return true;
  for (int i = 0; i < model->law_signal_count; i++) {
    const trm_signal *signal = &model->signals[model->law_signals[i]];
    if (signal->kind == TRM_SIGNAL_VARIABLE && signal->value.formula &&
        !trm_expression_is_smooth(signal->value.formula))
      return true;
  }
  return false;
}

/* Before and behind a change of piece, next to it. */
static void close_in(const law *l, instant *before, instant *behind) {
  for (int i = 0; i < HALVINGS; i++) {
    double middle = before->t + (behind->t - before->t) / 2;
    if (!(middle > before->t && middle < behind->t)) return;
    instant at = look_at(l, middle);
    *(at.piece == before->piece ? before : behind) = at;
  }
}

typedef struct range {
  double low, high;
} range;

static void widen(range *r, double value) {
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static bool is_jump(double before, double behind, const range *r) {
  return fabs(behind - before) > JUMP * (r->high - r->low);
}

static void refuse(const law *l, const instant *before, const instant *behind,
                   trm_diagnostics *diagnostics) {
  trm_report_place(
      diagnostics, TRM_ERROR, trm_origin_place(l->model, l->joint->origin),
      "joint '%s': its value jumps at t = %.9g, from %.6g to %.6g, which no motion can "
      "follow; step(t, t0, h0, t1, h1) or smooth(x, tau) go over smoothly",
      l->joint->name, behind->t, before->value.f, behind->value.f);
}

static void warn(const law *l, double t, double before, double behind,
                 trm_diagnostics *diagnostics) {
  trm_report_place(
      diagnostics, TRM_WARNING, trm_origin_place(l->model, l->joint->origin),
      "joint '%s': its rate jumps at t = %.9g, from %.6g to %.6g: a blow, whose work is "
      "not counted; step(t, t0, h0, t1, h1) or smooth(x, tau) go over smoothly",
      l->joint->name, t, before, behind);
}

/* The law of a driver on velocity level is a rate. True: a value jumps. */
static bool judge_change(const law *l, const instant *before, const instant *behind,
                         const range *value, const range *rate, bool *warned,
                         trm_diagnostics *diagnostics) {
  bool of_rate = l->joint->of_rate, jumps = is_jump(before->value.f, behind->value.f, value);
  if (jumps && !of_rate) {
    refuse(l, before, behind, diagnostics);
    return true;
  }
  bool bends = of_rate ? jumps : is_jump(before->value.d, behind->value.d, rate);
  if (bends && !*warned)
    warn(l, behind->t, of_rate ? before->value.f : before->value.d,
         of_rate ? behind->value.f : behind->value.d, diagnostics);
  *warned |= bends;
  return false;
}

static bool find_jump(const law *l, double duration, trm_diagnostics *diagnostics) {
  range value = {INFINITY, -INFINITY}, rate = value;
  bool warned = false;
  for (int i = 0; i <= SAMPLES; i++) {
    instant at = look_at(l, duration * i / SAMPLES);
    if (isfinite(at.value.f)) widen(&value, at.value.f);
    if (isfinite(at.value.d)) widen(&rate, at.value.d);
  }
  instant before = look_at(l, 0);
  for (int i = 1; i <= SAMPLES; i++) {
    instant next = look_at(l, duration * i / SAMPLES), behind = next;
    if (next.piece != before.piece) close_in(l, &before, &behind);
    if (behind.piece != before.piece &&
        judge_change(l, &before, &behind, &value, &rate, &warned, diagnostics))
      return true;
    before = next;
  }
  return false;
}

trm_status trm_refuse_jumps(const trm_model *model, double duration, trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  size_t slots = (size_t)model->input_count + 1;
  law l = {model, NULL, calloc(slots, sizeof *l.jets), calloc(slots, sizeof *l.values)};
  if (!l.jets || !l.values) status = TRM_NO_MEMORY;
  for (int j = 0; status != TRM_NO_MEMORY && j < model->joint_count; j++) {
    l.joint = &model->joints[j];
    if (!l.joint->value.formula || !has_pieces(model, l.joint)) continue;
    if (hangs_on_states(model, &l.joint->value)) continue; /* which only the run knows */
    if (find_jump(&l, duration, diagnostics)) status = TRM_BAD_MODEL;
  }
  free(l.jets);
  free(l.values);
  return status;
}
