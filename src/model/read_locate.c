/* From the builder's paths to places in the file. */
#include "model/read_repeat.h"

#include <string.h>

typedef struct walk {
  trm_yaml *key, *value; /* the deepest entry on the path; the key is NULL in a list */
  trm_yaml *named;       /* the last key passed */
  trm_yaml *section;     /* the key of the map or list the entry stands in */
  bool complete;         /* the whole path exists */
} walk;

static const trm_yaml_pair *find(const trm_yaml *map, const char *path, size_t *length) {
  /* a bad name may hold a slash: the longest key that fits is the one */
  for (*length = strlen(path); *length > 0;) {
    const trm_yaml_pair *pair = trm_yaml_get(map, path, *length);
    if (pair) return pair;
    do --*length;
    while (*length > 0 && path[*length] != '/');
  }
  return NULL;
}

static trm_yaml *find_item(const trm_yaml *list, const char *path, size_t *length) {
  int index = 0;
  *length = strcspn(path, "/");
  for (size_t i = 0; i < *length; i++) {
    if (path[i] < '0' || path[i] > '9' || index > list->count) return NULL;
    index = 10 * index + (path[i] - '0');
  }
  return *length > 0 && index < list->count ? list->items[index] : NULL;
}

static bool step(trm_reader *reader, walk *w, const char **path) {
  size_t length = 0;
  trm_yaml *item = NULL;
  const trm_yaml_pair *pair = NULL;
  /* entries of a section may come from a template */
  if (w->key && !w->section) pair = trm_repeat_find(reader, w->key->text, *path, &length);
  if (!pair && w->value->kind == TRM_YAML_MAP) pair = find(w->value, *path, &length);
  if (w->value->kind == TRM_YAML_LIST) item = find_item(w->value, *path, &length);
  if (!pair && !item) return false;
  w->section = w->key;
  w->key = pair ? pair->key : NULL;
  if (pair) w->named = pair->key;
  w->value = pair ? pair->value : item;
  *path += length + ((*path)[length] == '/');
  return true;
}

static walk follow(trm_reader *reader, const char *path) {
  walk w = {NULL, reader->document.root, reader->document.root, NULL, true};
  while (*path && w.complete) w.complete = step(reader, &w, &path);
  return w;
}

/* Where names are the user's own, it is the name that the builder has something against. */
static bool holds_names(const trm_yaml *section) {
  static const char *const names[] = {"parameters", "points", "sum", "initial", "coordinates"};
  for (int i = 0; section && i < 5; i++)
    if (strcmp(section->text, names[i]) == 0) return true;
  return false;
}

static bool is_bad(const walk *w) {
  return w->value->bad || (w->key && w->key->bad);
}

/* Whether the place is that of a value, not of a name. */
static bool is_at_value(const walk *w) {
  /* a missing part: its parent's name; a part of a scalar: the scalar */
  bool at_value =
      w->value->kind == TRM_YAML_TEXT || (w->complete && w->value->kind == TRM_YAML_LIST);
  return at_value && !(w->key && holds_names(w->section));
}

trm_place trm_read_locate(void *context, const char *path, size_t offset) {
  trm_reader *reader = context;
  walk w = follow(reader, path);
  const trm_yaml *node = is_at_value(&w) ? w.value : w.named;
  offset = node == w.value ? trm_repeat_formula_origin(reader, node, offset) : 0;
  trm_place place = trm_yaml_place_in(&reader->document, node, offset);
  /* what was reported already must not be reported again in other words */
  if (reader->building && (is_bad(&w) || !trm_repeat_reports(reader, node)))
    place.line = TRM_READ_DROPPED;
  trm_repeat_unbind(reader);
  return place;
}
