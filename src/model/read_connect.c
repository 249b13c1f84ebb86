/* What joints and forces have in common: a type, and two sides. */
#include "model/read_parts.h"

#include "base/synonyms.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TYPES = 32 };

void trm_read_connect(trm_reader *reader, trm_yaml *node, const char *connect[2]) {
  /* errors in `connect` are reported once: the builder gets something to go on with */
  connect[0] = connect[1] = "ground";
  if (!trm_read_list(reader, node, 2, "sides (body.point or body)")) return;
  for (int i = 0; i < 2; i++)
    if (!trm_read_name(reader, node->items[i], "body.point or body", &connect[i])) node->bad = true;
}

void trm_read_at(trm_reader *reader, trm_yaml *node, bool *given, double at[3], bool *second_given,
                 double second[3]) {
  int dim = reader->model->dim;
  bool two = node->kind == TRM_YAML_LIST && node->count > 0 &&
             trm_vector_of_node(reader, node->items[0]) > 0;
  two |= node->kind == TRM_YAML_LIST && node->count > 0 && node->items[0]->kind == TRM_YAML_LIST;
  if (!two) {
    *given = trm_read_vector(reader, node, dim, at);
  } else if (trm_read_list(reader, node, 2, "points, one a side")) {
    *given = trm_read_vector(reader, node->items[0], dim, at);
    *second_given = trm_read_vector(reader, node->items[1], dim, second);
    if (!*given || !*second_given) node->bad = true;
  }
}

/* A word that other programs have for a type. */
static const trm_synonym *other_word(trm_reader *reader, trm_yaml *node, const char *const *names,
                                     int count) {
  bool joint = strcmp(reader->kind, "joint") == 0;
  const trm_synonym *word =
      trm_synonym_find(joint ? TRM_SYNONYM_JOINT : TRM_SYNONYM_FORCE, node->text, names, count);
  if (word && word->here)
    trm_read_error(reader, node, "unknown %s type '%s': here it is called '%s'%s%s", reader->kind,
                   word->word, word->here, word->hint ? ", " : "", word->hint ? word->hint : "");
  else if (word)
    trm_read_error(reader, node, "unknown %s type '%s': %s", reader->kind, word->word, word->hint);
  return word;
}

static int index_of(const char *name, const char *const *names, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

/* Returns the type that was probably meant, or −1. */
static int report_type(trm_reader *reader, trm_yaml *node, const char *const *names, int count) {
  const trm_synonym *word = other_word(reader, node, names, count);
  if (word) return word->here ? index_of(word->here, names, count) : -1;
  const char *meant = trm_nearest(node->text, names, count);
  if (meant) {
    trm_read_error(reader, node, "unknown %s type '%.60s', did you mean '%s'?", reader->kind,
                   node->text, meant);
    return index_of(meant, names, count);
  }
  char list[400] = "";
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  trm_read_error(reader, node, "unknown %s type '%.60s'; the types are %s", reader->kind,
                 node->text, list);
  return -1;
}

/* Every type has a name, but only those of the space are offered. */
static int find_type(trm_reader *reader, trm_yaml *node, const char *(*type_name)(int type),
                     bool (*is_for)(int type, trm_space space)) {
  const char *names[MOST_TYPES], *text = node->text;
  trm_space space = reader->model->space;
  int types[MOST_TYPES], count = 0;
  for (int type = 0; type < MOST_TYPES && type_name(type); type++) {
    bool known = strcmp(text, type_name(type)) == 0, here = !is_for || is_for(type, space);
    if (known && here) return type;
    if (known) {
      trm_read_error(reader, node, "%s %ss are for %s models only, this one is %s", text,
                     reader->kind, space == TRM_PLANAR ? "spatial" : "planar",
                     space == TRM_PLANAR ? "planar" : "spatial");
      return -1;
    }
    if (!here) continue;
    names[count] = type_name(type);
    types[count++] = type;
  }
  int meant = report_type(reader, node, names, count);
  return meant < 0 ? -1 : types[meant];
}

static int read_type(trm_reader *reader, const trm_yaml_pair *object,
                     const char *(*type_name)(int type),
                     bool (*is_for)(int type, trm_space space)) {
  const char *text = NULL;
  const trm_yaml_pair *pair = trm_yaml_get(object->value, "type", 4);
  if (!pair) {
    trm_read_error(reader, object->key, "missing key 'type'");
    return -1;
  }
  reader->key = "type";
  bool found = trm_read_text(reader, pair->value, "a type", &text);
  reader->key = NULL;
  return found ? find_type(reader, pair->value, type_name, is_for) : -1;
}

int trm_read_type(trm_reader *reader, const trm_yaml_pair *object,
                  const char *(*type_name)(int type), bool (*is_for)(int type, trm_space space)) {
  int type = -1;
  if (object->value->kind == TRM_YAML_MAP)
    type = read_type(reader, object, type_name, is_for);
  else
    trm_read_error(reader, object->value, "expected a map like {type: %s, ...}, found %s",
                   type_name(0), trm_yaml_kind_name(object->value));
  if (type < 0) object->value->bad = true;
  return type;
}
