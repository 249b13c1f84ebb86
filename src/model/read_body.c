/* Bodies and ground. */
#include "model/read_include.h"
#include "model/read_solid.h"

#include <string.h>

static void read_mass(trm_reader *reader, trm_yaml *node, void *target) {
  ((trm_body_reading *)target)->mass = node;
  trm_read_number(reader, node, &((trm_body_def *)target)->mass);
  trm_read_unit(reader, node, TRM_A_MASS);
}

static void read_density(trm_reader *reader, trm_yaml *node, void *target) {
  trm_body_reading *body = target;
  body->density = node;
  if (trm_read_number(reader, node, &body->density_value) && !(body->density_value > 0))
    trm_read_error(reader, node, "the density is %g, it must be positive", body->density_value);
  trm_read_unit(reader, node, TRM_A_DENSITY);
}

/* In space three principal moments, or all six entries of the tensor. */
static void read_inertia(trm_reader *reader, trm_yaml *node, void *target) {
  trm_body_def *body = target;
  trm_body_reading *reading = target;
  reading->inertia = node;
  reading->automatic = node->kind == TRM_YAML_TEXT && strcmp(node->text, "auto") == 0;
  if (reading->automatic) return;
  if (reader->model->space == TRM_PLANAR)
    trm_read_number(reader, node, &body->inertia[2]);
  else if (node->kind != TRM_YAML_LIST)
    trm_read_error(reader, node,
                   "expected [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or auto, found %s",
                   trm_yaml_kind_name(node));
  else
    trm_read_vector(reader, node, node->count > 3 ? 6 : 3, body->inertia);
  trm_read_unit(reader, node, TRM_AN_INERTIA);
}

static void read_orientation(trm_reader *reader, trm_yaml *node, void *target) {
  ((trm_body_reading *)target)->position = node;
  trm_read_orientation(reader, node, ((trm_body_def *)target)->orientation);
}

static void read_position(trm_reader *reader, trm_yaml *node, void *target) {
  ((trm_body_reading *)target)->position = node;
  trm_read_vector(reader, node, reader->model->dim, ((trm_body_def *)target)->position);
  trm_read_unit(reader, node, TRM_A_LENGTH);
}

static void read_angle(trm_reader *reader, trm_yaml *node, void *target) {
  ((trm_body_reading *)target)->position = node;
  trm_read_number(reader, node, &((trm_body_def *)target)->angle);
  trm_read_unit(reader, node, TRM_AN_ANGLE);
}

static void read_com(trm_reader *reader, trm_yaml *node, void *target) {
  ((trm_body_reading *)target)->com = node;
  trm_read_vector(reader, node, reader->model->dim, ((trm_body_def *)target)->com);
  trm_read_unit(reader, node, TRM_A_LENGTH);
}

/* Read when all keys are known. */
static void note_bar(trm_reader *reader, trm_yaml *node, void *target) {
  (void)reader;
  ((trm_body_reading *)target)->bar = node;
}

static void note_at(trm_reader *reader, trm_yaml *node, void *target) {
  (void)reader;
  ((trm_body_reading *)target)->at = node;
}

static void read_length(trm_reader *reader, trm_yaml *node, void *target) {
  trm_body_reading *body = target;
  body->length = node;
  trm_read_number(reader, node, &body->bar_length);
  trm_read_unit(reader, node, TRM_A_LENGTH);
}

static void read_section(trm_reader *reader, trm_yaml *node, void *target) {
  ((trm_body_reading *)target)->section = node;
  trm_read_section(reader, node, target);
}

static void read_velocity(trm_reader *reader, trm_yaml *node, void *target) {
  trm_body_def *body = target;
  body->velocity_given = trm_read_vector(reader, node, reader->model->dim, body->velocity);
  trm_read_unit(reader, node, TRM_A_VELOCITY);
}

static void read_angular_velocity(trm_reader *reader, trm_yaml *node, void *target) {
  trm_body_def *body = target;
  body->angular_velocity_given = reader->model->space == TRM_PLANAR
                                     ? trm_read_number(reader, node, &body->angular_velocity[2])
                                     : trm_read_vector(reader, node, 3, body->angular_velocity);
  trm_read_unit(reader, node, TRM_AN_ANGULAR_VELOCITY);
}

static void read_gravity(trm_reader *reader, trm_yaml *node, void *target) {
  trm_body_def *body = target;
  body->gravity_given = trm_read_vector(reader, node, reader->model->dim, body->gravity);
  trm_read_unit(reader, node, TRM_AN_ACCELERATION);
}

