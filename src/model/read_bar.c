/* Bars: bodies given by two points, and points given in global coordinates. */
#include "model/read_solid.h"

#include "math/vector.h"
#include "model/read_include.h"

#include <math.h>
#include <string.h>

/* The first axis is n, the third one as near to the global z as it can be, or to y. */
static void orient(const double n[3], double R[9]) {
  const double near_z = 0.9;
  double up[3] = {0, fabs(n[2]) > near_z, fabs(n[2]) <= near_z}, x[3], y[3], z[3];
  memcpy(x, n, sizeof x);
  y[0] = up[1] * x[2] - up[2] * x[1];
  y[1] = up[2] * x[0] - up[0] * x[2];
  y[2] = up[0] * x[1] - up[1] * x[0];
  double length = trm_norm(3, y);
  for (int k = 0; k < 3; k++) y[k] /= length;
  for (int k = 0; k < 3; k++)
    z[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
  for (int k = 0; k < 3; k++) R[3 * k] = x[k], R[3 * k + 1] = y[k], R[3 * k + 2] = z[k];
}

/* Origin in the middle, x along the bar; a length makes the points a sketch. */
static void place(trm_reader *reader, trm_body_reading *body, const char **names,
                  double ends[2][3]) {
  trm_body_def *def = &body->def;
  double d[3] = {0, 0, 0}, n[3];
  trm_sub(reader->model->dim, ends[1], ends[0], d);
  double apart = trm_norm(3, d), length = body->length ? body->bar_length : apart;
  if (!(apart > 0) || !(length > 0))
    trm_read_error(reader, apart > 0 ? body->length : body->bar,
                   "the bar has length %g, it must be positive", apart > 0 ? length : apart);
  if (!(apart > 0) || !(length > 0)) return;
  for (int k = 0; k < 3; k++) {
    n[k] = d[k] / apart;
    def->position[k] = ends[0][k] + d[k] / 2;
  }
  def->angle = reader->model->space == TRM_PLANAR ? atan2(d[1], d[0]) : 0;
  if (reader->model->space == TRM_SPATIAL) orient(n, def->orientation);
  for (int i = 0; i < 2; i++) {
    double at[3] = {(i ? length : -length) / 2, 0, 0};
    trm_read_keep_point(reader, body, names[i], at);
    trm_part_point(reader, def->name, at);
    trm_model_add_point(reader->model, def->name, names[i], at);
  }
  if (def->shape.type != TRM_SHAPE_LINES) return;
  def->shape.type = TRM_SHAPE_ROD;
  def->shape.points = names;
  def->shape.point_count = 2;
}

static trm_yaml *section_of(const trm_yaml *map, const char *key) {
  const trm_yaml_pair *pair =
      map && map->kind == TRM_YAML_MAP ? trm_yaml_get(map, key, strlen(key)) : NULL;
  return pair ? pair->value : NULL;
}

/* A point by its name: of the sketch, `guess`, else of the ground. */
static bool find_end(trm_reader *reader, trm_yaml *node, const char **name, double end[3]) {
  trm_yaml *root = reader->document.root, *guess = section_of(root, "guess");
  if (!trm_read_text(reader, node, "the name of a point of 'guess' or of the ground", name))
    return false;
  if (guess && guess->kind != TRM_YAML_MAP) {
    if (!guess->bad)
      trm_read_error(reader, guess, "expected a map of points like {B: [1, 2]}, found %s",
                     trm_yaml_kind_name(guess));
    return false;
  }
  trm_yaml *point = section_of(guess, *name);
  if (!point) point = section_of(section_of(section_of(root, "ground"), "points"), *name);
  if (point && point->bad) return false;
  if (point) return trm_read_vector(reader, point, reader->model->dim, end);
  trm_read_error(reader, node, "neither 'guess' nor the ground's points have '%.60s'", *name);
  return false;
}

/* An end that is a name: in a list, or under `from` and `to`; NULL: ends are given by coordinates.
 */
static trm_yaml *named_end(const trm_yaml *bar, int i) {
  if (bar->kind == TRM_YAML_LIST) return bar->items[i];
  trm_yaml *end[2] = {section_of(bar, "from"), section_of(bar, "to")};
  bool both = end[0] && end[1];
  return both && (end[0]->kind == TRM_YAML_TEXT || end[1]->kind == TRM_YAML_TEXT) ? end[i] : NULL;
}

static bool read_ends(trm_reader *reader, trm_yaml *bar, const char *names[2], double ends[2][3]) {
  bool good = true;
  for (int i = 0; i < 2; i++) {
    trm_yaml *named = named_end(bar, i);
    if (!named) names[i] = bar->pairs[i].key->text;
    good &= named ? find_end(reader, named, &names[i], ends[i])
                  : trm_read_vector(reader, bar->pairs[i].value, reader->model->dim, ends[i]);
  }
  if (!good || strcmp(names[0], names[1]) != 0) return good;
  trm_read_error(reader, bar, "the bar begins and ends in '%.60s'", names[0]);
  return false;
}

/* A bar with an error has its points all the same, so that what names them is no error too. */
static void declare(trm_reader *reader, trm_body_reading *body, const char *names[2]) {
  const double nowhere[3] = {0, 0, 0};
  for (int i = 0; i < 2; i++) {
    if (!names[i] || (i == 1 && names[0] && strcmp(names[0], names[1]) == 0)) continue;
    trm_read_keep_point(reader, body, names[i], nowhere);
    trm_model_add_point(reader->model, body->def.name, names[i], nowhere);
  }
}

static void read_bar(trm_reader *reader, trm_body_reading *body) {
  trm_yaml *bar = body->bar;
  const char **names = TRM_NEW(reader->document.arena, const char *, 2);
  double ends[2][3] = {{0}};
  reader->key = "bar";
  if (!names) {
    reader->no_memory = true;
  } else if ((bar->kind != TRM_YAML_MAP && bar->kind != TRM_YAML_LIST) || bar->count != 2) {
    bool points = bar->kind == TRM_YAML_MAP || bar->kind == TRM_YAML_LIST;
    trm_read_error(reader, bar,
                   "expected two points in global coordinates like {A: [0, 0], B: [1, 0]}, or by "
                   "their names in 'guess' like [A, B], found %s",
                   points ? "another number of points" : trm_yaml_kind_name(bar));
  } else if (body->position) {
    bar->bad = true;
    trm_read_error(reader, body->position, "the pose follows from the bar: leave it out");
  } else if (read_ends(reader, bar, names, ends)) {
    place(reader, body, names, ends);
  } else {
    bar->bad = true;
    declare(reader, body, names);
  }
  reader->key = NULL;
}

/* u = Rᵀ (p − r) */
static void to_body(const trm_reader *reader, const trm_body_def *def, const double p[3],
                    double u[3]) {
  double d[3] = {0, 0, 0}, c = cos(def->angle), s = sin(def->angle);
  const double planar[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  const double *R = reader->model->space == TRM_PLANAR ? planar : def->orientation;
  trm_sub(reader->model->dim, p, def->position, d);
  for (int k = 0; k < 3; k++) u[k] = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
}

static void read_global_points(trm_reader *reader, trm_body_reading *body) {
  reader->key = "at";
  if (!trm_read_map(reader, body->at, "points in global coordinates")) return;
  for (int i = 0; i < body->at->count; i++) {
    const char *name = body->at->pairs[i].key->text;
    double p[3] = {0, 0, 0}, u[3] = {0, 0, 0};
    reader->key = name;
    if (trm_read_vector(reader, body->at->pairs[i].value, reader->model->dim, p))
      to_body(reader, &body->def, p, u);
    trm_read_keep_point(reader, body, name, u);
    trm_part_point(reader, body->def.name, u);
    trm_model_add_point(reader->model, body->def.name, name, u);
  }
  reader->key = NULL;
}

void trm_read_pose(trm_reader *reader, trm_body_reading *body) {
  if (body->length && !body->bar)
    trm_read_error(reader, body->length, "'length' is that of a 'bar', which is not there");
  if (body->bar) read_bar(reader, body);
  if (body->at) read_global_points(reader, body);
  reader->key = NULL;
}
