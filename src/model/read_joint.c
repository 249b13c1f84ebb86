/* Joints. */
#include "model/read_include.h"

#include <string.h>

enum {
  REVOLUTE = 1u << TRM_JOINT_REVOLUTE,
  PRISMATIC = 1u << TRM_JOINT_PRISMATIC,
  RIGID = 1u << TRM_JOINT_RIGID,
  ON_LINE = 1u << TRM_JOINT_POINT_ON_LINE,
  ROLLER = 1u << TRM_JOINT_ROLLER,
  DISTANCE = 1u << TRM_JOINT_DISTANCE,
  COORDINATE = 1u << TRM_JOINT_COORDINATE,
  GEAR = 1u << TRM_JOINT_GEAR,
  ROLLING = 1u << TRM_JOINT_ROLLING,
  DRIVER = 1u << TRM_JOINT_DRIVER,
  SCREW = 1u << TRM_JOINT_SCREW,
  ALONG = PRISMATIC | ON_LINE | ROLLING,
  PLANAR = REVOLUTE | ALONG | RIGID | ROLLER | DISTANCE,
  RELATION = COORDINATE | GEAR | DRIVER,
  ALIGNED = ALONG | REVOLUTE | SCREW | 1u << TRM_JOINT_CYLINDRICAL | 1u << TRM_JOINT_PLANAR |
            1u << TRM_JOINT_POINT_ON_PLANE,
  TWO_AXES = 1u << TRM_JOINT_UNIVERSAL | 1u << TRM_JOINT_PARALLEL | 1u << TRM_JOINT_PERPENDICULAR |
             1u << TRM_JOINT_CONSTANT_VELOCITY | 1u << TRM_JOINT_HALF_SHAFT,
  SPATIAL = ALIGNED | TWO_AXES | RIGID | DISTANCE | 1u << TRM_JOINT_SPHERICAL
};

static const char *type_name(int type) {
  return type <= TRM_JOINT_HALF_SHAFT ? trm_joint_type_name((trm_joint_type)type) : NULL;
}

static bool is_for(int type, trm_space space) {
  return trm_joint_is_for((trm_joint_type)type, space);
}

static void read_connect(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_connect(reader, node, ((trm_joint_def *)target)->connect);
}

static void read_at(trm_reader *reader, trm_yaml *node, void *target) {
  trm_joint_def *joint = target;
  trm_read_at(reader, node, &joint->at_given, joint->at, &joint->at_second_given, joint->at_second);
}

/* A roller runs along a global axis, which has a name. */
static void read_roller_axis(trm_reader *reader, trm_yaml *node, trm_joint_def *joint) {
  bool x = node->kind == TRM_YAML_TEXT && strcmp(node->text, "x") == 0;
  bool y = node->kind == TRM_YAML_TEXT && strcmp(node->text, "y") == 0;
  joint->axis_given = true;
  joint->axis[y ? 1 : 0] = 1;
  if (!x && !y) trm_read_error(reader, node, "the axis of a roller is x or y");
}

static void read_axis(trm_reader *reader, trm_yaml *node, void *target) {
  trm_joint_def *joint = target;
  if (joint->type == TRM_JOINT_ROLLER) {
    read_roller_axis(reader, node, joint);
    return;
  }
  joint->axis_given = true;
  if (!trm_read_direction(reader, node, reader->model->dim, joint->axis)) joint->axis[0] = 1;
}

static void read_axes(trm_reader *reader, trm_yaml *node, void *target) {
  trm_joint_def *joint = target;
  joint->axes_given = true;
  joint->axes[0][0] = joint->axes[1][0] = 1;
  if (!trm_read_list(reader, node, 2, "directions")) return;
  for (int i = 0; i < 2; i++)
    trm_read_direction(reader, node->items[i], reader->model->dim, joint->axes[i]);
}

static void read_value(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((trm_joint_def *)target)->value);
}

static void read_joints(trm_reader *reader, trm_yaml *node, void *target) {
  trm_joint_def *joint = target;
  if (!trm_read_list(reader, node, 2, "joints")) return;
  for (int i = 0; i < 2; i++)
    if (!trm_read_name(reader, node->items[i], "the name of a joint", &joint->joints[i]))
      node->bad = true;
}

static void read_ratio(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((trm_joint_def *)target)->ratio);
}

static void read_radius(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((trm_joint_def *)target)->radius);
  trm_read_unit(reader, node, TRM_A_LENGTH);
}

static void read_pitch(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((trm_joint_def *)target)->pitch);
  trm_read_unit(reader, node, TRM_A_LENGTH);
}

static void read_of(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_name(reader, node, "what is driven, like J.angle or body.point.x",
                &((trm_joint_def *)target)->of);
}