/* A point with an error is declared all the same, so that what names it is no error too. */
static void read_points(trm_reader *reader, trm_yaml *node, void *target) {
  const trm_body_def *body = target;
  if (!trm_read_map(reader, node, "points")) return;
  for (int i = 0; i < node->count; i++) {
    double at[3] = {0, 0, 0};
    reader->key = node->pairs[i].key->text;
    trm_read_vector(reader, node->pairs[i].value, reader->model->dim, at);
    trm_read_unit(reader, node->pairs[i].value, TRM_A_LENGTH);
    trm_read_keep_point(reader, target, node->pairs[i].key->text, at);
    trm_part_point(reader, body->name, at);
    trm_model_add_point(reader->model, body->name, node->pairs[i].key->text, at);
  }
}

static void read_shape(trm_reader *reader, trm_yaml *node, void *target) {
  ((trm_body_reading *)target)->shape = node;
  trm_read_shape(reader, node, &((trm_body_def *)target)->shape);
}

static void read_color(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "a color in quotes (\"#4477aa\") or by name",
                &((trm_body_def *)target)->color);
}

enum { PLANE = 1u << TRM_PLANAR, SPACE = 1u << TRM_SPATIAL, BOTH = PLANE | SPACE };

static const trm_field fields[] = {
    {"mass", read_mass, BOTH, 0},
    {"inertia", read_inertia, BOTH, 0},
    {"density", read_density, BOTH, 0},
    {"section", read_section, BOTH, 0},
    {"bar", note_bar, BOTH, 0},
    {"length", read_length, BOTH, 0},
    {"at", note_at, BOTH, 0},
    {"position", read_position, BOTH, 0},
    {"angle", read_angle, PLANE, 0},
    {"orientation", read_orientation, SPACE, 0},
    {"points", read_points, BOTH, 0},
    {"com", read_com, BOTH, 0},
    {"velocity", read_velocity, BOTH, 0},
    {"angular-velocity", read_angular_velocity, BOTH, 0},
    {"gravity", read_gravity, BOTH, 0},
    {"shape", read_shape, BOTH, 0},
    {"color", read_color, BOTH, 0},
};

static const char *space_name(int space) {
  static const char *const names[] = {
      [TRM_PLANAR] = "a planar body", [TRM_SPATIAL] = "a spatial body"};
  return space < 2 ? names[space] : NULL;
}

static const trm_schema schema = {fields, sizeof fields / sizeof *fields, space_name, ""};

static void read_body(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_body_reading reading = {.def = trm_default_body()};
  trm_body_def *body = &reading.def;
  body->name = reader->name = pair->key->text;
  if (pair->value->kind == TRM_YAML_MAP) {
    trm_read_fields(reader, pair, &schema, (int)reader->model->space, &reading);
    trm_read_pose(reader, &reading);
    trm_read_solid(reader, pair, &reading);
  } else {
    trm_read_error(reader, pair->value, "expected a map with mass and inertia, found %s",
                   trm_yaml_kind_name(pair->value));
  }
  trm_part_body(reader, body);
  trm_model_add_body(reader->model, body);
}

void trm_read_bodies(trm_reader *reader, trm_yaml *section) {
  reader->key = "bodies";
  if (!trm_read_map(reader, section, "bodies")) return;
  reader->kind = "body";
  reader->key = NULL;
  trm_read_entries(reader, section, read_body);
  reader->kind = reader->name = NULL;
}

static void read_shapes(trm_reader *reader, trm_yaml *node, void *target) {
  (void)target;
  trm_read_scenery(reader, node);
  reader->kind = "ground";
}

void trm_read_ground(trm_reader *reader, const trm_yaml_pair *section) {
  static const trm_field ground_fields[] = {{"points", read_points, 1, 0},
                                            {"shape", read_shape, 1, 0},
                                            {"color", read_color, 1, 0},
                                            {"shapes", read_shapes, 1, 0}};
  static const trm_schema ground_schema = {ground_fields, 4, NULL, NULL};
  trm_body_reading ground = {.def = trm_default_body()};
  ground.def.name = "ground";
  reader->key = "ground";
  if (!trm_read_map(reader, section->value, "points, shape, color and shapes")) return;
  reader->kind = "ground";
  reader->key = NULL;
  trm_read_fields(reader, section, &ground_schema, 0, &ground);
  /* of all the files' it is the model's own that is drawn */
  if (!reader->outer)
    trm_model_set_ground_shape(reader->model, &ground.def.shape, ground.def.color);
  reader->kind = NULL;
}
