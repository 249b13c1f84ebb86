/* Forces: first what they act on, then their formulas, which may name the measures of any of them.
 */
#include <stdio.h>
#include <string.h>

#include "model/build.h"

static bool is_spring(trm_force_type type) {
  return type == TRM_FORCE_SPRING_DAMPER || type == TRM_FORCE_TORSION_SPRING_DAMPER;
}

/* force: a point of a body; torque: a body. */
static void place_load(trm_draft *draft, const trm_subject *subject,
                       const trm_force_def *definition, trm_force *force) {
  bool torque = force->type == TRM_FORCE_TORQUE;
  const double *at = definition->at_given ? definition->at : NULL;
  const trm_side side = {definition->connect[0], torque ? "body" : "point", at};
  const char *dot = side.text ? strchr(side.text, '.') : NULL;
  if (!side.text) {
    TRM_DRAFT_ERROR(draft, subject, NULL, ": %s is missing", side.key);
  } else if (torque && (dot || at)) {
    TRM_DRAFT_ERROR(draft, subject, at ? "at" : "body",
                    ": a torque acts on a body as a whole, it has no point");
  } else if (definition->at_second_given) {
    TRM_DRAFT_ERROR(draft, subject, "at", ": a force acts at one point, at gives two");
  } else if (at && dot) {
    TRM_DRAFT_ERROR(draft, subject, "at", ": at is given, but '%s' names a point already",
                    side.text);
  } else if (!at || trm_draft_vector(draft, subject, "at", at)) {
    if (trm_draft_end(draft, subject, &side, &force->end[0]) && force->end[0].body == TRM_GROUND)
      TRM_DRAFT_ERROR(draft, subject, side.key, " acts on ground, which does not move");
  }
}

static void place_on_joint(trm_draft *draft, const trm_subject *subject, const char *of,
                           trm_force *force) {
  trm_freedom freedom;
  if (!trm_draft_freedom(draft, subject, "of", of, &freedom)) return;
  force->joint = freedom.joint;
  force->freedom = freedom.component;
  memcpy(force->end, draft->model->joints[freedom.joint].end, sizeof force->end);
}

/* The second's angle relative to the first's. */
static void place_between(trm_draft *draft, const trm_subject *subject, const char *const of[2],
                          trm_force *force) {
  static const char *const keys[2] = {"of/0", "of/1"};
  trm_freedom freedom[2];
  bool good = true;
  for (int k = 0; k < 2; k++) {
    if (!trm_draft_freedom(draft, subject, keys[k], of[k], &freedom[k])) {
      good = false;
    } else if (freedom[k].component != 0) {
      TRM_DRAFT_ERROR(draft, subject, keys[k],
                      ": '%s' is a displacement, a torsion-spring-damper acts on angles", of[k]);
      good = false;
    }
  }
  if (good && freedom[0].joint == freedom[1].joint)
    TRM_DRAFT_ERROR(draft, subject, "of/1", " connects '%s' with itself", of[1]);
  if (!good) return;
  force->against = freedom[0].joint;
  force->joint = freedom[1].joint;
  force->freedom = 0;
  memcpy(force->end, draft->model->joints[force->joint].end, sizeof force->end);
}

static void place(trm_draft *draft, const trm_force_def *definition, trm_force *force) {
  const trm_subject subject = {"forces", "force", definition->name};
  const double *at = definition->at_given ? definition->at : NULL;
  const double *second = definition->at_second_given ? definition->at_second : at;
  force->joint = force->against = -1;
  force->body_frame = definition->body_frame;
  for (int k = 0; k < 2; k++) force->end[k].body = TRM_GROUND;
  if (force->type == TRM_FORCE_TIRE) {
    trm_draft_tire(draft, definition, force);
    return;
  }
  if (definition->axis_given && force->type != TRM_FORCE_TORSION_SPRING_DAMPER)
    TRM_DRAFT_ERROR(draft, &subject, "axis",
                    ": only a torsion-spring-damper and a tire have an axis");
  if (definition->of && force->type != TRM_FORCE_ACTUATOR)
    TRM_DRAFT_ERROR(draft, &subject, "of", ": only an actuator acts on the freedom of a joint");
  else if (definition->between[0] && force->type != TRM_FORCE_TORSION_SPRING_DAMPER)
    TRM_DRAFT_ERROR(draft, &subject, "of",
                    ": only a torsion-spring-damper acts between two angles");
  else if ((definition->of || definition->between[0]) &&
           (definition->connect[0] || definition->connect[1]))
    TRM_DRAFT_ERROR(draft, &subject, "of", ": connect and of are both given, one must go");
  else if (definition->of)
    place_on_joint(draft, &subject, definition->of, force);
  else if (definition->between[0])
    place_between(draft, &subject, definition->between, force);
  else if (force->type == TRM_FORCE_ACTUATOR && !definition->connect[0] && !definition->connect[1])
    TRM_DRAFT_ERROR(draft, &subject, NULL,
                    ": an actuator needs connect (two points) or of (a joint)");
  else if (force->type == TRM_FORCE_TORSION_SPRING_DAMPER && !definition->connect[0] &&
           !definition->connect[1])
    TRM_DRAFT_ERROR(draft, &subject, NULL,
                    ": a torsion-spring-damper needs connect (two bodies) or of (two angles)");
  else if (force->type == TRM_FORCE_FORCE || force->type == TRM_FORCE_TORQUE)
    place_load(draft, &subject, definition, force);
  else
    trm_draft_ends(draft, &subject, definition->connect, at, second, force->end);
}

