/* Reading a scene back from its file. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <libfyaml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/locale.h"
#include "base/memory.h"
#include "report/block.h"
#include "report/film.h"
#include "report/scene.h"

enum { LARGEST_FILE = 1 << 30 };

typedef struct fy_node node;

typedef struct reader {
  trm_scene *scene;
  node *blocks; /* tables of numbers */
  bool bad;     /* something is not as a scene has it, or memory is out */
  bool still;   /* no bodies: a system of formulas */
} reader;

/* --- values --- */

static node *get(node *map, const char *key) {
  return map && fy_node_is_mapping(map) ? fy_node_mapping_lookup_by_string(map, key, FY_NT) : NULL;
}

static const char *text_of(reader *r, node *value) {
  size_t length = 0;
  const char *text = value ? fy_node_get_scalar(value, &length) : NULL;
  const char *copy = text ? trm_arena_substring(r->scene->arena, text, length) : "";
  if (!copy) r->bad = true;
  return copy ? copy : "";
}

static double number_of(node *value) {
  size_t length = 0;
  char buffer[40];
  const char *text = value ? fy_node_get_scalar(value, &length) : NULL;
  if (!text || length >= sizeof buffer) return 0;
  memcpy(buffer, text, length);
  buffer[length] = 0;
  return strtod(buffer, NULL);
}

/* Counts and places in lists; what cannot be one is −2. */
static int whole_of(double value) {
  return value >= -2 && value <= 1e9 ? (int)value : -2;
}

static bool is_true(node *value) {
  size_t length = 0;
  const char *text = value ? fy_node_get_scalar(value, &length) : NULL;
  return text && length == 4 && memcmp(text, "true", 4) == 0;
}

static int count_of(node *list) {
  return list && fy_node_is_sequence(list) ? fy_node_sequence_item_count(list) : 0;
}

static int vector_of(node *list, double *values, int most) {
  int count = count_of(list);
  for (int k = 0; k < most; k++)
    values[k] = k < count ? number_of(fy_node_sequence_get_by_index(list, k)) : 0;
  return count;
}

/* A table of numbers; NULL where there is none of this size. */
static float *read_block(reader *r, const char *id, size_t rows, size_t columns) {
  size_t length = 0;
  node *data = get(get(r->blocks, id), "data");
  const char *text = data ? fy_node_get_scalar(data, &length) : NULL;
  return text ? trm_block_read(text, length, rows, columns) : NULL;
}

/* --- the scene --- */

static unsigned color_of(reader *r, node *value, int index) {
  static const unsigned palette[] = {0x4477aa, 0xcc6677, 0x228833, 0xccbb44,
                                     0x66ccee, 0xaa3377, 0xee7733, 0x009988};
  const char *text = text_of(r, value);
  if (*text == '#' && strlen(text) == 7) return (unsigned)strtoul(text + 1, NULL, 16);
  return index < 0 ? 0x888888 : palette[index % 8];
}

static void read_path(reader *r, node *list, trm_shape_type type, trm_actor *actor) {
  void *at = NULL;
  int count = count_of(list), used = 0;
  actor->shape = type;
  actor->path = trm_arena_alloc(r->scene->arena, (size_t)count + 1, sizeof *actor->path);
  if (!actor->path) {
    r->bad = true;
    return;
  }
  for (node *item; (item = fy_node_sequence_iterate(list, &at));)
    vector_of(item, actor->path[used++], 3);
  actor->path_count = used;
}

static void read_shape(reader *r, node *shape, trm_actor *actor) {
  node *found;
  actor->mesh = -1;
  if ((found = get(shape, "box"))) {
    actor->shape = TRM_SHAPE_BOX;
    vector_of(found, actor->size, 3);
  } else if ((found = get(shape, "sphere"))) {
    actor->shape = TRM_SHAPE_SPHERE;
    actor->size[0] = number_of(found);
  } else if ((found = get(shape, "cylinder"))) {
    actor->shape = TRM_SHAPE_CYLINDER;
    vector_of(found, actor->size, 2);
    vector_of(get(shape, "axis"), actor->axis, 3);
  } else if ((found = get(shape, "cone"))) {
    actor->shape = TRM_SHAPE_CONE;
    vector_of(found, actor->size, 2);
    vector_of(get(shape, "axis"), actor->axis, 3);
  } else if ((found = get(shape, "rod"))) {
    read_path(r, found, TRM_SHAPE_ROD, actor);
  } else if ((found = get(shape, "path"))) {
    read_path(r, found, TRM_SHAPE_PATH, actor);
  } else if ((found = get(shape, "mesh"))) {
    actor->shape = TRM_SHAPE_MESH;
    actor->mesh = whole_of(number_of(found));
  }
}

