/* Attributes of MJCF, with default classes, and orientations in all their forms. */
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "robot/mjcf.h"

bool trm_mjcf_among(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; length > 0 && (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

static const trm_xml *find_class(const trm_xml *element, const char *name) {
  for (const trm_xml *e = element->first; e; e = e->next) {
    if (strcmp(e->name, "default") != 0) continue;
    const char *own = trm_xml_get(e, "class");
    if (own ? strcmp(own, name) == 0 : strcmp(name, "main") == 0) return e;
    const trm_xml *inner = find_class(e, name);
    if (inner) return inner;
  }
  return NULL;
}

void trm_mjcf_check_classes(const trm_mjcf *m, const trm_xml *element) {
  static const char *const attributes[] = {"class", "childclass"};
  for (const trm_xml *e = element->first; e; e = e->next) {
    if (strcmp(e->name, "default") == 0) continue;
    for (int k = 0; k < 2; k++) {
      const char *name = trm_xml_get(e, attributes[k]);
      if (name && strcmp(name, "main") != 0 && !find_class(m->root, name))
        trm_robot_error(m->robot, e, "there is no default class '%s'", name);
    }
    trm_mjcf_check_classes(m, e);
  }
}

/* Of the element itself, or the nearest childclass above it. */
static const char *class_of(const trm_xml *element) {
  const char *name = trm_xml_get(element, "class");
  for (const trm_xml *e = element->parent; e && !name; e = e->parent)
    name = trm_xml_get(e, "childclass");
  return name;
}

/* All actuators have one set of defaults, under any of their names; tendons and equalities those of
 * their section's name. */
static bool same_kind(const trm_xml *element, const trm_xml *other) {
  static const char actuators[] =
      "motor position velocity general intvelocity damper cylinder muscle adhesion dcmotor "
      "orientation pid";
  if (element->parent && trm_mjcf_among("tendon equality", element->parent->name))
    return strcmp(other->name, element->parent->name) == 0;
  return strcmp(element->name, other->name) == 0 ||
         (trm_mjcf_among(actuators, element->name) && trm_mjcf_among(actuators, other->name));
}

static const char *in_class(const trm_xml *class, const trm_xml *element, const char *name) {
  const char *value = NULL;
  for (const trm_xml *e = class->first; e; e = e->next) {
    const char *given = same_kind(element, e) ? trm_xml_get(e, name) : NULL;
    if (given) value = given; /* the last counts */
  }
  return value;
}

/* The outermost class may be written in several places. A class within one of them has what was
 * given until there: it was made as a copy. Last NULL: all. */
static const char *in_main(const trm_xml *root, const trm_xml *last, const trm_xml *element,
                           const char *name) {
  const char *value = NULL;
  for (const trm_xml *e = trm_xml_child(root, "default"); e; e = trm_xml_sibling(e, "default")) {
    const char *given = in_class(e, element, name);
    if (given) value = given;
    if (e == last) break;
  }
  return value;
}

const char *trm_mjcf_get(const trm_mjcf *m, const trm_xml *element, const char *name) {
  const char *value = trm_xml_get(element, name), *class = class_of(element);
  if (value || strcmp(element->name, "freejoint") == 0) return value;
  const trm_xml *at = class ? find_class(m->root, class) : NULL;
  if (at && at->parent == m->root) at = NULL; /* the outermost, by its name */
  for (; at && at->parent != m->root; at = at->parent)
    if ((value = in_class(at, element, name))) return value;
  return in_main(m->root, at, element, name);
}

bool trm_mjcf_vector(const trm_mjcf *m, const trm_xml *element, const char *name, int count,
                     double *values) {
  return trm_robot_vector(m->robot, element, name, trm_mjcf_get(m, element, name), count, values);
}

double trm_mjcf_number(const trm_mjcf *m, const trm_xml *element, const char *name,
                       double otherwise) {
  const char *text = trm_mjcf_get(m, element, name);
  double value[4] = {otherwise};
  if (text && trm_xml_numbers(text, 4, value) < 1)
    trm_robot_error(m->robot, element, "%s: it must be a number, not '%.60s'", name, text);
  if (value[1] != 0 || value[2] != 0 || value[3] != 0)
    trm_robot_note(m->robot, element, "%s '%s': terms of higher order of its %s are not taken over",
                   element->name, trm_xml_get(element, "name") ? trm_xml_get(element, "name") : "",
                   name);
  return value[0];
}

bool trm_mjcf_is(const trm_mjcf *m, const trm_xml *element, const char *name, const char *value) {
  const char *given = trm_mjcf_get(m, element, name);
  return given && strcmp(given, value) == 0;
}

const char *trm_mjcf_name(trm_mjcf *m, const trm_xml *element, int *count) {
  int number = (*count)++;
  const char *name = trm_xml_get(element, "name");
  char made[64];
  if (name && *name) return name;
  snprintf(made, sizeof made, "%.40s%d", element->name, number);
  const char *kept = trm_arena_string(m->robot->arena, made);
  if (!kept) m->robot->no_memory = true;
  return kept ? kept : "";
}

static void from_euler(const trm_mjcf *m, const double angles[3], double R[3][3]) {
  trm_robot_pose all = trm_robot_identity();
  for (int k = 0; k < 3; k++) {
    char letter = m->euler[k];
    bool fixed = letter >= 'X' && letter <= 'Z';
    int which = letter - (fixed ? 'X' : 'x');
    const double axis[3] = {which == 0, which == 1, which == 2};
    double turn[3][3], next[3][3];
    trm_robot_about(axis, angles[k] * m->angle, turn);
    if (fixed)
      trm_robot_product(turn, all.R, next);
    else
      trm_robot_product(all.R, turn, next);
    memcpy(all.R, next, sizeof next);
  }
  memcpy(R, all.R, sizeof all.R);
}

static void from_axes(const double given[6], double R[3][3]) {
  double x[3], y[3], z[3];
  double length = trm_norm(3, given);
  for (int k = 0; k < 3; k++) x[k] = given[k] / length;
  double along = trm_dot(3, x, given + 3);
  for (int k = 0; k < 3; k++) y[k] = given[3 + k] - along * x[k];
  length = trm_norm(3, y);
  for (int k = 0; k < 3; k++) y[k] /= length;
  trm_cross(x, y, z);
  for (int k = 0; k < 3; k++) R[k][0] = x[k], R[k][1] = y[k], R[k][2] = z[k];
}

/* The smallest turn that brings z there. */
static void from_z(const double z[3], double R[3][3]) {
  const double up[3] = {0, 0, 1};
  double axis[3], length = trm_norm(3, z);
  trm_cross(up, z, axis);
  double sine = trm_norm(3, axis) / length, cosine = z[2] / length;
  if (sine == 0) axis[0] = 1;
  trm_robot_about(axis, atan2(sine, cosine), R);
}

trm_robot_pose trm_mjcf_pose(const trm_mjcf *m, const trm_xml *element) {
  trm_robot_pose pose = trm_robot_identity();
  double v[6];
  trm_mjcf_vector(m, element, "pos", 3, pose.x);
  if (trm_mjcf_vector(m, element, "quat", 4, v)) trm_robot_quaternion(v, pose.R);
  if (trm_mjcf_vector(m, element, "axisangle", 4, v)) trm_robot_about(v, v[3] * m->angle, pose.R);
  if (trm_mjcf_vector(m, element, "euler", 3, v)) from_euler(m, v, pose.R);
  if (trm_mjcf_vector(m, element, "xyaxes", 6, v)) from_axes(v, pose.R);
  if (trm_mjcf_vector(m, element, "zaxis", 3, v)) from_z(v, pose.R);
  return pose;
}
