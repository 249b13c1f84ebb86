/* Triangles of COLLADA files (.dae): what the scene shows, in metres. The axis that the file calls
 * up is passed over, as other readers of robots do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot/mesh.h"

enum { DEEPEST = 100, MOST_NODES = 100000, MOST_TRIANGLES = 10000000 };

typedef struct affine {
  double A[3][3], b[3]; /* x → A x + b */
} affine;

typedef struct collada {
  const trm_xml *root;
  const trm_mesh_target *target;
  int nodes, triangles;
  const char *problem;
} collada;

typedef struct numbers {
  int count;
  double *values;
} numbers;

static numbers read_numbers(const char *text) {
  numbers n = {text ? trm_xml_numbers(text, 0, NULL) : 0, NULL};
  if (n.count > 0) n.values = malloc((size_t)n.count * sizeof *n.values);
  if (!n.values) return (numbers){0, NULL};
  trm_xml_numbers(text, n.count, n.values);
  return n;
}

/* ---- references ---- */

static const trm_xml *with_id(const trm_xml *element, const char *id) {
  const char *own = trm_xml_get(element, "id");
  if (own && strcmp(own, id) == 0) return element;
  const trm_xml *found = NULL;
  for (const trm_xml *e = element->first; e && !found; e = e->next) found = with_id(e, id);
  return found;
}

/* The element of this document that an attribute names: "#id"; the nearest one, because files
 * have the same id in several meshes. */
static const trm_xml *referred(const trm_xml *from, const char *attribute) {
  const char *name = trm_xml_get(from, attribute);
  const trm_xml *found = NULL;
  if (!name || *name != '#') return NULL;
  for (const trm_xml *e = from; e && !found; e = e->parent) found = with_id(e, name + 1);
  return found;
}

static const trm_xml *input_of(const trm_xml *element, const char *semantic) {
  const trm_xml *e = trm_xml_child(element, "input");
  while (e && strcmp(trm_xml_get(e, "semantic") ? trm_xml_get(e, "semantic") : "", semantic) != 0)
    e = trm_xml_sibling(e, "input");
  return e;
}

static int whole(const trm_xml *element, const char *name, int otherwise) {
  const char *text = trm_xml_get(element, name);
  return text ? (int)strtol(text, NULL, 10) : otherwise;
}

/* ---- geometry ---- */

/* Corners of a mesh: `stride` numbers each, from `offset` on. */
typedef struct corners {
  numbers values;
  int stride, offset;
} corners;

static corners read_corners(const trm_xml *primitive) {
  const trm_xml *vertices = referred(input_of(primitive, "VERTEX"), "source");
  const trm_xml *source = referred(input_of(vertices, "POSITION"), "source");
  const trm_xml *list = trm_xml_child(source, "float_array");
  const trm_xml *accessor = trm_xml_child(trm_xml_child(source, "technique_common"), "accessor");
  corners k = {.stride = whole(accessor, "stride", 3), .offset = whole(accessor, "offset", 0)};
  if (list && k.stride >= 3 && k.offset >= 0) k.values = read_numbers(list->text);
  return k;
}

static bool corner_at(const corners *k, double index, double point[3]) {
  if (!k->values.values || !(index >= 0)) return false;
  if (!(k->offset + (index + 1) * k->stride <= k->values.count)) return false;
  memcpy(point, k->values.values + k->offset + (size_t)index * (size_t)k->stride,
         3 * sizeof *point);
  return true;
}

static void add_triangle(collada *c, const affine *place, double points[3][3]) {
  double placed[3][3];
  const double(*A)[3] = place->A;
  double outside = A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
                   A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                   A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      placed[outside < 0 ? 2 - k : k][i] =
          A[i][0] * points[k][0] + A[i][1] * points[k][1] + A[i][2] * points[k][2] + place->b[i];
  if (++c->triangles > MOST_TRIANGLES)
    c->problem = "it has too many triangles";
  else if (!trm_mesh_take(c->target, placed))
    c->problem = "out of memory";
}

typedef enum row_kind { FAN, STRIP, ONE_BY_ONE } row_kind;

/* `count` corners by number, every `stride` numbers one. */
static void add_row(collada *c, const corners *k, const affine *place, row_kind kind,
                    const double *index, int count, int stride) {
  int step = kind == ONE_BY_ONE ? 3 : 1;
  for (int i = 0; i + 2 < count && !c->problem; i += step) {
    bool turned = kind == STRIP && i % 2 == 1;
    const int which[3] = {kind == FAN ? 0 : i, i + (turned ? 2 : 1), i + (turned ? 1 : 2)};
    double points[3][3];
    for (int p = 0; p < 3; p++)
      if (!corner_at(k, index[(ptrdiff_t)which[p] * stride], points[p])) {
        c->problem = "a face has a corner that is not there";
        return;
      }
    add_triangle(c, place, points);
  }
}

/* A <p>: one row of corners, or as many polygons as <vcount> has numbers. */
static void add_indices(collada *c, const trm_xml *primitive, const trm_xml *p, const corners *k,
                        const affine *place, row_kind kind) {
  int stride = 1, first = whole(input_of(primitive, "VERTEX"), "offset", 0), at = 0;
  for (const trm_xml *e = trm_xml_child(primitive, "input"); e; e = trm_xml_sibling(e, "input"))
    if (whole(e, "offset", 0) >= stride) stride = whole(e, "offset", 0) + 1;
  if (first < 0 || first >= stride || stride > DEEPEST) {
    c->problem = "an input has an impossible offset";
    return;
  }
  const trm_xml *vcount = trm_xml_child(primitive, "vcount");
  numbers index = read_numbers(p->text), sizes = read_numbers(vcount ? vcount->text : NULL);
  int all = index.count / stride;
  if (!vcount && all > 0) add_row(c, k, place, kind, index.values + first, all, stride);
  for (int i = 0; i < sizes.count && !c->problem; i++) {
    if (!(sizes.values[i] >= 0) || !(at + sizes.values[i] <= all)) {
      c->problem = "a face has a corner that is not there";
      break;
    }
    int count = (int)sizes.values[i];
    add_row(c, k, place, FAN, index.values + first + (ptrdiff_t)at * stride, count, stride);
    at += count;
  }
  free(index.values);
  free(sizes.values);
}

