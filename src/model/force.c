/* Forces: first what they act on, then their formulas, which may name the measures of any of them.
 */
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

static void place(trm_draft *draft, const trm_force_def *definition, trm_force *force) {
  const trm_subject subject = {"forces", "force", definition->name};
  const double *at = definition->at_given ? definition->at : NULL;
  const double *second = definition->at_second_given ? definition->at_second : at;
  force->joint = -1;
  force->body_frame = definition->body_frame;
  for (int k = 0; k < 2; k++) force->end[k].body = TRM_GROUND;
  if (definition->axis_given && force->type != TRM_FORCE_TORSION_SPRING_DAMPER)
    TRM_DRAFT_ERROR(draft, &subject, "axis", ": only a torsion-spring-damper has an axis");
  if (definition->of && force->type != TRM_FORCE_ACTUATOR)
    TRM_DRAFT_ERROR(draft, &subject, "of", ": only an actuator acts on the freedom of a joint");
  else if (definition->of && (definition->connect[0] || definition->connect[1]))
    TRM_DRAFT_ERROR(draft, &subject, "of", ": connect and of are both given, one must go");
  else if (definition->of)
    place_on_joint(draft, &subject, definition->of, force);
  else if (force->type == TRM_FORCE_ACTUATOR && !definition->connect[0] && !definition->connect[1])
    TRM_DRAFT_ERROR(draft, &subject, NULL,
                    ": an actuator needs connect (two points) or of (a joint)");
  else if (force->type == TRM_FORCE_FORCE || force->type == TRM_FORCE_TORQUE)
    place_load(draft, &subject, definition, force);
  else
    trm_draft_ends(draft, &subject, definition->connect, at, second, force->end);
}

/* The axis of a torsion spring, carried by the first; in the plane there is only one. */
static void build_axis(trm_draft *draft, const trm_subject *subject,
                       const trm_force_def *definition, trm_force *force) {
  double axis[3];
  if (draft->model->space == TRM_PLANAR && definition->axis_given)
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
  if (is_spring(force->type)) {
    build_spring(draft, &subject, definition, force);
    return;
  }
  if (definition->stiffness.given || definition->damping.given || definition->free.given)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": stiffness, damping and free length are for springs");
  if (force->type == TRM_FORCE_FORCE || force->type == TRM_FORCE_TORQUE)
    build_components(draft, &subject, definition, force);
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