static void read_rate(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((trm_joint_def *)target)->rate);
}

static void read_sum(trm_reader *reader, trm_yaml *node, void *target) {
  trm_joint_def *joint = target;
  if (node->kind != TRM_YAML_MAP) {
    trm_read_error(reader, node, "expected measures and factors like {crank.angle: 1}, found %s",
                   trm_yaml_kind_name(node));
    return;
  }
  trm_term_def *terms = TRM_NEW(reader->document.arena, trm_term_def, node->count);
  reader->no_memory |= !terms;
  for (int i = 0; terms && i < node->count; i++) {
    terms[i] = (trm_term_def){trm_part_name(reader, node->pairs[i].key->text), 1};
    trm_read_number(reader, node->pairs[i].value, &terms[i].factor);
  }
  joint->terms = terms;
  joint->term_count = terms ? node->count : 0;
}

static const trm_field planar_fields[] = {
    {"type", NULL, PLANAR | RELATION, 0},
    {"connect", read_connect, PLANAR, PLANAR},
    {"axis", read_axis, ALONG | ROLLER, ROLLER},
    {"axes", read_axes, ALONG, 0},
    {"at", read_at, PLANAR, 0},
    {"length", read_value, DISTANCE, 0},
    {"sum", read_sum, COORDINATE, COORDINATE},
    {"joints", read_joints, GEAR, GEAR},
    {"ratio", read_ratio, GEAR, GEAR},
    {"radius", read_radius, ROLLING, ROLLING},
    {"of", read_of, DRIVER, DRIVER},
    {"value", read_value, COORDINATE | DRIVER, 0},
    {"rate", read_rate, DRIVER, 0},
};
static const trm_field spatial_fields[] = {
    {"type", NULL, SPATIAL | RELATION, 0},
    {"connect", read_connect, SPATIAL, SPATIAL},
    {"axis", read_axis, ALIGNED, 0},
    {"axes", read_axes, ALIGNED | TWO_AXES, 0},
    {"at", read_at, SPATIAL, 0},
    {"length", read_value, DISTANCE, 0},
    {"sum", read_sum, COORDINATE, COORDINATE},
    {"joints", read_joints, GEAR, GEAR},
    {"ratio", read_ratio, GEAR, GEAR},
    {"radius", read_radius, ROLLING, ROLLING},
    {"pitch", read_pitch, SCREW, SCREW},
    {"of", read_of, DRIVER, DRIVER},
    {"value", read_value, COORDINATE | DRIVER, 0},
    {"rate", read_rate, DRIVER, 0},
};
static const trm_schema schemas[] = {
    [TRM_PLANAR] = {planar_fields, sizeof planar_fields / sizeof *planar_fields, type_name,
                    "type "},
    [TRM_SPATIAL] = {spatial_fields, sizeof spatial_fields / sizeof *spatial_fields, type_name,
                     "type "},
};

/* A joint with an error is declared all the same, so that what names it is no error too. */
static void read_joint(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_joint_def joint = trm_default_joint();
  joint.name = reader->name = pair->key->text;
  int type = trm_read_type(reader, pair, type_name, is_for);
  bool driver = type == TRM_JOINT_DRIVER && reader->model->space == TRM_SPATIAL;
  const trm_yaml_pair *pose = driver ? trm_yaml_get(pair->value, "pose", 4) : NULL;
  const trm_yaml_pair *rotation = driver ? trm_yaml_get(pair->value, "rotation", 8) : NULL;
  if (pose)
    trm_read_pose_driver(reader, pair, pose->value);
  else if (rotation)
    trm_read_rotation_driver(reader, pair, rotation->value);
  if (pose || rotation) return;
  if (type >= 0) {
    joint.type = (trm_joint_type)type;
    trm_read_fields(reader, pair, &schemas[reader->model->space], type, &joint);
    const trm_yaml *map = pair->value;
    if (type == TRM_JOINT_DRIVER && map->kind == TRM_YAML_MAP && !trm_yaml_get(map, "value", 5) &&
        !trm_yaml_get(map, "rate", 4))
      trm_read_error(reader, pair->key, "missing key 'value'; on velocity level it is 'rate'");
  } else {
    const trm_yaml_pair *connect = trm_yaml_get(pair->value, "connect", 7);
    if (connect) read_connect(reader, connect->value, &joint);
  }
  trm_part_joint(reader, &joint);
  trm_model_add_joint(reader->model, &joint);
}

void trm_read_joints(trm_reader *reader, trm_yaml *section) {
  reader->key = "joints";
  if (!trm_read_map(reader, section, "joints")) return;
  reader->kind = "joint";
  reader->key = NULL;
  trm_read_entries(reader, section, read_joint);
  reader->kind = reader->name = NULL;
}
