/* Events: what they watch, and the states they change. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"

/* Which of the states a name is; −1: none, reported. */
static int find_state(trm_draft *draft, const trm_subject *subject, const char *key,
                      const char *name) {
  const trm_model *model = draft->model;
  trm_item item;
  bool known = trm_index_find(model, name, strlen(name), &item);
  if (known && item.kind == TRM_ITEM_SIGNAL && model->signals[item.index].kind == TRM_SIGNAL_STATE)
    return model->signals[item.index].state;
  char hint[128] = "";
  const char **states = TRM_NEW(draft->arena, const char *, model->state_count + 1);
  for (int k = 0; states && k < model->state_count; k++)
    states[k] = model->signals[model->states[k]].name;
  if (states) trm_suggest(model, name, strlen(name), states, model->state_count, hint, sizeof hint);
  const char *kind = known ? trm_item_kind_name(model, item) : "unknown";
  TRM_DRAFT_ERROR(draft, subject, key, ": '%.60s' is %s%s; an event sets states%s", name,
                  !known                             ? ""
                  : kind[0] == 'i' || kind[0] == 'e' ? "an "
                                                     : "a ",
                  kind, hint);
  return -1;
}

static void add_set(trm_draft *draft, const trm_subject *subject, const trm_set_def *def,
                    trm_event *event) {
  char key[256];
  snprintf(key, sizeof key, "set/%s", def->state);
  trm_set set = {.state = find_state(draft, subject, key, def->state)};
  if (set.state < 0) return;
  for (int k = 0; k < event->set_count; k++)
    if (event->sets[k].state == set.state)
      TRM_DRAFT_ERROR(draft, subject, key, ": '%.60s' is set twice", def->state);
  trm_draft_quantity(draft, subject, key, &def->value, TRM_USE_MOTION, &set.value);
  event->sets[event->set_count++] = set;
}

static void add_when(trm_draft *draft, const trm_subject *subject, const trm_value *def,
                     trm_event *event) {
  trm_draft_quantity(draft, subject, "when", def, TRM_USE_MOTION, &event->when);
  if (event->when.formula && trm_expression_is_condition(event->when.formula))
    TRM_DRAFT_ERROR(draft, subject, "when",
                    ": a condition is 0 or 1 and does not go through zero; instead of a > b write "
                    "a - b, with 'direction: rising'");
}

static void add_event(trm_draft *draft, const trm_event_def *def, trm_event *event) {
  const trm_subject subject = {"events", "event", def->name};
  event->direction = def->direction;
  event->stop = def->stop;
  if (def->when.given)
    add_when(draft, &subject, &def->when, event);
  else
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": missing 'when', the formula that goes through zero");
  if ((unsigned)def->direction > TRM_FALLING)
    TRM_DRAFT_ERROR(draft, &subject, "direction",
                    ": the direction is none of both, rising, falling");
  event->sets = TRM_NEW(draft->model->arena, trm_set, def->set_count + 1);
  if (!event->sets) draft->no_memory = true;
  for (int k = 0; event->sets && k < def->set_count; k++)
    add_set(draft, &subject, &def->sets[k], event);
}

void trm_draft_events(trm_draft *draft) {
  for (int i = 0; i < draft->model->event_count; i++)
    add_event(draft, &draft->events[i], &draft->model->events[i]);
}
