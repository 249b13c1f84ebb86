/* Maps of a YAML tree: merge keys, duplicate keys, finding a key. */
#include "model/yaml.h"

#include <string.h>

enum { LARGE = 8 }; /* from here on an index beats a look at every pair */

static bool is_key(const trm_yaml *key, const char *text, size_t length) {
  return (size_t)key->count == length && memcmp(key->text, text, length) == 0;
}

static bool is_merge(const trm_yaml_pair *pair) {
  return !pair->key->quoted && is_key(pair->key, "<<", 2);
}

const trm_yaml_pair *trm_yaml_get(const trm_yaml *map, const char *key, size_t length) {
  if (!map || map->kind != TRM_YAML_MAP) return NULL;
  if (map->index) {
    int found = trm_map_get(map->index, key, length);
    return found >= 0 ? &map->pairs[found] : NULL;
  }
  for (int i = 0; i < map->count; i++)
    if (is_key(map->pairs[i].key, key, length)) return &map->pairs[i];
  return NULL;
}

/* Appends a pair, unless its key is there already; there is room for `room` of them. */
static bool take(trm_document *document, trm_yaml *map, const trm_yaml_pair *pair, size_t room) {
  if (trm_yaml_get(map, pair->key->text, (size_t)pair->key->count)) return true;
  map->pairs[map->count++] = *pair;
  if (!map->index && map->count <= LARGE) return true;
  int from = map->index ? map->count - 1 : 0;
  if (!map->index) {
    map->index = trm_map_create(document->arena);
    if (map->index && !trm_map_reserve(map->index, room)) return false;
  }
  for (int i = from; map->index && i < map->count; i++)
    if (!trm_map_put(map->index, map->pairs[i].key->text, (size_t)map->pairs[i].key->count, i))
      return false;
  return map->index != NULL;
}

static bool report_merge(trm_document *document, const trm_yaml *node,
                         trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, trm_yaml_place(document, node->position),
                   "'<<' takes a map or a list of maps, found %s", trm_yaml_kind_name(node));
  return false;
}

/* How many pairs the `<<` entries bring at most; −1 after an error. */
static long count_merged(trm_document *document, const trm_yaml *value,
                         trm_diagnostics *diagnostics) {
  if (value->kind == TRM_YAML_MAP) return value->count;
  if (value->kind != TRM_YAML_LIST) return report_merge(document, value, diagnostics) - 1;
  long count = 0;
  for (int i = 0; i < value->count; i++) {
    if (value->items[i]->kind != TRM_YAML_MAP)
      return report_merge(document, value->items[i], diagnostics) - 1;
    count += value->items[i]->count;
  }
  return count;
}

static bool merge(trm_document *document, trm_yaml *map, const trm_yaml *value, size_t room) {
  int sources = value->kind == TRM_YAML_LIST ? value->count : 1;
  for (int s = 0; s < sources; s++) {
    const trm_yaml *source = value->kind == TRM_YAML_LIST ? value->items[s] : value;
    for (int i = 0; i < source->count; i++)
      if (!take(document, map, &source->pairs[i], room)) return false;
  }
  return true;
}

static bool take_own(trm_document *document, trm_yaml *map, const trm_yaml_pair *pair, size_t room,
                     trm_diagnostics *diagnostics) {
  const trm_yaml *key = pair->key;
  const trm_yaml_pair *other = trm_yaml_get(map, key->text, (size_t)key->count);
  if (!other) return take(document, map, pair, room);
  trm_place first = trm_yaml_place(document, other->key->position);
  trm_report_place(diagnostics, TRM_ERROR, trm_yaml_place(document, key->position),
                   "duplicate key '%.100s', first given in line %d", key->text, first.line);
  return trm_diagnostics_errors(diagnostics) < TRM_YAML_MOST_ERRORS;
}

bool trm_yaml_close_map(trm_document *document, trm_yaml *map, trm_diagnostics *diagnostics) {
  const trm_yaml_pair *given = map->pairs;
  int count = map->count;
  long room = 0;
  for (int i = 0; i < count; i++) {
    long merged = is_merge(&given[i]) ? count_merged(document, given[i].value, diagnostics) : 0;
    if (merged < 0) return false;
    room += merged;
  }
  /* without merging the pairs stay where they are: none is written before it was read */
  if (room > 0) map->pairs = TRM_NEW(document->arena, trm_yaml_pair, count + room);
  map->count = 0;
  if (!map->pairs) return false;
  size_t all = (size_t)count + (size_t)room;
  /* own keys first: they win over merged ones */
  for (int i = 0; i < count; i++)
    if (!is_merge(&given[i]) && !take_own(document, map, &given[i], all, diagnostics)) return false;
  for (int i = 0; i < count; i++)
    if (is_merge(&given[i]) && !merge(document, map, given[i].value, all)) return false;
  return true;
}
