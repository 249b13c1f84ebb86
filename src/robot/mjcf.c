/* MJCF: includes, settings, and the order of its sections. */
#include <math.h>
#include <string.h>

#include "robot/mjcf.h"
#include "robot/path.h"

enum { MOST_FILES = 1000 };

static void append(trm_xml *to, trm_xml *child) {
  child->parent = to;
  child->next = NULL;
  if (to->last)
    to->last->next = child;
  else
    to->first = child;
  to->last = child;
}

static trm_xml *read_included(trm_robot *robot, const trm_xml *at, const char *main_file,
                              int *files) {
  const char *name = trm_xml_get(at, "file");
  char path[TRM_ROBOT_LONGEST_PATH];
  if (!name || ++*files > MOST_FILES) {
    trm_robot_error(robot, at,
                    name ? "more than 1000 files are included: do they include each other?"
                         : "include needs a file");
    return NULL;
  }
  if (!trm_robot_is_beside(main_file, name, path, sizeof path))
    trm_robot_beside(at->file, name, path, sizeof path);
  trm_xml *other = trm_xml_read(path, robot->arena, robot->diagnostics);
  if (!other) trm_robot_error(robot, at, "'%s' cannot be included", name);
  return other;
}

/* The children of an included file stand in the place of its <include>. */
static void expand(trm_robot *robot, trm_xml *element, const char *main_file, int *files) {
  trm_xml *next, *given = element->first;
  element->first = element->last = NULL;
  for (trm_xml *e = given; e; e = next) {
    next = e->next;
    if (strcmp(e->name, "include") != 0) {
      expand(robot, e, main_file, files);
      append(element, e);
      continue;
    }
    trm_xml *other = read_included(robot, e, main_file, files);
    if (!other) return;
    expand(robot, other, main_file, files);
    for (trm_xml *c = other->first, *after; c; c = after) {
      after = c->next;
      append(element, c);
    }
  }
}

static bool truth(const trm_xml *e, const char *name) {
  const char *value = trm_xml_get(e, name);
  return value && strcmp(value, "true") == 0;
}

static const char *folder_of(trm_robot *robot, const char *name) {
  char text[TRM_ROBOT_LONGEST_PATH];
  if (!name || !*name) return "";
  snprintf(text, sizeof text, "%s%s", name, name[strlen(name) - 1] == '/' ? "" : "/");
  const char *kept = trm_arena_string(robot->arena, text);
  return kept ? kept : "";
}

static void read_compiler(trm_mjcf *m, const trm_xml *e) {
  trm_robot *robot = m->robot;
  const char *angle = trm_xml_get(e, "angle"), *from = trm_xml_get(e, "inertiafromgeom");
  const char *euler = trm_xml_get(e, "eulerseq"), *coordinate = trm_xml_get(e, "coordinate");
  const char *folder = trm_xml_get(e, "meshdir");
  if (!folder) folder = trm_xml_get(e, "assetdir");
  if (angle) m->angle = strcmp(angle, "radian") == 0 ? 1 : 3.14159265358979323846 / 180;
  if (from)
    m->inertia_from_geometry = strcmp(from, "true") == 0 ? 1 : strcmp(from, "false") ? -1 : 0;
  if (euler && strspn(euler, "xyzXYZ") == 3 && strlen(euler) == 3) m->euler = euler;
  if (folder) m->mesh_folder = folder_of(robot, folder);
  if (coordinate && strcmp(coordinate, "global") == 0)
    trm_robot_error(robot, e, "global coordinates are not read: MuJoCo has given them up, too");
  if (truth(e, "strippath")) m->strip_path = true;
  if (truth(e, "exactmeshinertia")) m->exact_meshes = true;
  if (truth(e, "balanceinertia")) robot->balance = true;
  m->least_mass = trm_mjcf_number(m, e, "boundmass", m->least_mass);
  m->least_inertia = trm_mjcf_number(m, e, "boundinertia", m->least_inertia);
  m->total_mass = trm_mjcf_number(m, e, "settotalmass", m->total_mass);
  trm_mjcf_vector(m, e, "inertiagrouprange", 2, m->group);
}

static void read_option(trm_mjcf *m, const trm_xml *e) {
  static const char *const fluids[] = {"density", "viscosity"};
  trm_mjcf_vector(m, e, "gravity", 3, m->robot->gravity);
  for (int i = 0; i < 2; i++)
    if (trm_mjcf_number(m, e, fluids[i], 0) != 0)
      trm_robot_note(m->robot, e, "%s of the air is not taken over", fluids[i]);
  const trm_xml *flag = trm_xml_child(e, "flag");
  if (trm_mjcf_is(m, flag ? flag : e, "gravity", "disable"))
    memset(m->robot->gravity, 0, sizeof m->robot->gravity);
}

static void set_total(trm_mjcf *m) {
  double sum = 0;
  for (int i = 0; i < m->robot->body_count; i++) sum += m->robot->bodies[i].own.mass;
  if (!(m->total_mass > 0) || !(sum > 0)) return;
  double factor = m->total_mass / sum;
  for (int i = 0; i < m->robot->body_count; i++) {
    trm_robot_mass *own = &m->robot->bodies[i].own;
    own->mass *= factor;
    for (int k = 0; k < 6; k++) own->inertia[k] *= factor;
  }
}

static void for_each(trm_mjcf *m, const char *name, void (*read)(trm_mjcf *, const trm_xml *)) {
  for (const trm_xml *e = trm_xml_child(m->root, name); e; e = trm_xml_sibling(e, name))
    if (!m->robot->no_memory) read(m, e);
}

static void read_world(trm_mjcf *m, const trm_xml *e) {
  const trm_robot_pose here = trm_robot_identity();
  trm_mjcf_children(m, e, &here, TRM_ROBOT_WORLD, false);
}

void trm_robot_read_mjcf(trm_robot *robot, trm_xml *root) {
  trm_mjcf m = {.robot = robot,
                .root = root,
                .angle = 3.14159265358979323846 / 180,
                .euler = "xyz",
                .mesh_folder = "",
                .inertia_from_geometry = -1,
                .group = {0, 5},
                .bodies = 1, /* the world is 0 */
                .total_mass = -1};
  robot->kind = "MJCF";
  robot->gravity[2] = -9.81;
  int files = 0;
  expand(robot, root, root->file, &files);
  if (trm_diagnostics_errors(robot->diagnostics) > 0) return;
  trm_mjcf_check_classes(&m, root);
  for_each(&m, "compiler", read_compiler);
  for_each(&m, "option", read_option);
  for_each(&m, "worldbody", read_world);
  set_total(&m);
  for_each(&m, "tendon", trm_mjcf_tendons);
  for_each(&m, "equality", trm_mjcf_equalities);
  for_each(&m, "actuator", trm_mjcf_actuators);
  trm_mjcf_note_unused(&m);
  trm_mjcf_note_others(&m);
  if (robot->body_count == 0) trm_robot_error(robot, root, "there is no body");
}
