/* SDF: joints, with two axes where they have them, gearboxes and joints that follow others. */
#include <math.h>
#include <string.h>

#include "robot/sdf.h"

typedef struct ends {
  int frame, parent, child; /* the joint, and its bodies */
  const char *name;
  bool closes;
} ends;

static int read_end(trm_sdf *sdf, const trm_sdf_frame *f, const char *side) {
  const trm_xml *end = trm_xml_child(f->at, side);
  const char *name = end ? end->text : NULL;
  int frame = name ? trm_sdf_find(sdf, f->scope, name) : TRM_SDF_NONE;
  int body = trm_sdf_body(sdf, frame);
  if (body == -2)
    trm_robot_error(sdf->robot, end ? end : f->at, "joint '%s': its %s '%s' is not there", f->name,
                    side, name ? name : "");
  return body;
}

/* Whether `body` hangs on `above`, or is it. */
static bool hangs_on(const trm_robot *robot, int body, int above) {
  while (body != TRM_ROBOT_WORLD && body != above) {
    int next = TRM_ROBOT_WORLD;
    for (int i = 0; i < robot->joint_count; i++)
      if (!robot->joints[i].closes && robot->joints[i].child == body)
        next = robot->joints[i].parent;
    body = next;
  }
  return body == above;
}

static bool is_held(const trm_robot *robot, int body) {
  for (int i = 0; i < robot->joint_count; i++)
    if (!robot->joints[i].closes && robot->joints[i].child == body) return true;
  return false;
}

static void read_axis_vector(trm_sdf *sdf, const trm_sdf_frame *f, const char *which,
                             double world[3]) {
  double axis[3] = {0, 0, 1};
  const trm_xml *element = trm_xml_child(f->at, which), *xyz = trm_xml_child(element, "xyz");
  if (xyz) trm_robot_vector(sdf->robot, xyz, "xyz", xyz->text, 3, axis);
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!(length > 0)) trm_robot_error(sdf->robot, xyz, "joint '%s': its axis is zero", f->name);
  for (int k = 0; k < 3 && length > 0; k++) axis[k] /= length;
  const char *in = trm_xml_get(xyz, "expressed_in");
  /* until SDF 1.4 axes are those of the model, since then those of the joint */
  bool of_model = f->version < 1.45 || trm_sdf_true(element, "use_parent_model_frame");
  if (!in || !*in) in = of_model ? "__model__" : NULL;
  int frame = in ? trm_sdf_find(sdf, f->scope, in) : (int)(f - sdf->frames);
  if (frame == TRM_SDF_NONE)
    trm_robot_error(sdf->robot, xyz, "joint '%s': the frame '%s' of its axis is not there", f->name,
                    in);
  trm_robot_pose pose = trm_sdf_place(sdf, frame);
  trm_robot_turn(&pose, axis, world);
}

static void read_dynamics(trm_sdf *sdf, const trm_xml *axis, trm_robot_joint *joint) {
  static const char *const known[] = {"xyz", "use_parent_model_frame", "dynamics", "limit", "mimic",
                                      NULL};
  const trm_xml *dynamics = trm_xml_child(axis, "dynamics"), *limit = trm_xml_child(axis, "limit");
  joint->damping = trm_sdf_number(sdf, dynamics, "damping", 0);
  joint->stiffness = trm_sdf_number(sdf, dynamics, "spring_stiffness", 0);
  joint->rest = trm_sdf_number(sdf, dynamics, "spring_reference", 0);
  if (trm_sdf_number(sdf, dynamics, "friction", 0) != 0)
    trm_robot_note(sdf->robot, dynamics, "joint '%s': friction is not taken over", joint->name);
  if (limit)
    trm_robot_note(sdf->robot, limit, "joint '%s': limits are not taken over", joint->name);
  if (axis) trm_sdf_note_others(sdf, axis, known);
}

static trm_robot_joint *add(trm_sdf *sdf, const ends *e, trm_robot_joint_type type,
                            const char *axis) {
  const trm_sdf_frame *f = &sdf->frames[e->frame];
  trm_robot_joint *joint = trm_robot_add_joint(sdf->robot, e->name, f->at);
  if (!joint) return NULL;
  joint->type = type;
  joint->parent = e->parent;
  joint->child = e->child;
  joint->closes = e->closes;
  trm_robot_pose pose = trm_sdf_place(sdf, e->frame);
  memcpy(joint->anchor, pose.x, sizeof joint->anchor);
  if (type != TRM_ROBOT_REVOLUTE && type != TRM_ROBOT_PRISMATIC) return joint;
  read_axis_vector(sdf, f, axis, joint->axis);
  read_dynamics(sdf, trm_xml_child(f->at, axis), joint);
  return joint;
}

