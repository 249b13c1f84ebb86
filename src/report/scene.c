/* Bodies, joints and forces as JSON. Shapes come with coordinates instead of names of points. */
#include "report/scene.h"

#include <stdio.h>
#include <string.h>
#include <trammel/scene.h>
#include <trammel/version.h>

#include "base/diagnostics.h"
#include "report/block.h"
#include "report/mesh.h"
#include "report/road.h"

enum { DIGITS = 9 };

static void write_vector(trm_json *json, const char *key, const double v[3]) {
  trm_json_numbers(json, key, v, 3, DIGITS);
}

static void write_named_points(const trm_body *body, trm_json *json) {
  trm_json_open(json, "points");
  for (int i = 0; i < body->point_count; i++)
    write_vector(json, body->points[i].name, body->points[i].u);
  trm_json_close(json);
}

static const double *find_point(const trm_body *body, const char *name) {
  static const double origin[3] = {0, 0, 0};
  for (int i = 0; i < body->point_count; i++)
    if (strcmp(body->points[i].name, name) == 0) return body->points[i].u;
  return origin;
}

static void write_path(const trm_body *body, trm_json *json, const char *key) {
  trm_json_open_list(json, key);
  for (int i = 0; i < body->shape.point_count; i++) {
    const double *u = find_point(body, body->shape.points[i]);
    trm_json_numbers(json, NULL, u, 3, DIGITS);
  }
  trm_json_close_list(json);
}

static void write_solid(const trm_shape_def *shape, int mesh, trm_json *json) {
  switch (shape->type) {
  case TRM_SHAPE_LINES:
  case TRM_SHAPE_ROD:
  case TRM_SHAPE_PATH: break; /* their owner knows where their points are */
  case TRM_SHAPE_BOX: write_vector(json, "box", shape->size); break;
  case TRM_SHAPE_SPHERE: trm_json_number(json, "sphere", shape->size[0]); break;
  case TRM_SHAPE_CYLINDER:
    trm_json_numbers(json, "cylinder", shape->size, 2, DIGITS);
    write_vector(json, "axis", shape->axis);
    break;
  case TRM_SHAPE_CONE:
    trm_json_numbers(json, "cone", shape->size, 2, DIGITS);
    write_vector(json, "axis", shape->axis);
    break;
  case TRM_SHAPE_MESH: trm_json_integer(json, "mesh", mesh); break;
  }
}

static void write_shape(const trm_body *body, int mesh, trm_json *json) {
  trm_json_open(json, "shape");
  write_solid(&body->shape, mesh, json);
  if (body->shape.type == TRM_SHAPE_ROD) write_path(body, json, "rod");
  if (body->shape.type == TRM_SHAPE_PATH) write_path(body, json, "path");
  trm_json_close(json);
}

static void write_thing(const trm_scenery *thing, trm_json *json) {
  trm_json_open(json, NULL);
  trm_json_string(json, "name", thing->name);
  if (thing->color) trm_json_string(json, "color", thing->color);
  write_vector(json, "position", thing->position);
  trm_json_numbers(json, "rotation", thing->R, 9, DIGITS);
  trm_json_open(json, "shape");
  write_solid(&thing->shape, -1, json);
  if (thing->path_count > 0) {
    trm_json_open_list(json, "path");
    for (int i = 0; i < thing->path_count; i++) write_vector(json, NULL, thing->path[i]);
    trm_json_close_list(json);
  }
  trm_json_close(json);
  trm_json_close(json);
}

