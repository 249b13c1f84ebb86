/* Geometry of MJCF: what has mass, and what is seen. */
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "robot/mjcf.h"

static const double pi = 3.14159265358979323846;

/* Of density 1, half lengths as MJCF has them. */
static trm_robot_mass box_mass(const double h[3]) {
  double v = 8 * h[0] * h[1] * h[2];
  return (trm_robot_mass){.mass = v,
                          .inertia = {v / 3 * (h[1] * h[1] + h[2] * h[2]),
                                      v / 3 * (h[0] * h[0] + h[2] * h[2]),
                                      v / 3 * (h[0] * h[0] + h[1] * h[1])}};
}

static trm_robot_mass ellipsoid_mass(const double r[3]) {
  double v = 4 * pi / 3 * r[0] * r[1] * r[2];
  return (trm_robot_mass){.mass = v,
                          .inertia = {v / 5 * (r[1] * r[1] + r[2] * r[2]),
                                      v / 5 * (r[0] * r[0] + r[2] * r[2]),
                                      v / 5 * (r[0] * r[0] + r[1] * r[1])}};
}

static trm_robot_mass cylinder_mass(double r, double h) {
  double v = 2 * pi * r * r * h, across = v * (r * r / 4 + h * h / 3);
  return (trm_robot_mass){.mass = v, .inertia = {across, across, v * r * r / 2}};
}

/* A cylinder and the two halves of a ball, whose centres of mass are 3r/8 beyond its ends. */
static trm_robot_mass capsule_mass(double r, double h) {
  trm_robot_mass sum = cylinder_mass(r, h);
  double v = 4 * pi / 3 * r * r * r;
  sum.inertia[0] += v * (2 * r * r / 5 + h * h + 3 * h * r / 4);
  sum.inertia[1] = sum.inertia[0];
  sum.inertia[2] += v * 2 * r * r / 5;
  sum.mass += v;
  return sum;
}

/* From one point to another, with z along: half of the length. */
static double place_between(const double ends[6], trm_robot_pose *pose) {
  double along[3], up[3] = {0, 0, 1}, axis[3];
  for (int k = 0; k < 3; k++) {
    pose->x[k] = (ends[k] + ends[3 + k]) / 2;
    along[k] = ends[3 + k] - ends[k];
  }
  double length = trm_norm(3, along);
  trm_cross(up, along, axis);
  if (trm_norm(3, axis) == 0) axis[0] = 1;
  trm_robot_about(axis, atan2(hypot(along[0], along[1]), along[2]), pose->R);
  return length / 2;
}

typedef struct solid {
  trm_robot_mass mass; /* of density 1; of a mesh it is found where it counts */
  trm_robot_mesh mesh;
  trm_mesh_inertia how;
  const char *problem;
} solid;

static solid round_solid(trm_mjcf *m, const char *type, const double size[3]) {
  const trm_robot_pose here = trm_robot_identity();
  solid s = {0};
  double radii[3] = {size[0], size[0], size[0]};
  bool cylinder = strcmp(type, "cylinder") == 0, capsule = strcmp(type, "capsule") == 0;
  if (strcmp(type, "ellipsoid") == 0) memcpy(radii, size, sizeof radii);
  s.mass = cylinder  ? cylinder_mass(size[0], size[1])
           : capsule ? capsule_mass(size[0], size[1])
                     : ellipsoid_mass(radii);
  trm_robot_mesh_round(m->robot, radii, cylinder || capsule ? 2 * size[1] : 0, !cylinder, &here,
                       &s.mesh);
  return s;
}

/* Why there is no shape of this size, or NULL. */
static const char *refuse_size(const char *type, const double size[3]) {
  static const char *const types[] = {"sphere", "capsule", "cylinder", "ellipsoid", "box"};
  static const int counts[] = {1, 2, 2, 3, 3};
  for (int i = 0; i < 5; i++) {
    if (strcmp(type, types[i]) != 0) continue;
    for (int k = 0; k < counts[i]; k++)
      if (!(size[k] > 0)) return "its sizes must be positive, and as many as it has";
    return NULL;
  }
  return "there is no such shape";
}

