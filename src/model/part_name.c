/* Names of parts: their prefix, and what a reference stands for. */
#include "model/read_include.h"

#include <string.h>

bool trm_part_is_named(const char *section) {
  static const char *const others[] = {"parameters", "ground", "initial",  "simulate",
                                       "reference",  "system", "optimize", "road"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(section, others[i]) == 0) return false;
  return true;
}

static const char *join(trm_reader *reader, const char *a, size_t length, const char *b) {
  size_t rest = strlen(b);
  char *text = trm_arena_alloc(reader->document.arena, length + rest + 1, 1);
  if (!text) {
    reader->no_memory = true;
    return NULL;
  }
  memcpy(text, a, length);
  memcpy(text + length, b, rest);
  return text;
}

/* A copy of a map with other keys: nodes may be shared by aliases. */
static trm_yaml *rename_keys(trm_reader *part, const trm_yaml *map,
                             const char *(*rename)(trm_reader *part, const char *key)) {
  trm_arena *arena = part->document.arena;
  trm_yaml *copy = TRM_NEW(arena, trm_yaml, 1), *keys = TRM_NEW(arena, trm_yaml, map->count);
  trm_yaml_pair *pairs = TRM_NEW(arena, trm_yaml_pair, map->count);
  if (!copy || !keys || !pairs) return NULL;
  for (int i = 0; i < map->count; i++) {
    keys[i] = *map->pairs[i].key;
    keys[i].text = rename(part, keys[i].text);
    if (!keys[i].text) return NULL;
    keys[i].count = (int)strlen(keys[i].text);
    pairs[i] = (trm_yaml_pair){&keys[i], map->pairs[i].value};
  }
  *copy = *map;
  copy->pairs = pairs;
  copy->index = NULL;
  return trm_yaml_close_map(&part->document, copy, part->diagnostics) ? copy : NULL;
}

static const char *with_prefix(trm_reader *part, const char *key) {
  return join(part, part->prefix, strlen(part->prefix), key);
}

static bool prefix_ground(trm_reader *part, trm_yaml_pair *ground) {
  const trm_yaml_pair *points = trm_yaml_get(ground->value, "points", 6);
  if (!points || points->value->kind != TRM_YAML_MAP) return true;
  trm_yaml *renamed = rename_keys(part, points->value, with_prefix);
  if (renamed) ((trm_yaml_pair *)(void *)points)->value = renamed;
  return renamed != NULL;
}

bool trm_part_prefix(trm_reader *part) {
  trm_yaml *root = part->document.root;
  for (int i = 0; i < root->count && part->prefix[0]; i++) {
    trm_yaml_pair *pair = &root->pairs[i];
    bool ground = strcmp(pair->key->text, "ground") == 0;
    if (ground && !prefix_ground(part, pair)) return false;
    if (pair->value->kind != TRM_YAML_MAP || !trm_part_is_named(pair->key->text)) continue;
    pair->value = rename_keys(part, pair->value, with_prefix);
    if (!pair->value) return false;
  }
  return true;
}

bool trm_part_prefix_initial(trm_reader *part) {
  trm_yaml_pair *pair =
      (trm_yaml_pair *)(void *)trm_yaml_get(part->document.root, "initial", strlen("initial"));
  if (!pair || pair->value->kind != TRM_YAML_MAP) return true;
  trm_yaml *renamed = rename_keys(part, pair->value, trm_part_name);
  if (renamed) pair->value = renamed;
  return renamed != NULL;
}

/* Whether a name is one that a template's key, like link$(i), can make. */
static bool fits(const char *key, const char *name, size_t length) {
  const char *end = name + length;
  for (; *key; key++) {
    if (key[0] == '$' && key[1] == '(') {
      int depth = 0;
      const char *digits = name;
      for (key++; *key; key++) {
        depth += (*key == '(') - (*key == ')');
        if (depth == 0) break;
      }
      while (name < end && *name >= '0' && *name <= '9') name++;
      if (!*key || name == digits) return false;
    } else if (name == end || *name++ != *key) {
      return false;
    }
  }
  return name == end;
}