static void read_actor(reader *r, node *body, int index, trm_actor *actor) {
  void *at = NULL;
  node *points = get(body, "points");
  int count = points ? fy_node_mapping_item_count(points) : 0;
  actor->name = text_of(r, get(body, "name"));
  actor->color = color_of(r, get(body, "color"), index);
  actor->points = trm_arena_alloc(r->scene->arena, (size_t)count + 1, sizeof *actor->points);
  actor->point_names = TRM_NEW(r->scene->arena, const char *, count + 1);
  if (!actor->points || !actor->point_names) {
    r->bad = true;
    return;
  }
  for (struct fy_node_pair *pair; points && (pair = fy_node_mapping_iterate(points, &at));) {
    actor->point_names[actor->point_count] = text_of(r, fy_node_pair_key(pair));
    vector_of(fy_node_pair_value(pair), actor->points[actor->point_count++], 3);
  }
  read_shape(r, get(body, "shape"), actor);
}

static void read_link(reader *r, node *from, trm_link *link) {
  node *ends = get(from, "ends"), *axes = get(from, "axes");
  link->type = text_of(r, get(from, "type"));
  link->radius = number_of(get(from, "radius"));
  link->spring = is_true(get(from, "spring"));
  link->damper = is_true(get(from, "damper"));
  link->end_count = count_of(ends) < 2 ? count_of(ends) : 2;
  for (int k = 0; k < link->end_count; k++) {
    double values[4];
    vector_of(fy_node_sequence_get_by_index(ends, k), values, 4);
    link->end[k].body = whole_of(values[0]);
    memcpy(link->end[k].u, values + 1, sizeof link->end[k].u);
    if (link->end[k].body < -1 || link->end[k].body >= r->scene->body_count) r->bad = true;
  }
  for (int k = 0; k < 2 && k < count_of(axes); k++)
    vector_of(fy_node_sequence_get_by_index(axes, k), link->axis[k], 3);
  if (get(from, "axis")) vector_of(get(from, "axis"), link->axis[0], 3);
}

static trm_link *read_links(reader *r, node *list, int *count) {
  void *at = NULL;
  int used = 0;
  trm_link *links = TRM_NEW(r->scene->arena, trm_link, count_of(list) + 1);
  if (!links) r->bad = true;
  for (node *item; links && list && (item = fy_node_sequence_iterate(list, &at));)
    read_link(r, item, &links[used++]);
  *count = used;
  return links;
}

static void read_bodies(reader *r, node *list) {
  void *at = NULL;
  trm_scene *scene = r->scene;
  scene->bodies = TRM_NEW(scene->arena, trm_actor, count_of(list) + 1);
  if (!scene->bodies) r->bad = true;
  for (node *item; !r->bad && list && (item = fy_node_sequence_iterate(list, &at));) {
    read_actor(r, item, scene->body_count, &scene->bodies[scene->body_count]);
    scene->body_count++;
  }
}

static void read_scenery(reader *r, node *list) {
  void *at = NULL;
  trm_scene *scene = r->scene;
  scene->things = TRM_NEW(scene->arena, trm_actor, count_of(list) + 1);
  scene->thing_poses = TRM_NEW(scene->arena, trm_pose, count_of(list) + 1);
  if (!scene->things || !scene->thing_poses) r->bad = true;
  for (node *item; !r->bad && list && (item = fy_node_sequence_iterate(list, &at));) {
    trm_pose *pose = &scene->thing_poses[scene->thing_count];
    read_actor(r, item, -1, &scene->things[scene->thing_count++]);
    vector_of(get(item, "position"), pose->r, 3);
    vector_of(get(item, "rotation"), pose->R, 9);
  }
}

static void read_view(reader *r, node *view) {
  trm_scene *scene = r->scene;
  double follow[4];
  scene->follows = vector_of(get(view, "follow"), follow, 4) == 4;
  scene->directed = vector_of(get(view, "from"), scene->from, 3) == 3;
  scene->follow.body = whole_of(follow[0]);
  memcpy(scene->follow.u, follow + 1, sizeof scene->follow.u);
  if (scene->follow.body < -1 || scene->follow.body >= scene->body_count) r->bad = true;
}

static void read_frames(reader *r, node *frames) {
  trm_scene *scene = r->scene;
  void *at = NULL;
  node *times = get(frames, "t");
  scene->frame_count = count_of(times);
  scene->width = whole_of(number_of(get(frames, "width")));
  scene->pose = whole_of(number_of(get(frames, "pose")));
  scene->t = TRM_NEW(scene->arena, double, scene->frame_count + 1);
  bool fits = (scene->pose == 3 || scene->pose == 7) && scene->frame_count > 0 &&
              scene->body_count > 0 && scene->body_count <= scene->width / scene->pose;
  if (!scene->t || !fits) {
    r->bad = true;
    return;
  }
  for (int k = 0; k < scene->frame_count; k++) scene->t[k] = 0;
  int used = 0;
  for (node *item; (item = fy_node_sequence_iterate(times, &at));)
    scene->t[used++] = number_of(item);
  scene->values = read_block(r, "frames", (size_t)scene->frame_count, (size_t)scene->width);
  r->bad |= !scene->values;
}

