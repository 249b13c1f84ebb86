/* URDF: links and joints of a tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot/path.h"
#include "robot/robot.h"

static trm_robot_pose read_origin(trm_robot *robot, const trm_xml *parent) {
  trm_robot_pose pose = trm_robot_identity();
  const trm_xml *origin = trm_xml_child(parent, "origin");
  double rpy[3];
  if (!origin) return pose;
  trm_robot_vector(robot, origin, "xyz", trm_xml_get(origin, "xyz"), 3, pose.x);
  if (!trm_robot_vector(robot, origin, "rpy", trm_xml_get(origin, "rpy"), 3, rpy)) return pose;
  trm_robot_roll_pitch_yaw(rpy, pose.R);
  return pose;
}

static double attribute(trm_robot *robot, const trm_xml *element, const char *name,
                        double otherwise) {
  double value = otherwise;
  if (element) trm_robot_vector(robot, element, name, trm_xml_get(element, name), 1, &value);
  return value;
}

static void read_inertial(trm_robot *robot, const trm_xml *link, trm_robot_body *body) {
  const trm_xml *inertial = trm_xml_child(link, "inertial");
  if (!inertial) return;
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  trm_robot_pose frame = read_origin(robot, inertial);
  trm_robot_mass mass = {.mass = attribute(robot, trm_xml_child(inertial, "mass"), "value", 0)};
  for (int k = 0; k < 6; k++)
    mass.inertia[k] = attribute(robot, trm_xml_child(inertial, "inertia"), names[k], 0);
  body->own = trm_robot_mass_in(&frame, &mass);
}

static void read_mesh(trm_robot *robot, const trm_xml *mesh, const trm_robot_pose *pose,
                      trm_robot_body *body) {
  double scale[3] = {1, 1, 1};
  const char *name = trm_xml_get(mesh, "filename");
  char path[TRM_ROBOT_LONGEST_PATH];
  trm_robot_vector(robot, mesh, "scale", trm_xml_get(mesh, "scale"), 3, scale);
  const char *problem = !name ? "it has no filename"
                        : !trm_robot_find_file(robot, mesh->file, name, path, sizeof path)
                            ? "there is no such file"
                            : trm_robot_mesh_read(robot, path, scale, pose, &body->mesh);
  if (problem)
    trm_robot_note(robot, mesh, "link '%s': mesh '%s' is not taken over: %s", body->name,
                   name ? name : "", problem);
}

static void read_visual(trm_robot *robot, const trm_xml *visual, trm_robot_body *body) {
  const trm_xml *geometry = trm_xml_child(visual, "geometry");
  const trm_xml *shape = geometry ? geometry->first : NULL;
  trm_robot_pose pose = read_origin(robot, visual);
  if (!shape) return;
  if (strcmp(shape->name, "box") == 0) {
    double size[3];
    if (!trm_robot_vector(robot, shape, "size", trm_xml_get(shape, "size"), 3, size)) return;
    for (int k = 0; k < 3; k++) size[k] /= 2;
    trm_robot_mesh_box(robot, size, &pose, &body->mesh);
  } else if (strcmp(shape->name, "mesh") == 0) {
    read_mesh(robot, shape, &pose, body);
  } else if (strcmp(shape->name, "sphere") == 0 || strcmp(shape->name, "cylinder") == 0 ||
             strcmp(shape->name, "capsule") == 0) {
    double r = attribute(robot, shape, "radius", 0), length = attribute(robot, shape, "length", 0);
    const double radii[3] = {r, r, r};
    bool round = strcmp(shape->name, "cylinder") != 0;
    trm_robot_mesh_round(robot, radii, length, round, &pose, &body->mesh);
  } else {
    trm_robot_note(robot, shape, "link '%s': a shape '%s' is not taken over", body->name,
                   shape->name);
  }
}

static void read_link(trm_robot *robot, const trm_xml *link) {
  const char *name = trm_xml_get(link, "name");
  if (!name) {
    trm_robot_error(robot, link, "a link needs a name");
    return;
  }
  if (trm_robot_find_body(robot, name) >= 0) {
    trm_robot_error(robot, link, "link '%s' is there twice", name);
    return;
  }
  trm_robot_body *body = trm_robot_add_body(robot, name, link);
  if (!body) return;
  read_inertial(robot, link, body);
  for (trm_xml *v = trm_xml_child(link, "visual"); v; v = trm_xml_sibling(v, "visual")) {
    read_visual(robot, v, body);
    robot->coloured |= trm_xml_child(v, "material") != NULL;
  }
  if (trm_xml_child(link, "collision"))
    trm_robot_note(robot, trm_xml_child(link, "collision"),
                   "link '%s': contact (collision) is not taken over", name);
}

static bool read_type(trm_robot *robot, const trm_xml *element, trm_robot_joint_type *type) {
  static const struct {
    const char *name;
    trm_robot_joint_type type;
  } types[] = {{"fixed", TRM_ROBOT_FIXED},         {"revolute", TRM_ROBOT_REVOLUTE},
               {"continuous", TRM_ROBOT_REVOLUTE}, {"prismatic", TRM_ROBOT_PRISMATIC},
               {"floating", TRM_ROBOT_FREE},       {"planar", TRM_ROBOT_PLANAR},
               {"ball", TRM_ROBOT_SPHERICAL},      {"spherical", TRM_ROBOT_SPHERICAL}};
  const char *name = trm_xml_get(element, "type");
  for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
    if (strcmp(name, types[i].name) == 0) {
      *type = types[i].type;
      return true;
    }
  trm_robot_error(robot, element,
                  "joint '%s': its type must be revolute, continuous, prismatic, fixed, floating "
                  "or planar, not '%s'",
                  trm_xml_get(element, "name"), name ? name : "");
  return false;
}

static int read_end(trm_robot *robot, const trm_xml *joint, const char *side) {
  const trm_xml *end = trm_xml_child(joint, side);
  const char *name = trm_xml_get(end, "link");
  int body = trm_robot_find_body(robot, name);
  if (body < 0)
    trm_robot_error(robot, end ? end : joint, "joint '%s': its %s link '%s' is not there",
                    trm_xml_get(joint, "name"), side, name ? name : "");
  return body;
}

static void note_rest(trm_robot *robot, const trm_xml *element, const char *name) {
  static const char *const others[][2] = {{"limit", "limits"},
                                          {"safety_controller", "its safety controller"},
                                          {"calibration", "its calibration"}};
  const trm_xml *limit = trm_xml_child(element, "limit");
  bool continuous = strcmp(trm_xml_get(element, "type"), "continuous") == 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const trm_xml *other = trm_xml_child(element, others[i][0]);
    if (!other) continue;
    if (other == limit && (continuous || !trm_xml_get(other, "lower")))
      trm_robot_note(robot, other, "joint '%s': limits of effort and velocity are not taken over",
                     name);
    else
      trm_robot_note(robot, other, "joint '%s': %s not taken over", name,
                     i == 0   ? "limits are"
                     : i == 1 ? "its safety controller is"
                              : "its calibration is");
  }
  const trm_xml *dynamics = trm_xml_child(element, "dynamics");
  if (attribute(robot, dynamics, "friction", 0) != 0)
    trm_robot_note(robot, dynamics, "joint '%s': friction is not taken over", name);
}

static void read_joint(trm_robot *robot, const trm_xml *element) {
  const char *name = trm_xml_get(element, "name");
  trm_robot_joint_type type;
  if (!name || trm_robot_find_joint(robot, name) >= 0) {
    trm_robot_error(robot, element, name ? "joint '%s' is there twice" : "a joint needs a name%s",
                    name ? name : "");
    return;
  }
  if (!read_type(robot, element, &type)) return;
  int parent = read_end(robot, element, "parent"), child = read_end(robot, element, "child");
  if (parent < 0 || child < 0) return;
  for (int i = 0; i < robot->joint_count; i++)
    if (robot->joints[i].child == child) {
      trm_robot_error(robot, element, "joint '%s': link '%s' already hangs on joint '%s'", name,
                      robot->bodies[child].name, robot->joints[i].name);
      return;
    }
  trm_robot_joint *joint = trm_robot_add_joint(robot, name, element);
  if (!joint) return;
  joint->type = type;
  joint->parent = parent;
  joint->child = child;
  if (type == TRM_ROBOT_FIXED) return;
  note_rest(robot, element, name);
  joint->damping = attribute(robot, trm_xml_child(element, "dynamics"), "damping", 0);
  if (joint->damping != 0 && type == TRM_ROBOT_PLANAR) {
    trm_robot_note(robot, element, "joint '%s': damping is not taken over", name);
    joint->damping = 0;
  }
}

/* Joints that follow others start where those stand at zero. */
static double start_of(const trm_robot *robot, int joint, int depth) {
  const trm_xml *mimic = trm_xml_child(robot->joints[joint].at, "mimic");
  double ratio = 1, offset = 0;
  if (!mimic || depth > robot->joint_count) return 0;
  if (trm_xml_get(mimic, "multiplier"))
    trm_xml_numbers(trm_xml_get(mimic, "multiplier"), 1, &ratio);
  if (trm_xml_get(mimic, "offset")) trm_xml_numbers(trm_xml_get(mimic, "offset"), 1, &offset);
  int first = trm_robot_find_joint(robot, trm_xml_get(mimic, "joint"));
  return offset + (first < 0 ? 0 : ratio * start_of(robot, first, depth + 1));
}

