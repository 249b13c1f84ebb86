/* Mass, centre of mass and inertia of a body from its shape. */
#include "model/read_solid.h"

#include "base/file.h"
#include "base/stl.h"
#include "model/build.h"
#include "model/read_include.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct profile {
  double radius, inner;
} profile;

static void read_radius(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((profile *)target)->radius);
}

static void read_inner(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((profile *)target)->inner);
}

/* An area, or a circle or tube. */
void trm_read_section(trm_reader *reader, trm_yaml *node, void *target) {
  static const trm_field fields[] = {{"radius", read_radius, 1, 1}, {"inner", read_inner, 1, 0}};
  static const trm_schema schema = {fields, 2, NULL, NULL};
  trm_section *section = &((trm_body_reading *)target)->profile;
  profile p = {1, 0};
  if (node->kind == TRM_YAML_TEXT) {
    if (trm_read_number(reader, node, &section->area) && !(section->area > 0))
      trm_read_error(reader, node, "the area is %g, it must be positive", section->area);
    return;
  }
  if (node->kind != TRM_YAML_MAP) {
    trm_read_error(reader, node, "expected an area, {radius: r} or {radius: r, inner: r}, found %s",
                   trm_yaml_kind_name(node));
    return;
  }
  trm_read_fields(reader, &(trm_yaml_pair){node, node}, &schema, 0, &p);
  if (!node->bad && !(p.radius > p.inner && p.inner >= 0))
    trm_read_error(reader, node, "the radius must be positive and larger than the inner one");
  section->area = 3.14159265358979323846 * (p.radius - p.inner) * (p.radius + p.inner);
  section->radii = p.radius * p.radius + p.inner * p.inner;
}

void trm_read_keep_point(trm_reader *reader, trm_body_reading *body, const char *name,
                         const double at[3]) {
  trm_named_point *points =
      trm_grow(reader->document.arena, body->points, body->point_count, sizeof *points);
  if (!points) {
    reader->no_memory = true;
    return;
  }
  body->points = points;
  points[body->point_count++] = (trm_named_point){name, {at[0], at[1], at[2]}};
}

static const double *find_point(const trm_body_reading *body, const char *name) {
  for (int i = 0; i < body->point_count; i++)
    if (strcmp(body->points[i].name, name) == 0) return body->points[i].at;
  return NULL;
}

/* A point that does not exist is the builder's to report. */
static bool add_rods(const trm_body_reading *body, trm_moments *m) {
  const trm_shape_def *shape = &body->def.shape;
  trm_section section = body->profile;
  if (section.area == 0) section.area = 1; /* the mass is given */
  for (int i = 0; i + 1 < shape->point_count; i++) {
    const double *a = find_point(body, shape->points[i]);
    const double *b = find_point(body, shape->points[i + 1]);
    if (!a || !b) return false;
    trm_moments_rod(m, a, b, &section);
  }
  return true;
}

static bool keep_mesh(trm_reader *reader, const char *path, const trm_moments *m) {
  if (!trm_shelf_is_open(reader->shelf, TRM_SHELF_MESH)) return true;
  trm_moments *kept = malloc(sizeof *kept);
  if (kept) *kept = *m;
  return kept && trm_shelf_put(reader->shelf, TRM_SHELF_MESH, path, kept, free);
}

static void add_mesh(trm_reader *reader, const trm_body_reading *body, trm_moments *m) {
  enum { MOST = 5000000, LARGEST_FILE = 1 << 30 };
  char path[4096];
  const char *file = body->def.shape.file, *folder = file[0] != '/' ? reader->folder : NULL;
  snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
  const trm_moments *kept = trm_shelf_get(reader->shelf, TRM_SHELF_MESH, path);
  if (kept) {
    *m = *kept;
    return;
  }
  trm_file text = trm_file_read(path, "mesh file", LARGEST_FILE);
  trm_stl stl = {.most = MOST};
  const char *problem = text.text ? trm_stl_parse(&stl, text.text, text.length) : text.reason;
  if (!problem && !trm_moments_mesh(m, stl.corners, stl.count))
    problem = "it is no closed surface seen from outside, so it has no volume";
  if (problem)
    trm_read_error(reader, body->shape, "mesh '%.200s': %s", path, problem);
  else if (!keep_mesh(reader, path, m))
    reader->no_memory = true;
  free(stl.corners);
  free(text.text);
}

