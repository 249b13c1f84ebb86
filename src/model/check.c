/* Bodies: their numbers checked and copied into the resolved model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"

bool trm_draft_finite(trm_draft *draft, const trm_subject *subject, const char *key,
                      double number) {
  if (isfinite(number)) return true;
  TRM_DRAFT_ERROR(draft, subject, key, ": %s is NaN or infinite", key ? key : "value");
  return false;
}

bool trm_draft_vector(trm_draft *draft, const trm_subject *subject, const char *key,
                      const double vector[3]) {
  for (int k = 0; k < 3; k++)
    if (!trm_draft_finite(draft, subject, key, vector[k])) return false;
  if (draft->model->space != TRM_PLANAR || vector[2] == 0) return true;
  TRM_DRAFT_ERROR(draft, subject, key, ": %s has a z component (%g), but the model is planar",
                  key ? key : "value", vector[2]);
  return false;
}

static void check_mass(trm_draft *draft, const trm_subject *subject, const trm_body_def *body) {
  if (trm_draft_finite(draft, subject, "mass", body->mass) && body->mass <= 0)
    TRM_DRAFT_ERROR(draft, subject, "mass", ": mass is %g, it must be positive", body->mass);
  trm_draft_inertia(draft, subject, body->inertia);
}

static void check_motion(trm_draft *draft, const trm_subject *subject, const trm_body_def *body) {
  const double *w = body->angular_velocity;
  if (body->velocity_given) trm_draft_vector(draft, subject, "velocity", body->velocity);
  if (body->gravity_given) trm_draft_vector(draft, subject, "gravity", body->gravity);
  if (!body->angular_velocity_given) return;
  for (int k = 0; k < 3; k++)
    if (!trm_draft_finite(draft, subject, "angular-velocity", w[k])) return;
  if (draft->model->space == TRM_PLANAR && (w[0] != 0 || w[1] != 0))
    TRM_DRAFT_ERROR(draft, subject, "angular-velocity",
                    ": angular-velocity must be about the z axis, the model is planar");
}

static bool is_color(const char *text) {
  return strlen(text) == 7 && text[0] == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

static bool has_point(trm_draft *draft, const trm_body *body, const char *point) {
  enum { FEW = 8 }; /* a look at each of them is faster */
  for (int i = 0; i < body->point_count && i < FEW; i++)
    if (strcmp(body->points[i].name, point) == 0) return true;
  if (body->point_count <= FEW) return false;
  const char *name = trm_join(draft->arena, body->name, strlen(body->name), point);
  return name && trm_index_point(draft->model, name, strlen(name)) >= 0;
}

/* Pictures only, but a misspelt point would silently change them. */
static void check_shape(trm_draft *draft, const trm_subject *subject, const trm_body *body) {
  char key[64], list[256];
  if (body->color && !is_color(body->color)) {
    const char *near = trm_color_nearest(body->color);
    TRM_DRAFT_ERROR(draft, subject, "color",
                    ": color is '%s', it must look like \"#4477aa\" or be a name%s%s%s",
                    body->color, near ? ", did you mean '" : " like steelblue", near ? near : "",
                    near ? "'?" : "");
  }
  for (int i = 0; i < body->shape.point_count; i++) {
    const char *point = body->shape.points[i];
    if (has_point(draft, body, point)) continue;
    snprintf(key, sizeof key, "shape/%s/%d", body->shape.type == TRM_SHAPE_ROD ? "rod" : "path", i);
    trm_list_points(body, list, sizeof list);
    TRM_DRAFT_ERROR(draft, subject, key, " has no point '%s'; its points are %s", point, list);
  }
  for (int k = 0; k < 3; k++) {
    trm_draft_finite(draft, subject, "shape", body->shape.size[k]);
    trm_draft_finite(draft, subject, "shape", body->shape.axis[k]);
  }
}

static void copy3(double to[3], const double from[3]) {
  memcpy(to, from, 3 * sizeof *to);
}

static void turn(trm_body *body, double angle) {
  const double R[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
  body->angle = angle;
  memcpy(body->R, R, sizeof R);
}

/* The planar angle of an embedded body counts in space, too: it says how often it has turned. */
static void orient(trm_draft *draft, const trm_subject *subject, const trm_body_def *from,
                   trm_body *to) {
  const trm_model *model = draft->model;
  turn(to, model->space == TRM_PLANAR || model->embedded ? from->angle : 0);
  if (model->space == TRM_PLANAR || model->embedded)
    trm_draft_finite(draft, subject, "angle", from->angle);
  else if (from->angle != 0)
    TRM_DRAFT_ERROR(draft, subject, "angle", ": a body in space has an orientation, no angle");
  else
    trm_draft_orientation(draft, subject, from->orientation, to->R);
}

static void copy_body(const trm_model *model, const trm_body_def *from, trm_body *to) {
  to->mass = from->mass;
  if (model->space == TRM_SPATIAL)
    memcpy(to->inertia, from->inertia, sizeof to->inertia);
  else
    to->inertia[2] = from->inertia[2];
  copy3(to->com, from->com);
  copy3(to->position, from->position);
  to->velocity_given = from->velocity_given;
  to->angular_velocity_given = from->angular_velocity_given;
  if (from->velocity_given) copy3(to->velocity, from->velocity);
  if (from->angular_velocity_given) copy3(to->angular_velocity, from->angular_velocity);
  copy3(to->gravity, from->gravity_given ? from->gravity : model->gravity);
  to->shape = from->shape;
  to->color = from->color;
}

void trm_draft_bodies(trm_draft *draft) {
  trm_model *model = draft->model;
  const trm_subject ground = {"ground", "ground", NULL}, gravity = {"gravity", "gravity", NULL};
  trm_draft_vector(draft, &gravity, NULL, model->gravity);
  if (model->body_count == 0) trm_draft_error_at(draft, "bodies", "the model has no bodies");
  turn(&model->ground, 0);
  check_shape(draft, &ground, &model->ground);
  for (int i = 0; i < model->body_count; i++) {
    const trm_body_def *body = &draft->bodies[i];
    bool shaft = i >= trm_model_placed(model);
    const trm_subject subject = {shaft ? "shafts" : "bodies", shaft ? "shaft" : "body", body->name};
    check_mass(draft, &subject, body);
    trm_draft_vector(draft, &subject, "com", body->com);
    trm_draft_vector(draft, &subject, "position", body->position);
    orient(draft, &subject, body, &model->bodies[i]);
    check_motion(draft, &subject, body);
    copy_body(model, body, &model->bodies[i]);
    check_shape(draft, &subject, &model->bodies[i]);
  }
}
