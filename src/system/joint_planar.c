/* The joints of the plane, 000 sec. 3 and 002 Table 1. */
#include "system/builder.h"

/* One side's axis as written, and its perpendicular, in global components. */
static void axis_of(const trm_builder *b, const trm_joint *j, int side, double t[3], double n[3]) {
  trm_marker axis = trm_system_axis(b->sys, j->end[side].body, j->axis[side]);
  trm_direction(&b->sys->motion, &axis, t);
  n[0] = -t[1];
  n[1] = t[0];
  t[2] = n[2] = 0;
}

/* The centre stays at `radius` from the line, on the side where it is as written, and moves by
 * −radius × angle along it (on the left side of the axis): no slip, integrated. */
static void roll(trm_builder *b, const trm_joint *j) {
  const trm_motion *m = &b->sys->motion;
  double t[3], n[3], r0[3], r1[3], e[3];
  axis_of(b, j, 0, t, n);
  trm_primitive *contact = trm_build_slide(b, n, 0);
  trm_position(m, &contact->end[0], r0);
  trm_position(m, &contact->end[1], r1);
  trm_sub(2, r1, r0, e);
  double side = trm_dot(2, n, e) > 0 ? 1 : -1;
  contact->value = -side * j->radius;
  trm_measure travel = {.kind = TRM_MEASURE_FREEDOM, .index = b->joint, .component = 1};
  trm_measure turn = {.kind = TRM_MEASURE_FREEDOM, .index = b->joint, .component = 0};
  trm_primitive *p = trm_build_sum(b, 2);
  trm_build_term(b, p, &travel, 1);
  trm_build_term(b, p, &turn, side * j->radius);
}

/* The second's point keeps the coordinate across the axis that it has as written. */
static void keep_coordinate(trm_builder *b, const trm_joint *j) {
  int coordinate = fabs(j->axis[1][0]) > fabs(j->axis[1][1]) ? 1 : 0;
  trm_measure measure = {.kind = TRM_MEASURE_POINT, .end = j->end[1], .component = coordinate};
  trm_primitive *p = trm_build_sum(b, 1);
  trm_build_term(b, p, &measure, 1);
  if (!b->failed) p->value = trm_scalar_value(p->term[0], &b->sys->motion);
  p->end[1] = trm_system_point(b->sys, &j->end[1]);
}

void trm_build_planar(trm_builder *b, const trm_joint *j) {
  double t[3] = {1, 0, 0}, n[3] = {0, 1, 0};
  switch (j->type) {
  case TRM_JOINT_SHAFT:
  case TRM_JOINT_REVOLUTE: trm_build_pair(b, &trm_primitive_position, 2); break;
  case TRM_JOINT_PRISMATIC: {
    double second[3], across[3];
    axis_of(b, j, 0, t, n);
    axis_of(b, j, 1, second, across);
    trm_build_perpendicular(b, t, across);
    trm_build_slide(b, n, 0);
    break;
  }
  case TRM_JOINT_RIGID:
    trm_build_weld_points(b);
    trm_build_perpendicular(b, t, n);
    break;
  case TRM_JOINT_POINT_ON_LINE:
    axis_of(b, j, 0, t, n);
    trm_build_slide(b, n, 0);
    break;
  case TRM_JOINT_ROLLER: keep_coordinate(b, j); break;
  case TRM_JOINT_DISTANCE:
    trm_build_law(b, trm_build_pair(b, &trm_primitive_distance, 1), &j->value);
    break;
  case TRM_JOINT_ROLLING: roll(b, j); break;
  default: trm_build_relation(b, j); break; /* coordinate, gear, driver */
  }
}