static void write_road(int mesh, trm_json *json) {
  static const double origin[3] = {0, 0, 0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  trm_json_open(json, NULL);
  trm_json_string(json, "name", "road");
  trm_json_string(json, "color", "#9aa0a8");
  write_vector(json, "position", origin);
  trm_json_numbers(json, "rotation", upright, 9, DIGITS);
  trm_json_open(json, "shape");
  trm_json_integer(json, "mesh", mesh);
  trm_json_close(json);
  trm_json_close(json);
}

static void write_view(const trm_view *view, trm_json *json) {
  const trm_end *end = &view->follow;
  const double follow[4] = {end->body, end->u[0], end->u[1], end->u[2]};
  trm_json_open(json, "view");
  if (view->follows) trm_json_numbers(json, "follow", follow, 4, DIGITS);
  if (view->directed) write_vector(json, "from", view->from);
  trm_json_bool(json, "forces", view->forces);
  trm_json_close(json);
}

static void write_body(const trm_body *body, int mesh, const char *key, trm_json *json) {
  trm_json_open(json, key);
  trm_json_string(json, "name", body->name);
  if (body->color) trm_json_string(json, "color", body->color);
  write_vector(json, "com", body->com);
  write_named_points(body, json);
  write_shape(body, mesh, json);
  trm_json_close(json);
}

static void write_ends(const trm_end *end, int count, trm_json *json) {
  trm_json_open_list(json, "ends");
  for (int i = 0; i < count; i++) {
    const double values[4] = {end[i].body, end[i].u[0], end[i].u[1], end[i].u[2]};
    trm_json_numbers(json, NULL, values, 4, DIGITS);
  }
  trm_json_close_list(json);
}

static void write_joint(const trm_model *model, const trm_joint *joint, trm_json *json) {
  trm_json_open(json, NULL);
  trm_json_string(json, "name", joint->name);
  trm_json_string(json, "type", trm_joint_type_name(joint->type));
  if (trm_model_has_reaction(model, joint)) {
    write_ends(joint->end, 2, json);
    trm_json_open_list(json, "axes");
    for (int k = 0; k < 2; k++) write_vector(json, NULL, joint->axis[k]);
    trm_json_close_list(json);
  }
  if (joint->type == TRM_JOINT_ROLLING) {
    trm_json_number(json, "radius", joint->radius);
    trm_json_bool(json, "disc", joint->disc);
  }
  trm_json_close(json);
}

static bool is_given(const trm_quantity *quantity) {
  return quantity->formula || quantity->number != 0;
}

static void write_tire(const trm_force *force, trm_json *json) {
  write_ends(force->end, 1, json);
  write_vector(json, "axis", force->axis);
  trm_json_number(json, "radius", force->tire->UNLOADED_RADIUS);
}

static void write_force(const trm_model *model, const trm_force *force, trm_json *json) {
  bool seen = force->joint < model->joint_count - model->shaft_count; /* not on a shaft */
  bool line = force->type == TRM_FORCE_SPRING_DAMPER || force->type == TRM_FORCE_BUSHING ||
              (force->type == TRM_FORCE_TORSION_SPRING_DAMPER && force->joint < 0) ||
              force->type == TRM_FORCE_LOAD ||
              (force->type == TRM_FORCE_ACTUATOR && force->joint < 0);
  trm_json_open(json, NULL);
  trm_json_string(json, "name", force->name);
  trm_json_string(json, "type", trm_force_type_name(force->type));
  if (force->joint >= 0 && seen) trm_json_integer(json, "joint", force->joint);
  if (line) write_ends(force->end, 2, json);
  if (force->type == TRM_FORCE_FORCE || force->type == TRM_FORCE_TORQUE)
    write_ends(force->end, 1, json);
  if (force->type == TRM_FORCE_TORSION_SPRING_DAMPER && line)
    write_vector(json, "axis", force->axis);
  if (force->tire) write_tire(force, json);
  trm_json_bool(json, "spring", is_given(&force->stiffness));
  trm_json_bool(json, "damper", is_given(&force->damping));
  trm_json_close(json);
}

/* The road is the last of the meshes, behind those of files. */
static void write_scene(const trm_model *model, const trm_mesh *meshes, int mesh_count,
                        bool has_road, trm_json *json) {
  trm_json_open(json, "scene");
  trm_json_integer(json, "dim", model->dim);
  trm_json_bool(json, "flat", model->embedded);
  write_vector(json, "gravity", model->gravity);
  trm_json_number(json, "length", model->length);
  if (model->units) trm_json_string(json, "units", model->units);
  trm_json_integer(json, "meshes", mesh_count + has_road);
  write_body(&model->ground, trm_mesh_find(meshes, mesh_count, &model->ground.shape), "ground",
             json);
  trm_json_open_list(json, "scenery");
  for (int i = 0; i < model->scenery_count; i++) write_thing(&model->scenery[i], json);
  if (has_road) write_road(mesh_count, json);
  trm_json_close_list(json);
  write_view(&model->view, json);
  trm_json_open_list(json, "bodies");
  for (int i = 0; i < trm_model_placed(model); i++)
    write_body(&model->bodies[i], trm_mesh_find(meshes, mesh_count, &model->bodies[i].shape), NULL,
               json);
  trm_json_close_list(json);
  trm_json_open_list(json, "joints");
  for (int i = 0; i < model->joint_count - model->shaft_count; i++)
    write_joint(model, &model->joints[i], json);
  trm_json_close_list(json);
  trm_json_open_list(json, "forces");
  for (int i = 0; i < model->force_count; i++) write_force(model, &model->forces[i], json);
  trm_json_close_list(json);
  trm_json_close(json);
}

static void write_frames(const trm_film *film, trm_json *json) {
  trm_json_open(json, "frames");
  trm_json_numbers(json, "t", film->t, film->count, 15);
  trm_json_integer(json, "rows", film->rows);
  trm_json_integer(json, "width", film->width);
  trm_json_integer(json, "pose", film->pose);
  trm_json_integer(json, "force", film->force);
  trm_json_open_list(json, "reactions");
  for (int i = 0; i < film->reaction_count; i++) trm_json_integer(json, NULL, film->reactions[i]);
  trm_json_close_list(json);
  trm_json_open_list(json, "loads");
  for (int i = 0; i < film->arrow_count; i++) trm_json_integer(json, NULL, film->arrows[i].force);
  trm_json_close_list(json);
  trm_json_open_list(json, "series");
  for (int i = 0; i < TRM_FILM_SERIES; i++) trm_json_string(json, NULL, trm_film_series[i]);
  trm_json_close_list(json);
  trm_json_close(json);
}

static bool write_mesh(int index, const float *corners, int count, trm_json *json) {
  char id[32];
  snprintf(id, sizeof id, "mesh%d", index);
  return trm_block_write_object(json, id, corners, (size_t)count, 9);
}

static bool write_blocks(const trm_film *film, const trm_mesh *meshes, int mesh_count,
                         const trm_pavement *road, trm_json *json) {
  trm_json_open(json, "blocks");
  bool good = trm_block_write_object(json, "frames", film->values, (size_t)film->count,
                                     (size_t)film->width);
  for (int i = 0; good && i < mesh_count; i++)
    good = write_mesh(i, meshes[i].corners, meshes[i].count, json);
  if (good && road->count > 0) good = write_mesh(mesh_count, road->corners, road->count, json);
  trm_json_close(json);
  return good;
}

bool trm_scene_write_fields(const trm_simulation *sim, trm_json *json,
                            trm_diagnostics *diagnostics) {
  trm_mesh *meshes;
  int mesh_count;
  const trm_model *model = sim->engine->model;
  trm_pavement road;
  if (!trm_meshes_read(model, &meshes, &mesh_count, diagnostics)) return false;
  bool good = trm_pavement_create(&road, model, &sim->film);
  trm_json_string(json, "name", model->name);
  write_scene(model, meshes, mesh_count, road.count > 0, json);
  write_frames(&sim->film, json);
  good = good && write_blocks(&sim->film, meshes, mesh_count, &road, json);
  trm_pavement_free(&road);
  trm_meshes_free(meshes, mesh_count);
  return good;
}

trm_status trm_scene_write(const trm_simulation *simulation, const char *path,
                           trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  json.html = true; /* pages take it as it stands */
  trm_json_string(&json, "trammel", trm_version());
  bool good = trm_scene_write_fields(simulation, &json, diagnostics);
  trm_json_end(&json);
  trm_status status = trm_output_close(output, diagnostics);
  if (good) return status;
  trm_report(diagnostics, TRM_ERROR, "cannot write '%s': out of memory", path);
  return TRM_NO_MEMORY;
}