static void read_mimic(trm_robot *robot, int index) {
  trm_robot_joint *joint = &robot->joints[index];
  const trm_xml *mimic = trm_xml_child(joint->at, "mimic");
  if (!mimic) return;
  int first = trm_robot_find_joint(robot, trm_xml_get(mimic, "joint"));
  double ratio = attribute(robot, mimic, "multiplier", 1);
  attribute(robot, mimic, "offset", 0); /* read again where the joint starts */
  bool moves = joint->type == TRM_ROBOT_REVOLUTE || joint->type == TRM_ROBOT_PRISMATIC;
  if (first < 0 || first == index) {
    trm_robot_error(robot, mimic, "joint '%s': the joint '%s' that it follows is not there",
                    joint->name, trm_xml_get(mimic, "joint") ? trm_xml_get(mimic, "joint") : "");
    return;
  }
  trm_robot_joint_type type = robot->joints[first].type;
  if (!moves || (type != TRM_ROBOT_REVOLUTE && type != TRM_ROBOT_PRISMATIC)) {
    trm_robot_note(robot, mimic,
                   "joint '%s': it cannot follow '%s', one of them has no one freedom", joint->name,
                   robot->joints[first].name);
    return;
  }
  char name[240];
  snprintf(name, sizeof name, "%.200s_mimic", joint->name);
  trm_robot_coupling *coupling =
      trm_robot_add_coupling(robot, trm_arena_string(robot->arena, name), mimic);
  if (!coupling) return;
  trm_robot_follow(robot, coupling, index, first, ratio);
}

