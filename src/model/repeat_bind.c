/* One entry of a template at a time: its texts, its place, and what was said about it already. */
#include "model/read_repeat.h"

#include <string.h>

/* In the order of the indices, the last one fastest. */
static void set_indices(trm_repeat *repeat, int instance) {
  long rest = instance;
  for (int i = repeat->index_count - 1; i >= 0; i--) {
    trm_repeat_index *index = &repeat->indices[i];
    index->value = index->first + rest % index->count;
    rest /= index->count;
  }
}

static void give_text(trm_yaml *node, const char *text) {
  node->text = text;
  node->count = (int)strlen(text);
}

void trm_repeat_unbind(trm_reader *reader) {
  const trm_repeat *repeat = reader->repeat;
  for (int i = 0; repeat && i < repeat->slot_count; i++) {
    repeat->slots[i].node->text = repeat->slots[i].text;
    repeat->slots[i].node->count = repeat->slots[i].length;
  }
  reader->repeat = NULL;
}

/* False: one of them has an error, and what it stands for is unknown. */
static bool set_locals(trm_reader *reader, trm_repeat *repeat) {
  bool good = true;
  for (int i = 0; i < repeat->local_count && good; i++) {
    trm_repeat_local *local = &repeat->locals[i];
    /* of a list each component has a formula of its own */
    bool vector = local->component >= 0 && trm_vector_of_node(reader, local->node) > 0;
    double v[3] = {1, 1, 1};
    reader->key = "let";
    good = vector ? trm_read_vector(reader, local->node, local->dimension, v)
                  : trm_read_number(reader, local->node, v);
    local->value = v[vector ? local->component : 0];
    reader->key = NULL;
  }
  return good;
}

bool trm_repeat_bind(trm_reader *reader, trm_repeat *repeat, int instance) {
  trm_repeat_unbind(reader);
  reader->repeat = repeat;
  reader->instance = instance;
  set_indices(repeat, instance);
  if (!set_locals(reader, repeat)) return false;
  for (int i = 0; i < repeat->slot_count; i++) {
    const trm_repeat_slot *slot = &repeat->slots[i];
    trm_expression_error error;
    const char *text = trm_repeat_expand(reader, slot->text, &error);
    if (text) {
      give_text(slot->node, text);
    } else if (!reader->building) {
      slot->node->bad = true;
      if (error.message[0])
        trm_read_error_in(reader, slot->node, error.offset, "%s%s", error.message,
                          trm_read_is_cut(slot->node) ? ": " TRM_READ_CUT_HINT : "");
    }
    reader->name = repeat->key->text;
    if (!text && slot->node == repeat->key) return false;
  }
  return true;
}

bool trm_repeat_reports(trm_reader *reader, const trm_yaml *node) {
  if (!reader->repeat) return true;
  const char *key = (const char *)&node->position;
  int first = trm_map_get(reader->repeated, key, sizeof node->position);
  if (first < 0 && !trm_map_put(reader->repeated, key, sizeof node->position, reader->instance))
    reader->no_memory = true;
  return first < 0 || first == reader->instance;
}

/* The template that stands for entry `index` of its section, or NULL. */
static trm_repeat *find_repeat(const trm_reader *reader, int kind, int index) {
  int low = 0, high = reader->repeat_count[kind];
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (reader->repeats[kind][middle]->first <= index)
      low = middle;
    else
      high = middle;
  }
  trm_repeat *repeat = high > low ? reader->repeats[kind][low] : NULL;
  bool inside = repeat && index >= repeat->first && index < repeat->first + repeat->count;
  return inside ? repeat : NULL;
}

const trm_yaml_pair *trm_repeat_find(trm_reader *reader, const char *section, const char *path,
                                     size_t *length) {
  enum { KINDS = 3 };
  static const char *const sections[KINDS] = {"bodies", "joints", "forces"};
  int kind = 0;
  trm_item item;
  while (kind < KINDS && strcmp(sections[kind], section) != 0) kind++;
  if (kind == KINDS || reader->repeat_count[kind] == 0 || !reader->model->index) return NULL;
  for (*length = strlen(path); *length > 0;) {
    bool known = trm_index_find(reader->model, path, *length, &item) && (int)item.kind == kind;
    trm_repeat *repeat = known ? find_repeat(reader, kind, item.index) : NULL;
    if (repeat && trm_repeat_bind(reader, repeat, item.index - repeat->first))
      return &repeat->entry;
    if (known) return NULL;
    do --*length;
    while (*length > 0 && path[*length] != '/');
  }
  return NULL;
}

int trm_repeat_count(const trm_reader *reader, int kind, const trm_yaml *key, int *next) {
  if (*next >= reader->repeat_count[kind] || reader->repeats[kind][*next]->key != key) return 1;
  return reader->repeats[kind][(*next)++]->count;
}
