/* Rotation vectors as they are driven. The law says by how much more than half a turn a body has
 * turned, so that nothing needs to be counted. */
#include "system/rotation_driver.h"

#include "coordinates/rotation_scalar.h"

#define FULL_TURN 6.283185307179586476925286766559

trm_scalar trm_system_rotation(const trm_system *sys, int body, int component) {
  return (trm_scalar){
      .kind = TRM_SCALAR_ROTATION,
      .axis = component,
      .end = {{.body = TRM_GROUND}, trm_system_axis(sys, body, (double[3]){1})},
      .across = {{.body = TRM_GROUND}, trm_system_axis(sys, body, (double[3]){0, 1})},
      .along = trm_system_axis(sys, body, (double[3]){0, 0, 1}),
      .near = sys->rotation[body]};
}

void trm_rotation_take(trm_system *sys, const trm_primitive *p) {
  if (!trm_drives_rotation(p)) return;
  const trm_scalar *s = p->term[0];
  sys->rotation[s->end[1].body][s->axis] = p->value;
}

bool trm_rotation_fails(trm_system *sys, const trm_primitive *p, double within) {
  if (!trm_drives_rotation(p)) return false;
  const trm_scalar *s = p->term[0];
  bool full = !(trm_norm(3, s->near) < FULL_TURN - within);
  if (!full && !trm_rotation_scalar_is_lost(s, &sys->motion)) return false;
  const char *why = full ? "the rotation vector comes to a full turn, where its direction has no "
                           "meaning: keep it shorter, or drive angles of a sequence of axes"
                         : "the body is half a turn away from where it is driven to, and both ways "
                           "are as long: write its orientation nearer to it";
  return !trm_system_fail(sys, sys->t, "joint '%s': %s", sys->model->joints[p->joint].name, why);
}