static bool place(trm_robot *robot, int body, int depth, bool *placed) {
  if (placed[body]) return true;
  if (depth > robot->body_count) return false; /* a ring of joints */
  int index = 0;
  while (index < robot->joint_count && robot->joints[index].child != body) index++;
  placed[body] = true;
  if (index == robot->joint_count) return true; /* the root */
  placed[body] = false;
  trm_robot_joint *joint = &robot->joints[index];
  if (!place(robot, joint->parent, depth + 1, placed)) return false;
  double axis[3] = {1, 0, 0}, start = start_of(robot, index, 0);
  const trm_xml *element = trm_xml_child(joint->at, "axis");
  if (element) trm_robot_vector(robot, element, "xyz", trm_xml_get(element, "xyz"), 3, axis);
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  bool directed = joint->type == TRM_ROBOT_REVOLUTE || joint->type == TRM_ROBOT_PRISMATIC ||
                  joint->type == TRM_ROBOT_PLANAR;
  if (directed && !(length > 0))
    trm_robot_error(robot, element, "joint '%s': its axis is zero", joint->name);
  for (int k = 0; k < 3 && length > 0; k++) axis[k] /= length;
  trm_robot_pose origin = read_origin(robot, joint->at), moved = trm_robot_identity();
  if (joint->type == TRM_ROBOT_REVOLUTE) trm_robot_about(axis, start, moved.R);
  if (joint->type == TRM_ROBOT_PRISMATIC)
    for (int k = 0; k < 3; k++) moved.x[k] = start * axis[k];
  trm_robot_pose frame = trm_robot_compose(&robot->bodies[joint->parent].pose, &origin);
  robot->bodies[body].pose = trm_robot_compose(&frame, &moved);
  memcpy(joint->anchor, robot->bodies[body].pose.x, sizeof joint->anchor);
  trm_robot_turn(&frame, axis, joint->axis);
  joint->offset = start;
  if (start != 0)
    trm_robot_note(robot, joint->at,
                   "joint '%s': zero is the configuration as written, where the file counts %.15g",
                   joint->name, start);
  return placed[body] = true;
}

