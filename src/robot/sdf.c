/* SDF, as Gazebo has it: worlds, models in models, includes. */
#include <stdlib.h>
#include <string.h>

#include "robot/path.h"
#include "robot/sdf.h"

enum { DEEPEST = 32 };

static void read_model(trm_sdf *sdf, const trm_xml *model, const trm_xml *include, double version,
                       const char *scope);

void trm_sdf_note_others(trm_sdf *sdf, const trm_xml *parent, const char *const *known) {
  const char *of = trm_xml_get(parent, "name");
  for (const trm_xml *e = parent->first; e; e = e->next) {
    int k = 0;
    while (known[k] && strcmp(known[k], e->name) != 0) k++;
    if (known[k]) continue;
    const char *name = trm_xml_get(e, "name");
    trm_robot_note(sdf->robot, e, "%s '%s': %s%s%s is not taken over", parent->name, of ? of : "",
                   e->name, name ? " " : "", name ? name : "");
  }
}

static double version_of(const trm_xml *root) {
  const char *text = trm_xml_get(root, "version");
  double version = 0;
  return text && trm_xml_numbers(text, 1, &version) == 1 ? version : 1.7;
}

static bool find_model(trm_sdf *sdf, const trm_xml *include, const char *uri, char *path,
                       size_t size) {
  char inside[TRM_ROBOT_LONGEST_PATH];
  size_t length = strlen(uri);
  bool file = length > 4 && strcmp(uri + length - 4, ".sdf") == 0;
  snprintf(inside, sizeof inside, "%s%s", uri, file ? "" : "/model.sdf");
  return trm_robot_find_file(sdf->robot, include->file, inside, path, size);
}

static void read_include(trm_sdf *sdf, const trm_xml *include, const char *scope) {
  static const char *const known[] = {"uri", "name", "pose", "static", NULL};
  const char *uri = trm_sdf_text(include, "uri");
  char path[TRM_ROBOT_LONGEST_PATH];
  if (!uri || !find_model(sdf, include, uri, path, sizeof path)) {
    trm_robot_error(sdf->robot, include, "include: there is no '%s', nor a model.sdf in it",
                    uri ? uri : "");
    return;
  }
  if (++sdf->include_depth > DEEPEST) {
    trm_robot_error(sdf->robot, include, "include '%s': includes in more than %d others", uri,
                    DEEPEST);
  } else {
    trm_xml *root = trm_xml_read(path, sdf->robot->arena, sdf->robot->diagnostics);
    const trm_xml *model = root ? trm_xml_child(root, "model") : NULL;
    if (model)
      read_model(sdf, model, include, version_of(root), scope);
    else if (root)
      trm_robot_error(sdf->robot, root, "there is no model in it");
    trm_sdf_note_others(sdf, include, known);
  }
  sdf->include_depth--;
}

static void read_parts(trm_sdf *sdf, const trm_xml *model, double version, const char *scope) {
  static const char *const known[] = {"pose",  "link",    "joint",  "frame",
                                      "model", "include", "static", NULL};
  for (const trm_xml *e = model->first; e; e = e->next) {
    bool link = strcmp(e->name, "link") == 0, joint = strcmp(e->name, "joint") == 0;
    if (link || joint || strcmp(e->name, "frame") == 0) {
      trm_sdf_kind kind = link ? TRM_SDF_LINK : joint ? TRM_SDF_JOINT : TRM_SDF_FRAME;
      trm_sdf_frame *frame = trm_sdf_add(sdf, kind, scope, trm_xml_get(e, "name"), e);
      if (frame) frame->version = version;
    } else if (strcmp(e->name, "model") == 0) {
      read_model(sdf, e, NULL, version, scope);
    } else if (strcmp(e->name, "include") == 0) {
      read_include(sdf, e, scope);
    } else if (strcmp(e->name, "origin") == 0) {
      trm_robot_error(sdf->robot, e, "SDF before 1.2 is not read; convert it (gz sdf -p)");
    }
  }
  trm_sdf_note_others(sdf, model, known);
}

