/* Repeated entries: one template is read once for each value of its indices. */
#include "model/read_repeat.h"

#include "base/text.h"

#include <string.h>

enum {
  MOST_ENTRIES = 1000 * 1000,       /* generated in a file: a body takes some kilobytes */
  MOST_VALUES = 100 * MOST_ENTRIES, /* in them: templates may be large, too */
  KINDS = 4
};

static bool holds_dollar(const trm_yaml *node) {
  return node->kind == TRM_YAML_TEXT && strstr(node->text, "$(");
}

/* Adds what holds `$(...)` to the slots, or counts it where there are none yet. */
static int collect(trm_yaml *node, trm_repeat_slot *slots, int count) {
  if (holds_dollar(node)) {
    if (slots) slots[count] = (trm_repeat_slot){node, node->text, node->count};
    return count + 1;
  }
  for (int i = 0; node->kind == TRM_YAML_LIST && i < node->count; i++)
    count = collect(node->items[i], slots, count);
  for (int i = 0; node->kind == TRM_YAML_MAP && i < node->count; i++) {
    /* the index of the map knows the keys as they are in the file */
    if (holds_dollar(node->pairs[i].key)) node->index = NULL;
    count = collect(node->pairs[i].key, slots, count);
    count = collect(node->pairs[i].value, slots, count);
  }
  return count;
}

static bool collect_slots(trm_reader *reader, trm_repeat *repeat) {
  trm_yaml_pair *entry = &repeat->entry;
  int count = collect(entry->value, NULL, collect(entry->key, NULL, 0));
  repeat->slots = TRM_NEW(reader->document.arena, trm_repeat_slot, count);
  if (!repeat->slots) return false;
  /* the key first: messages about the rest name the generated entry */
  repeat->slot_count = collect(entry->value, repeat->slots, collect(entry->key, repeat->slots, 0));
  return true;
}

static bool read_bound(trm_reader *reader, trm_yaml *node, long *bound) {
  double number;
  if (!trm_read_number(reader, node, &number)) return false;
  if (trm_repeat_is_integer(number, bound)) return true;
  trm_read_error(reader, node, "the bound is %g, it must be an integer", number);
  return false;
}

static bool check_index_name(trm_reader *reader, trm_yaml *key, const char *what) {
  const char *name = key->text;
  if (!trm_is_name(name, strlen(name)))
    trm_read_error(reader, key, "'%.60s' is no name for %s", name, what);
  else if (strcmp(name, "t") == 0 || strcmp(name, "pi") == 0)
    trm_read_error(reader, key, "%s may not be called '%s', this name is reserved", what, name);
  else if (trm_map_get(reader->parameter_index, name, strlen(name)) >= 0 ||
           trm_map_get(reader->vector_index, name, strlen(name)) >= 0)
    trm_read_error(reader, key, "%s may not be called '%.60s': there is a parameter of this name",
                   what, name);
  return !key->bad;
}

static bool read_index(trm_reader *reader, const trm_yaml_pair *pair, trm_repeat_index *index) {
  long last = 0;
  *index = (trm_repeat_index){.name = pair->key->text, .length = (size_t)pair->key->count};
  if (!check_index_name(reader, pair->key, "an index")) return false;
  if (!trm_read_list(reader, pair->value, 2, "bounds (the first and the last)")) return false;
  bool good = read_bound(reader, pair->value->items[0], &index->first);
  good &= read_bound(reader, pair->value->items[1], &last);
  index->count = last >= index->first ? last - index->first + 1 : 0;
  return good;
}

static bool read_indices(trm_reader *reader, trm_yaml *node, trm_repeat *repeat) {
  if (node->kind != TRM_YAML_MAP || node->count == 0) {
    trm_read_error(reader, node, "expected indices and their bounds like {i: [1, 10]}, found %s",
                   node->count == 0 ? "none" : trm_yaml_kind_name(node));
    return false;
  }
  repeat->indices = TRM_NEW(reader->document.arena, trm_repeat_index, node->count);
  if (!repeat->indices) return false;
  bool good = true;
  for (int i = 0; i < node->count; i++)
    good &= read_index(reader, &node->pairs[i], &repeat->indices[i]);
  repeat->index_count = node->count;
  return good;
}

static bool count_entries(trm_reader *reader, trm_yaml *node, trm_repeat *repeat) {
  long count = 1;
  bool empty = false;
  for (int i = 0; i < repeat->index_count; i++) {
    empty |= repeat->indices[i].count == 0;
    if (count <= MOST_ENTRIES) count *= repeat->indices[i].count;
  }
  if (empty) count = 0;
  long generated = reader->generated + count;
  int64_t values = reader->generated_values + (int64_t)count * repeat->entry.value->weight;
  if (generated > MOST_ENTRIES)
    trm_read_error(reader, node, "more than %d repeated entries in a file", MOST_ENTRIES);
  else if (values > MOST_VALUES)
    trm_read_error(reader, node, "more than %d million values in the repeated entries of a file",
                   MOST_VALUES / 1000000);
  if (generated > MOST_ENTRIES || values > MOST_VALUES) return false;
  reader->generated = generated;
  reader->generated_values = values;
  repeat->count = (int)count;
  return true;
}

/* The map of a template without its keys `repeat` and `let`, which bodies, joints and forces do not
 * know. */
static bool take_out_repeat(trm_reader *reader, trm_repeat *repeat) {
  const trm_yaml *map = repeat->entry.value;
  trm_yaml *rest = TRM_NEW(reader->document.arena, trm_yaml, 1);
  trm_yaml_pair *pairs = TRM_NEW(reader->document.arena, trm_yaml_pair, map->count);
  if (!rest || !pairs) return false;
  *rest = *map;
  rest->index = NULL;
  rest->pairs = pairs;
  rest->count = 0;
  for (int i = 0; i < map->count; i++)
    if (strcmp(map->pairs[i].key->text, "repeat") != 0 &&
        strcmp(map->pairs[i].key->text, "let") != 0)
      pairs[rest->count++] = map->pairs[i];
  repeat->entry.value = rest;
  return true;
}