static const trm_yaml_pair *find_in(const trm_yaml *map, const char *name, size_t length) {
  const trm_yaml_pair *pair = trm_yaml_get(map, name, length);
  for (int i = 0; !pair && map->kind == TRM_YAML_MAP && i < map->count; i++)
    if (strstr(map->pairs[i].key->text, "$(") && fits(map->pairs[i].key->text, name, length))
      pair = &map->pairs[i];
  return pair;
}

/* In the file of a reader and in those it includes; section NULL: in any that holds names. */
static const trm_yaml *find_below(trm_reader *reader, const char *section, const char *name,
                                  size_t length, trm_reader **owner) {
  const trm_yaml *root = reader->document.root;
  for (int i = 0; i < root->count; i++) {
    const char *key = root->pairs[i].key->text;
    if (section ? strcmp(section, key) != 0 : !trm_part_is_named(key)) continue;
    const trm_yaml_pair *pair = find_in(root->pairs[i].value, name, length);
    *owner = reader;
    if (pair) return pair->value;
  }
  for (int i = 0; i < reader->part_count; i++) {
    const trm_yaml *found = find_below(reader->parts[i], section, name, length, owner);
    if (found) return found;
  }
  return NULL;
}

const trm_yaml *trm_part_find(trm_reader *reader, const char *section, const char *name,
                              size_t length, trm_reader **owner) {
  while (reader->outer) reader = reader->outer;
  return find_below(reader, section, name, length, owner);
}

static bool has_ground_point(const trm_reader *reader, const char *name, size_t length) {
  const trm_yaml_pair *ground = trm_yaml_get(reader->document.root, "ground", 6);
  const trm_yaml_pair *points = ground ? trm_yaml_get(ground->value, "points", 6) : NULL;
  if (points && trm_yaml_get(points->value, name, length)) return true;
  for (int i = 0; i < reader->part_count; i++)
    if (has_ground_point(reader->parts[i], name, length)) return true;
  return false;
}

const char *trm_part_name(trm_reader *reader, const char *text) {
  static const char ground[] = "ground.";
  size_t start = strncmp(text, ground, strlen(ground)) == 0 ? strlen(ground) : 0;
  size_t length = strcspn(text + start, ".'");
  trm_reader *owner;
  for (trm_reader *r = reader; r->outer; r = r->outer) {
    size_t before = strlen(r->prefix);
    const char *name = join(reader, r->prefix, before, text + start);
    if (!name) return text;
    bool known = start ? has_ground_point(r, name, before + length)
                       : find_below(r, NULL, name, before + length, &owner) != NULL;
    if (!known) continue;
    const char *whole = start ? join(reader, ground, start, name) : name;
    return whole ? whole : text;
  }
  return text;
}

static bool is_origin(const trm_reader *reader, const char *name) {
  bool is = reader->origin && strcmp(reader->origin, name) == 0;
  for (int i = 0; !is && i < reader->part_count; i++) is = is_origin(reader->parts[i], name);
  return is;
}

/* With as many underscores as make it new. */
const char *trm_part_origin(trm_reader *reader) {
  static const char ground[] = "ground.";
  const trm_reader *main = reader;
  while (main->outer) main = main->outer;
  const char *name = reader->origin;
  if (!name) {
    name = join(reader, reader->prefix, strlen(reader->prefix), "origin");
    while (name && (has_ground_point(main, name, strlen(name)) || is_origin(main, name)))
      name = join(reader, name, strlen(name), "_");
    if (name) trm_model_add_point(reader->model, "ground", name, reader->frame.at);
    reader->origin = name;
  }
  const char *whole = name ? join(reader, ground, strlen(ground), name) : NULL;
  return whole ? whole : "ground";
}
