/* SDF: mass and shapes of a link. */
#include <string.h>

#include "robot/path.h"
#include "robot/sdf.h"

/* A link without numbers has those of the standard: mass 1, moments 1. */
static void read_inertial(trm_sdf *sdf, const trm_xml *link, int body) {
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  trm_robot *robot = sdf->robot;
  const trm_xml *inertial = trm_xml_child(link, "inertial");
  const trm_xml *inertia = trm_xml_child(inertial, "inertia");
  const char *automatic = trm_xml_get(inertial, "auto");
  if (automatic && (strcmp(automatic, "true") == 0 || strcmp(automatic, "1") == 0))
    trm_robot_error(robot, inertial, "link '%s': inertia from geometry (auto) is not read; give it",
                    robot->bodies[body].name);
  if (!inertial)
    trm_robot_note(robot, link, "link '%s' has no inertial: mass and moments are 1, as SDF says",
                   robot->bodies[body].name);
  if (trm_xml_child(inertial, "fluid_added_mass"))
    trm_robot_note(robot, trm_xml_child(inertial, "fluid_added_mass"),
                   "link '%s': fluid_added_mass is not taken over", robot->bodies[body].name);
  trm_robot_mass mass = {.mass = trm_sdf_number(sdf, inertial, "mass", 1)};
  for (int k = 0; k < 6; k++) mass.inertia[k] = trm_sdf_number(sdf, inertia, names[k], k < 3);
  trm_robot_pose frame = trm_sdf_pose(sdf, inertial);
  robot->bodies[body].own = trm_robot_mass_in(&frame, &mass);
}

static bool vector(trm_sdf *sdf, const trm_xml *parent, const char *name, double v[3]) {
  const trm_xml *child = trm_xml_child(parent, name);
  return child && trm_robot_vector(sdf->robot, child, name, child->text, 3, v);
}

static void read_mesh(trm_sdf *sdf, const trm_xml *mesh, const trm_robot_pose *pose, int body) {
  trm_robot *robot = sdf->robot;
  double scale[3] = {1, 1, 1};
  const char *uri = trm_sdf_text(mesh, "uri");
  char path[TRM_ROBOT_LONGEST_PATH];
  vector(sdf, mesh, "scale", scale);
  const char *problem =
      !uri                             ? "it has no uri"
      : trm_xml_child(mesh, "submesh") ? "a part of a mesh (submesh) is not read"
      : !trm_robot_find_file(robot, mesh->file, uri, path, sizeof path)
          ? "there is no such file"
          : trm_robot_mesh_read(robot, path, scale, pose, &robot->bodies[body].mesh);
  if (problem)
    trm_robot_note(robot, mesh, "link '%s': mesh '%s' is not taken over: %s",
                   robot->bodies[body].name, uri ? uri : "", problem);
}

/* A shape's place is relative to its link, whatever else it may name is resolved. */
static trm_robot_pose place_of(trm_sdf *sdf, const trm_xml *visual, int link) {
  trm_robot_pose own = trm_sdf_pose(sdf, visual);
  const trm_xml *element = trm_xml_child(visual, "pose");
  const char *to = trm_xml_get(element, "relative_to");
  if (!to || !*to) return own;
  int base = trm_sdf_find(sdf, sdf->frames[link].scope, to);
  if (base == TRM_SDF_NONE) {
    trm_robot_error(sdf->robot, element, "the frame '%s' is not there", to);
    return own;
  }
  trm_robot_pose there = trm_sdf_place(sdf, base), here = trm_sdf_place(sdf, link);
  trm_robot_pose relative = trm_robot_relative(&here, &there);
  return trm_robot_compose(&relative, &own);
}

static void read_visual(trm_sdf *sdf, const trm_xml *visual, int link) {
  trm_robot *robot = sdf->robot;
  int body = sdf->frames[link].body;
  trm_robot_mesh *mesh = &robot->bodies[body].mesh;
  const trm_xml *geometry = trm_xml_child(visual, "geometry");
  const trm_xml *shape = geometry ? geometry->first : NULL;
  if (trm_xml_child(visual, "material")) sdf->robot->coloured = true;
  if (!shape || strcmp(shape->name, "empty") == 0) return;
  trm_robot_pose pose = place_of(sdf, visual, link);
  double radius = trm_sdf_number(sdf, shape, "radius", 1);
  double length = trm_sdf_number(sdf, shape, "length", 1);
  double v[3] = {1, 1, 1};
  const double radii[3] = {radius, radius, radius};
  if (strcmp(shape->name, "box") == 0) {
    vector(sdf, shape, "size", v);
    for (int k = 0; k < 3; k++) v[k] /= 2;
    trm_robot_mesh_box(robot, v, &pose, mesh);
  } else if (strcmp(shape->name, "sphere") == 0) {
    trm_robot_mesh_round(robot, radii, 0, true, &pose, mesh);
  } else if (strcmp(shape->name, "ellipsoid") == 0) {
    vector(sdf, shape, "radii", v);
    trm_robot_mesh_round(robot, v, 0, true, &pose, mesh);
  } else if (strcmp(shape->name, "cylinder") == 0 || strcmp(shape->name, "capsule") == 0) {
    bool round = strcmp(shape->name, "capsule") == 0;
    trm_robot_mesh_round(robot, radii, length, round, &pose, mesh);
  } else if (strcmp(shape->name, "mesh") == 0) {
    read_mesh(sdf, shape, &pose, body);
  } else {
    trm_robot_note(robot, shape, "link '%s': a shape '%s' is not taken over",
                   robot->bodies[body].name, shape->name);
  }
}

void trm_sdf_read_link(trm_sdf *sdf, int frame) {
  static const char *const known[] = {"pose", "inertial", "visual", "collision", "gravity", NULL};
  trm_robot *robot = sdf->robot;
  const trm_xml *link = sdf->frames[frame].at, *collision = trm_xml_child(link, "collision");
  int body = sdf->frames[frame].body;
  robot->bodies[body].pose = trm_sdf_place(sdf, frame);
  read_inertial(sdf, link, body);
  for (trm_xml *v = trm_xml_child(link, "visual"); v; v = trm_xml_sibling(v, "visual"))
    read_visual(sdf, v, frame);
  if (trm_xml_child(link, "gravity") && !trm_sdf_true(link, "gravity"))
    robot->bodies[body].gravity = 0;
  if (collision)
    trm_robot_note(robot, collision, "link '%s': contact (collision) is not taken over",
                   robot->bodies[body].name);
  trm_sdf_note_others(sdf, link, known);
}