static void add_geometry(collada *c, const trm_xml *geometry, const affine *place) {
  static const struct {
    const char *name;
    row_kind rows;
  } kinds[] = {{"triangles", ONE_BY_ONE},
               {"polylist", FAN},
               {"polygons", FAN},
               {"trifans", FAN},
               {"tristrips", STRIP}};
  const trm_xml *mesh = trm_xml_child(geometry, "mesh");
  for (const trm_xml *e = mesh ? mesh->first : NULL; e && !c->problem; e = e->next)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      if (strcmp(e->name, kinds[i].name) != 0) continue;
      corners k = read_corners(e);
      for (const trm_xml *p = trm_xml_child(e, "p"); p && !c->problem; p = trm_xml_sibling(p, "p"))
        add_indices(c, e, p, &k, place, kinds[i].rows);
      free(k.values.values);
    }
}

/* ---- the scene ---- */

static affine after(const affine *a, const affine *b) {
  affine out;
  for (int i = 0; i < 3; i++) {
    out.b[i] = a->b[i];
    for (int k = 0; k < 3; k++) {
      out.b[i] += a->A[i][k] * b->b[k];
      out.A[i][k] = 0;
      for (int l = 0; l < 3; l++) out.A[i][k] += a->A[i][l] * b->A[l][k];
    }
  }
  return out;
}

/* One of a node's transformations; they stand in the order of the product. */
static void transform(collada *c, const trm_xml *e, affine *place) {
  static const struct {
    const char *name;
    int count;
  } kinds[] = {{"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}};
  size_t kind = 0, last = sizeof kinds / sizeof *kinds;
  while (kind < last && strcmp(e->name, kinds[kind].name) != 0) kind++;
  if (strcmp(e->name, "skew") == 0 || strcmp(e->name, "lookat") == 0)
    c->problem = "skew and lookat are not read";
  if (kind == last) return;
  double v[16];
  if (!e->text || trm_xml_numbers(e->text, 16, v) != kinds[kind].count) {
    c->problem = "a transformation has not as many numbers as it needs";
    return;
  }
  affine own = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; i++) {
    if (kind == 0) {
      memcpy(own.A[i], v + 4 * i, sizeof own.A[i]);
      own.b[i] = v[4 * i + 3];
    }
    if (kind == 1) own.b[i] = v[i];
    if (kind == 2 && length > 0) v[i] /= length;
    if (kind == 3) own.A[i][i] = v[i];
  }
  if (kind == 2 && length > 0) trm_robot_about(v, v[3] * (3.14159265358979323846 / 180), own.A);
  *place = after(place, &own);
}

static void add_node(collada *c, const trm_xml *node, affine place, int depth) {
  if (depth > DEEPEST || ++c->nodes > MOST_NODES) {
    c->problem = "its nodes are nested too deep, or in each other";
    return;
  }
  for (const trm_xml *e = node->first; e && !c->problem; e = e->next) {
    const trm_xml *other = referred(e, "url");
    transform(c, e, &place);
    if (strcmp(e->name, "node") == 0) {
      add_node(c, e, place, depth + 1);
    } else if (strcmp(e->name, "instance_node") == 0 && other) {
      add_node(c, other, place, depth + 1);
    } else if (strcmp(e->name, "instance_geometry") == 0 && other) {
      add_geometry(c, other, &place);
    } else if (strcmp(e->name, "instance_controller") == 0 && other) { /* a skin, as it is bound */
      const trm_xml *skin = referred(trm_xml_child(other, "skin"), "source");
      if (skin) add_geometry(c, skin, &place);
    }
  }
}

static void add_scene(collada *c) {
  const trm_xml *scene = trm_xml_child(trm_xml_child(c->root, "scene"), "instance_visual_scene");
  const trm_xml *shown = scene ? referred(scene, "url") : NULL;
  const trm_xml *unit = trm_xml_child(trm_xml_child(c->root, "asset"), "unit");
  const char *text = trm_xml_get(unit, "meter");
  double metre = 1;
  if (!shown)
    shown = trm_xml_child(trm_xml_child(c->root, "library_visual_scenes"), "visual_scene");
  if (text && (trm_xml_numbers(text, 1, &metre) != 1 || !(metre > 0)))
    c->problem = "its unit is no length";
  if (!shown || c->problem) return;
  add_node(c, shown, (affine){{{metre, 0, 0}, {0, metre, 0}, {0, 0, metre}}, {0, 0, 0}}, 0);
}

const char *trm_mesh_collada(const trm_mesh_target *target, const char *path) {
  trm_arena *arena = trm_arena_create();
  trm_diagnostics *ignored = trm_diagnostics_create();
  collada c = {.target = target, .problem = "it is no COLLADA file"};
  if (arena && ignored) c.root = trm_xml_read(path, arena, ignored);
  if (c.root && strcmp(c.root->name, "COLLADA") == 0) {
    c.problem = NULL;
    add_scene(&c);
    if (!c.problem && c.triangles == 0) c.problem = "its scene shows no triangles";
  }
  trm_diagnostics_destroy(ignored);
  trm_arena_destroy(arena);
  return c.problem;
}
