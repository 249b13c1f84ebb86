/* A system of the user's own: coordinates, mass, forces and constraints as formulas. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/read_parts.h"

typedef struct system_reading {
  trm_user_def *user;
  int n;
  const char **names; /* [n] */
  double *q, *v;      /* [n] */
  bool *v_given;      /* [n] */
} system_reading;

static void *room(trm_reader *reader, int count, size_t size) {
  void *list = trm_arena_alloc(reader->document.arena, (size_t)count + 1, size);
  if (!list) reader->no_memory = true;
  return list;
}

/* The coordinate a key names, or −1, reported. */
static int find_coordinate(trm_reader *reader, const system_reading *s, trm_yaml *key) {
  char hint[100];
  for (int i = 0; i < s->n; i++)
    if (strcmp(s->names[i], key->text) == 0) return i;
  trm_read_suggest(reader, key->text, s->names, s->n, hint, sizeof hint);
  trm_read_error(reader, key, "unknown coordinate '%.60s'%s", key->text, hint);
  return -1;
}

static void read_velocities(trm_reader *reader, trm_yaml *node, void *target) {
  system_reading *s = target;
  if (!trm_read_map(reader, node, "coordinates and velocities")) return;
  for (int k = 0; k < node->count; k++) {
    int i = find_coordinate(reader, s, node->pairs[k].key);
    if (i >= 0) s->v_given[i] = trm_read_number(reader, node->pairs[k].value, &s->v[i]);
  }
}

/* Formulas by coordinate. */
static trm_value *read_by_name(trm_reader *reader, const system_reading *s, trm_yaml *map) {
  trm_value *values = room(reader, s->n, sizeof *values);
  for (int k = 0; values && k < map->count; k++) {
    int i = find_coordinate(reader, s, map->pairs[k].key);
    if (i >= 0) trm_read_formula(reader, map->pairs[k].value, &values[i]);
  }
  return values;
}

static void read_forces(trm_reader *reader, trm_yaml *node, void *target) {
  system_reading *s = target;
  if (trm_read_map(reader, node, "coordinates and forces"))
    s->user->force = read_by_name(reader, s, node);
}

static void read_diagonal(trm_reader *reader, system_reading *s, trm_yaml *node) {
  trm_value *values = read_by_name(reader, s, node);
  for (int i = 0; values && i < s->n; i++) {
    if (values[i].given) continue;
    if (!node->bad)
      trm_read_error(reader, node, "the mass of coordinate '%.60s' is missing", s->names[i]);
    values[i] = trm_number(1);
  }
  s->user->mass = values;
}

static void read_matrix(trm_reader *reader, system_reading *s, trm_yaml *node) {
  if (!trm_read_list(reader, node, s->n, "rows, one for each coordinate")) return;
  for (int i = 0; i < s->n; i++)
    if (!trm_read_list(reader, node->items[i], s->n, "masses, one for each coordinate")) return;
  trm_value *values = room(reader, s->n * s->n, sizeof *values);
  for (int k = 0; values && k < s->n * s->n; k++)
    trm_read_formula(reader, node->items[k / s->n]->items[k % s->n], &values[k]);
  s->user->mass_diagonal = false;
  s->user->mass = values;
}

static void read_mass(trm_reader *reader, trm_yaml *node, void *target) {
  if (node->kind == TRM_YAML_MAP)
    read_diagonal(reader, target, node);
  else if (node->kind == TRM_YAML_LIST)
    read_matrix(reader, target, node);
  else
    trm_read_error(reader, node,
                   "expected a map like {x: m, y: m} or a matrix [[..], [..]], found %s",
                   trm_yaml_kind_name(node));
}

static const trm_value *read_formulas(trm_reader *reader, trm_yaml *node, int *count) {
  *count = 0;
  if (node->kind == TRM_YAML_NOTHING) return NULL;
  if (node->kind != TRM_YAML_LIST) {
    trm_read_error(reader, node, "expected a list of formulas that are to be zero, found %s",
                   trm_yaml_kind_name(node));
    return NULL;
  }
  trm_value *values = room(reader, node->count, sizeof *values);
  for (int i = 0; values && i < node->count; i++)
    trm_read_formula(reader, node->items[i], &values[i]);
  *count = values ? node->count : 0;
  return values;
}

static void read_constraints(trm_reader *reader, trm_yaml *node, void *target) {
  trm_user_def *user = ((system_reading *)target)->user;
  user->position = read_formulas(reader, node, &user->def.position_constraints);
}

static void read_velocity_constraints(trm_reader *reader, trm_yaml *node, void *target) {
  trm_user_def *user = ((system_reading *)target)->user;
  user->velocity = read_formulas(reader, node, &user->def.velocity_constraints);
}

static void read_energy(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((system_reading *)target)->user->energy);
}

/* False where there are none to go on with. */
static bool read_coordinates(trm_reader *reader, const trm_yaml *section, system_reading *s) {
  const trm_yaml_pair *pair = trm_yaml_get(section, "coordinates", 11);
  if (!pair) return false; /* said as a missing key */
  trm_yaml *node = pair->value;
  reader->key = "coordinates";
  if (node->kind != TRM_YAML_MAP || node->count == 0) {
    trm_read_error(reader, node, "expected a map of names and initial values, found %s",
                   node->kind == TRM_YAML_MAP ? "an empty one" : trm_yaml_kind_name(node));
    return false;
  }
  s->n = node->count;
  s->names = room(reader, s->n, sizeof *s->names);
  s->q = room(reader, s->n, sizeof *s->q);
  s->v = room(reader, s->n, sizeof *s->v);
  s->v_given = room(reader, s->n, sizeof *s->v_given);
  if (reader->no_memory) return false;
  for (int i = 0; i < s->n; i++) {
    s->names[i] = node->pairs[i].key->text;
    trm_read_number(reader, node->pairs[i].value, &s->q[i]);
  }
  return true;
}

/* Whatever could not be read is harmless to build with. */
static void complete(trm_reader *reader, system_reading *s) {
  trm_user_def *user = s->user;
  user->def.coordinates = s->n;
  user->def.names = s->names;
  user->def.q = s->q;
  user->def.v = s->v;
  user->v_given = s->v_given;
  if (!user->force) user->force = room(reader, s->n, sizeof *user->force);
  if (user->mass) return;
  trm_value *ones = room(reader, s->n, sizeof *ones);
  for (int i = 0; ones && i < s->n; i++) ones[i] = trm_number(1);
  user->mass_diagonal = true;
  user->mass = ones;
}

void trm_read_system(trm_reader *reader, const trm_yaml_pair *section) {
  static const trm_field fields[] = {
      {"coordinates", NULL, 1, 1},
      {"velocities", read_velocities, 1, 0},
      {"mass", read_mass, 1, 1},
      {"forces", read_forces, 1, 0},
      {"constraints", read_constraints, 1, 0},
      {"velocity-constraints", read_velocity_constraints, 1, 0},
      {"energy", read_energy, 1, 0},
  };
  static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, NULL};
  system_reading s = {.user = reader->model->draft->user};
  s.user->formulas = s.user->mass_diagonal = true;
  reader->key = "system";
  if (section->value->kind != TRM_YAML_MAP) {
    trm_read_error(reader, section->value,
                   "expected a map of coordinates, mass, forces …, found %s",
                   trm_yaml_kind_name(section->value));
    return;
  }
  reader->kind = "system";
  bool good = read_coordinates(reader, section->value, &s);
  reader->key = NULL;
  trm_read_fields(reader, section, &schema, 0, &s);
  if (good) complete(reader, &s);
}
