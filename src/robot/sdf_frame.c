/* SDF: poses relative to named frames. */
#include <math.h>
#include <string.h>

#include "robot/sdf.h"

const char *trm_sdf_text(const trm_xml *parent, const char *name) {
  const trm_xml *child = trm_xml_child(parent, name);
  return child ? child->text : NULL;
}

double trm_sdf_number(trm_sdf *sdf, const trm_xml *parent, const char *name, double otherwise) {
  const trm_xml *child = trm_xml_child(parent, name);
  double value = otherwise;
  if (child) trm_robot_vector(sdf->robot, child, name, child->text, 1, &value);
  return value;
}

bool trm_sdf_true(const trm_xml *parent, const char *name) {
  const char *text = trm_sdf_text(parent, name);
  return text && (strcmp(text, "1") == 0 || strcmp(text, "true") == 0);
}

trm_robot_pose trm_sdf_pose(trm_sdf *sdf, const trm_xml *parent) {
  static const double degree = 3.14159265358979323846 / 180;
  trm_robot_pose pose = trm_robot_identity();
  const trm_xml *element = trm_xml_child(parent, "pose");
  if (!element || !element->text) return pose;
  const char *format = trm_xml_get(element, "rotation_format");
  const char *degrees = trm_xml_get(element, "degrees");
  double v[7];
  if (format && strcmp(format, "quat_xyzw") == 0) {
    if (!trm_robot_vector(sdf->robot, element, "pose", element->text, 7, v)) return pose;
    const double q[4] = {v[6], v[3], v[4], v[5]};
    trm_robot_quaternion(q, pose.R);
  } else {
    if (!trm_robot_vector(sdf->robot, element, "pose", element->text, 6, v)) return pose;
    if (degrees && (strcmp(degrees, "1") == 0 || strcmp(degrees, "true") == 0))
      for (int k = 3; k < 6; k++) v[k] *= degree;
    trm_robot_roll_pitch_yaw(v + 3, pose.R);
  }
  memcpy(pose.x, v, sizeof pose.x);
  return pose;
}

/* "arm::hand::" and "finger" against "arm::" and "hand::finger" */
static bool is_named(const trm_sdf_frame *frame, const char *scope, const char *name) {
  size_t outer = strlen(scope), inner = strlen(frame->scope);
  if (inner < outer || strncmp(frame->scope, scope, outer) != 0) return false;
  return strncmp(frame->scope + outer, name, inner - outer) == 0 &&
         strcmp(frame->name, name + (inner - outer)) == 0;
}

/* "arm::hand::" is the model "hand" in "arm::". */
static int model_of(const trm_sdf *sdf, const char *scope) {
  size_t length = strlen(scope);
  for (int i = 0; i < sdf->count; i++) {
    const trm_sdf_frame *f = &sdf->frames[i];
    size_t inner = strlen(f->scope), own = strlen(f->name);
    if (f->kind == TRM_SDF_MODEL && length == inner + own + 2 &&
        strncmp(scope, f->scope, inner) == 0 && strncmp(scope + inner, f->name, own) == 0)
      return i;
  }
  return TRM_SDF_WORLD;
}

int trm_sdf_find(const trm_sdf *sdf, const char *scope, const char *name) {
  if (strcmp(name, "__model__") == 0) return model_of(sdf, scope);
  int found = TRM_SDF_NONE; /* old files have joints with the name of their link */
  for (int i = 0; i < sdf->count; i++) {
    if (!is_named(&sdf->frames[i], scope, name)) continue;
    if (sdf->frames[i].kind == TRM_SDF_LINK) return i;
    if (found == TRM_SDF_NONE) found = i;
  }
  /* a link may have this name; so the base is free in files of old grippers */
  return found == TRM_SDF_NONE && strcmp(name, "world") == 0 ? TRM_SDF_WORLD : found;
}

static bool is_taken(const trm_sdf *sdf, trm_sdf_kind kind, const char *scope, const char *name) {
  for (int i = 0; i < sdf->count; i++)
    if (sdf->frames[i].kind == kind && strcmp(sdf->frames[i].scope, scope) == 0 &&
        strcmp(sdf->frames[i].name, name) == 0)
      return true;
  return false;
}

