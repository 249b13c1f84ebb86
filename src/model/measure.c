/* Measures: found by their full name, or selected all at once by what they belong to. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/owner.h"

enum { VELOCITY_LEVEL = 1, FORCE_LEVEL };

const char *trm_measure_level_name(const trm_measure *measure) {
  switch (measure->kind) {
  case TRM_MEASURE_REACTION:
  case TRM_MEASURE_EFFORT: return "a reaction";
  case TRM_MEASURE_MULTIPLIER: return "a multiplier";
  case TRM_MEASURE_ELEMENT: return measure->level == 2 ? "a force" : "a measure of a force";
  case TRM_MEASURE_WRENCH: return "a force";
  case TRM_MEASURE_CARDAN:
  case TRM_MEASURE_EULER: return "an angle of the orientation";
  case TRM_MEASURE_ROTATION: return "a component of the rotation vector";
  case TRM_MEASURE_TIRE: return "a measure of a tire";
  case TRM_MEASURE_DEFLECTION: return "a deflection of a bushing";
  case TRM_MEASURE_POWER: return measure->component ? "an energy" : "a power";
  case TRM_MEASURE_KINETIC:
  case TRM_MEASURE_ENERGY: return "an energy";
  case TRM_MEASURE_MOMENTUM: return "a momentum";
  case TRM_MEASURE_CONSTRAINT: return "a constraint violation";
  case TRM_MEASURE_TIME: return "the time";
  case TRM_MEASURE_SIGNAL: return "a signal";
  case TRM_MEASURE_STATE_RATE: return "a state's rate";
  case TRM_MEASURE_EVENT: return "a measure of an event";
  case TRM_MEASURE_FORMULA: return "a formula of an output";
  case TRM_MEASURE_ORIENTATION:
    if (measure->level == 0) return "a component of a quaternion";
    /* fall through */
  default:
    return measure->level == 2   ? "an acceleration"
           : measure->level == 1 ? "a velocity"
                                 : "a position";
  }
}

bool trm_measure_is_euler(const trm_measure *measure) {
  return measure->kind == TRM_MEASURE_CARDAN || measure->kind == TRM_MEASURE_EULER;
}

bool trm_measure_is_coordinate(const trm_measure *measure) {
  return measure->level == 0 &&
         (measure->kind == TRM_MEASURE_POINT || measure->kind == TRM_MEASURE_ANGLE ||
          measure->kind == TRM_MEASURE_FREEDOM || measure->kind == TRM_MEASURE_CARDAN);
}

static trm_measure make_measure(const trm_owner *o, const trm_measure_field *f) {
  return (trm_measure){.kind = f->kind,
                       .index = o->index,
                       .end = o->end,
                       .component = f->component,
                       .level = f->level};
}

static const trm_measure_field *find_field(const trm_owner *o, const char *text, size_t length) {
  for (int g = 0; g < o->groups; g++)
    for (int i = 0; i < o->group[g].count; i++)
      if (trm_text_is(o->group[g].fields[i].name, text, length)) return &o->group[g].fields[i];
  return NULL;
}

/* A signal, or a state's rate: "x'". */
static bool find_signal(const trm_model *model, const char *text, size_t length,
                        trm_measure *measure) {
  bool rate = length > 1 && text[length - 1] == '\'';
  trm_item item;
  if (!trm_index_find(model, text, length - rate, &item) || item.kind != TRM_ITEM_SIGNAL)
    return false;
  *measure = (trm_measure){.kind = rate ? TRM_MEASURE_STATE_RATE : TRM_MEASURE_SIGNAL,
                           .index = item.index,
                           .level = VELOCITY_LEVEL};
  return !rate || model->signals[item.index].kind == TRM_SIGNAL_STATE;
}

static bool find_formula(const trm_model *model, const char *text, size_t length,
                         trm_measure *measure) {
  trm_item item;
  if (!trm_index_find(model, text, length, &item) || item.kind != TRM_ITEM_OUTPUT) return false;
  *measure = (trm_measure){.kind = TRM_MEASURE_FORMULA, .index = item.index, .level = FORCE_LEVEL};
  return true;
}

bool trm_measure_find(const trm_model *model, const char *text, size_t length, trm_measure *measure,
                      char *reason, size_t reason_size) {
  if (trm_text_is("t", text, length)) {
    *measure = (trm_measure){.kind = TRM_MEASURE_TIME};
    return true;
  }
  if (find_formula(model, text, length, measure)) return true;
  if (model->user) return trm_user_measure(model, text, length, measure, reason, reason_size);
  if (find_signal(model, text, length, measure)) return true;
  if (length > 1 && text[length - 1] == '\'') {
    snprintf(reason, reason_size, "'%.*s': only a state has a rate, a joint's is J.rate or J.speed",
             (int)length, text);
    return false;
  }
  trm_owner o;
  if (!trm_owner_find(model, text, length, &o, reason, reason_size)) return false;
  size_t used = o.length < length ? o.length + 1 : length;
  const trm_measure_field *f = find_field(&o, text + used, length - used);
  if (f)
    *measure = make_measure(&o, f);
  else
    trm_owner_explain(model, &o, text + used, length - used, reason, reason_size);
  return f != NULL;
}