static void find_box(trm_triangles *mesh) {
  for (int k = 0; k < 3; k++) mesh->low[k] = INFINITY, mesh->high[k] = -INFINITY;
  for (int i = 0; i < 9 * mesh->count; i++) {
    mesh->low[i % 3] = fmin(mesh->low[i % 3], mesh->corners[i]);
    mesh->high[i % 3] = fmax(mesh->high[i % 3], mesh->corners[i]);
  }
}

static void read_meshes(reader *r, int count) {
  trm_scene *scene = r->scene;
  scene->meshes = TRM_NEW(scene->arena, trm_triangles, count + 1);
  if (!scene->meshes) r->bad = true;
  for (int i = 0; !r->bad && i < count; i++) {
    char id[32];
    snprintf(id, sizeof id, "mesh%d", i);
    double rows = number_of(get(get(r->blocks, id), "rows"));
    if (!(rows >= 0 && rows <= 1000000)) continue;
    scene->meshes[i].corners = read_block(r, id, (size_t)rows, 9);
    if (scene->meshes[i].corners) scene->meshes[i].count = (int)rows;
    find_box(&scene->meshes[i]);
    scene->mesh_count = i + 1;
  }
}

static void read_scene(reader *r, node *root) {
  trm_scene *scene = r->scene;
  node *from = get(root, "scene");
  r->blocks = get(root, "blocks");
  scene->name = text_of(r, get(root, "name"));
  scene->dim = whole_of(number_of(get(from, "dim")));
  vector_of(get(from, "gravity"), scene->gravity, 3);
  read_actor(r, get(from, "ground"), -1, &scene->ground);
  read_bodies(r, get(from, "bodies"));
  read_scenery(r, get(from, "scenery"));
  read_view(r, get(from, "view"));
  r->still = from && scene->body_count == 0;
  if (r->bad) return;
  scene->joints = read_links(r, get(from, "joints"), &scene->joint_count);
  scene->forces = read_links(r, get(from, "forces"), &scene->force_count);
  int meshes = whole_of(number_of(get(from, "meshes")));
  read_meshes(r, meshes > 0 && meshes <= scene->body_count + 2 ? meshes : 0);
  read_frames(r, get(root, "frames"));
}

char *trm_scene_text(const char *path, trm_diagnostics *diagnostics) {
  trm_file file = trm_file_read(path, "scene file", LARGEST_FILE);
  if (file.text && *file.text == '{' && strlen(file.text) == file.length) return file.text;
  trm_report_place(diagnostics, TRM_ERROR, (trm_place){.file = path}, "%s",
                   file.text ? "this is no scene of a run" : file.reason);
  free(file.text);
  return NULL;
}

static void say_nothing(struct fy_diag *diag, void *user, const char *text, size_t length) {
  (void)diag, (void)user, (void)text, (void)length;
}

static void parse(reader *r, const char *text) {
  struct fy_diag_cfg silent;
  fy_diag_cfg_default(&silent);
  silent.fp = NULL; /* the default prints, and shows what it reads */
  silent.output_fn = say_nothing;
  struct fy_diag *diag = fy_diag_create(&silent);
  struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_JSON_FORCE, .diag = diag};
  size_t length = strlen(text);
  bool memory = diag && trm_memory_left(8 * length);
  struct fy_document *document = memory ? fy_document_build_from_string(&cfg, text, length) : NULL;
  if (document)
    read_scene(r, fy_document_root(document));
  else
    r->bad = true;
  fy_document_destroy(document);
  fy_diag_destroy(diag);
}

trm_scene *trm_scene_read(const char *path, trm_diagnostics *diagnostics) {
  reader r = {0};
  char *text = trm_scene_text(path, diagnostics);
  if (!text) return NULL;
  trm_locale caller = trm_locale_begin();
  r.scene = calloc(1, sizeof *r.scene);
  if (r.scene) r.scene->arena = trm_arena_create();
  r.bad = !r.scene || !r.scene->arena;
  errno = r.bad ? ENOMEM : 0;
  if (!r.bad) parse(&r, text);
  bool memory = errno != ENOMEM; /* of whichever library */
  trm_locale_end(caller);
  free(text);
  for (int i = 0; !r.bad && i < r.scene->joint_count; i++)
    trm_scene_find_travel(r.scene, &r.scene->joints[i]);
  if (!r.bad) return r.scene;
  if (!memory)
    trm_report(diagnostics, TRM_ERROR, "cannot read '%s': out of memory", path);
  else if (r.still)
    trm_report(diagnostics, TRM_ERROR,
               "'%s': the model has no bodies, so there is nothing to be seen moving; trammel plot "
               "draws its measures",
               path);
  else
    trm_report(diagnostics, TRM_ERROR, "'%s' is no scene of a run with frames", path);
  trm_scene_destroy(r.scene);
  return NULL;
}

void trm_scene_destroy(trm_scene *scene) {
  if (!scene) return;
  for (int i = 0; i < scene->mesh_count; i++) free(scene->meshes[i].corners);
  free(scene->values);
  trm_arena_destroy(scene->arena);
  free(scene);
}
