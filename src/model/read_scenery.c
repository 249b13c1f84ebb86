/* What stands on the ground, and the view: for pictures only. */
#include "model/read_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 100000 };

static void read_at(trm_reader *reader, trm_yaml *node, void *target) {
  /* pictures are in space even where the model is planar */
  bool planar = node->kind == TRM_YAML_LIST && node->count == 2 && reader->model->dim == 2;
  trm_read_vector(reader, node, planar ? 2 : 3, ((trm_scenery_def *)target)->position);
}

static void read_angle(trm_reader *reader, trm_yaml *node, void *target) {
  double angle = 0;
  if (!trm_read_number(reader, node, &angle)) return;
  const double R[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
  memcpy(((trm_scenery_def *)target)->orientation, R, sizeof R);
}

static void read_orientation(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_orientation(reader, node, ((trm_scenery_def *)target)->orientation);
}

static void read_color(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "a color in quotes (\"#4477aa\") or by name",
                &((trm_scenery_def *)target)->color);
}

/* --- a path by coordinates: listed, or of a running number s --- */

typedef struct course {
  trm_scenery_def *thing;
  double from, to, count;
  trm_yaml *point;
} course;

static double (*make_path(trm_reader *reader, trm_scenery_def *thing, int count))[3] {
  double(*path)[3] = trm_arena_alloc(reader->document.arena, (size_t)count + 1, sizeof *path);
  if (!path) reader->no_memory = true;
  thing->shape.type = TRM_SHAPE_PATH;
  thing->path = (const double(*)[3])path;
  thing->path_count = path ? count : 0;
  return path;
}

static void read_coordinates(trm_reader *reader, trm_yaml *node, trm_scenery_def *thing) {
  double(*path)[3] = make_path(reader, thing, node->count);
  for (int i = 0; path && i < node->count; i++) {
    trm_yaml *point = node->items[i];
    bool flat = point->kind == TRM_YAML_LIST && point->count == 2; /* on the ground */
    trm_read_vector(reader, point, flat ? 2 : 3, path[i]);
  }
}

static void read_s(trm_reader *reader, trm_yaml *node, void *target) {
  double range[2] = {0, 1};
  trm_read_vector(reader, node, 2, range);
  ((course *)target)->from = range[0];
  ((course *)target)->to = range[1];
}

static void read_count(trm_reader *reader, trm_yaml *node, void *target) {
  course *c = target;
  double count = c->count;
  if (!trm_read_number(reader, node, &count)) return;
  if (count >= 2 && count <= MOST_POINTS && count == floor(count))
    c->count = count;
  else
    trm_read_error(reader, node, "the number of points is %g, it must be an integer from 2 to %d",
                   count, MOST_POINTS);
}

static void read_point(trm_reader *reader, trm_yaml *node, void *target) {
  bool flat = node->kind == TRM_YAML_LIST && node->count == 2;
  if (trm_read_list(reader, node, flat ? 2 : 3, "formulas of s")) ((course *)target)->point = node;
}

/* s, and what numbers may use. */
static trm_symbol look_up(void *context, const char *name, size_t length) {
  if (length == 1 && name[0] == 's') return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 1};
  return trm_read_lookup(context, name, length);
}

/* One coordinate of all points. */
static void evaluate(trm_reader *reader, const course *c, int k, double (*path)[3]) {
  trm_yaml *node = c->point->items[k];
  trm_expression_error error;
  trm_value value;
  if (!trm_read_formula(reader, node, &value)) return;
  trm_expression *formula =
      trm_expression_take(reader->shelf, value.text, look_up, reader, reader->folder, &error);
  if (!formula) {
    trm_read_error_in(reader, node, error.offset, "%s", error.message);
    return;
  }
  bool finite = true;
  for (int i = 0; i < c->thing->path_count; i++) {
    const double slots[2] = {1, c->from + (c->to - c->from) * i / (c->count - 1)};
    path[i][k] = trm_expression_value(formula, slots);
    if (finite && !isfinite(path[i][k]))
      trm_read_error(reader, node, "at s = %g the value is no finite number", slots[1]);
    finite = finite && isfinite(path[i][k]);
  }
  trm_expression_destroy(formula);
}

static void read_course(trm_reader *reader, trm_yaml *node, trm_scenery_def *thing) {
  static const trm_field fields[] = {
      {"s", read_s, 1, 1}, {"point", read_point, 1, 1}, {"count", read_count, 1, 0}};
  static const trm_schema schema = {fields, 3, NULL, NULL};
  course c = {thing, 0, 1, 101, NULL};
  trm_read_fields(reader, &(trm_yaml_pair){node, node}, &schema, 0, &c);
  if (!c.point) return;
  double(*path)[3] = make_path(reader, thing, (int)c.count);
  for (int k = 0; path && k < c.point->count; k++) evaluate(reader, &c, k, path);
}

