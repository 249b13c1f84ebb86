/* What events watch, and the states they set. */
#include "system/mechanism.h"
#include "system/signals.h"

bool trm_events_create(trm_system *sys) {
  const trm_model *model = sys->model;
  sys->event_records = TRM_NEW(sys->arena, trm_event_record, model->event_count + 1);
  sys->given_inputs = TRM_NEW(sys->arena, trm_given_input, model->signal_count + 1);
  for (int i = 0; sys->event_records && i < model->event_count; i++)
    sys->event_records[i].time = NAN;
  return sys->event_records && sys->given_inputs;
}

void trm_system_watch(trm_system *sys, double t, const double *q, const double *v, double *values) {
  trm_mechanism_fill_slots(sys, t, q, v);
  for (int i = 0; i < sys->model->event_count; i++)
    values[i] = trm_quantity_value(&sys->model->events[i].when, sys->slots);
}

bool trm_system_set_states(trm_system *sys, int index, double t, const double *q, double *v) {
  const trm_event *event = &sys->model->events[index];
  trm_mechanism_fill_slots(sys, t, q, v); /* of all states before any is changed */
  for (int k = 0; k < event->set_count; k++) {
    const trm_set *set = &event->sets[k];
    double value = trm_quantity_value(&set->value, sys->slots);
    v[sys->n + set->state] = value;
    if (isfinite(value)) continue;
    sys->place = trm_origin_place(sys->model, event->origin);
    return trm_system_fail(sys, t, "event '%s': what it sets '%s' to is not a finite number",
                           event->name, sys->model->signals[sys->model->states[set->state]].name);
  }
  return true;
}
