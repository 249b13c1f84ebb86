/* Euler angles: the outer ones are directions of one axis seen along another, the middle one is how
 * far an axis leans. With the body's axes b, the global ones e, and ε the sign of the sequence
 * i, j, l, where l is the third axis (k, or where k = i the one left over):
 *
 *     i, j, k different:  α = atan2(−ε b_k·e_j, b_k·e_k)   β = asin(ε b_k·e_i)
 *                         γ = atan2(−ε b_j·e_i, b_i·e_i)
 *     k = i:              α = atan2(b_i·e_j, −ε b_i·e_l)   β = acos(b_i·e_i)
 *                         γ = atan2(b_j·e_i, ε b_l·e_i) */
#include "system/euler.h"

#include <stdio.h>

#include "coordinates/angle.h"
#include "coordinates/tilt.h"

#define HALF_PI 1.5707963267948966
#define NEXT_TO 0.3 /* radians: so far a step goes over a singular orientation */

static trm_marker axis_of(const trm_system *sys, int body, int axis, double sign) {
  double u[3] = {0, 0, 0};
  if (axis >= 0) u[axis] = sign;
  return trm_system_axis(sys, body, u); /* −1: none, a vector of no length */
}

/* atan2(sine, cosine) of products of one side's vectors with the other's. */
static trm_scalar direction_of(const trm_system *sys, const trm_marker first[2],
                               const trm_marker second[2]) {
  trm_scalar s = {
      .kind = TRM_SCALAR_ANGLE, .end = {first[0], second[0]}, .across = {first[1], second[1]}};
  trm_angle_turn(&s, &sys->motion, &s.winding.x, &s.winding.y);
  return s;
}

trm_scalar trm_system_euler(const trm_system *sys, int body, const int sequence[3], int component) {
  int i = sequence[0], j = sequence[1], k = sequence[2], l = 3 - i - j;
  double sign = (j - i + 3) % 3 == 1 ? 1 : -1;
  bool proper = k == i;
  if (component == 1) {
    trm_scalar s = {.kind = TRM_SCALAR_TILT, .axis = i, .end = {{.body = TRM_GROUND}}};
    s.end[1] = axis_of(sys, body, k, proper ? -1 : sign);
    s.offset = proper ? -HALF_PI : 0;
    return s;
  }
  if (component == 0) {
    const trm_marker ground[2] = {axis_of(sys, TRM_GROUND, l, proper ? -sign : 1),
                                  axis_of(sys, TRM_GROUND, j, proper ? 1 : -sign)};
    const trm_marker own[2] = {axis_of(sys, body, k, 1), axis_of(sys, body, -1, 0)};
    return direction_of(sys, ground, own);
  }
  const trm_marker ground[2] = {axis_of(sys, TRM_GROUND, i, 1), axis_of(sys, TRM_GROUND, -1, 0)};
  const trm_marker own[2] = {axis_of(sys, body, proper ? l : i, proper ? sign : 1),
                             axis_of(sys, body, j, proper ? -1 : sign)};
  return direction_of(sys, ground, own);
}

/* There the outer angles have no direction, and the middle one turns back. */
static bool is_lost(const trm_scalar *s, const trm_motion *m, double within) {
  double x, y;
  if (s->kind == TRM_SCALAR_TILT) return HALF_PI - fabs(trm_tilt_value(s, m)) < within;
  trm_angle_turn(s, m, &x, &y);
  return hypot(x, y) < within;
}

static bool is_driven(const trm_primitive *p) {
  return p->modulo && p->joint >= 0;
}

static bool fail(trm_system *sys, const trm_primitive *p) {
  return !trm_system_fail(sys, sys->t,
                          "joint '%s': the body comes to the singular orientation of this sequence "
                          "of angles, where the second is at its end and the others have no value: "
                          "drive it by another sequence",
                          sys->model->joints[p->joint].name);
}

bool trm_euler_fails(trm_system *sys, const trm_primitive *p, double within) {
  return is_driven(p) && is_lost(p->term[0], &sys->motion, within) && fail(sys, p);
}

bool trm_euler_is_behind(trm_system *sys, const trm_primitive *p) {
  double off = 0;
  if (!is_driven(p) || !(sys->motion.since > 0) || !is_lost(p->term[0], &sys->motion, NEXT_TO))
    return false;
  p->type->position(p, &sys->motion, &off);
  return fabs(off) > HALF_PI && fail(sys, p);
}

bool trm_euler_turns_back(trm_system *sys, const trm_primitive *p) {
  return is_driven(p) && p->term[0]->kind == TRM_SCALAR_ANGLE &&
         trm_angle_turns_back(p->term[0], &sys->motion) && fail(sys, p);
}
