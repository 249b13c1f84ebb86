/* Where the parts of a finished model stand in its file: assembly may still find them wrong. */
#include "model/read_parts.h"
#include "model/user.h"

#include <string.h>

enum { KINDS = 3 };

static trm_origin origin_of(trm_reader *reader, const char *text, const trm_yaml *node) {
  trm_place place = trm_yaml_place(&reader->document, node->position);
  if (!place.source) return (trm_origin){0};
  /* in the model's own copy: the document goes when reading ends */
  return (trm_origin){place.line, place.column, text + (place.source - reader->document.text)};
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

trm_status trm_read_origins(trm_reader *reader) {
  static const char *const keys[KINDS] = {"bodies", "joints", "forces"};
  trm_model *model = reader->model;
  const char *text =
      trm_arena_substring(model->arena, reader->document.text, reader->document.length);
  if (!text) return TRM_NO_MEMORY;
  model->text = text;
  for (int kind = 0; kind < KINDS; kind++) {
    const trm_yaml *section = section_of(reader, keys[kind]);
    int next = 0, index = 0;
    for (int i = 0; section && i < section->count; i++) {
      const trm_yaml *key = section->pairs[i].key;
      trm_origin origin = origin_of(reader, text, key);
      for (int n = trm_repeat_count(reader, kind, key, &next); n > 0; n--)
        *origin_at(model, kind, index++) = origin;
    }
  }
  const trm_yaml *shafts = section_of(reader, "shafts");
  for (int i = 0; shafts && i < model->shaft_count; i++) {
    const trm_origin origin = origin_of(reader, text, shafts->pairs[i].key);
    model->bodies[trm_model_placed(model) + i].origin = origin;
    model->joints[model->joint_count - model->shaft_count + i].origin = origin;
  }
  place_system(reader, text);
  const trm_yaml *initial = section_of(reader, "initial");
  for (int i = 0; initial && i < initial->count; i++)
    model->initials[i].origin = origin_of(reader, text, initial->pairs[i].key);
  const trm_yaml_pair *reference = trm_yaml_get(reader->document.root, "reference", 9);
  if (reference) model->reference_origin = origin_of(reader, text, reference->key);
  return TRM_OK;
}