/* The axis of a torsion spring, carried by the first; in the plane there is only one. */
static void build_axis(trm_draft *draft, const trm_subject *subject,
                       const trm_force_def *definition, trm_force *force) {
  double axis[3];
  if (definition->between[0]) {
    if (definition->axis_given)
      TRM_DRAFT_ERROR(draft, subject, "axis",
                      ": between two angles there is no axis to give, they have theirs");
  } else if (draft->model->space == TRM_PLANAR && definition->axis_given)
    TRM_DRAFT_ERROR(draft, subject, "axis", ": a planar torsion-spring-damper has no axis");
  else if (draft->model->space == TRM_SPATIAL && !definition->axis_given)
    TRM_DRAFT_ERROR(draft, subject, NULL, ": a torsion-spring-damper needs an axis");
  else if (definition->axis_given &&
           trm_draft_direction(draft, subject, "axis", definition->axis, axis))
    trm_into_body(draft->model, force->end[0].body, axis, force->axis);
}

static void build_spring(trm_draft *draft, const trm_subject *subject,
                         const trm_force_def *definition, trm_force *force) {
  bool linear = force->type == TRM_FORCE_SPRING_DAMPER;
  if (!linear) build_axis(draft, subject, definition, force);
  if (!definition->stiffness.given && !definition->damping.given)
    TRM_DRAFT_ERROR(draft, subject, NULL, ": a %s needs stiffness, damping or both",
                    trm_force_type_name(force->type));
  if (definition->stiffness.given)
    trm_draft_quantity(draft, subject, "stiffness", &definition->stiffness, TRM_USE_MOTION,
                       &force->stiffness);
  if (definition->damping.given &&
      trm_draft_quantity(draft, subject, "damping", &definition->damping, TRM_USE_MOTION,
                         &force->damping) &&
      force->damping.number < 0)
    trm_draft_report(draft, TRM_WARNING, subject, "damping", 0,
                     ": damping is %g; negative damping feeds energy in", force->damping.number);
  if (!definition->free.given && linear)
    force->free.number = trm_distance_as_written(draft->model, force->end);
  if (definition->free.given &&
      trm_draft_quantity(draft, subject, linear ? "length" : "angle", &definition->free,
                         TRM_USE_MOTION, &force->free) &&
      linear && force->free.number < 0)
    TRM_DRAFT_ERROR(draft, subject, "length", ": free length is %g, it must not be negative",
                    force->free.number);
}

/* Force and torque of a load, at least one of them; in the plane the torque is about z. */
static void build_load(trm_draft *draft, const trm_subject *subject,
                       const trm_force_def *definition, trm_force *force) {
  bool planar = draft->model->space == TRM_PLANAR, given = false;
  char key[16];
  for (int k = 0; k < 6; k++) {
    const trm_value *value = k < 3 ? &definition->value[k] : &definition->torque[k - 3];
    bool other = planar && k >= 2 && k < 5;
    if (!value->given) continue;
    given = true;
    snprintf(key, sizeof key, planar && k == 5 ? "torque" : "%s/%d", k < 3 ? "force" : "torque",
             k % 3);
    if (other)
      TRM_DRAFT_ERROR(draft, subject, key, ": %s has a component out of the plane",
                      k < 3 ? "force" : "torque");
    else
      trm_draft_quantity(draft, subject, key, value, TRM_USE_MOTION, &force->value[k]);
  }
  if (!given) TRM_DRAFT_ERROR(draft, subject, NULL, ": a load needs force, torque or both");
}

/* A planar force has no third component, a planar torque no other; those left out are zero. */
static void build_components(trm_draft *draft, const trm_subject *subject,
                             const trm_force_def *definition, trm_force *force) {
  static const char *const keys[] = {"value/0", "value/1", "value/2"};
  bool planar = draft->model->space == TRM_PLANAR, torque = force->type == TRM_FORCE_TORQUE;
  int first = planar && torque ? 2 : 0, last = planar && !torque ? 1 : 2, given = 0;
  for (int k = first; k <= last; k++) given += definition->value[k].given;
  if (given == 0) TRM_DRAFT_ERROR(draft, subject, NULL, ": value is missing");
  if (planar && !torque && definition->value[2].given)
    TRM_DRAFT_ERROR(draft, subject, "value/2",
                    ": value has a z component, but the model is planar");
  for (int k = first; k <= last; k++)
    if (definition->value[k].given)
      trm_draft_quantity(draft, subject, first == last ? "value" : keys[k], &definition->value[k],
                         TRM_USE_MOTION, &force->value[k]);
}

static void build_formulas(trm_draft *draft, const trm_force_def *definition, trm_force *force) {
  const trm_subject subject = {"forces", "force", definition->name};
  if (force->type == TRM_FORCE_TIRE) return;
  if (is_spring(force->type)) {
    build_spring(draft, &subject, definition, force);
    return;
  }
  if (definition->stiffness.given || definition->damping.given || definition->free.given)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": stiffness, damping and free length are for springs");
  if (force->type == TRM_FORCE_FORCE || force->type == TRM_FORCE_TORQUE)
    build_components(draft, &subject, definition, force);
  else if (force->type == TRM_FORCE_LOAD)
    build_load(draft, &subject, definition, force);
  else if (force->type == TRM_FORCE_BUSHING)
    trm_draft_bushing(draft, &subject, definition, force);
  else if (!definition->value[0].given)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": value is missing");
  else
    trm_draft_quantity(draft, &subject, "value", &definition->value[0], TRM_USE_MOTION,
                       &force->value[0]);
}

void trm_draft_forces(trm_draft *draft) {
  trm_model *model = draft->model;
  for (int i = 0; i < model->force_count; i++) place(draft, &draft->forces[i], &model->forces[i]);
  for (int i = 0; i < model->force_count; i++)
    build_formulas(draft, &draft->forces[i], &model->forces[i]);
}
