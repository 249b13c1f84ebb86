/* Freedoms of joints by name, and the joints made of them: gears and drivers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"

static const char *const names[] = {"angle", "displacement"};

static const trm_joint *find_joint(trm_draft *draft, const trm_subject *subject, const char *key,
                                   const char *text, size_t length) {
  const trm_model *model = draft->model;
  trm_item item;
  char hint[128];
  if (!trm_index_find(model, text, length, &item)) {
    trm_suggest_item(model, TRM_ITEM_JOINT, text, length, hint, sizeof hint);
    TRM_DRAFT_ERROR(draft, subject, key, ": unknown joint '%.*s'%s", (int)length, text, hint);
    return NULL;
  }
  if (item.kind == TRM_ITEM_JOINT) return &model->joints[item.index];
  TRM_DRAFT_ERROR(draft, subject, key, ": '%.*s' is a %s, a joint is needed here", (int)length,
                  text, trm_item_kind_name(model, item));
  return NULL;
}

/* "J.angle", "J.displacement" or, of a joint with both, "J.angle and J.displacement" */
static void list_freedoms(const trm_joint *joint, const char *word, char *text, size_t size) {
  int has = trm_joint_freedoms(joint->type); /* the joint has some */
  if (has == 3)
    snprintf(text, size, "%.60s.angle %s %.60s.displacement", joint->name, word, joint->name);
  else
    snprintf(text, size, "%.60s.%s", joint->name, names[has & 1 ? 0 : 1]);
}

/* The freedom a name without a dot stands for, or −1. */
static int only_freedom(trm_draft *draft, const trm_subject *subject, const char *key,
                        const trm_joint *joint) {
  char list[192];
  int has = trm_joint_freedoms(joint->type);
  if (has != 3) return has & 1 ? 0 : 1;
  list_freedoms(joint, "or", list, sizeof list);
  TRM_DRAFT_ERROR(draft, subject, key, ": joint '%s' has two freedoms; write %s", joint->name,
                  list);
  return -1;
}

static int named_freedom(trm_draft *draft, const trm_subject *subject, const char *key,
                         const trm_joint *joint, const char *name) {
  char list[192];
  for (int i = 0; i < 2; i++)
    if ((trm_joint_freedoms(joint->type) & 1 << i) && strcmp(name, names[i]) == 0) return i;
  list_freedoms(joint, "and", list, sizeof list);
  TRM_DRAFT_ERROR(draft, subject, key, ": joint '%s' has no freedom '%s'; it has %s", joint->name,
                  name, list);
  return -1;
}

bool trm_draft_freedom(trm_draft *draft, const trm_subject *subject, const char *key,
                       const char *text, trm_freedom *freedom) {
  size_t length = strcspn(text, ".");
  const trm_joint *joint = find_joint(draft, subject, key, text, length);
  if (!joint) return false;
  if (trm_model_freedoms(draft->model, joint->type) == 0) {
    TRM_DRAFT_ERROR(draft, subject, key,
                    ": joint '%s' of type %s has no freedom; revolute, prismatic, %s joints have",
                    joint->name, trm_joint_type_name(joint->type),
                    draft->model->space == TRM_PLANAR ? "point-on-line and rolling"
                                                      : "point-on-line, cylindrical and "
                                                        "screw");
    return false;
  }
  freedom->joint = (int)(joint - draft->model->joints);
  freedom->component = text[length] == '.'
                           ? named_freedom(draft, subject, key, joint, text + length + 1)
                           : only_freedom(draft, subject, key, joint);
  return freedom->component >= 0;
}

static trm_measure measure_of(trm_draft *draft, const trm_freedom *freedom) {
  const trm_joint *joint = &draft->model->joints[freedom->joint];
  const char *name =
      trm_join(draft->model->arena, joint->name, strlen(joint->name), names[freedom->component]);
  if (!name) draft->no_memory = true;
  return (trm_measure){.name = name,
                       .kind = TRM_MEASURE_FREEDOM,
                       .index = freedom->joint,
                       .component = freedom->component};
}

static void set_terms(trm_draft *draft, trm_joint *joint, const trm_term *terms, int count) {
  joint->terms = TRM_NEW(draft->model->arena, trm_term, count);
  if (!joint->terms) {
    draft->no_memory = true;
    return;
  }
  memcpy(joint->terms, terms, (size_t)count * sizeof *terms);
  joint->term_count = count;
}

void trm_draft_gear(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                    trm_joint *joint) {
  trm_freedom freedom[2];
  const char *const *of = definition->joints;
  double ratio = definition->ratio;
  if (!isfinite(ratio) || ratio == 0)
    TRM_DRAFT_ERROR(draft, subject, "ratio", ": ratio is %g, it must be finite and not 0", ratio);
  if (!of[0] || !of[1]) {
    TRM_DRAFT_ERROR(draft, subject, "joints", ": joints is missing, it names the two joints");
    return;
  }
  bool good = trm_draft_freedom(draft, subject, "joints/0", of[0], &freedom[0]);
  good &= trm_draft_freedom(draft, subject, "joints/1", of[1], &freedom[1]);
  if (!good) return;
  if (freedom[0].joint == freedom[1].joint) {
    TRM_DRAFT_ERROR(draft, subject, "joints/1", " couples joint '%s' with itself",
                    draft->model->joints[freedom[0].joint].name);
    return;
  }
  /* J2 − ratio J1 = 0: both are zero as written */
  const trm_term terms[] = {{measure_of(draft, &freedom[1]), 1},
                            {measure_of(draft, &freedom[0]), -ratio}};
  set_terms(draft, joint, terms, 2);
}