static void add_local(trm_repeat *repeat, const char *name, trm_yaml *node, int component,
                      int dimension) {
  repeat->locals[repeat->local_count++] = (trm_repeat_local){.name = name ? name : "",
                                                             .length = name ? strlen(name) : 0,
                                                             .node = node,
                                                             .component = component,
                                                             .dimension = dimension,
                                                             .value = 1};
}

/* Names under `let`, evaluated anew for each entry; later ones may use earlier ones. */
static bool read_let(trm_reader *reader, trm_repeat *repeat, const trm_yaml *let) {
  trm_arena *arena = reader->document.arena;
  bool good = true;
  repeat->locals = TRM_NEW(arena, trm_repeat_local, 3 * (size_t)let->count);
  if (!repeat->locals) return false;
  reader->repeat = repeat;
  for (int i = 0; i < let->count; i++) {
    const trm_yaml_pair *pair = &let->pairs[i];
    trm_yaml *node = pair->value;
    int dimension = trm_vector_of_node(reader, node);
    good &= check_index_name(reader, pair->key, "a name under let");
    if (dimension == 0) add_local(repeat, pair->key->text, node, -1, 0);
    for (int k = 0; k < dimension; k++)
      add_local(repeat, trm_vector_component(arena, pair->key->text, k),
                node->kind == TRM_YAML_LIST ? node->items[k] : node, k, dimension);
  }
  reader->repeat = NULL;
  return good;
}

static bool read_locals(trm_reader *reader, trm_repeat *repeat, bool repeated) {
  const trm_yaml_pair *let = trm_yaml_get(repeat->entry.value, "let", 3);
  if (!let) return true;
  reader->key = "let";
  bool good = repeated && trm_read_map(reader, let->value, "names and formulas") &&
              read_let(reader, repeat, let->value);
  if (!repeated) trm_read_error(reader, let->key, "'let' stands beside 'repeat'");
  reader->key = NULL;
  return good;
}

static bool read_repeat(trm_reader *reader, trm_repeat *repeat) {
  const trm_yaml_pair *given = trm_yaml_get(repeat->entry.value, "repeat", 6);
  repeat->count = 1;
  if (!given) return read_locals(reader, repeat, false);
  reader->key = "repeat";
  bool good =
      read_indices(reader, given->value, repeat) && count_entries(reader, given->value, repeat);
  reader->key = NULL;
  good = good && read_locals(reader, repeat, true) && take_out_repeat(reader, repeat);
  if (!good || repeat->count <= 1 || holds_dollar(repeat->key)) return good;
  trm_read_error(reader, repeat->key, "the name of a repeated entry holds its index: %.60s$(%s)",
                 repeat->key->text, repeat->indices[0].name);
  return false;
}

static bool add_repeat(trm_reader *reader, trm_item_kind kind, trm_repeat *repeat) {
  int count = reader->repeat_count[kind];
  trm_repeat **list =
      trm_grow(reader->document.arena, reader->repeats[kind], count, sizeof(trm_repeat *));
  if (!list) return false;
  reader->repeats[kind] = list;
  list[reader->repeat_count[kind]++] = repeat;
  return true;
}

/* Returns how many entries were read; −1: they are unknown. */
static int read_template(trm_reader *reader, const trm_yaml_pair *pair, trm_item_kind kind,
                         int first, trm_read_entry *read) {
  trm_repeat *repeat = TRM_NEW(reader->document.arena, trm_repeat, 1);
  reader->name = pair->key->text;
  if (repeat) *repeat = (trm_repeat){.entry = *pair, .key = pair->key, .first = first};
  if (!repeat || !add_repeat(reader, kind, repeat)) {
    reader->no_memory = true;
    return -1;
  }
  if (!read_repeat(reader, repeat)) return -1;
  if (!collect_slots(reader, repeat)) {
    reader->no_memory = true;
    return -1;
  }
  bool good = true;
  for (int i = 0; i < repeat->count && good && !reader->no_memory; i++) {
    good = trm_repeat_bind(reader, repeat, i);
    if (good) read(reader, &repeat->entry);
  }
  trm_repeat_unbind(reader);
  return good ? repeat->count : -1;
}

static bool is_template(trm_reader *reader, const trm_yaml_pair *pair) {
  if (trm_yaml_get(pair->value, "repeat", 6)) return true;
  return reader->has_dollars && collect(pair->value, NULL, collect(pair->key, NULL, 0)) > 0;
}

void trm_read_entries(trm_reader *reader, trm_yaml *section, trm_read_entry *read) {
  int kind = 0;
  static const char *const kinds[KINDS] = {"body", "joint", "force", "shape"};
  while (strcmp(kinds[kind], reader->kind) != 0) kind++;
  const trm_draft *draft = reader->model->draft;
  const int before[KINDS] = {draft->body_count, draft->joint_count, draft->force_count,
                             draft->scenery_count};
  int count = before[kind]; /* of other files */
  reader->has_dollars = strstr(reader->document.text, "$(") != NULL;
  for (int i = 0; i < section->count; i++) {
    const trm_yaml_pair *pair = &section->pairs[i];
    int entries = 1;
    if (is_template(reader, pair))
      entries = read_template(reader, pair, (trm_item_kind)kind, count, read);
    else
      read(reader, pair);
    if (entries < 0) section->bad = true; /* what others name is unknown */
    count += entries > 0 ? entries : 0;
  }
}
