/* From the builder's paths to places in the file. */
#include "model/read_include.h"
#include "model/read_repeat.h"

#include <string.h>

typedef struct walk {
  trm_yaml *key, *value; /* the deepest entry on the path; the key is NULL in a list */
  trm_yaml *named;       /* the last key passed */
  trm_yaml *top;         /* the first key */
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

/* The name among the entries of a list that are maps. */
static const trm_yaml_pair *find_in_list(const trm_yaml *list, const char *path, size_t *length) {
  const trm_yaml_pair *pair = NULL;
  for (int i = 0; i < list->count && !pair; i++)
    if (list->items[i]->kind == TRM_YAML_MAP) pair = find(list->items[i], path, length);
  return pair;
}

/* "tilt_y": of the drivers that the entry `tilt` stands for, the one that its rotation[1] moves.
 * `item` is that, or NULL where it is made of more than one part. */
static const trm_yaml_pair *find_driver(const trm_yaml *joints, const char *path, size_t *length,
                                        trm_yaml **item) {
  size_t whole = strcspn(path, "/");
  if (whole < 3 || path[whole - 2] != '_') return NULL;
  const trm_yaml_pair *pair = trm_yaml_get(joints, path, whole - 2);
  if (!pair || pair->value->kind != TRM_YAML_MAP) return NULL;
  const trm_yaml_pair *rotation = trm_yaml_get(pair->value, "rotation", 8);
  int k = path[whole - 1] - 'x';
  if (rotation && rotation->value->kind == TRM_YAML_LIST && k >= 0 && k < rotation->value->count)
    *item = rotation->value->items[k];
  else if (!trm_yaml_get(pair->value, "pose", 4))
    return NULL;
  *length = whole;
  return pair;
}

static bool step(trm_reader *reader, walk *w, const char **path) {
  size_t length = 0;
  trm_yaml *item = NULL;
  const trm_yaml_pair *pair = NULL;
  /* entries of a section may come from a template */
  if (w->key && !w->section) pair = trm_repeat_find(reader, w->key->text, *path, &length);
  if (!pair && w->value->kind == TRM_YAML_MAP) pair = find(w->value, *path, &length);
  if (!pair && w->value->kind == TRM_YAML_MAP && w->key && strcmp(w->key->text, "joints") == 0)
    pair = find_driver(w->value, *path, &length, &item);
  if (w->value->kind == TRM_YAML_LIST) item = find_item(w->value, *path, &length);
  if (!item && w->value->kind == TRM_YAML_LIST) pair = find_in_list(w->value, *path, &length);
  if (!pair && !item) return false;
  w->section = w->key;
  if (pair && !w->top) w->top = pair->key;
  w->key = pair ? pair->key : NULL;
  if (pair) w->named = pair->key;
  w->value = item ? item : pair->value;
  *path += length + ((*path)[length] == '/');
  return true;
}

static walk follow(trm_reader *reader, const char *path) {
  walk w = {.value = reader->document.root, .named = reader->document.root, .complete = true};
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

/* The part that a path leads into, or NULL. */
static trm_reader *part_of(trm_reader *reader, const char *path, walk *w) {
  for (int i = 0; i < reader->part_count; i++) {
    trm_reader *part = reader->parts[i], *inner = part_of(part, path, w);
    if (inner) return inner;
    *w = follow(part, path);
    if (w->section && (w->complete || trm_part_is_named(w->top->text))) return part;
    trm_repeat_unbind(part);
  }
  return NULL;
}

/* Sections that count in the model's own file only. */
static bool is_of_model(const char *path) {
  size_t length = strcspn(path, "/");
  static const char *const ours[] = {"parameters", "simulate", "outputs",
                                     "reference",  "gravity",  "road"};
  for (int i = 0; i < 6; i++)
    if (trm_text_is(ours[i], path, length)) return true;
  return false;
}

trm_place trm_read_locate(void *context, const char *path, size_t offset) {
  trm_reader *reader = context;
  walk w;
  trm_reader *part = is_of_model(path) ? NULL : part_of(reader, path, &w);
  if (part)
    reader = part;
  else
    w = follow(reader, path);
  const trm_yaml *node = is_at_value(&w) ? w.value : w.named;
  offset = node == w.value ? trm_repeat_formula_origin(reader, node, offset) : 0;
  trm_place place = trm_yaml_place_in(&reader->document, node, offset);
  /* what was reported already must not be reported again in other words */
  if (reader->building && (is_bad(&w) || !trm_repeat_reports(reader, node)))
    place.line = TRM_READ_DROPPED;
  trm_repeat_unbind(reader);
  return place;
}