static bool names_joint(const trm_model *model, const char *text) {
  trm_item item;
  return trm_index_find(model, text, strcspn(text, "."), &item) && item.kind == TRM_ITEM_JOINT;
}

/* A velocity of a body, point or joint freedom. */
static bool find_driven_rate(trm_draft *draft, const trm_subject *subject, const char *of,
                             trm_measure *measure) {
  char reason[512];
  if (!trm_measure_find(draft->model, of, strlen(of), measure, reason, sizeof reason)) {
    TRM_DRAFT_ERROR(draft, subject, "of", ": %s", reason);
    return false;
  }
  measure->name = of;
  trm_measure_kind kind = measure->kind;
  bool moves = kind == TRM_MEASURE_POINT || kind == TRM_MEASURE_ANGLE ||
               kind == TRM_MEASURE_ORIENTATION || kind == TRM_MEASURE_FREEDOM ||
               kind == TRM_MEASURE_BODY_AXES || kind == TRM_MEASURE_HEADING;
  if (moves && measure->level == 1) return true;
  TRM_DRAFT_ERROR(draft, subject, "of",
                  ": '%s' is %s; a driver with a rate holds a velocity of a body, a point or a "
                  "joint's freedom, like body.u or J.rate",
                  of, trm_measure_level_name(measure));
  return false;
}

/* "tool.zxz2": the second angle of the sequence z, x, z. */
bool trm_euler_find(const trm_model *model, const char *of, trm_measure *measure) {
  const char *dot = strrchr(of, '.');
  if (model->space != TRM_SPATIAL || !dot || strlen(dot) != 5 || strspn(dot + 1, "xyz") != 3)
    return false;
  int axis[3] = {dot[1] - 'x', dot[2] - 'x', dot[3] - 'x'}, angle = dot[4] - '1';
  if (axis[0] == axis[1] || axis[1] == axis[2] || angle < 0 || angle > 2) return false;
  for (int b = 0; b < trm_model_placed(model); b++)
    if (trm_text_is(model->bodies[b].name, of, (size_t)(dot - of))) {
      int code = 9 * axis[0] + 3 * axis[1] + axis[2];
      bool cardan = strncmp(dot + 1, "zyx", 3) == 0; /* yaw, pitch, roll */
      *measure = (trm_measure){.kind = cardan ? TRM_MEASURE_CARDAN : TRM_MEASURE_EULER,
                               .index = b,
                               .component = cardan ? 2 - angle : 3 * code + angle,
                               .name = of};
      return true;
    }
  return false;
}

/* "tool.rx": a component of the rotation vector. */
static bool find_rotation(const trm_model *model, const char *of, trm_measure *measure) {
  const char *dot = strrchr(of, '.');
  if (model->space != TRM_SPATIAL || !dot || dot[1] != 'r' || strlen(dot) != 3) return false;
  int component = dot[2] - 'x';
  for (int b = 0; component >= 0 && component < 3 && b < trm_model_placed(model); b++)
    if (trm_text_is(model->bodies[b].name, of, (size_t)(dot - of))) {
      *measure = (trm_measure){
          .kind = TRM_MEASURE_ROTATION, .index = b, .component = component, .name = of};
      return true;
    }
  return false;
}

/* The outer angles have no direction where the axis between them is in line with them. */
bool trm_draft_determined(trm_draft *draft, const trm_subject *subject, const char *key,
                          const trm_measure *measure) {
  int code = measure->kind == TRM_MEASURE_CARDAN ? 9 * 2 + 3 * 1 + 0 : measure->component / 3;
  int i = code / 9, k = code % 3;
  double cosine = fabs(draft->model->bodies[measure->index].R[3 * i + k]);
  if (cosine < 1 - 1e-12) return true;
  TRM_DRAFT_ERROR(draft, subject, key,
                  ": '%s' has no value in the orientation as written, where the %s angle is %s: "
                  "take another sequence of axes, or begin elsewhere",
                  measure->name, measure->kind == TRM_MEASURE_CARDAN ? "pitch" : "second",
                  i == k ? "0 or pi" : "a right one");
  return false;
}

