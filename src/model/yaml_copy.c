/* A tree that was read before: reading marks its nodes, so that each reading has a copy. */
#include "model/yaml.h"

static bool copy_node(const trm_yaml *from, trm_yaml *to, trm_arena *arena);

static trm_yaml *copy_new(const trm_yaml *from, trm_arena *arena) {
  trm_yaml *to = from ? TRM_NEW(arena, trm_yaml, 1) : NULL;
  return to && copy_node(from, to, arena) ? to : NULL;
}

static bool copy_list(const trm_yaml *from, trm_yaml *to, trm_arena *arena) {
  to->items = TRM_NEW(arena, trm_yaml *, from->count + 1);
  for (int i = 0; to->items && i < from->count; i++)
    if (!(to->items[i] = copy_new(from->items[i], arena))) return false;
  return to->items != NULL;
}

static bool copy_map(const trm_yaml *from, trm_yaml *to, trm_arena *arena) {
  to->pairs = TRM_NEW(arena, trm_yaml_pair, from->count + 1);
  for (int i = 0; to->pairs && i < from->count; i++) {
    to->pairs[i].key = copy_new(from->pairs[i].key, arena);
    to->pairs[i].value = copy_new(from->pairs[i].value, arena);
    if (!to->pairs[i].key || !to->pairs[i].value) return false;
  }
  return to->pairs != NULL;
}

static bool copy_node(const trm_yaml *from, trm_yaml *to, trm_arena *arena) {
  *to = *from; /* texts and indices are never written to */
  if (from->kind == TRM_YAML_LIST) return copy_list(from, to, arena);
  return from->kind != TRM_YAML_MAP || copy_map(from, to, arena);
}

trm_yaml *trm_yaml_copy(const trm_yaml *root, trm_arena *arena) {
  return copy_new(root, arena);
}
