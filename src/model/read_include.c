/* The files that a model includes. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700
#include "model/read_include.h"

#include "base/text.h"
#include "model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, MOST_PARTS = 10000 };

/* What stands under `include` about one part. */
typedef struct include_def {
  const char *file, *prefix;
  trm_yaml *file_node, *with;
  trm_frame frame;
} include_def;

static void read_file_name(trm_reader *reader, trm_yaml *node, void *target) {
  include_def *def = target;
  def->file_node = node;
  if (!trm_read_text(reader, node, "the name of a file", &def->file)) return;
  if (!def->file[0]) trm_read_error(reader, node, "the name of the file is empty");
}

static void read_prefix(trm_reader *reader, trm_yaml *node, void *target) {
  include_def *def = target;
  if (node->kind == TRM_YAML_NOTHING) return;
  if (!trm_read_text(reader, node, "what the names of the part start with", &def->prefix)) return;
  if (def->prefix[0] && !trm_is_name(def->prefix, strlen(def->prefix)))
    trm_read_error(reader, node,
                   "'%.60s' cannot start a name; names are letters, digits and '_', starting with "
                   "a letter",
                   def->prefix);
}

static void read_with(trm_reader *reader, trm_yaml *node, void *target) {
  if (trm_read_map(reader, node, "parameters of the part")) ((include_def *)target)->with = node;
}

static void read_at(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_vector(reader, node, reader->model->dim, ((include_def *)target)->frame.at);
}

static void read_mirror(trm_reader *reader, trm_yaml *node, void *target) {
  trm_frame *frame = &((include_def *)target)->frame;
  const char *text = NULL;
  bool planar = reader->model->space == TRM_PLANAR;
  if (!trm_read_text(reader, node, planar ? "x or y" : "x, y or z", &text)) return;
  int axis = strlen(text) == 1 ? text[0] - 'x' : -1;
  if (axis < 0 || axis >= reader->model->dim) {
    trm_read_error(reader, node, "a part is mirrored by %s, not by '%.60s'",
                   planar ? "x or y" : "x, y or z", text);
    return;
  }
  frame->sign[axis] = frame->turn = -1;
}

static const trm_field fields[] = {{"file", read_file_name, 1, 1},
                                   {"with", read_with, 1, 0},
                                   {"prefix", read_prefix, 1, 0},
                                   {"at", read_at, 1, 0},
                                   {"mirror", read_mirror, 1, 0}};
static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, NULL};

/* a, then b inside it */
static trm_frame nested(const trm_frame *a, const trm_frame *b) {
  trm_frame c = {.turn = a->turn * b->turn};
  for (int k = 0; k < 3; k++) {
    c.sign[k] = a->sign[k] * b->sign[k];
    c.at[k] = a->sign[k] * b->at[k] + a->at[k];
  }
  return c;
}

static const char *print(trm_reader *reader, const char *a, const char *b, const char *c) {
  size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = trm_arena_alloc(reader->document.arena, size, 1);
  if (text) snprintf(text, size, "%s%s%s", a, b, c);
  if (!text) reader->no_memory = true;
  return text;
}

/* "car.yaml:12:5", and where that is included from itself */
static const char *place_of(trm_reader *reader, const trm_yaml *node) {
  trm_place place = trm_yaml_place(&reader->document, node->position);
  char numbers[40];
  snprintf(numbers, sizeof numbers, ":%d:%d%s", place.line, place.column,
           place.from ? ", included from " : "");
  return print(reader, place.file, numbers, place.from ? place.from : "");
}

/* A reader for the part; NULL where there is no memory. */
static trm_reader *create(trm_reader *outer, const include_def *def, const trm_yaml *entry) {
  trm_reader *part = TRM_NEW(outer->document.arena, trm_reader, 1);
  if (!part) return NULL;
  *part = (trm_reader){.outer = outer,
                       .diagnostics = outer->diagnostics,
                       .model = outer->model,
                       .evaluating = -1,
                       .wanted = outer->wanted,
                       .shelf = outer->shelf,
                       .near = outer->near,
                       .frame = nested(&outer->frame, &def->frame)};
  const char *slash = strrchr(def->file, '/');
  bool absolute = def->file[0] == '/', alone = absolute || !outer->folder;
  part->document.arena = outer->document.arena;
  part->repeated = trm_map_create(outer->document.arena);
  part->prefix = print(outer, outer->prefix, def->prefix, "");
  part->document.file = print(outer, alone ? "" : outer->folder, alone ? "" : "/", def->file);
  part->document.from = place_of(outer, entry);
  const char *inner =
      slash ? trm_arena_substring(outer->document.arena, def->file, (size_t)(slash - def->file) + 1)
            : "";
  if (!part->repeated || !part->prefix || !part->document.file || !part->document.from || !inner)
    return NULL;
  part->nest = print(outer, absolute ? "" : outer->nest, inner, "");
  const char *last = strrchr(part->document.file, '/');
  part->folder = last ? trm_arena_substring(
                            outer->document.arena, part->document.file,
                            last == part->document.file ? 1 : (size_t)(last - part->document.file))
                      : NULL;
  return part->nest && (!last || part->folder) ? part : NULL;
}

static bool is_same_file(const char *a, const char *b) {
  char *x = realpath(a, NULL), *y = realpath(b, NULL);
  bool same = x && y ? strcmp(x, y) == 0 : strcmp(a, b) == 0;
  free(x);
  free(y);
  return same;
}

