/* Joints: what each type needs, and the defaults that the configuration as written gives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"

static bool is_over_freedoms(trm_joint_type type) {
  return type == TRM_JOINT_GEAR || type == TRM_JOINT_DRIVER;
}

static bool has_sides(trm_joint_type type) {
  return type != TRM_JOINT_COORDINATE && !is_over_freedoms(type);
}

static bool has_value(trm_joint_type type) {
  return type == TRM_JOINT_COORDINATE || type == TRM_JOINT_DISTANCE || type == TRM_JOINT_DRIVER;
}

/* Keys that the type does not take would be lost silently. */
static void refuse_others(trm_draft *draft, const trm_subject *subject, const trm_joint_def *d) {
  trm_joint_type type = d->type;
  const char *name = trm_joint_type_name(type);
  const struct {
    const char *key;
    bool given, taken;
  } keys[] = {
      {"connect", d->connect[0] || d->connect[1], has_sides(type)},
      {"at", d->at_given, has_sides(type)},
      {"sum", d->term_count > 0, type == TRM_JOINT_COORDINATE},
      {"value", d->value.given, has_value(type)},
      {"rate", d->rate.given, type == TRM_JOINT_DRIVER},
      {"joints", d->joints[0] || d->joints[1], type == TRM_JOINT_GEAR},
      {"ratio", d->ratio != 0, type == TRM_JOINT_GEAR},
      {"radius", d->radius != 0, type == TRM_JOINT_ROLLING},
      {"pitch", d->pitch != 0, type == TRM_JOINT_SCREW},
      {"of", d->of, type == TRM_JOINT_DRIVER},
  };
  if (!trm_joint_has_axis(draft->model, type) && (d->axis_given || d->axes_given))
    TRM_DRAFT_ERROR(draft, subject, d->axis_given ? "axis" : "axes", ": a %s%s joint has no axis",
                    draft->model->space == TRM_PLANAR ? "planar " : "", name);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i].given && !keys[i].taken)
      TRM_DRAFT_ERROR(draft, subject, keys[i].key, ": a %s joint has no %s", name, keys[i].key);
}

/* In space a roller is a sum of one term: the coordinate that the second's point keeps. */
static void keep_coordinate(trm_draft *draft, trm_joint *joint, int component) {
  double r[3];
  joint->terms = TRM_NEW(draft->model->arena, trm_term, 1);
  if (!joint->terms) {
    draft->no_memory = true;
    return;
  }
  trm_end_as_written(draft->model, &joint->end[1], r);
  joint->value.number = r[component];
  joint->terms[0].factor = 1;
  joint->terms[0].measure = (trm_measure){.name = joint->name,
                                          .kind = TRM_MEASURE_POINT,
                                          .index = joint->end[1].body,
                                          .end = joint->end[1],
                                          .component = component};
  joint->term_count = 1;
}

/* Its axis is global and stays so: no body carries it. */
static void build_roller(trm_draft *draft, const trm_subject *subject,
                         const trm_joint_def *definition, trm_joint *joint) {
  const double *a = definition->axis;
  bool x = a[0] == 1 && a[1] == 0 && a[2] == 0, y = a[0] == 0 && a[1] == 1 && a[2] == 0;
  if (!definition->axis_given || definition->axes_given || (!x && !y)) {
    TRM_DRAFT_ERROR(draft, subject,
                    definition->axis_given ? "axis" : (definition->axes_given ? "axes" : NULL),
                    ": a roller joint needs axis: x or axis: y, the global direction it rolls in");
    return;
  }
  if (definition->connect[1] && strncmp(definition->connect[1], "ground", 6) == 0 &&
      (definition->connect[1][6] == 0 || definition->connect[1][6] == '.'))
    TRM_DRAFT_ERROR(
        draft, subject, "connect/1",
        ": a roller joint holds the second's point: put the body second, the ground first");
  for (int k = 0; k < 2; k++) memcpy(joint->axis[k], a, sizeof joint->axis[k]);
  if (draft->model->embedded) keep_coordinate(draft, joint, x ? 1 : 0);
}

/* The joint whose points coincide. */
static const char *of_points(const trm_draft *draft) {
  return draft->model->space == TRM_PLANAR ? "revolute" : "spherical";
}

void trm_draft_length(trm_draft *draft, const trm_subject *subject, double length,
                      const char *when) {
  if (length > 0) return;
  if (length == 0)
    TRM_DRAFT_ERROR(draft, subject, "length",
                    ": length is 0%s; points that coincide are a %s joint: use %s", when,
                    of_points(draft), of_points(draft));
  else
    TRM_DRAFT_ERROR(draft, subject, "length", ": length is %g%s, it must be positive", length,
                    when);
}

static void build_distance(trm_draft *draft, const trm_subject *subject,
                           const trm_joint_def *definition, trm_joint *joint) {
  if (!definition->value.given) {
    joint->value.number = trm_distance_as_written(draft->model, joint->end);
    if (!(joint->value.number > 0))
      TRM_DRAFT_ERROR(
          draft, subject, "connect",
          ": the two points coincide as written, so the distance is 0; use %s, or give a length",
          of_points(draft));
    return;
  }
  bool good =
      trm_draft_quantity(draft, subject, "length", &definition->value, TRM_USE_TIME, &joint->value);
  if (good && !joint->value.formula) trm_draft_length(draft, subject, joint->value.number, "");
}

