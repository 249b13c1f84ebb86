/* Force elements of a model, bound to scalars and points. */
#include "system/system.h"

static const trm_element_class *class_of(trm_force_type type) {
  switch (type) {
  case TRM_FORCE_FORCE: return &trm_element_force;
  case TRM_FORCE_TORQUE: return &trm_element_torque;
  case TRM_FORCE_SPRING_DAMPER:
  case TRM_FORCE_TORSION_SPRING_DAMPER: return &trm_element_spring;
  case TRM_FORCE_ACTUATOR: break;
  }
  return &trm_element_actuator;
}

static void along_distance(const trm_system *sys, const trm_force *force, trm_scalar *scalar) {
  scalar->kind = TRM_SCALAR_DISTANCE;
  for (int side = 0; side < 2; side++)
    scalar->end[side] = trm_system_point(sys->model, &force->end[side]);
}

/* The angle of the second relative to the first, zero as written. */
static void about_angle(const trm_system *sys, const trm_force *force, trm_scalar *scalar) {
  const trm_motion *m = &sys->motion;
  int first = force->end[0].body, second = force->end[1].body;
  *scalar = (trm_scalar){.kind = TRM_SCALAR_ANGLE, .winding = {1, 0, 0}};
  scalar->end[0] = trm_system_axis(first, (double[3]){1, 0, 0});
  scalar->end[1].body = second;
  for (int k = 0; k < m->dim; k++)
    scalar->end[1].u[k] = trm_dot(m->dim, m->frames[second].a[k], m->frames[first].a[0]);
}

static void bind_scalar(trm_system *sys, const trm_force *force, trm_element *e, trm_scalar *own) {
  bool acts_along = e->type == &trm_element_spring || e->type == &trm_element_actuator;
  if (!acts_along) return;
  e->scalar = own;
  if (force->joint >= 0)
    e->scalar = &sys->freedom[2 * force->joint + force->freedom];
  else if (force->type == TRM_FORCE_TORSION_SPRING_DAMPER)
    about_angle(sys, force, own);
  else
    along_distance(sys, force, own);
}

bool trm_system_forces(trm_system *sys) {
  int count = sys->model->force_count;
  sys->elements = TRM_NEW(sys->arena, trm_element, count + 1);
  trm_scalar *scalars = TRM_NEW(sys->arena, trm_scalar, count + 1);
  if (!sys->elements || !scalars) return false;
  for (int i = 0; i < count; i++) {
    const trm_force *force = &sys->model->forces[i];
    trm_element *e = &sys->elements[i];
    e->type = class_of(force->type);
    e->end = trm_system_point(sys->model, &force->end[0]);
    e->body_frame = force->body_frame;
    for (int k = 0; k < 3; k++) e->value[k] = force->value[k];
    e->stiffness = force->stiffness;
    e->damping = force->damping;
    e->free = force->free;
    e->conservative = !force->stiffness.formula && !force->free.formula;
    bind_scalar(sys, force, e, &scalars[i]);
  }
  return true;
}