/* A joint's freedom, a body's angle or a point's coordinate. */
static bool find_driven(trm_draft *draft, const trm_subject *subject, const char *of,
                        trm_measure *measure) {
  trm_freedom freedom;
  char reason[512];
  if (names_joint(draft->model, of)) {
    bool good = trm_draft_freedom(draft, subject, "of", of, &freedom);
    if (good) *measure = measure_of(draft, &freedom);
    return good;
  }
  if (trm_euler_find(draft->model, of, measure))
    return trm_draft_determined(draft, subject, "of", measure);
  if (find_rotation(draft->model, of, measure)) return true;
  if (!trm_measure_find(draft->model, of, strlen(of), measure, reason, sizeof reason)) {
    TRM_DRAFT_ERROR(draft, subject, "of", ": %s", reason);
    return false;
  }
  measure->name = of; /* the definition's copy, in the model's arena */
  if (trm_measure_is_euler(measure)) return trm_draft_determined(draft, subject, "of", measure);
  if (trm_measure_is_coordinate(measure)) return true;
  TRM_DRAFT_ERROR(draft, subject, "of",
                  ": '%s' is %s; a driver drives the freedom of a joint, %s"
                  "a coordinate of a point",
                  of, trm_measure_level_name(measure),
                  draft->model->space == TRM_PLANAR
                      ? "the angle of a body or "
                      : "an angle of the orientation (yaw, zxz1) or ");
  return false;
}

/* Whatever their names, the same points and freedoms have the same key. */
static bool is_first_driver(trm_draft *draft, const trm_subject *subject,
                            const trm_measure *measure, int index, trm_map *driven) {
  char key[128];
  const double *u = measure->end.u;
  int length = snprintf(key, sizeof key, "%d %d %d %a %a %a", (int)measure->kind, measure->index,
                        measure->component, u[0] + 0.0, u[1] + 0.0, u[2] + 0.0); /* −0 is 0 */
  int other = trm_map_get(driven, key, (size_t)length);
  if (other >= 0) {
    TRM_DRAFT_ERROR(draft, subject, "of", ": '%s' is driven already, by driver '%s'", measure->name,
                    draft->model->joints[other].name);
    return false;
  }
  const char *copy = trm_arena_string(draft->arena, key);
  if (!copy || !trm_map_put(driven, copy, (size_t)length, index)) draft->no_memory = true;
  return true;
}

static void read_law(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                     trm_joint *joint) {
  bool rate = joint->of_rate = definition->rate.given;
  if (rate && definition->value.given)
    TRM_DRAFT_ERROR(draft, subject, "rate", ": value and rate are both given, one must go");
  else if (!rate && !definition->value.given)
    TRM_DRAFT_ERROR(draft, subject, "value", ": value is missing");
  else
    trm_draft_quantity(draft, subject, rate ? "rate" : "value",
                       rate ? &definition->rate : &definition->value,
                       rate ? TRM_USE_RATE : TRM_USE_TIME, &joint->value);
}

void trm_draft_driver(trm_draft *draft, const trm_subject *subject, const trm_joint_def *definition,
                      trm_joint *joint, trm_map *driven) {
  const trm_model *model = draft->model;
  trm_term term = {.factor = 1};
  trm_measure *measure = &term.measure;
  read_law(draft, subject, definition, joint);
  if (!definition->of) {
    TRM_DRAFT_ERROR(draft, subject, "of", ": of is missing, it names what is driven");
    return;
  }
  bool found = joint->of_rate ? find_driven_rate(draft, subject, definition->of, measure)
                              : find_driven(draft, subject, definition->of, measure);
  if (!found || draft->no_memory) return;
  if (!is_first_driver(draft, subject, measure, (int)(joint - model->joints), driven)) return;
  set_terms(draft, joint, &term, 1);
  /* its reaction acts on the second: what is driven, at the point that is driven */
  if (measure->kind == TRM_MEASURE_FREEDOM)
    memcpy(joint->end, model->joints[measure->index].end, sizeof joint->end);
  else if (measure->kind == TRM_MEASURE_ANGLE || measure->kind == TRM_MEASURE_ORIENTATION ||
           trm_measure_is_euler(measure) || measure->kind == TRM_MEASURE_ROTATION) {
    joint->end[1].body = measure->index; /* a torque acts anywhere */
    memcpy(joint->end[1].u, model->bodies[measure->index].com, sizeof joint->end[1].u);
  } else
    joint->end[1] = measure->end;
}

/* One component alone leaves open on which side of half a turn the others are. */
void trm_draft_rotations(trm_draft *draft) {
  const trm_model *model = draft->model;
  int *driven = TRM_NEW(draft->arena, int, model->body_count + 1);
  if (!driven) draft->no_memory = true;
  for (int over = 0; over < 2 && driven; over++)
    for (int i = 0; i < model->joint_count; i++) {
      const trm_joint *joint = &model->joints[i];
      if (joint->type != TRM_JOINT_DRIVER || joint->term_count == 0) continue;
      const trm_measure *measure = &joint->terms[0].measure;
      if (measure->kind != TRM_MEASURE_ROTATION) continue;
      if (over == 0) driven[measure->index]++;
      if (over == 1 && driven[measure->index] < 3)
        TRM_DRAFT_ERROR(draft, &((trm_subject){"joints", "joint", joint->name}), "of",
                        ": '%s' is one component of a rotation vector, all three are driven "
                        "together: rotation: [x, y, z]",
                        measure->name);
    }
}
