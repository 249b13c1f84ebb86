/* A planar model in space: the plane is z = 0, and what turns in it turns about z. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/build.h"

static const double z_axis[3] = {0, 0, 1};

/* A thin plate: half of its moment about z about any axis in the plane. */
static void embed_body(trm_body_def *body) {
  double Izz = body->inertia[2];
  const double plate[6] = {Izz / 2, Izz / 2, Izz, 0, 0, 0};
  memcpy(body->inertia, plate, sizeof plate);
}

/* In the plane a quarter turn makes a normal of a direction. */
static void turn_quarter(double d[3]) {
  double x = d[0];
  d[0] = -d[1];
  d[1] = x;
}

static void embed_joint(trm_joint_def *joint) {
  if (joint->type == TRM_JOINT_REVOLUTE) {
    joint->axis_given = true;
    memcpy(joint->axis, z_axis, sizeof z_axis);
  } else if (joint->type == TRM_JOINT_ROLLING) { /* on a plane now, given by its normal */
    turn_quarter(joint->axis);
    turn_quarter(joint->axes[0]);
  }
}

/* x, y, angle → x, y, z and the rotations about them */
static void spread(double matrix[36]) {
  static const int place[3] = {0, 1, 5};
  double planar[9];
  memcpy(planar, matrix, sizeof planar);
  memset(matrix, 0, 36 * sizeof *matrix);
  for (int i = 0; i < 9; i++) matrix[6 * place[i / 3] + place[i % 3]] = planar[i];
}

static void embed_force(trm_force_def *force) {
  if (force->type == TRM_FORCE_TORSION_SPRING_DAMPER && !force->between[0]) {
    force->axis_given = true;
    memcpy(force->axis, z_axis, sizeof z_axis);
  } else if (force->type == TRM_FORCE_BUSHING) {
    spread(force->bushing_stiffness);
    spread(force->bushing_damping);
    force->preload[5] = force->preload[2];
    force->preload[2] = 0;
  }
}

/* --- groups of bodies that hold each other in the plane --- */

/* The group's first member, its representative; paths are halved on the way. */
static int find_group(int *group, int i) {
  while (group[i] != i) i = group[i] = group[group[i]];
  return i;
}

/* The ground stands before the bodies, so that its group is 0. */
static int body_of(const trm_map *names, const char *text) {
  size_t length = text ? strcspn(text, ".") : 0;
  if (length == 6 && strncmp(text, "ground", length) == 0) return 0;
  return length ? trm_map_get(names, text, length) : -1;
}

static void join_groups(const trm_draft *draft, const trm_map *names, int *group) {
  for (int i = 0; i <= draft->body_count; i++) group[i] = i;
  for (int i = 0; i < draft->joint_count; i++) {
    const trm_joint_def *joint = &draft->joints[i];
    if (joint->type != TRM_JOINT_REVOLUTE && joint->type != TRM_JOINT_PRISMATIC &&
        joint->type != TRM_JOINT_RIGID)
      continue;
    int first = body_of(names, joint->connect[0]), second = body_of(names, joint->connect[1]);
    if (first < 0 || second < 0) continue; /* the builder says so */
    first = find_group(group, first);
    second = find_group(group, second);
    group[first > second ? first : second] = first < second ? first : second;
  }
}

static bool add_name(trm_draft *draft, trm_map *names, const char *name, int value) {
  bool good = trm_map_put(names, name, strlen(name), value);
  if (!good) draft->no_memory = true;
  return good;
}

static void add_names(trm_draft *draft, trm_map *names) {
  for (int i = 0; i < draft->joint_count; i++) add_name(draft, names, draft->joints[i].name, 0);
  for (int i = 0; i < draft->force_count; i++) add_name(draft, names, draft->forces[i].name, 0);
  for (int i = 0; i < draft->shaft_count; i++) add_name(draft, names, draft->shafts[i].name, 0);
}

/* "plane_crank", with as many underscores as make it new */
static const char *new_name(trm_draft *draft, trm_map *names, const char *body) {
  enum { MOST_TRIES = 32 };
  size_t size = strlen(body) + MOST_TRIES + sizeof "plane";
  char *name = trm_arena_alloc(draft->arena, size, 1);
  for (int k = 1; name && k <= MOST_TRIES; k++) {
    snprintf(name, size, "plane%.*s%s", k, "________________________________", body);
    if (trm_map_get(names, name, strlen(name)) < 0) break;
  }
  if (!name) draft->no_memory = true;
  return name;
}

/* At its centre of mass: the lengths of the model stay as they are in the plane. */
static void hold(trm_draft *draft, trm_map *names, const trm_body_def *body) {
  trm_joint_def joint = trm_default_joint();
  double c = cos(body->angle), s = sin(body->angle);
  joint.type = TRM_JOINT_PLANAR;
  joint.connect[0] = "ground";
  joint.connect[1] = body->name;
  joint.at_given = true;
  joint.at[0] = body->position[0] + c * body->com[0] - s * body->com[1];
  joint.at[1] = body->position[1] + s * body->com[0] + c * body->com[1];
  joint.axis_given = true;
  memcpy(joint.axis, z_axis, sizeof z_axis);
  joint.name = new_name(draft, names, body->name);
  if (joint.name && add_name(draft, names, joint.name, 0))
    trm_model_add_joint(draft->model, &joint);
}

/* Nothing else keeps a body in the plane that only springs, distances and contacts connect. */
static void hold_in_plane(trm_draft *draft) {
  trm_map *names = trm_map_create(draft->arena);
  int *group = TRM_NEW(draft->arena, int, draft->body_count + 1);
  if (!names || !group) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < draft->body_count; i++) add_name(draft, names, draft->bodies[i].name, i + 1);
  join_groups(draft, names, group);
  add_names(draft, names);
  for (int i = 0; i < draft->body_count; i++) {
    const char *name = draft->bodies[i].name; /* a bad one is reported as the body's */
    if (find_group(group, i + 1) == i + 1 && trm_is_name(name, strlen(name)))
      hold(draft, names, &draft->bodies[i]);
  }
}

void trm_draft_embed(trm_draft *draft) {
  trm_model *model = draft->model;
  hold_in_plane(draft);
  model->space = TRM_SPATIAL;
  model->dim = 3;
  model->embedded = true;
  for (int i = 0; i < draft->body_count; i++) embed_body(&draft->bodies[i]);
  for (int i = 0; i < draft->joint_count; i++) embed_joint(&draft->joints[i]);
  for (int i = 0; i < draft->force_count; i++) embed_force(&draft->forces[i]);
}
