/* Shapes: for pictures only, but a wrong one is an error all the same. */
#include "model/read_include.h"

#include <string.h>

static void read_box(trm_reader *reader, trm_yaml *node, void *target) {
  trm_shape_def *shape = target;
  shape->type = TRM_SHAPE_BOX;
  trm_read_vector(reader, node, 3, shape->size);
}

static void read_sphere(trm_reader *reader, trm_yaml *node, void *target) {
  trm_shape_def *shape = target;
  shape->type = TRM_SHAPE_SPHERE;
  trm_read_number(reader, node, &shape->size[0]);
}

static void read_radius(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((trm_shape_def *)target)->size[0]);
}

static void read_length(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((trm_shape_def *)target)->size[1]);
}

/* Pictures are in space even where the model is planar: a cylinder may stand on the plane. */
static void read_axis(trm_reader *reader, trm_yaml *node, void *target) {
  bool planar = node->kind == TRM_YAML_LIST && node->count == 2 && reader->model->dim == 2;
  trm_read_direction(reader, node, planar ? 2 : 3, ((trm_shape_def *)target)->axis);
}

static void read_cylinder(trm_reader *reader, trm_yaml *node, void *target) {
  static const trm_field fields[] = {
      {"radius", read_radius, 1, 1}, {"length", read_length, 1, 1}, {"axis", read_axis, 1, 0}};
  static const trm_schema schema = {fields, 3, NULL, NULL};
  trm_shape_def *shape = target;
  shape->type = TRM_SHAPE_CYLINDER;
  shape->axis[2] = 1;
  if (node->kind != TRM_YAML_MAP) {
    trm_read_error(reader, node, "expected {radius: r, length: l}, found %s",
                   trm_yaml_kind_name(node));
    return;
  }
  trm_read_fields(reader, &(trm_yaml_pair){node, node}, &schema, 0, target);
}

static void read_cone(trm_reader *reader, trm_yaml *node, void *target) {
  static const trm_field fields[] = {
      {"radius", read_radius, 1, 1}, {"height", read_length, 1, 1}, {"axis", read_axis, 1, 0}};
  static const trm_schema schema = {fields, 3, NULL, NULL};
  trm_shape_def *shape = target;
  shape->type = TRM_SHAPE_CONE;
  shape->axis[2] = 1;
  if (node->kind == TRM_YAML_MAP)
    trm_read_fields(reader, &(trm_yaml_pair){node, node}, &schema, 0, target);
  else
    trm_read_error(reader, node, "expected {radius: r, height: h}, found %s",
                   trm_yaml_kind_name(node));
}

static void read_points(trm_reader *reader, trm_yaml *node, trm_shape_def *shape) {
  const char **points = TRM_NEW(reader->document.arena, const char *, node->count);
  bool good = points != NULL;
  reader->no_memory |= !points;
  for (int i = 0; points && i < node->count; i++)
    good &= trm_read_text(reader, node->items[i], "the name of a point", &points[i]);
  if (!good) return;
  shape->points = points;
  shape->point_count = node->count;
}

static void read_rod(trm_reader *reader, trm_yaml *node, void *target) {
  trm_shape_def *shape = target;
  shape->type = TRM_SHAPE_ROD;
  if (trm_read_list(reader, node, 2, "points")) read_points(reader, node, shape);
}

static void read_path(trm_reader *reader, trm_yaml *node, void *target) {
  trm_shape_def *shape = target;
  shape->type = TRM_SHAPE_PATH;
  if (node->kind != TRM_YAML_LIST || node->count < 2)
    trm_read_error(reader, node, "expected a list of two or more points, found %s",
                   node->kind == TRM_YAML_LIST ? "fewer" : trm_yaml_kind_name(node));
  else
    read_points(reader, node, shape);
}

static void read_mesh(trm_reader *reader, trm_yaml *node, void *target) {
  trm_shape_def *shape = target;
  shape->type = TRM_SHAPE_MESH;
  if (trm_read_text(reader, node, "the name of a file", &shape->file))
    shape->file = trm_part_file(reader, shape->file, strlen(shape->file));
}

void trm_read_shape(trm_reader *reader, trm_yaml *node, trm_shape_def *shape) {
  static const trm_field fields[] = {
      {"box", read_box, 1, 0},  {"sphere", read_sphere, 1, 0}, {"cylinder", read_cylinder, 1, 0},
      {"rod", read_rod, 1, 0},  {"path", read_path, 1, 0},     {"mesh", read_mesh, 1, 0},
      {"cone", read_cone, 1, 0}};
  static const trm_schema schema = {fields, 7, NULL, NULL};
  if (node->kind != TRM_YAML_MAP || node->count != 1) {
    if (node->kind == TRM_YAML_MAP)
      trm_read_error(reader, node, "expected one shape, found %d", node->count);
    else
      trm_read_error(reader, node, "expected a shape like {rod: [A, B]}, found %s",
                     trm_yaml_kind_name(node));
    return;
  }
  trm_read_fields(reader, &(trm_yaml_pair){node, node}, &schema, 0, shape);
}