static solid make_solid(trm_mjcf *m, const trm_xml *geom, const char *type, trm_robot_pose *pose) {
  double size[3] = {0, 0, 0}, ends[6];
  solid s = {0};
  const char *text = trm_mjcf_get(m, geom, "size");
  if (text && trm_xml_numbers(text, 3, size) < 0)
    trm_robot_error(m->robot, geom, "size: it must be numbers, not '%.60s'", text);
  bool between = trm_mjcf_vector(m, geom, "fromto", 6, ends);
  if (between) {
    double half = place_between(ends, pose);
    bool wide = strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0;
    if (wide) size[1] = size[0];
    size[wide ? 2 : 1] = half;
  }
  if (strcmp(type, "mesh") == 0) {
    s.problem = trm_mjcf_mesh(m, trm_mjcf_get(m, geom, "mesh"), &s.mesh, &s.how);
  } else if (strcmp(type, "plane") == 0 || strcmp(type, "hfield") == 0) {
    s.problem = "it is for contact alone";
  } else if (strcmp(type, "sdf") == 0) {
    s.problem = "a distance field has no counterpart";
  } else if ((s.problem = refuse_size(type, size))) {
    return s;
  } else if (strcmp(type, "box") == 0) {
    const trm_robot_pose here = trm_robot_identity();
    s.mass = box_mass(size);
    trm_robot_mesh_box(m->robot, size, &here, &s.mesh);
  } else {
    s = round_solid(m, type, size);
  }
  return s;
}

static void give_density(trm_mjcf *m, const trm_xml *geom, trm_robot_mass *mass) {
  double density = trm_mjcf_number(m, geom, "density", 1000), wanted = -1;
  if (trm_mjcf_get(m, geom, "mass")) wanted = trm_mjcf_number(m, geom, "mass", 0);
  double factor = wanted < 0 ? density : mass->mass > 0 ? wanted / mass->mass : 0;
  mass->mass *= factor;
  for (int k = 0; k < 6; k++) mass->inertia[k] *= factor;
}

/* geom 'name' (box), geom of 'body' (mesh link0.stl) */
static void label_geom(const trm_mjcf *m, const trm_xml *geom, const char *type, const char *body,
                       char *label, size_t size) {
  const char *name = trm_xml_get(geom, "name"), *mesh = trm_mjcf_mesh_label(m, geom);
  snprintf(label, size, "geom %s'%.80s' (%.20s%s%.160s)", name ? "" : "of ", name ? name : body,
           type, mesh ? " " : "", mesh ? mesh : "");
}

void trm_mjcf_geometry(trm_mjcf *m, const trm_xml *geom, const trm_robot_pose *frame, int body,
                       bool massive) {
  const char *type = trm_mjcf_get(m, geom, "type");
  if (!type) type = "sphere";
  bool mesh_of_shape = strcmp(type, "mesh") != 0 && trm_mjcf_get(m, geom, "mesh");
  trm_robot_pose own = trm_mjcf_pose(m, geom);
  double group = trm_mjcf_number(m, geom, "group", 0);
  bool counts = massive && group >= m->group[0] && group <= m->group[1];
  bool weightless = (trm_mjcf_get(m, geom, "mass") && trm_mjcf_number(m, geom, "mass", 1) == 0) ||
                    trm_mjcf_number(m, geom, "density", 1) == 0;
  counts &= !weightless && strcmp(type, "plane") != 0 && strcmp(type, "hfield") != 0;
  solid s = make_solid(m, geom, type, &own);
  if (counts && !s.problem && strcmp(type, "mesh") == 0)
    s.problem = trm_robot_mesh_mass(m->robot, &s.mesh, s.how, &s.mass);
  if (mesh_of_shape) s.problem = "a shape fitted to a mesh has no counterpart";
  char label[300];
  label_geom(m, geom, type, m->robot->bodies[body].name, label, sizeof label);
  if (s.problem && counts)
    trm_robot_error(m->robot, geom, "%s: its mass is needed, but %s", label, s.problem);
  else if (s.problem)
    trm_robot_note(m->robot, geom, "%s is not taken over: %s", label, s.problem);
  if (s.problem) return;
  if (counts && trm_mjcf_is(m, geom, "shellinertia", "true"))
    trm_robot_error(m->robot, geom, "%s: shellinertia is not read", label);
  trm_robot_pose placed = trm_robot_compose(frame, &own);
  trm_robot_body *to = &m->robot->bodies[body];
  trm_robot_mesh_join(m->robot, &s.mesh, &placed, &to->mesh);
  m->robot->coloured |= trm_mjcf_get(m, geom, "rgba") || trm_mjcf_get(m, geom, "material");
  if (!counts) return;
  give_density(m, geom, &s.mass);
  trm_robot_mass moved = trm_robot_mass_in(&placed, &s.mass);
  trm_robot_mass_add(&to->own, &moved);
}