trm_sdf_frame *trm_sdf_add(trm_sdf *sdf, trm_sdf_kind kind, const char *scope, const char *name,
                           const trm_xml *at) {
  trm_robot *robot = sdf->robot;
  if (!name) {
    trm_robot_error(robot, at, "a %s needs a name", at->name);
    return NULL;
  }
  if (is_taken(sdf, kind, scope, name)) {
    trm_robot_error(robot, at, "%s '%s' is there twice", at->name, name);
    return NULL;
  }
  if (sdf->count == sdf->room) {
    int room = sdf->room ? 2 * sdf->room : 64;
    trm_sdf_frame *grown = TRM_NEW(robot->arena, trm_sdf_frame, room);
    if (!grown) {
      robot->no_memory = true;
      return NULL;
    }
    if (sdf->count > 0) memcpy(grown, sdf->frames, (size_t)sdf->count * sizeof *grown);
    sdf->frames = grown;
    sdf->room = room;
  }
  trm_sdf_frame *frame = &sdf->frames[sdf->count++];
  *frame = (trm_sdf_frame){.kind = kind, .scope = scope, .name = name, .at = at, .posed = at};
  return frame;
}

static int first_link(const trm_sdf *sdf, const trm_sdf_frame *model) {
  char inside[1024];
  snprintf(inside, sizeof inside, "%s%s::", model->scope, model->name);
  const char *canonical = trm_xml_get(model->at, "canonical_link");
  if (canonical) return trm_sdf_find(sdf, inside, canonical);
  for (int i = 0; i < sdf->count; i++)
    if (sdf->frames[i].kind == TRM_SDF_LINK &&
        strncmp(sdf->frames[i].scope, inside, strlen(inside)) == 0)
      return i;
  return TRM_SDF_NONE;
}

int trm_sdf_body(const trm_sdf *sdf, int index) {
  for (int steps = 0; index >= 0 && steps <= sdf->count; steps++) {
    const trm_sdf_frame *f = &sdf->frames[index];
    const char *attached = trm_xml_get(f->at, "attached_to");
    const char *child = trm_sdf_text(f->at, "child");
    switch (f->kind) {
    case TRM_SDF_LINK: return f->body;
    case TRM_SDF_MODEL: index = first_link(sdf, f); break;
    case TRM_SDF_FRAME:
      index = trm_sdf_find(sdf, f->scope, attached && *attached ? attached : "__model__");
      break;
    case TRM_SDF_JOINT: index = child ? trm_sdf_find(sdf, f->scope, child) : TRM_SDF_NONE; break;
    }
  }
  return index == TRM_SDF_WORLD ? TRM_ROBOT_WORLD : -2;
}

/* What the pose of a frame is relative to where it says nothing. */
static const char *usual_base(const trm_sdf_frame *f) {
  const char *named = f->kind == TRM_SDF_FRAME   ? trm_xml_get(f->at, "attached_to")
                      : f->kind == TRM_SDF_JOINT ? trm_sdf_text(f->at, "child")
                                                 : NULL;
  return named && *named ? named : "__model__";
}

trm_robot_pose trm_sdf_place(trm_sdf *sdf, int index) {
  if (index < 0) return trm_robot_identity();
  trm_sdf_frame *f = &sdf->frames[index];
  if (f->state == TRM_SDF_PLACED) return f->pose;
  if (f->state == TRM_SDF_OPEN) {
    trm_robot_error(sdf->robot, f->at, "%s '%s': its pose is relative to itself", f->at->name,
                    f->name);
    return f->pose;
  }
  f->state = TRM_SDF_OPEN;
  f->pose = trm_robot_identity();
  const trm_xml *element = trm_xml_child(f->posed, "pose");
  const char *to = trm_xml_get(element, "relative_to");
  if (!to) to = trm_xml_get(element, "frame"); /* its name in SDF 1.5 and 1.6 */
  if (!to || !*to) to = usual_base(f);
  int base = trm_sdf_find(sdf, f->scope, to);
  if (base == TRM_SDF_NONE)
    trm_robot_error(sdf->robot, element ? element : f->at,
                    "%s '%s': the frame '%s' that its pose is relative to is not there",
                    f->at->name, f->name, to);
  trm_robot_pose from = trm_sdf_place(sdf, base), own = trm_sdf_pose(sdf, f->posed);
  f->pose = trm_robot_compose(&from, &own);
  f->state = TRM_SDF_PLACED;
  return f->pose;
}
