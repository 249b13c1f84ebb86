/* Events. */
#include "model/read_include.h"

#include <string.h>

static void read_when(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((trm_event_def *)target)->when);
}

/* One of a few words; −1: reported. */
static int read_word(trm_reader *reader, trm_yaml *node, const char *what, const char *const *words,
                     int count) {
  const char *text;
  char hint[100];
  if (!trm_read_text(reader, node, what, &text)) return -1;
  for (int i = 0; i < count; i++)
    if (strcmp(text, words[i]) == 0) return i;
  trm_read_suggest(reader, text, words, count, hint, sizeof hint);
  trm_read_error(reader, node, "expected %s, found '%.60s'%s", what, text, hint);
  return -1;
}

static void read_direction(trm_reader *reader, trm_yaml *node, void *target) {
  static const char *const words[] = {
      [TRM_BOTH] = "both", [TRM_RISING] = "rising", [TRM_FALLING] = "falling"};
  int which = read_word(reader, node, "rising, falling or both", words, 3);
  if (which >= 0) ((trm_event_def *)target)->direction = (trm_crossing)which;
}

static void read_stop(trm_reader *reader, trm_yaml *node, void *target) {
  static const char *const words[] = {"false", "true"};
  ((trm_event_def *)target)->stop = read_word(reader, node, "true or false", words, 2) == 1;
}

static void read_set(trm_reader *reader, trm_yaml *node, void *target) {
  trm_event_def *event = target;
  if (!trm_read_map(reader, node, "states and formulas")) return;
  trm_set_def *sets = TRM_NEW(reader->document.arena, trm_set_def, node->count + 1);
  if (!sets) {
    reader->no_memory = true;
    return;
  }
  for (int i = 0; i < node->count; i++) {
    sets[i].state = trm_part_name(reader, node->pairs[i].key->text);
    trm_read_formula(reader, node->pairs[i].value, &sets[i].value);
  }
  event->sets = sets;
  event->set_count = node->count;
}

static const trm_field fields[] = {{"when", read_when, 1, 1},
                                   {"direction", read_direction, 1, 0},
                                   {"set", read_set, 1, 0},
                                   {"stop", read_stop, 1, 0}};
static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, ""};

/* An event with an error is declared all the same, so that what names it is no error too. */
static void read_event(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_event_def event = trm_default_event();
  event.name = reader->name = pair->key->text;
  event.when = trm_number(1); /* where there is none: reported here */
  if (pair->value->kind == TRM_YAML_MAP)
    trm_read_fields(reader, pair, &schema, 0, &event);
  else
    trm_read_error(reader, pair->value, "expected {when: …, set: …, stop: …}, found %s",
                   trm_yaml_kind_name(pair->value));
  trm_model_add_event(reader->model, &event);
}

void trm_read_events(trm_reader *reader, trm_yaml *section) {
  reader->key = "events";
  if (!trm_read_map(reader, section, "events")) return;
  reader->kind = "event";
  reader->key = NULL;
  for (int i = 0; i < section->count; i++) read_event(reader, &section->pairs[i]);
  reader->kind = reader->name = NULL;
}
