/* What joints and forces have in common: a type, and two sides. */
#include "model/read_parts.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TYPES = 32 };

void trm_read_connect(trm_reader *reader, trm_yaml *node, const char *connect[2]) {
  /* errors in `connect` are reported once: the builder gets something to go on with */
  connect[0] = connect[1] = "ground";
  if (!trm_read_list(reader, node, 2, "sides (body.point or body)")) return;
  for (int i = 0; i < 2; i++)
    if (!trm_read_text(reader, node->items[i], "body.point or body", &connect[i])) node->bad = true;
}

/* Returns the type that was probably meant, or −1. */
static int report_type(trm_reader *reader, trm_yaml *node, const char *const *names, int count) {
  const char *meant = trm_nearest(node->text, names, count);
  if (meant) {
    trm_read_error(reader, node, "unknown %s type '%.60s', did you mean '%s'?", reader->kind,
                   node->text, meant);
    for (int i = 0; i < count; i++)
      if (names[i] == meant) return i;
  }
  char list[400] = "";
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  trm_read_error(reader, node, "unknown %s type '%.60s'; the types are %s", reader->kind,
                 node->text, list);
  return -1;
}

static int find_type(trm_reader *reader, const trm_yaml_pair *object,
                     const char *(*type_name)(int type)) {
  const char *names[MOST_TYPES], *text = NULL;
  const trm_yaml_pair *pair = trm_yaml_get(object->value, "type", 4);
  if (!pair) {
    trm_read_error(reader, object->key, "missing key 'type'");
    return -1;
  }
  reader->key = "type";
  bool found = trm_read_text(reader, pair->value, "a type", &text);
  reader->key = NULL;
  if (!found) return -1;
  int count = 0;
  for (; count < MOST_TYPES && type_name(count); count++) {
    names[count] = type_name(count);
    if (strcmp(text, names[count]) == 0) return count;
  }
  return report_type(reader, pair->value, names, count);
}

int trm_read_type(trm_reader *reader, const trm_yaml_pair *object,
                  const char *(*type_name)(int type)) {
  int type = -1;
  if (object->value->kind == TRM_YAML_MAP)
    type = find_type(reader, object, type_name);
  else
    trm_read_error(reader, object->value, "expected a map like {type: %s, ...}, found %s",
                   type_name(0), trm_yaml_kind_name(object->value));
  if (type < 0) object->value->bad = true;
  return type;
}