static int find_root(trm_robot *robot, const trm_xml *top) {
  int root = -1, count = 0;
  for (int i = 0; i < robot->body_count; i++) {
    bool child = false;
    for (int k = 0; k < robot->joint_count; k++) child |= robot->joints[k].child == i;
    if (child) continue;
    if (count++ == 0)
      root = i;
    else
      trm_robot_error(robot, robot->bodies[i].at,
                      "link '%s': a robot is one tree, but nothing holds this link nor '%s'",
                      robot->bodies[i].name, robot->bodies[root].name);
  }
  if (count == 0) trm_robot_error(robot, top, "a robot needs a link that hangs on no joint");
  return root;
}

static void place_all(trm_robot *robot, const trm_xml *top) {
  int root = find_root(robot, top);
  bool *placed = TRM_NEW(robot->arena, bool, robot->body_count + 1);
  if (root < 0 || !placed || trm_diagnostics_errors(robot->diagnostics) > 0) return;
  for (int i = 0; i < robot->body_count; i++)
    if (!place(robot, i, 0, placed)) {
      trm_robot_error(robot, robot->bodies[i].at, "link '%s': its joints form a ring",
                      robot->bodies[i].name);
      return;
    }
  trm_robot_joint *base = trm_robot_add_joint(robot, "base", robot->bodies[root].at);
  if (!base) return;
  base->type = robot->floating ? TRM_ROBOT_FREE : TRM_ROBOT_FIXED;
  base->parent = TRM_ROBOT_WORLD;
  base->child = root;
}

void trm_robot_read_urdf(trm_robot *robot, const trm_xml *root) {
  robot->kind = "URDF";
  robot->si = true;
  robot->gravity[2] = -9.81;
  for (const trm_xml *e = root->first; e; e = e->next) {
    if (strcmp(e->name, "link") == 0)
      read_link(robot, e);
    else if (strcmp(e->name, "material") == 0)
      robot->coloured = true;
    else if (strcmp(e->name, "macro") == 0 || strcmp(e->name, "include") == 0 ||
             strcmp(e->name, "property") == 0)
      trm_robot_error(robot, e, "'%s' is xacro: make a URDF of it first (xacro FILE > FILE.urdf)",
                      e->name);
    else if (strcmp(e->name, "joint") != 0)
      trm_robot_note_dropped(robot, e, e->name,
                             trm_xml_get(e, trm_xml_get(e, "name") ? "name" : "reference"));
  }
  for (const trm_xml *e = trm_xml_child(root, "joint"); e; e = trm_xml_sibling(e, "joint"))
    read_joint(robot, e);
  if (robot->body_count == 0) trm_robot_error(robot, root, "there is no link");
  if (robot->no_memory || trm_diagnostics_errors(robot->diagnostics) > 0) return;
  for (int i = 0; i < robot->joint_count; i++) read_mimic(robot, i);
  place_all(robot, root);
}