/* A part that includes itself, by whatever way, would have no end. */
static bool check_cycle(trm_reader *outer, const trm_reader *part, trm_yaml *node) {
  int depth = 0;
  for (const trm_reader *r = outer; r; r = r->outer, depth++) {
    if (!is_same_file(r->document.file, part->document.file)) continue;
    trm_read_error(outer, node, "a cycle: '%.200s' includes itself%s", part->document.file,
                   r == outer ? "" : " by way of others");
    return false;
  }
  trm_reader *main = outer;
  while (main->outer) main = main->outer;
  if (depth >= DEEPEST)
    trm_read_error(outer, node, "parts are nested too deeply: more than %d levels", DEEPEST);
  else if (main->all_parts >= MOST_PARTS)
    trm_read_error(outer, node, "more than %d parts in a model", MOST_PARTS);
  main->all_parts++;
  return !node->bad;
}

static void check_parameter_names(trm_reader *part) {
  const trm_yaml_pair *section = trm_yaml_get(part->document.root, "parameters", 10);
  part->kind = "parameter";
  for (int i = 0; section && section->value->kind == TRM_YAML_MAP && i < section->value->count;
       i++) {
    trm_yaml *key = section->value->pairs[i].key;
    part->name = key->text;
    if (!trm_is_name(key->text, strlen(key->text)))
      trm_read_error(part, key,
                     "this is no name; names are letters, digits and '_', starting with a letter");
    else if (trm_is_reserved(key->text))
      trm_read_error(part, key, "this name is reserved");
  }
  part->kind = part->name = NULL;
}

/* Whether the value is one for a vector of the part. */
static bool take_vector(trm_reader *outer, trm_reader *part, const trm_yaml_pair *pair) {
  int dimension = trm_map_get(part->vector_index, pair->key->text, (size_t)pair->key->count);
  double v[3] = {1, 1, 1};
  if (dimension <= 0) return false;
  bool good = trm_read_vector(outer, pair->value, dimension, v);
  for (int k = 0; k < dimension; k++) {
    const char *name = trm_vector_component(part->document.arena, pair->key->text, k);
    int known = name ? trm_map_get(part->parameter_index, name, strlen(name)) : -1;
    if (known < 0) continue;
    trm_parameter_entry *entry = &part->parameters[known];
    entry->given = true;
    entry->value = v[k];
    entry->state = good ? TRM_PARAMETER_KNOWN : TRM_PARAMETER_BAD;
  }
  return true;
}

/* Values under `with` are the including file's. */
static void take_values(trm_reader *outer, trm_reader *part, const trm_yaml *with) {
  const char *names[100];
  char hint[100];
  int count = part->parameter_count < 100 ? part->parameter_count : 100;
  for (int i = 0; i < count; i++) names[i] = part->parameters[i].name;
  for (int i = 0; with && i < with->count; i++) {
    const trm_yaml_pair *pair = &with->pairs[i];
    int known = trm_map_get(part->parameter_index, pair->key->text, (size_t)pair->key->count);
    outer->key = pair->key->text;
    if (take_vector(outer, part, pair)) continue;
    if (known < 0) {
      trm_read_suggest(outer, pair->key->text, names, count, hint, sizeof hint);
      trm_read_error(outer, pair->key, "the part has no such parameter%s", hint);
      continue;
    }
    trm_parameter_entry *entry = &part->parameters[known];
    entry->given = true;
    entry->state = trm_read_number(outer, pair->value, &entry->value) ? TRM_PARAMETER_KNOWN
                                                                      : TRM_PARAMETER_BAD;
    entry->move = outer->move;
  }
  outer->key = NULL;
}

static bool add_part(trm_reader *outer, trm_reader *part) {
  trm_reader **list =
      trm_grow(outer->document.arena, outer->parts, outer->part_count, sizeof *list);
  if (!list) return false;
  outer->parts = list;
  list[outer->part_count++] = part;
  return true;
}

/* False: what the part defines is unknown. */
static bool load(trm_reader *outer, const include_def *def, trm_yaml *entry) {
  trm_reader *part = create(outer, def, entry);
  if (!part) {
    outer->no_memory = true;
    return false;
  }
  if (!check_cycle(outer, part, def->file_node)) return false;
  trm_status status = trm_read_tree(part);
  if (status == TRM_NO_MEMORY) outer->no_memory = true;
  if (status != TRM_OK || !trm_read_check_root(part)) return false;
  check_parameter_names(part);
  bool good = trm_read_declare(part);
  if (good) take_values(outer, part, def->with);
  if (good) trm_read_parameters(part);
  good = good && trm_part_prefix(part) && add_part(outer, part);
  if (!good) outer->no_memory = true;
  return good && trm_read_include(part);
}

static bool include(trm_reader *reader, trm_yaml *entry) {
  include_def def = {.prefix = "", .frame = {.sign = {1, 1, 1}, .turn = 1}};
  if (entry->kind != TRM_YAML_MAP) {
    trm_read_error(reader, entry, "expected a map like {file: part.yaml, prefix: left_}, found %s",
                   trm_yaml_kind_name(entry));
    return false;
  }
  reader->kind = "include";
  trm_read_fields(reader, &(trm_yaml_pair){entry, entry}, &schema, 0, &def);
  bool good = def.file && !entry->bad && !(def.file_node && def.file_node->bad) &&
              load(reader, &def, entry);
  reader->kind = reader->key = NULL;
  return good;
}

bool trm_read_include(trm_reader *reader) {
  const trm_yaml_pair *section = trm_yaml_get(reader->document.root, "include", 7);
  bool good = true;
  if (!section || section->value->kind == TRM_YAML_NOTHING) return true;
  reader->key = "include";
  if (section->value->kind != TRM_YAML_LIST) {
    trm_read_error(reader, section->value, "expected a list of parts, found %s",
                   trm_yaml_kind_name(section->value));
    return false;
  }
  reader->key = NULL;
  for (int i = 0; i < section->value->count; i++) good &= include(reader, section->value->items[i]);
  return good;
}