/* `include` may give it another name and place. */
static void read_model(trm_sdf *sdf, const trm_xml *model, const trm_xml *include, double version,
                       const char *scope) {
  const char *name = trm_sdf_text(include, "name");
  if (!name) name = trm_xml_get(model, "name");
  trm_sdf_frame *frame = trm_sdf_add(sdf, TRM_SDF_MODEL, scope, name, model);
  if (!frame) return;
  if (trm_xml_child(include, "pose")) frame->posed = include;
  frame->fixed = trm_sdf_true(trm_xml_child(include, "static") ? include : model, "static");
  if (trm_xml_get(model, "placement_frame") || trm_sdf_text(include, "placement_frame"))
    trm_robot_error(sdf->robot, include ? include : model,
                    "model '%s': placement_frame is not read; give the pose of the model", name);
  size_t length = strlen(scope) + strlen(name) + 3;
  char *inside = trm_arena_alloc(sdf->robot->arena, length, 1);
  if (!inside || length > 1000) {
    sdf->robot->no_memory = true;
    return;
  }
  snprintf(inside, length, "%s%s::", scope, name);
  read_parts(sdf, model, version, inside);
}

static void read_gravity(trm_sdf *sdf, const trm_xml *world) {
  const trm_xml *gravity = trm_xml_child(world, "gravity");
  if (!gravity) gravity = trm_xml_child(trm_xml_child(world, "physics"), "gravity");
  if (gravity)
    trm_robot_vector(sdf->robot, gravity, "gravity", gravity->text, 3, sdf->robot->gravity);
}

static void read_top(trm_sdf *sdf, const trm_xml *top, double version) {
  static const char *const known[] = {"model", "include", "world", "gravity", NULL};
  for (const trm_xml *e = top->first; e; e = e->next) {
    if (strcmp(e->name, "model") == 0) {
      read_model(sdf, e, NULL, version, "");
    } else if (strcmp(e->name, "include") == 0) {
      read_include(sdf, e, "");
    } else if (strcmp(e->name, "world") == 0) {
      read_gravity(sdf, e);
      read_top(sdf, e, version);
    }
  }
  trm_sdf_note_others(sdf, top, known);
}

/* With the models around it; where there is one model, without that. */
static const char *whole_name(trm_sdf *sdf, const trm_sdf_frame *f, bool single) {
  const char *scope = f->scope;
  if (single) scope = strstr(scope, "::") + 2;
  size_t length = strlen(scope) + strlen(f->name) + 1;
  char *name = trm_arena_alloc(sdf->robot->arena, length, 1);
  if (!name) {
    sdf->robot->no_memory = true;
    return "";
  }
  snprintf(name, length, "%s%s", scope, f->name);
  return name;
}

static void name_bodies(trm_sdf *sdf) {
  int models = 0;
  for (int i = 0; i < sdf->count; i++)
    models += sdf->frames[i].kind == TRM_SDF_MODEL && !*sdf->frames[i].scope;
  for (int i = 0; i < sdf->count; i++) {
    trm_sdf_frame *f = &sdf->frames[i];
    if (f->kind == TRM_SDF_MODEL && !*f->scope && models == 1) sdf->robot->name = f->name;
    if (f->kind != TRM_SDF_LINK) continue;
    f->body = sdf->robot->body_count;
    if (!trm_robot_add_body(sdf->robot, whole_name(sdf, f, models == 1), f->at)) return;
  }
}

void trm_robot_read_sdf(trm_robot *robot, const trm_xml *root) {
  trm_sdf sdf = {.robot = robot};
  robot->kind = "SDF";
  robot->si = true;
  robot->gravity[2] = -9.8; /* as the standard says */
  read_top(&sdf, root, version_of(root));
  if (robot->no_memory || trm_diagnostics_errors(robot->diagnostics) > 0) return;
  name_bodies(&sdf);
  if (robot->body_count == 0) trm_robot_error(robot, root, "there is no link");
  for (int i = 0; i < sdf.count; i++) trm_sdf_place(&sdf, i);
  if (robot->no_memory || trm_diagnostics_errors(robot->diagnostics) > 0) return;
  for (int i = 0; i < sdf.count; i++)
    if (sdf.frames[i].kind == TRM_SDF_LINK) trm_sdf_read_link(&sdf, i);
  trm_sdf_read_joints(&sdf);
}
