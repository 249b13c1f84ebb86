/* Scalar functions of points and directions: value, gradient, rate, bias. */
#include "coordinates/scalar.h"

#include "coordinates/along_axes.h"
#include "coordinates/angle.h"
#include "coordinates/rotation_scalar.h"
#include "coordinates/tilt.h"

/* e = r1 − r0 */
static void gap(const trm_scalar *s, const trm_motion *m, double *e) {
  double r0[3], r1[3];
  trm_position(m, &s->end[0], r0);
  trm_position(m, &s->end[1], r1);
  trm_sub(m->dim, r1, r0, e);
}

static void gap_rate(const trm_scalar *s, const trm_motion *m, double *e) {
  double v0[3], v1[3];
  trm_velocity(m, &s->end[0], v0);
  trm_velocity(m, &s->end[1], v1);
  trm_sub(m->dim, v1, v0, e);
}

static void gap_bias(const trm_scalar *s, const trm_motion *m, double *e) {
  double b0[3], b1[3];
  trm_direction_bias(m, &s->end[0], b0);
  trm_direction_bias(m, &s->end[1], b1);
  trm_sub(m->dim, b1, b0, e);
}

double trm_scalar_value(const trm_scalar *s, const trm_motion *m) {
  double e[3], d[3];
  switch (s->kind) {
  case TRM_SCALAR_COMPONENT: trm_position(m, &s->end[1], e); return e[s->axis] - s->offset;
  case TRM_SCALAR_ANGLE: return trm_angle_value(s, m) - s->offset;
  case TRM_SCALAR_TILT: return trm_tilt_value(s, m) - s->offset;
  case TRM_SCALAR_ROTATION: return trm_rotation_scalar_value(s, m) - s->offset;
  case TRM_SCALAR_DISPLACEMENT:
    gap(s, m, e);
    trm_direction(m, &s->along, d);
    return trm_dot(m->dim, d, e) - s->offset;
  case TRM_SCALAR_SPIN:
  case TRM_SCALAR_BODY_SPEED:
  case TRM_SCALAR_BODY_SPIN:
  case TRM_SCALAR_HEADING_SPEED: return 0;
  case TRM_SCALAR_DISTANCE: break;
  }
  gap(s, m, e);
  return trm_norm(m->dim, e) - s->offset;
}

/* n = e/|e|; the zero vector where the points coincide: no direction, no force along it */
static double unit(int dim, const double *e, double *n) {
  double length = trm_norm(dim, e), scale = length > 0 ? 1 / length : 0;
  n[0] = scale * e[0];
  n[1] = scale * e[1];
  if (dim == 3) n[2] = scale * e[2];
  return length;
}

void trm_scalar_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row0,
                         double *row1) {
  double e[3], d[3], axis[3] = {0, 0, 0};
  switch (s->kind) {
  case TRM_SCALAR_COMPONENT:
    axis[s->axis] = 1;
    trm_row_point(m, &s->end[1], axis, scale, row1);
    return;
  case TRM_SCALAR_ANGLE: trm_angle_gradient(s, m, scale, row0, row1); return;
  case TRM_SCALAR_TILT: trm_tilt_gradient(s, m, scale, row1); return;
  case TRM_SCALAR_ROTATION: trm_rotation_scalar_gradient(s, m, scale, row1); return;
  case TRM_SCALAR_SPIN:
    axis[s->axis] = scale;
    trm_row_spin(m, s->end[1].body, axis, row1);
    return;
  case TRM_SCALAR_BODY_SPEED:
  case TRM_SCALAR_BODY_SPIN:
  case TRM_SCALAR_HEADING_SPEED: trm_along_axes_gradient(s, m, scale, row1); return;
  case TRM_SCALAR_DISPLACEMENT:
    gap(s, m, e);
    trm_direction(m, &s->along, d);
    trm_row_direction(m, &s->along, e, scale, row0);
    break;
  case TRM_SCALAR_DISTANCE:
    gap(s, m, e);
    unit(m->dim, e, d);
    break;
  }
  trm_row_point(m, &s->end[0], d, -scale, row0);
  trm_row_point(m, &s->end[1], d, scale, row1);
}

