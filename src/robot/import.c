/* From a robot's file to a model file with its meshes. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trammel/import.h>

#include "base/locale.h"
#include "base/memory.h"
#include "base/sized.h"
#include "result/beside.h"
#include "robot/path.h"
#include "robot/robot.h"

enum { MOST_TRIANGLES = 200000 }; /* pictures need no more */

static const trm_import_options usual = {sizeof(trm_import_options), false, false, true, NULL};

void trm_import_options_init(trm_import_options *defaults, size_t size) {
  trm_sized_give(defaults, size, &usual, sizeof usual);
}

/* "arm_meshes" of "out/arm.yaml" */
static void name_folder(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  snprintf(name, size, "%.*s_meshes", dot ? (int)(dot - base) : (int)strlen(base), base);
}

static bool write_mesh(trm_robot *robot, const char *path, const char *folder, const char *label,
                       trm_robot_mesh *mesh) {
  char name[TRM_ROBOT_LONGEST_PATH], whole[TRM_ROBOT_LONGEST_PATH];
  if (mesh->count == 0) return true;
  if (mesh->count > MOST_TRIANGLES) {
    trm_robot_note(robot, NULL, "'%s': its shape has %d triangles, more than the %d of a picture",
                   label, mesh->count, MOST_TRIANGLES);
    mesh->count = 0;
    return true;
  }
  snprintf(name, sizeof name, "%s/%s.stl", folder, label);
  trm_robot_beside(path, name, whole, sizeof whole);
  if (trm_robot_mesh_write(mesh, whole)) return true;
  trm_report(robot->diagnostics, TRM_ERROR, "%s cannot be written: %s", whole, strerror(errno));
  return false;
}

static bool any_mesh(const trm_robot *robot) {
  for (int i = 0; i < robot->body_count; i++)
    if (robot->bodies[i].mesh.count > 0) return true;
  return false;
}

static bool write_meshes(trm_robot *robot, const char *path, const char *folder) {
  char whole[TRM_ROBOT_LONGEST_PATH];
  trm_robot_mesh ground = {0};
  if (!any_mesh(robot)) return true;
  trm_robot_beside(path, folder, whole, sizeof whole);
  if (mkdir(whole, 0777) != 0 && errno != EEXIST) {
    trm_report(robot->diagnostics, TRM_ERROR, "%s cannot be made: %s", whole, strerror(errno));
    return false;
  }
  bool good = true;
  for (int i = 0; good && i < robot->body_count; i++) {
    trm_robot_body *body = &robot->bodies[i];
    if (body->fixed_to == TRM_ROBOT_WORLD)
      trm_robot_mesh_join(robot, &body->mesh, &body->pose, &ground);
    else if (body->fixed_to == i)
      good = write_mesh(robot, path, folder, body->label, &body->mesh);
  }
  return good && write_mesh(robot, path, folder, "ground", &ground);
}

static trm_status write_model(const trm_robot *robot, const char *path, const char *folder) {
  char *text = NULL;
  size_t size = 0;
  trm_beside beside;
  FILE *file = open_memstream(&text, &size);
  if (!file) return TRM_NO_MEMORY;
  trm_robot_write(robot, folder, file);
  if (!trm_memory_close(file, &text)) {
    free(text);
    return TRM_NO_MEMORY;
  }
  int problem = trm_beside_open(&beside, path);
  if (!problem) {
    problem = trm_write_all(beside.file, text, size, -1);
    int closing = trm_beside_close(&beside, problem == 0);
    if (!problem) problem = closing;
  }
  free(text);
  if (problem)
    trm_report(robot->diagnostics, TRM_ERROR, "%s cannot be written: %s", path, strerror(problem));
  return problem ? TRM_IO_ERROR : TRM_OK;
}

/* What the file is called, without its ending. */
static const char *stem(trm_robot *robot) {
  const char *slash = strrchr(robot->file, '/'), *base = slash ? slash + 1 : robot->file;
  char *name = trm_arena_string(robot->arena, base);
  if (!name) robot->no_memory = true;
  char *dot = name ? strrchr(name, '.') : NULL;
  if (dot) *dot = '\0';
  return name ? name : "";
}

static void read_robot(trm_robot *robot, trm_xml *root) {
  const char *name = trm_xml_get(root, strcmp(root->name, "mujoco") == 0 ? "model" : "name");
  robot->name = name && *name ? name : stem(robot);
  if (strcmp(root->name, "robot") == 0)
    trm_robot_read_urdf(robot, root);
  else if (strcmp(root->name, "mujoco") == 0)
    trm_robot_read_mjcf(robot, root);
  else if (strcmp(root->name, "sdf") == 0)
    trm_robot_read_sdf(robot, root);
  else
    trm_robot_error(robot, root,
                    "the first element must be <robot> (URDF), <mujoco> (MJCF) or <sdf>, not <%s>",
                    root->name);
  if (robot->coloured) trm_robot_note(robot, root, "colours are not taken over");
}

static int moving(const trm_robot *robot) {
  int count = 0;
  for (int i = 0; i < robot->body_count; i++) count += robot->bodies[i].fixed_to == i;
  return count;
}

static trm_status import(trm_robot *robot, const char *path, bool meshes) {
  char folder[TRM_ROBOT_LONGEST_PATH];
  trm_xml *root = trm_xml_read(robot->file, robot->arena, robot->diagnostics);
  if (!root) return TRM_BAD_MODEL;
  read_robot(robot, root);
  if (!robot->no_memory && trm_diagnostics_errors(robot->diagnostics) == 0) {
    trm_robot_finish(robot);
    if (moving(robot) == 0)
      trm_robot_error(robot, root,
                      "nothing in it moves: there is no body with a mass that is not fixed to the "
                      "ground (--floating lets the base of a URDF move)");
    if (!trm_robot_label(robot)) robot->no_memory = true;
  }
  if (robot->no_memory) return TRM_NO_MEMORY;
  if (trm_diagnostics_errors(robot->diagnostics) > 0) return TRM_BAD_MODEL;
  name_folder(path, folder, sizeof folder);
  if (meshes && !write_meshes(robot, path, folder)) return TRM_IO_ERROR;
  return write_model(robot, path, meshes ? folder : NULL);
}

trm_status trm_import(const char *file, const trm_import_options *options, const char *model,
                      trm_diagnostics *diagnostics) {
  trm_import_options o = usual;
  if (!trm_sized_take_or_report(&o, sizeof o, options, "trm_default_import_options", diagnostics))
    return TRM_BAD_USAGE;
  trm_diagnostics *own = diagnostics ? NULL : trm_diagnostics_create();
  trm_robot robot = {.arena = trm_arena_create(),
                     .diagnostics = diagnostics ? diagnostics : own,
                     .file = file,
                     .floating = o.floating,
                     .balance = o.balance_inertia,
                     .packages = o.packages};
  trm_status status = TRM_NO_MEMORY;
  trm_locale locale = trm_locale_begin();
  if (robot.arena && robot.diagnostics) status = import(&robot, model, o.meshes);
  trm_locale_end(locale);
  if (status == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  trm_arena_destroy(robot.arena);
  trm_diagnostics_destroy(own);
  return status;
}