static bool integrate(trm_reader *reader, const trm_body_reading *body, trm_moments *m) {
  const trm_shape_def *shape = &body->def.shape;
  const double *size = shape->size;
  switch (shape->type) {
  case TRM_SHAPE_BOX: trm_moments_box(m, size); break;
  case TRM_SHAPE_SPHERE: trm_moments_sphere(m, size[0]); break;
  case TRM_SHAPE_CYLINDER: trm_moments_cylinder(m, size[0], size[1], shape->axis); break;
  case TRM_SHAPE_CONE: trm_moments_cone(m, size[0], size[1], shape->axis); break;
  case TRM_SHAPE_MESH:
    add_mesh(reader, body, m);
    if (body->shape->bad) return false;
    break;
  default:
    if (!add_rods(body, m)) return false;
  }
  if (m->volume > 0 && isfinite(m->volume)) return true;
  trm_read_error(reader, body->shape ? body->shape : body->bar,
                 "the shape has no volume, so that no inertia follows from it");
  return false;
}

/* What contradicts a mass that follows from the shape. */
static bool check(trm_reader *reader, const trm_body_reading *body) {
  trm_shape_type type = body->def.shape.type;
  bool thin = type == TRM_SHAPE_ROD || type == TRM_SHAPE_PATH;
  if (body->density && body->mass)
    trm_read_error(reader, body->density, "give the mass or the density, not both");
  else if (body->density && body->inertia && !body->automatic)
    trm_read_error(reader, body->inertia,
                   "the inertia follows from the density and the shape: leave it out");
  else if (body->com)
    trm_read_error(reader, body->com, "the centre of mass follows from the shape: leave it out");
  else if (type == TRM_SHAPE_LINES)
    trm_read_error(reader, body->density ? body->density : body->inertia,
                   "a 'shape' is needed: box, sphere, cylinder, cone, rod, path or mesh");
  else if (body->density && thin && body->profile.area == 0)
    trm_read_error(reader, body->density,
                   "a rod or path also needs its 'section': an area, or {radius: r}");
  else
    return true;
  return false;
}

static bool from_shape(trm_reader *reader, trm_body_reading *body) {
  trm_moments m = {0};
  trm_body_def *def = &body->def;
  if (!check(reader, body) || !integrate(reader, body, &m)) return false;
  if (body->density) def->mass = body->density_value * m.volume;
  trm_moments_inertia(&m, def->mass, def->com, def->inertia);
  if (reader->model->space == TRM_PLANAR) def->com[2] = 0;
  return true;
}

void trm_read_solid(trm_reader *reader, const trm_yaml_pair *entry, trm_body_reading *body) {
  bool derived = body->density || body->automatic || (body->bar && !body->inertia);
  const trm_yaml *used[] = {body->shape, body->section, body->density, body->bar, body->length};
  bool bad = entry->value->bad; /* a key may be one that is meant to be there */
  for (size_t i = 0; i < sizeof used / sizeof *used; i++) bad |= used[i] && used[i]->bad;
  if (bad) {
    entry->value->bad = true;
  } else if (!body->mass && !body->density) {
    trm_read_error(reader, entry->key, "missing key 'mass'%s",
                   body->shape ? "; or 'density', with a shape" : "");
  } else if (!body->inertia && !derived) {
    trm_read_error(reader, entry->key, "missing key 'inertia'%s",
                   body->shape ? "; 'inertia: auto' is that of the shape" : "");
  } else if (derived && !from_shape(reader, body)) {
    entry->value->bad = true;
  }
  if (entry->key->bad) entry->value->bad = true;
}