double trm_scalar_rate(const trm_scalar *s, const trm_motion *m) {
  double e[3], de[3], d[3], dd[3];
  switch (s->kind) {
  case TRM_SCALAR_COMPONENT: trm_velocity(m, &s->end[1], de); return de[s->axis];
  case TRM_SCALAR_ANGLE: return trm_angle_rate(s, m);
  case TRM_SCALAR_TILT: return trm_tilt_rate(s, m);
  case TRM_SCALAR_ROTATION: return trm_rotation_scalar_rate(s, m);
  case TRM_SCALAR_SPIN: trm_spin(m, s->end[1].body, e); return e[s->axis];
  case TRM_SCALAR_BODY_SPEED:
  case TRM_SCALAR_BODY_SPIN:
  case TRM_SCALAR_HEADING_SPEED: return trm_along_axes_rate(s, m);
  case TRM_SCALAR_DISPLACEMENT:
    gap(s, m, e);
    gap_rate(s, m, de);
    trm_direction(m, &s->along, d);
    trm_direction_rate(m, &s->along, dd);
    return trm_dot(m->dim, d, de) + trm_dot(m->dim, dd, e);
  case TRM_SCALAR_DISTANCE: break;
  }
  gap(s, m, e);
  gap_rate(s, m, de);
  unit(m->dim, e, d);
  return trm_dot(m->dim, d, de);
}

void trm_scalar_stretch(const trm_scalar *s, const trm_motion *m, trm_stretch *stretch) {
  double e[3], de[3];
  if (s->kind != TRM_SCALAR_DISTANCE) {
    stretch->value = trm_scalar_value(s, m);
    stretch->rate = trm_scalar_rate(s, m);
    return;
  }
  gap(s, m, e);
  gap_rate(s, m, de);
  stretch->value = unit(m->dim, e, stretch->along);
  stretch->rate = trm_dot(m->dim, stretch->along, de);
}

void trm_stretch_gradient(const trm_scalar *s, const trm_motion *m, const trm_stretch *stretch,
                          double scale, double *row0, double *row1) {
  if (s->kind != TRM_SCALAR_DISTANCE) {
    trm_scalar_gradient(s, m, scale, row0, row1);
    return;
  }
  trm_row_point(m, &s->end[0], stretch->along, -scale, row0);
  trm_row_point(m, &s->end[1], stretch->along, scale, row1);
}

double trm_scalar_bias(const trm_scalar *s, const trm_motion *m) {
  double e[3], de[3], be[3], d[3], dd[3], bd[3];
  switch (s->kind) {
  case TRM_SCALAR_COMPONENT: trm_direction_bias(m, &s->end[1], be); return be[s->axis];
  case TRM_SCALAR_ANGLE: return trm_angle_bias(s, m);
  case TRM_SCALAR_TILT: return trm_tilt_bias(s, m);
  case TRM_SCALAR_ROTATION: return trm_rotation_scalar_bias(s, m);
  case TRM_SCALAR_SPIN: trm_spin_bias(m, s->end[1].body, e); return e[s->axis];
  case TRM_SCALAR_BODY_SPEED:
  case TRM_SCALAR_BODY_SPIN:
  case TRM_SCALAR_HEADING_SPEED: return trm_along_axes_bias(s, m);
  case TRM_SCALAR_DISPLACEMENT:
    gap(s, m, e);
    gap_rate(s, m, de);
    gap_bias(s, m, be);
    trm_direction(m, &s->along, d);
    trm_direction_rate(m, &s->along, dd);
    trm_direction_bias(m, &s->along, bd);
    return trm_dot(m->dim, d, be) + 2 * trm_dot(m->dim, dd, de) + trm_dot(m->dim, bd, e);
  case TRM_SCALAR_DISTANCE: break;
  }
  gap(s, m, e);
  gap_rate(s, m, de);
  gap_bias(s, m, be);
  double length = unit(m->dim, e, d);
  double along = trm_dot(m->dim, d, de);
  double across = trm_dot(m->dim, de, de) - along * along;
  return trm_dot(m->dim, d, be) + (length > 0 ? across / length : 0);
}