/* True where the path is one by coordinates, and read. */
static bool read_path(trm_reader *reader, trm_yaml *node, trm_scenery_def *thing) {
  reader->key = "path";
  bool listed =
      node->kind == TRM_YAML_LIST && node->count > 1 && node->items[0]->kind == TRM_YAML_LIST;
  if (listed) read_coordinates(reader, node, thing);
  if (node->kind == TRM_YAML_MAP) read_course(reader, node, thing);
  reader->key = NULL;
  return listed || node->kind == TRM_YAML_MAP;
}

/* --- entries --- */

static const trm_field fields[] = {
    {"box", NULL, 1, 0},         {"sphere", NULL, 1, 0},
    {"cylinder", NULL, 1, 0},    {"cone", NULL, 1, 0},
    {"rod", NULL, 1, 0},         {"path", NULL, 1, 0},
    {"at", read_at, 1, 0},       {"angle", read_angle, 1, 0},
    {"color", read_color, 1, 0}, {"orientation", read_orientation, 1, 0}};
enum { SHAPES = 6, FIELDS = sizeof fields / sizeof *fields };
static const trm_schema schema = {fields, FIELDS, NULL, NULL};

static bool is_shape(const char *key) {
  for (int i = 0; i < SHAPES; i++)
    if (strcmp(fields[i].key, key) == 0) return true;
  return false;
}

/* The map without what is no shape; a misspelt one has been reported. */
static void read_shape(trm_reader *reader, const trm_yaml_pair *pair, bool good,
                       trm_scenery_def *thing) {
  trm_yaml shape = *pair->value;
  shape.pairs = TRM_NEW(reader->document.arena, trm_yaml_pair, pair->value->count);
  shape.index = NULL;
  shape.count = 0;
  if (!shape.pairs) {
    reader->no_memory = true;
    return;
  }
  for (int i = 0; i < pair->value->count; i++)
    if (is_shape(pair->value->pairs[i].key->text))
      shape.pairs[shape.count++] = pair->value->pairs[i];
  bool path = shape.count == 1 && strcmp(shape.pairs[0].key->text, "path") == 0;
  if (shape.count == 0 && good)
    trm_read_error(reader, pair->key,
                   "a shape is missing: box, sphere, cylinder, cone, rod or path");
  else if (shape.count > 0 && (!path || !read_path(reader, shape.pairs[0].value, thing)))
    trm_read_shape(reader, &shape, &thing->shape);
}

static void read_thing(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_scenery_def thing = trm_default_scenery();
  thing.name = reader->name = pair->key->text;
  if (pair->value->kind != TRM_YAML_MAP) {
    trm_read_error(reader, pair->value,
                   "expected a map like {box: [1, 1, 1], at: [0, 0, 0]}, found %s",
                   trm_yaml_kind_name(pair->value));
    return;
  }
  int before = reader->reported;
  trm_read_fields(reader, pair, &schema, 0, &thing);
  reader->key = NULL;
  read_shape(reader, pair, reader->reported == before, &thing);
  trm_model_add_scenery(reader->model, &thing);
}

void trm_read_scenery(trm_reader *reader, trm_yaml *section) {
  if (!trm_read_map(reader, section, "shapes")) return;
  reader->kind = "shape";
  reader->key = NULL;
  trm_read_entries(reader, section, read_thing);
  reader->kind = reader->name = reader->key = NULL;
}

/* --- the view --- */

typedef struct camera_view {
  const char *follow;
  double from[3];
  bool directed, forces;
} camera_view;

static void read_follow(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "a body or a point like car.seat", &((camera_view *)target)->follow);
}

static void read_from(trm_reader *reader, trm_yaml *node, void *target) {
  camera_view *view = target;
  view->directed = trm_read_vector(reader, node, 3, view->from);
}

static void read_forces(trm_reader *reader, trm_yaml *node, void *target) {
  const char *text = "false";
  if (!trm_read_text(reader, node, "true or false", &text)) return;
  ((camera_view *)target)->forces = strcmp(text, "true") == 0;
  if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
    trm_read_error(reader, node, "expected true or false, found '%.60s'", text);
}

void trm_read_view(trm_reader *reader, const trm_yaml_pair *section) {
  static const trm_field view_fields[] = {
      {"follow", read_follow, 1, 0}, {"from", read_from, 1, 0}, {"forces", read_forces, 1, 0}};
  static const trm_schema view_schema = {view_fields, 3, NULL, NULL};
  camera_view view = {0};
  reader->key = "view";
  if (!trm_read_map(reader, section->value, "follow, from and forces")) return;
  reader->kind = "view";
  reader->key = NULL;
  trm_read_fields(reader, section, &view_schema, 0, &view);
  trm_model_set_view(reader->model, view.follow, view.directed ? view.from : NULL, view.forces);
  reader->kind = reader->key = NULL;
}
