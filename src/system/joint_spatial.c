/* The joints of space: positions, perpendicular directions, points on lines and planes. */
#include "math/rotation.h"
#include "system/builder.h"

/* A right-handed triad as written, global: n along the joint's axis on one side, e and f across it.
 */
typedef struct triad {
  double e[3], f[3], n[3];
} triad;

static triad triad_of(const trm_builder *b, const trm_joint *j, int side) {
  triad t;
  trm_marker axis = trm_system_axis(b->sys, j->end[side].body, j->axis[side]);
  trm_direction(&b->sys->motion, &axis, t.n);
  if (trm_norm(3, t.n) == 0) return (triad){{0}, {0}, {0}}; /* a joint without axes */
  trm_find_across(t.n, t.e);
  trm_cross(t.n, t.e, t.f);
  return t;
}

/* The second's axis stays across e and f of the first: parallel to the first's. */
static void keep_parallel(trm_builder *b, const triad *t, const double second[3]) {
  trm_build_perpendicular(b, t->e, second);
  trm_build_perpendicular(b, t->f, second);
}

/* The triads of both sides stay the same. */
static void keep_orientation(trm_builder *b, const triad *first, const triad *second) {
  trm_build_perpendicular(b, first->e, second->f);
  trm_build_perpendicular(b, first->f, second->n);
  trm_build_perpendicular(b, first->n, second->e);
}

/* A triad turned by the shortest way to another axis, or for sign −1 to its opposite. */
static triad turned_to(const triad *t, const double axis[3], double sign) {
  triad to = *t;
  double *vectors[3] = {to.e, to.f, to.n};
  const double end[3] = {sign * axis[0], sign * axis[1], sign * axis[2]};
  for (int k = 0; k < 3; k++) trm_turn_along(t->n, end, vectors[k]);
  return to;
}

static void keep_on_line(trm_builder *b, const triad *t) {
  trm_build_slide(b, t->e, 0);
  trm_build_slide(b, t->f, 0);
}

/* The twist of the second about the first's axis n0 stays as written, whatever the bend: its rate
 * is (n0 + n1)·(ω1 − ω0)/(1 + n0·n1), so shafts along n0 and n1 turn at the same rate (angle.c). */
static void keep_twist(trm_builder *b, const triad *t, const double axis[3]) {
  const triad side[2] = {*t, turned_to(t, axis, 1)};
  const trm_joint *j = &b->sys->model->joints[b->joint];
  trm_scalar s = {.kind = TRM_SCALAR_ANGLE, .winding = {1, 0, 0, 0}};
  for (int k = 0; k < 2; k++) {
    s.end[k].body = s.across[k].body = j->end[k].body;
    trm_build_localize(&b->sys->motion, j->end[k].body, side[k].e, s.end[k].u);
    trm_build_localize(&b->sys->motion, j->end[k].body, side[k].f, s.across[k].u);
  }
  trm_build_scalar(b, trm_build_sum(b, 1), &s, 1);
}

static void coincide(trm_builder *b) {
  trm_build_pair(b, &trm_primitive_position, 3);
}

/* displacement − pitch/(2π) angle = 0 */
static void advance(trm_builder *b, const trm_joint *j) {
  trm_measure travel = {.kind = TRM_MEASURE_FREEDOM, .index = b->joint, .component = 1};
  trm_measure turn = {.kind = TRM_MEASURE_FREEDOM, .index = b->joint, .component = 0};
  trm_primitive *p = trm_build_sum(b, 2);
  trm_build_term(b, p, &travel, 1);
  trm_build_term(b, p, &turn, -j->pitch / 6.283185307179586476925);
}

/* Contact at position level, no slip at velocity level in two directions carried by the first. */
static void roll(trm_builder *b, const trm_joint *j, const triad *t) {
  const trm_motion *m = &b->sys->motion;
  const trm_primitive_class *types[3] = {&trm_primitive_contact, &trm_primitive_no_slip,
                                         &trm_primitive_no_slip};
  const double *vectors[3] = {t->n, t->e, t->f};
  double r0[3], r1[3], e[3], side = 0;
  for (int k = 0; k < 3; k++) {
    trm_primitive *p = trm_build_pair(b, types[k], 1);
    trm_position(m, &p->end[0], r0);
    trm_position(m, &p->end[1], r1);
    trm_sub(3, r1, r0, e);
    side = trm_dot(3, t->n, e) > 0 ? 1 : -1;
    p->radius = j->radius;
    p->disc = j->disc;
    for (int i = 0; i < 3; i++) e[i] = side * t->n[i]; /* the normal points to the rolling body */
    p->normal.body = p->direction[0].body = p->end[0].body;
    trm_build_localize(m, p->end[0].body, e, p->normal.u);
    trm_build_localize(m, p->end[0].body, vectors[k], p->direction[0].u);
    p->direction[1] = trm_system_axis(b->sys, p->end[1].body, j->axis[1]);
    b->sys->rate_only[p - b->sys->primitives] = k > 0;
  }
}

void trm_build_spatial(trm_builder *b, const trm_joint *j) {
  triad t = triad_of(b, j, 0), u = triad_of(b, j, 1);
  switch (j->type) {
  case TRM_JOINT_SPHERICAL: coincide(b); break;
  case TRM_JOINT_SHAFT:
  case TRM_JOINT_REVOLUTE: coincide(b), keep_parallel(b, &t, u.n); break;
  case TRM_JOINT_UNIVERSAL: coincide(b), trm_build_perpendicular(b, t.n, u.n); break;
  case TRM_JOINT_CONSTANT_VELOCITY: coincide(b), keep_twist(b, &t, u.n); break;
  case TRM_JOINT_HALF_SHAFT: keep_twist(b, &t, u.n); break;
  case TRM_JOINT_CYLINDRICAL: keep_on_line(b, &t), keep_parallel(b, &t, u.n); break;
  case TRM_JOINT_PRISMATIC: {
    triad second = turned_to(&t, u.n, trm_dot(3, t.n, u.n) < 0 ? -1 : 1);
    keep_on_line(b, &t), keep_orientation(b, &t, &second);
    break;
  }
  case TRM_JOINT_SCREW:
    keep_on_line(b, &t), keep_parallel(b, &t, u.n);
    advance(b, j);
    break;
  case TRM_JOINT_RIGID: {
    triad basis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    trm_build_weld_points(b);
    keep_orientation(b, &basis, &basis);
    break;
  }
  case TRM_JOINT_PLANAR: trm_build_slide(b, t.n, 0), keep_parallel(b, &t, u.n); break;
  case TRM_JOINT_POINT_ON_PLANE: trm_build_slide(b, t.n, 0); break;
  case TRM_JOINT_POINT_ON_LINE: keep_on_line(b, &t); break;
  case TRM_JOINT_PARALLEL: keep_parallel(b, &t, u.n); break;
  case TRM_JOINT_PERPENDICULAR: trm_build_perpendicular(b, t.n, u.n); break;
  case TRM_JOINT_DISTANCE:
    trm_build_law(b, trm_build_pair(b, &trm_primitive_distance, 1), &j->value);
    break;
  case TRM_JOINT_ROLLING: roll(b, j, &t); break;
  default: trm_build_relation(b, j); break; /* coordinate, gear, driver */
  }
}