/* d·e: both ends against the direction */
static void displacement_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  const trm_motion *m = c->motion;
  trm_lever along, end[2];
  double e[3], d[3];
  gap(s, m, e);
  trm_direction(m, &s->along, d);
  trm_lever_direction(m, &s->along, &along);
  trm_bend(c, &s->along, e, scale);
  for (int side = 0; side < 2; side++) {
    double sign = side ? scale : -scale;
    trm_lever_point(m, &s->end[side], &end[side]);
    trm_bend(c, &s->end[side], d, sign);
    trm_curve_both(c, &along, NULL, &end[side], sign);
  }
}

/* |e|: (1 − n nᵀ)/|e| */
static void distance_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  const trm_motion *m = c->motion;
  trm_lever end[2];
  double e[3], n[3] = {0, 0, 0}, G[3][3] = {{0}};
  gap(s, m, e);
  double length = unit(m->dim, e, n), inverse = length > 0 ? 1 / length : 0;
  trm_add_unit(inverse, G);
  trm_add_outer(n, n, -inverse, G);
  for (int side = 0; side < 2; side++) {
    trm_lever_point(m, &s->end[side], &end[side]);
    trm_bend(c, &s->end[side], n, side ? scale : -scale);
    trm_curve(c, &end[side], G, &end[side], scale);
  }
  trm_curve_both(c, &end[0], G, &end[1], -scale);
}

void trm_scalar_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  double axis[3] = {s->axis == 0, s->axis == 1, s->axis == 2};
  switch (s->kind) {
  case TRM_SCALAR_COMPONENT: trm_bend(c, &s->end[1], axis, scale); return;
  case TRM_SCALAR_ANGLE: trm_angle_curvature(s, scale, c); return;
  case TRM_SCALAR_TILT: trm_tilt_curvature(s, scale, c); return;
  case TRM_SCALAR_ROTATION: trm_rotation_scalar_curvature(s, scale, c); return;
  case TRM_SCALAR_DISPLACEMENT: displacement_curvature(s, scale, c); return;
  case TRM_SCALAR_DISTANCE: distance_curvature(s, scale, c); return;
  case TRM_SCALAR_SPIN: trm_bend_spin(c, s->end[1].body, axis, scale); return;
  case TRM_SCALAR_BODY_SPEED:
  case TRM_SCALAR_BODY_SPIN:
  case TRM_SCALAR_HEADING_SPEED: trm_along_axes_curvature(s, scale, c); return;
  }
}

void trm_scalar_wrench(const trm_scalar *s, const trm_motion *m, double force[3],
                       double torque[3]) {
  double e[3];
  for (int i = 0; i < 3; i++) force[i] = torque[i] = 0;
  switch (s->kind) {
  case TRM_SCALAR_COMPONENT: force[s->axis] = 1; return;
  case TRM_SCALAR_SPIN: torque[s->axis] = 1; return;
  case TRM_SCALAR_BODY_SPEED:
  case TRM_SCALAR_BODY_SPIN:
  case TRM_SCALAR_HEADING_SPEED: trm_along_axes_wrench(s, m, force, torque); return;
  case TRM_SCALAR_ANGLE: trm_angle_axis(s, m, torque); return;
  case TRM_SCALAR_TILT: trm_tilt_axis(s, m, torque); return;
  case TRM_SCALAR_ROTATION: trm_rotation_scalar_axis(s, m, torque); return;
  case TRM_SCALAR_DISPLACEMENT: trm_direction(m, &s->along, force); return;
  case TRM_SCALAR_DISTANCE:
    gap(s, m, e);
    unit(m->dim, e, force);
    return;
  }
}

double trm_scalar_accept(trm_scalar *scalar, const trm_motion *motion) {
  return scalar->kind == TRM_SCALAR_ANGLE ? trm_angle_accept(scalar, motion) : 1;
}