static const char *with(trm_robot *robot, const char *name, const char *end) {
  char text[300];
  snprintf(text, sizeof text, "%.200s_%s", name, end);
  const char *kept = trm_arena_string(robot->arena, text);
  if (!kept) robot->no_memory = true;
  return kept ? kept : "";
}

/* Two axes that meet: two revolute joints and a body without mass between them. */
static void add_universal(trm_sdf *sdf, const ends *e) {
  trm_robot *robot = sdf->robot;
  const trm_sdf_frame *f = &sdf->frames[e->frame];
  trm_robot_body *cross = trm_robot_add_body(robot, with(robot, e->name, "cross"), f->at);
  if (!cross) return;
  cross->filler = true;
  cross->pose = trm_sdf_place(sdf, e->frame);
  ends inner = *e, outer = *e;
  inner.child = outer.parent = robot->body_count - 1;
  inner.closes = false;
  inner.name = with(robot, e->name, "axis");
  outer.name = with(robot, e->name, "axis2");
  add(sdf, &inner, TRM_ROBOT_REVOLUTE, "axis");
  add(sdf, &outer, TRM_ROBOT_REVOLUTE, "axis2");
}

static void read_joint(trm_sdf *sdf, int frame, const char *type) {
  static const char *const known[] = {"pose", "parent", "child", "axis", "axis2", NULL};
  static const struct {
    const char *name;
    trm_robot_joint_type type;
  } types[] = {{"revolute", TRM_ROBOT_REVOLUTE},
               {"continuous", TRM_ROBOT_REVOLUTE},
               {"prismatic", TRM_ROBOT_PRISMATIC},
               {"ball", TRM_ROBOT_SPHERICAL},
               {"fixed", TRM_ROBOT_FIXED}};
  trm_robot *robot = sdf->robot;
  const trm_sdf_frame *f = &sdf->frames[frame];
  ends e = {
      .frame = frame, .parent = read_end(sdf, f, "parent"), .child = read_end(sdf, f, "child")};
  if (e.parent == -2 || e.child == -2) return;
  if (e.child == TRM_ROBOT_WORLD || e.child == e.parent) {
    trm_robot_error(robot, f->at, "joint '%s': its child must be a link other than its parent",
                    f->name);
    return;
  }
  e.name = f->name;
  e.closes = is_held(robot, e.child) || hangs_on(robot, e.parent, e.child);
  trm_sdf_note_others(sdf, f->at, known);
  if (strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0) {
    add_universal(sdf, &e);
    return;
  }
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(type, types[i].name) == 0) {
      add(sdf, &e, types[i].type, "axis");
      return;
    }
  trm_robot_error(robot, f->at,
                  "joint '%s': its type must be revolute, continuous, prismatic, ball, universal, "
                  "revolute2, gearbox or fixed, not '%s'",
                  f->name, type);
}

/* The revolute joint between two bodies; `sign` of its angle from the first to the second. */
static int between(const trm_robot *robot, int first, int second, int *sign) {
  for (int i = 0; i < robot->joint_count; i++) {
    const trm_robot_joint *j = &robot->joints[i];
    if (j->type != TRM_ROBOT_REVOLUTE) continue;
    *sign = j->parent == first ? 1 : -1;
    if ((j->parent == first && j->child == second) || (j->parent == second && j->child == first))
      return i;
  }
  return -1;
}

/* Angles of parent and child from the reference, about axis and axis2: the second is −ratio times
 * the first. */
static void read_gearbox(trm_sdf *sdf, int frame) {
  trm_robot *robot = sdf->robot;
  const trm_sdf_frame *f = &sdf->frames[frame];
  int parent = read_end(sdf, f, "parent"), child = read_end(sdf, f, "child");
  int reference = read_end(sdf, f, "gearbox_reference_body"), signs[2];
  if (parent == -2 || child == -2 || reference == -2) return;
  int first = between(robot, reference, parent, &signs[0]);
  int second = between(robot, reference, child, &signs[1]);
  if (first < 0 || second < 0 || first == second) {
    trm_robot_error(robot, f->at,
                    "joint '%s': revolute joints must join its reference body to its parent and to "
                    "its child",
                    f->name);
    return;
  }
  static const char *const axes[2] = {"axis", "axis2"};
  double factor = -trm_sdf_number(sdf, f->at, "gearbox_ratio", 1);
  for (int k = 0; k < 2; k++) {
    const trm_robot_joint *joint = &robot->joints[k == 0 ? first : second];
    double axis[3], along = 0;
    read_axis_vector(sdf, f, axes[k], axis);
    for (int i = 0; i < 3; i++) along += axis[i] * joint->axis[i];
    if (fabs(along) < 1 - 1e-6)
      trm_robot_error(robot, f->at, "joint '%s': its %s is not that of joint '%s'", f->name,
                      axes[k], joint->name);
    factor *= along < 0 ? -signs[k] : signs[k];
  }
  trm_robot_coupling *coupling = trm_robot_add_coupling(robot, f->name, f->at);
  if (coupling) trm_robot_follow(robot, coupling, second, first, factor);
}