static bool append(trm_model *model, trm_measure measure, const char *name, trm_measure **list,
                   int *count) {
  trm_measure *items = trm_grow(model->arena, *list, *count, sizeof **list);
  if (!items || !name) return false;
  *list = items;
  measure.name = name;
  items[(*count)++] = measure;
  return true;
}

static bool append_all(trm_model *model, const trm_owner *o, trm_measure **list, int *count) {
  for (int g = 0; g < o->groups; g++)
    for (int i = 0; i < o->group[g].count; i++) {
      const trm_measure_field *f = &o->group[g].fields[i];
      const char *name = trm_join(model->arena, o->name, o->length, f->name);
      if (!append(model, make_measure(o, f), name, list, count)) return false;
    }
  return true;
}

static bool append_points(trm_model *model, const trm_owner *o, trm_measure **list, int *count) {
  for (int i = 0; i < o->body->point_count; i++) {
    const trm_point *point = &o->body->points[i];
    const char *name = trm_join(model->arena, o->name, o->length, point->name);
    if (!name) return false;
    trm_owner p = trm_owner_of_point(model, o->index, point, name, strlen(name));
    if (!append_all(model, &p, list, count)) return false;
  }
  return true;
}

/* In other axes it is the same motion once more. */
static bool is_motion(const trm_measure_field *f) {
  return f->kind == TRM_MEASURE_POINT || f->kind == TRM_MEASURE_ANGLE ||
         f->kind == TRM_MEASURE_ORIENTATION;
}

/* Components: magnitudes follow from them. */
static bool is_reaction(const trm_measure_field *f) {
  return (f->kind == TRM_MEASURE_REACTION && f->component < 6) || f->kind == TRM_MEASURE_EFFORT;
}

static bool is_turn(const trm_measure_field *f) {
  return f->kind == TRM_MEASURE_FREEDOM;
}

/* What is chosen of an owner, behind *count of a list with room for it. */
static bool append_some(trm_model *model, const trm_owner *o,
                        bool (*is_chosen)(const trm_measure_field *field), trm_measure *list,
                        int *count) {
  for (int g = 0; g < o->groups; g++)
    for (int i = 0; i < o->group[g].count; i++) {
      const trm_measure_field *f = &o->group[g].fields[i];
      if (!is_chosen(f)) continue;
      trm_measure *measure = &list[(*count)++];
      *measure = make_measure(o, f);
      measure->name = trm_join(model->arena, o->name, o->length, f->name);
      if (!measure->name) return false;
    }
  return true;
}

bool trm_measure_select_motion(trm_model *model, int body, trm_measure *list, int *count) {
  const trm_owner o = trm_owner_of_body(model, body);
  return append_some(model, &o, is_motion, list, count);
}

bool trm_measure_select_forces(trm_model *model, int joint, trm_measure *list, int *count) {
  const char *name = model->joints[joint].name;
  bool shaft = model->joints[joint].type == TRM_JOINT_SHAFT;
  char reason[256];
  trm_owner o;
  if (!trm_owner_find(model, name, strlen(name), &o, reason, sizeof reason)) return true;
  return append_some(model, &o, shaft ? is_turn : is_reaction, list, count);
}

bool trm_measure_select(trm_model *model, const char *selection, trm_measure **list, int *count,
                        char *reason, size_t reason_size) {
  size_t length = strlen(selection);
  trm_measure measure;
  trm_owner o;
  bool alone =
      trm_text_is("t", selection, length) || find_formula(model, selection, length, &measure);
  if (model->user && !alone)
    return trm_user_select(model, selection, list, count, reason, reason_size);
  alone = alone || find_signal(model, selection, length, &measure);
  if (!alone && !trm_owner_find(model, selection, length, &o, reason, reason_size)) return false;
  bool all = !alone && o.length == length && o.groups > 0;
  if (!all && !trm_measure_find(model, selection, length, &measure, reason, reason_size))
    return false;
  bool good =
      all ? append_all(model, &o, list, count) && (!o.body || append_points(model, &o, list, count))
          : append(model, measure, trm_arena_string(model->arena, selection), list, count);
  if (!good) snprintf(reason, reason_size, "out of memory");
  return good;
}

trm_measure *trm_measures_add_pose(trm_measure *next, int body, int dim) {
  for (int k = 0; k < dim; k++)
    *next++ =
        (trm_measure){.kind = TRM_MEASURE_POINT, .index = body, .end = {body, {0}}, .component = k};
  if (dim == 2) *next++ = (trm_measure){.kind = TRM_MEASURE_ANGLE, .index = body};
  for (int k = 0; dim == 3 && k < 4; k++)
    *next++ = (trm_measure){.kind = TRM_MEASURE_ORIENTATION, .index = body, .component = k};
  return next;
}
