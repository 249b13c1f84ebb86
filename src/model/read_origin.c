/* Where the parts of a finished model stand in its file: assembly may still find them wrong. */
#include "model/read_parts.h"
#include "model/user.h"

#include <string.h>

enum { KINDS = 3 };

static trm_origin origin_of(trm_reader *reader, const char *text, const trm_yaml *node) {
  trm_place place = trm_yaml_place(&reader->document, node->position);
  if (!place.source) return (trm_origin){0};
  /* in the model's own copy: the document goes when reading ends */
  const char *source = text + (place.source - reader->document.text);
  return (trm_origin){place.line, place.column, source, reader->file, reader->from};
}

static trm_origin *origin_at(trm_model *model, int kind, int index) {
  if (kind == 0) return &model->bodies[index].origin;
  return kind == 1 ? &model->joints[index].origin : &model->forces[index].origin;
}

static trm_yaml *section_of(const trm_reader *reader, const char *key) {
  const trm_yaml_pair *pair = trm_yaml_get(reader->document.root, key, strlen(key));
  return pair && pair->value->kind == TRM_YAML_MAP ? pair->value : NULL;
}

static void place_list(trm_reader *reader, const char *text, const trm_yaml *system,
                       const char *key, trm_origin *origins) {
  const trm_yaml_pair *pair = trm_yaml_get(system, key, strlen(key));
  for (int i = 0; pair && pair->value->kind == TRM_YAML_LIST && i < pair->value->count; i++)
    origins[i] = origin_of(reader, text, pair->value->items[i]);
}

static void place_key(trm_reader *reader, const char *text, const trm_yaml *system, const char *key,
                      trm_origin *origin) {
  const trm_yaml_pair *pair = trm_yaml_get(system, key, strlen(key));
  if (pair) *origin = origin_of(reader, text, pair->value);
}

static void place_system(trm_reader *reader, const char *text) {
  const trm_yaml *system = section_of(reader, "system");
  trm_user *user = reader->model->user;
  if (!system || !user) return;
  const trm_yaml_pair *coordinates = trm_yaml_get(system, "coordinates", 11);
  const trm_yaml_pair *forces = trm_yaml_get(system, "forces", 6);
  for (int i = 0; i < user->n; i++) {
    const char *name = user->names[i];
    const trm_yaml_pair *force = forces && forces->value->kind == TRM_YAML_MAP
                                     ? trm_yaml_get(forces->value, name, strlen(name))
                                     : NULL;
    user->coordinate_origin[i] = origin_of(reader, text, coordinates->value->pairs[i].key);
    if (force) user->force_origin[i] = origin_of(reader, text, force->value);
  }
  place_list(reader, text, system, "constraints", user->position_origin);
  place_list(reader, text, system, "velocity-constraints", user->velocity_origin);
  place_key(reader, text, system, "mass", &user->mass_origin);
  place_key(reader, text, system, "energy", &user->energy_origin);
}

/* How many of each have their place already. */
typedef struct placed {
  int items[KINDS], shafts, signals, events, initials, parts;
} placed;

static void place_signals(trm_reader *reader, const char *text, placed *count) {
  static const char *const keys[] = {"inputs", "variables", "states"};
  for (int kind = 0; kind < 3; kind++) {
    const trm_yaml *section = section_of(reader, keys[kind]);
    for (int i = 0; section && i < section->count; i++)
      reader->model->signals[count->signals++].origin =
          origin_of(reader, text, section->pairs[i].key);
  }
  const trm_yaml *events = section_of(reader, "events");
  for (int i = 0; events && i < events->count; i++)
    reader->model->events[count->events++].origin = origin_of(reader, text, events->pairs[i].key);
}

static bool place_file(trm_reader *reader, placed *count);

/* The text, for as long as the model. */
static const char *text_of(const trm_reader *reader) {
  const trm_document *document = &reader->document;
  if (document->kept) return document->text;
  return trm_arena_substring(reader->model->arena, document->text, document->length);
}

static bool place_parts(trm_reader *reader, placed *count) {
  trm_model *model = reader->model;
  for (int i = 0; i < reader->part_count; i++) {
    trm_reader *part = reader->parts[i];
    const trm_document *document = &part->document;
    trm_source *source = &model->parts[count->parts++];
    source->file = part->file = trm_arena_string(model->arena, document->file);
    source->text = text_of(part);
    part->from = trm_arena_string(model->arena, document->from);
    if (!source->file || !source->text || !part->from || !place_file(part, count)) return false;
  }
  return true;
}

/* In the order of reading: a file before those that it includes. */
static bool place_file(trm_reader *reader, placed *count) {
  static const char *const keys[KINDS] = {"bodies", "joints", "forces"};
  trm_model *model = reader->model;
  const char *text = reader->outer ? model->parts[count->parts - 1].text : model->text;
  for (int kind = 0; kind < KINDS; kind++) {
    const trm_yaml *section = section_of(reader, keys[kind]);
    int next = 0;
    for (int i = 0; section && i < section->count; i++) {
      const trm_yaml *key = section->pairs[i].key;
      trm_origin origin = origin_of(reader, text, key);
      int each = kind == 1 ? trm_read_joint_count(section->pairs[i].value) : 1;
      for (int n = each * trm_repeat_count(reader, kind, key, &next); n > 0; n--)
        *origin_at(model, kind, count->items[kind]++) = origin;
    }
  }
  const trm_yaml *shafts = section_of(reader, "shafts");
  for (int i = 0; shafts && i < shafts->count; i++) {
    const trm_origin origin = origin_of(reader, text, shafts->pairs[i].key);
    int index = count->shafts++;
    model->bodies[trm_model_placed(model) + index].origin = origin;
    model->joints[model->joint_count - model->shaft_count + index].origin = origin;
  }
  place_signals(reader, text, count);
  const trm_yaml *initial = section_of(reader, "initial");
  for (int i = 0; initial && i < initial->count; i++)
    model->initials[count->initials++].origin = origin_of(reader, text, initial->pairs[i].key);
  return place_parts(reader, count);
}

static bool place_settings(trm_reader *reader) {
  trm_model *model = reader->model;
  const trm_yaml *simulate = section_of(reader, "simulate");
  model->setting_origins = TRM_NEW(model->arena, trm_origin, trm_key_count());
  for (int i = 0; model->setting_origins && simulate && i < trm_key_count(); i++) {
    const char *name = trm_key_get(i)->name;
    const trm_yaml_pair *pair = trm_yaml_get(simulate, name, strlen(name));
    if (pair) model->setting_origins[i] = origin_of(reader, model->text, pair->key);
  }
  return model->setting_origins != NULL;
}

trm_status trm_read_origins(trm_reader *reader) {
  trm_model *model = reader->model;
  placed count = {.parts = 0};
  model->text = text_of(reader);
  model->parts = TRM_NEW(model->arena, trm_source, reader->all_parts + 1);
  if (!model->text || !model->parts || !place_file(reader, &count)) return TRM_NO_MEMORY;
  if (!place_settings(reader)) return TRM_NO_MEMORY;
  model->part_count = count.parts;
  place_system(reader, model->text);
  return TRM_OK;
}
