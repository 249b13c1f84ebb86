/* Force elements of a model, bound to scalars and points. */
#include "system/builder.h"

static const trm_element_class *class_of(const trm_force *force) {
  if (force->own) return force->own;
  switch (force->type) {
  case TRM_FORCE_FORCE: return &trm_element_force;
  case TRM_FORCE_TORQUE: return &trm_element_torque;
  case TRM_FORCE_SPRING_DAMPER:
  case TRM_FORCE_TORSION_SPRING_DAMPER: return &trm_element_spring;
  case TRM_FORCE_BUSHING: return &trm_element_bushing;
  case TRM_FORCE_LOAD: return &trm_element_load;
  case TRM_FORCE_TIRE: return &trm_element_tire;
  case TRM_FORCE_ACTUATOR: break;
  }
  return &trm_element_actuator;
}

static void along_distance(const trm_system *sys, const trm_force *force, trm_scalar *scalar) {
  scalar->kind = TRM_SCALAR_DISTANCE;
  for (int side = 0; side < 2; side++) scalar->end[side] = trm_system_point(sys, &force->end[side]);
}

static void bind_scalar(trm_system *sys, const trm_force *force, trm_element *e,
                        trm_scalar *scalar) {
  bool acts_along = force->type == TRM_FORCE_SPRING_DAMPER || force->type == TRM_FORCE_ACTUATOR ||
                    force->type == TRM_FORCE_TORSION_SPRING_DAMPER;
  if (!acts_along) return;
  e->scalar = scalar;
  if (force->joint >= 0)
    e->scalar = &sys->freedom[2 * force->joint + force->freedom];
  else if (force->type == TRM_FORCE_TORSION_SPRING_DAMPER)
    trm_system_angle(sys, force->end[0].body, force->end[1].body, force->axis, scalar);
  else
    along_distance(sys, force, scalar);
  if (force->against >= 0) e->against = &sys->freedom[2 * force->against];
}

/* In the plane the rotation is one counted angle, as it is where a planar model is put in space. */
static bool bind_bushing(trm_system *sys, const trm_force *force, trm_element *e,
                         trm_scalar *scalar) {
  const trm_motion *m = &sys->motion;
  trm_mount *mount = TRM_NEW(sys->arena, trm_mount, 1);
  if (!mount) return false;
  int first = force->end[0].body, second = force->end[1].body;
  for (int side = 0; side < 2; side++) mount->end[side] = trm_system_point(sys, &force->end[side]);
  for (int k = 0; k < m->dim; k++) {
    double d[3];
    mount->axis[0][k] = trm_system_axis(sys, first, force->bushing->axes[k]);
    trm_direction(m, &mount->axis[0][k], d);
    mount->axis[1][k].body = second;
    trm_build_localize(m, second, d, mount->axis[1][k].u);
  }
  mount->K = force->bushing->K;
  mount->D = force->bushing->D;
  mount->preload = force->bushing->preload;
  e->mount = mount;
  e->turned[0] = 1; /* not at all, as written */
  if (m->dim == 3 && !sys->model->embedded) return true;
  trm_system_angle(sys, first, second, (double[3]){0, 0, 1}, scalar);
  e->scalar = scalar;
  return true;
}

static bool bind_tire(trm_system *sys, const trm_force *force, trm_element *e) {
  const trm_ground_form *surface = &sys->model->road;
  trm_rolling *rolling = e->rolling = TRM_NEW(sys->arena, trm_rolling, 1);
  if (!rolling) return false;
  bool flat = !surface->height.formula && surface->height.number == 0 &&
              !surface->friction.formula && surface->friction.number == 1;
  rolling->tire = force->tire;
  rolling->side = force->side;
  rolling->surface = surface;
  rolling->road = (trm_road){flat ? NULL : trm_road_at, surface};
  e->axis[0] = trm_system_axis(sys, e->end.body, force->axis);
  return true;
}

bool trm_system_forces(trm_system *sys) {
  int count = sys->model->force_count;
  sys->elements = TRM_NEW(sys->arena, trm_element, count + 1);
  trm_scalar *scalars = TRM_NEW(sys->arena, trm_scalar, count + 1);
  if (!sys->elements || !scalars) return false;
  for (int i = 0; i < count; i++) {
    const trm_force *force = &sys->model->forces[i];
    trm_element *e = &sys->elements[i];
    e->type = class_of(force);
    bool load = force->type == TRM_FORCE_LOAD;
    e->from = trm_system_point(sys, &force->end[0]);
    e->end = load ? trm_system_point(sys, &force->end[1]) : e->from;
    for (int k = 0; k < 3; k++)
      e->axis[k] = trm_system_axis(sys, load || force->body_frame ? e->from.body : TRM_GROUND,
                                   (double[3]){k == 0, k == 1, k == 2});
    for (int k = 0; k < TRM_MOST_VALUES; k++) e->value[k] = force->value[k];
    e->stiffness = force->stiffness;
    e->damping = force->damping;
    e->free = force->free;
    e->conservative = !force->stiffness.formula && !force->free.formula;
    e->first_state = sys->states;
    sys->states += e->type->states;
    bind_scalar(sys, force, e, &scalars[i]);
    if (e->type == &trm_element_tire && !bind_tire(sys, force, e)) return false;
    if (e->type == &trm_element_bushing && !bind_bushing(sys, force, e, &scalars[i])) return false;
  }
  return true;
}
