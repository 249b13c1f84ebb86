/* Formulas that ask for the time of an event. It is like a parameter from one event to the next; at
 * the event it moves as τ does. */
#include <string.h>

#include "analysis/adjoint.h"

static bool is_time(const trm_measure *measure) {
  return measure->kind == TRM_MEASURE_EVENT && measure->component == 1;
}

static bool is_asked(const trm_adjoint *s) {
  return trm_variant_find(&s->node[0].at, is_time) != NULL;
}

bool trm_adjoint_find_times(trm_adjoint *s, const trm_model *model) {
  s->time_slot = TRM_NEW(s->arena, int, model->input_count + 1);
  s->time_event = TRM_NEW(s->arena, int, model->input_count + 1);
  s->by_time = TRM_NEW(s->arena, double, s->asked->count * model->event_count + 1);
  if (!s->time_slot || !s->time_event || !s->by_time) return false;
  for (int i = 0; i < model->input_count; i++) {
    if (!is_time(&model->inputs[i])) continue;
    s->time_slot[s->times] = 1 + i;
    s->time_event[s->times++] = model->inputs[i].index;
  }
  if (s->times > 0 || is_asked(s)) s->events = model->event_count;
  return true;
}

static void take(const trm_adjoint *s, double scale, double *out) {
  for (int k = 0; k < s->times; k++)
    out[s->time_event[k]] += scale * s->symbols->by_slot[s->time_slot[k]];
}

void trm_adjoint_take_times(trm_adjoint *s, int i, double scale) {
  take(s, scale, s->by_time + i * s->events);
}

void trm_adjoint_slope_by_times(trm_adjoint *s, const trm_system *sys,
                                const trm_expression *formula, double *out) {
  memset(out, 0, (size_t)s->events * sizeof *out);
  if (s->times == 0 || !formula) return;
  trm_symbols_clear(s->symbols);
  trm_symbols_pass_on(s->symbols, formula, sys->slots, 1);
  trm_symbols_resolve(s->symbols, sys);
  take(s, 1, out);
}

void trm_adjoint_add_times(trm_adjoint *s, const trm_adjoint_node *node, int i, double scale) {
  const trm_instant *in = &node->at.instants[i];
  const trm_system *sys = node->at.simulation->engine->system;
  int used = trm_expression_slot_count(in->formula);
  double *out = s->by_time + i * s->events;
  if (s->events == 0) return;
  trm_symbols_clear(s->symbols);
  for (int k = 1; k < used; k++) {
    const trm_measure *m = &in->measures[k - 1];
    const trm_signal *signal = &sys->model->signals[m->index];
    double slope = scale * node->gradient[k];
    if (is_time(m)) out[m->index] += slope;
    if (m->kind == TRM_MEASURE_SIGNAL) s->symbols->by_slot[signal->slot] += slope;
    if (m->kind == TRM_MEASURE_STATE_RATE) s->symbols->by_slot[signal->rate_slot] += slope;
  }
  trm_symbols_resolve(s->symbols, sys);
  take(s, 1, out);
}