static int joint_of(const trm_sdf *sdf, const trm_xml *at, const char *axis) {
  const trm_robot *robot = sdf->robot;
  int found = -1;
  for (int i = 0; i < robot->joint_count; i++) {
    if (robot->joints[i].at != at) continue;
    found = i;
    if (!axis || strcmp(axis, "axis") == 0) break; /* the second of two is that of axis2 */
  }
  return found;
}

/* follower = multiplier (leader − reference) + offset */
static void read_mimic(trm_sdf *sdf, const trm_sdf_frame *f, const char *axis) {
  trm_robot *robot = sdf->robot;
  const trm_xml *mimic = trm_xml_child(trm_xml_child(f->at, axis), "mimic");
  const char *leader = trm_xml_get(mimic, "joint");
  if (!mimic) return;
  int second = joint_of(sdf, f->at, axis), first = -1;
  for (int i = 0; leader && i < sdf->count; i++)
    if (sdf->frames[i].kind == TRM_SDF_JOINT && strcmp(sdf->frames[i].scope, f->scope) == 0 &&
        strcmp(sdf->frames[i].name, leader) == 0)
      first = joint_of(sdf, sdf->frames[i].at, trm_xml_get(mimic, "axis"));
  if (first < 0 || second < 0 || first == second) {
    trm_robot_error(robot, mimic, "joint '%s': the joint '%s' that it follows is not there",
                    f->name, leader ? leader : "");
    return;
  }
  double ratio = trm_sdf_number(sdf, mimic, "multiplier", 1);
  trm_robot_coupling *coupling =
      trm_robot_add_coupling(robot, with(robot, robot->joints[second].name, "mimic"), mimic);
  if (!coupling) return;
  trm_robot_follow(robot, coupling, second, first, ratio);
  coupling->value =
      trm_sdf_number(sdf, mimic, "offset", 0) - ratio * trm_sdf_number(sdf, mimic, "reference", 0);
}

/* The nearest model around a frame that is static. */
static bool is_static(const trm_sdf *sdf, const char *scope) {
  for (int i = 0; i < sdf->count; i++) {
    const trm_sdf_frame *m = &sdf->frames[i];
    size_t inner = strlen(m->scope), own = strlen(m->name);
    if (m->kind == TRM_SDF_MODEL && m->fixed && strncmp(scope, m->scope, inner) == 0 &&
        strncmp(scope + inner, m->name, own) == 0 && strncmp(scope + inner + own, "::", 2) == 0)
      return true;
  }
  return false;
}

static void fix_static(trm_sdf *sdf) {
  for (int i = 0; i < sdf->count; i++) {
    const trm_sdf_frame *f = &sdf->frames[i];
    if (f->kind != TRM_SDF_LINK || !is_static(sdf, f->scope)) continue;
    trm_robot_joint *joint = trm_robot_add_joint(sdf->robot, f->name, f->at);
    if (!joint) return;
    joint->type = TRM_ROBOT_FIXED;
    joint->parent = TRM_ROBOT_WORLD;
    joint->child = f->body;
  }
}

void trm_sdf_read_joints(trm_sdf *sdf) {
  fix_static(sdf);
  for (int pass = 0; pass < 2; pass++) /* gearboxes are between other joints */
    for (int i = 0; i < sdf->count; i++) {
      const trm_sdf_frame *f = &sdf->frames[i];
      if (f->kind != TRM_SDF_JOINT || is_static(sdf, f->scope)) continue;
      const char *type = trm_xml_get(f->at, "type");
      bool gearbox = type && strcmp(type, "gearbox") == 0;
      if (pass == 0 && !gearbox) read_joint(sdf, i, type ? type : "");
      if (pass == 1 && gearbox) read_gearbox(sdf, i);
    }
  for (int i = 0; i < sdf->count; i++) {
    const trm_sdf_frame *f = &sdf->frames[i];
    if (f->kind != TRM_SDF_JOINT || is_static(sdf, f->scope)) continue;
    read_mimic(sdf, f, "axis");
    read_mimic(sdf, f, "axis2");
  }
}