static bool build_term(trm_draft *draft, const trm_subject *subject, const trm_term_def *definition,
                       trm_term *term) {
  const char *name = definition->measure;
  char key[300], reason[512];
  snprintf(key, sizeof key, "sum/%s", name);
  term->factor = definition->factor;
  if (!isfinite(term->factor) || term->factor == 0)
    TRM_DRAFT_ERROR(draft, subject, key, ": the factor of '%s' is %g, it must be finite and not 0",
                    name, term->factor);
  if (!trm_measure_find(draft->model, name, strlen(name), &term->measure, reason, sizeof reason)) {
    TRM_DRAFT_ERROR(draft, subject, key, ": %s", reason);
    return false;
  }
  if (!trm_measure_is_coordinate(&term->measure)) {
    TRM_DRAFT_ERROR(draft, subject, key,
                    ": '%s' is %s; a sum takes positions and angles of bodies, points and joint "
                    "freedoms only",
                    name, trm_measure_level_name(&term->measure));
    return false;
  }
  term->measure.name = trm_arena_string(draft->model->arena, name);
  return term->measure.name || !(draft->no_memory = true);
}

static void build_sum(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                      trm_joint *joint) {
  if (definition->term_count <= 0)
    TRM_DRAFT_ERROR(draft, subject, NULL, ": the sum is empty, it needs at least one measure");
  if (definition->value.given)
    trm_draft_quantity(draft, subject, "value", &definition->value, TRM_USE_TIME, &joint->value);
  if (definition->term_count <= 0 || !definition->terms) return;
  joint->terms = TRM_NEW(draft->model->arena, trm_term, definition->term_count);
  if (!joint->terms) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < definition->term_count; i++)
    if (build_term(draft, subject, &definition->terms[i], &joint->terms[joint->term_count]))
      joint->term_count++;
}

static void build_screw(trm_draft *draft, const trm_subject *subject,
                        const trm_joint_def *definition, trm_joint *joint) {
  joint->pitch = definition->pitch;
  if (!isfinite(joint->pitch) || joint->pitch == 0)
    TRM_DRAFT_ERROR(draft, subject, "pitch", ": pitch is %g, it must be finite and not 0",
                    joint->pitch);
}

/* A roller of a planar model stays one in space. */
static bool exists(trm_draft *draft, const trm_subject *subject, trm_joint_type type) {
  const trm_model *model = draft->model;
  if (trm_joint_is_for(type, model->space) || model->embedded) return true;
  TRM_DRAFT_ERROR(draft, subject, "type", ": %s joints are for %s models only, this one is %s",
                  trm_joint_type_name(type), model->space == TRM_PLANAR ? "spatial" : "planar",
                  model->space == TRM_PLANAR ? "planar" : "spatial");
  return false;
}

static void build_details(trm_draft *draft, const trm_subject *subject,
                          const trm_joint_def *definition, trm_joint *joint, bool connected) {
  switch (joint->type) {
  case TRM_JOINT_ROLLER: build_roller(draft, subject, definition, joint); break;
  case TRM_JOINT_ROLLING: trm_draft_rolling(draft, subject, definition, joint, connected); break;
  case TRM_JOINT_DISTANCE:
    if (connected || definition->value.given) build_distance(draft, subject, definition, joint);
    break;
  case TRM_JOINT_COORDINATE: build_sum(draft, subject, definition, joint); break;
  case TRM_JOINT_GEAR: trm_draft_gear(draft, subject, definition, joint); break;
  case TRM_JOINT_SCREW: build_screw(draft, subject, definition, joint); /* fall through */
  default:
    if (trm_joint_has_axis(draft->model, joint->type) &&
        trm_draft_axes(draft, subject, definition, joint) && connected && definition->axes_given &&
        draft->model->space == TRM_SPATIAL)
      trm_draft_axes_angle(draft, subject, joint);
  }
}

static void build_joint(trm_draft *draft, const trm_joint_def *definition, trm_joint *joint,
                        trm_map *driven) {
  const trm_subject subject = {"joints", "joint", definition->name};
  const double *at = definition->at_given ? definition->at : NULL;
  const double *second = definition->at_second_given ? definition->at_second : at;
  bool connected = false;
  for (int k = 0; k < 2; k++) joint->end[k].body = TRM_GROUND;
  if (!exists(draft, &subject, joint->type)) return;
  refuse_others(draft, &subject, definition);
  if (has_sides(joint->type))
    connected = trm_draft_ends(draft, &subject, definition->connect, at, second, joint->end);
  if (joint->type == TRM_JOINT_DRIVER)
    trm_draft_driver(draft, &subject, definition, joint, driven);
  else
    build_details(draft, &subject, definition, joint, connected);
}

void trm_draft_joints(trm_draft *draft) {
  trm_model *model = draft->model;
  trm_map *driven = trm_map_create(draft->arena);
  if (!driven) {
    draft->no_memory = true;
    return;
  }
  /* a driver takes over the sides of its joint, which may stand behind it */
  for (int over = 0; over < 2; over++)
    for (int i = 0; i < model->joint_count; i++)
      if (model->joints[i].type == TRM_JOINT_SHAFT)
        trm_draft_shaft_joint(draft, &model->joints[i]);
      else if (is_over_freedoms(model->joints[i].type) == over)
        build_joint(draft, &draft->joints[i], &model->joints[i], driven);
  trm_draft_rotations(draft);
}
