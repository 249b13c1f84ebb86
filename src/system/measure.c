/* Measures: physical quantities, the same names and values in every formulation. */
#include <string.h>

#include "force/bushing.h"
#include "system/cardan.h"
#include "system/euler.h"
#include "system/mechanism.h"
#include "system/rotation_driver.h"
#include "system/tree.h"

static trm_scalar along_axes(const trm_system *sys, const trm_measure *measure) {
  bool heading = measure->kind == TRM_MEASURE_HEADING, spin = measure->component > 2;
  int axis = heading ? 0 : measure->component % 3;
  return (trm_scalar){
      .kind = heading ? TRM_SCALAR_HEADING_SPEED
              : spin  ? TRM_SCALAR_BODY_SPIN
                      : TRM_SCALAR_BODY_SPEED,
      .axis = measure->component,
      .end = {{.body = TRM_GROUND}, trm_system_point(sys, &measure->end)},
      .along = trm_system_axis(sys, measure->index, (double[3]){axis == 0, axis == 1, axis == 2})};
}

trm_scalar trm_system_scalar(const trm_system *sys, const trm_measure *measure) {
  trm_scalar s = {.kind = TRM_SCALAR_COMPONENT, .axis = measure->component};
  switch (measure->kind) {
  case TRM_MEASURE_ANGLE: return sys->body_angle[measure->index];
  case TRM_MEASURE_ORIENTATION:
    s.kind = TRM_SCALAR_SPIN;
    s.end[0].body = TRM_GROUND;
    s.end[1].body = measure->index;
    return s;
  case TRM_MEASURE_FREEDOM: return sys->freedom[2 * measure->index + measure->component];
  case TRM_MEASURE_CARDAN: /* yaw, pitch and roll are the angles of z, y, x */
    return trm_system_euler(sys, measure->index, (const int[3]){2, 1, 0}, 2 - measure->component);
  case TRM_MEASURE_EULER: {
    int code = measure->component / 3;
    const int sequence[3] = {code / 9, code / 3 % 3, code % 3};
    return trm_system_euler(sys, measure->index, sequence, measure->component % 3);
  }
  case TRM_MEASURE_ROTATION: return trm_system_rotation(sys, measure->index, measure->component);
  case TRM_MEASURE_BODY_AXES:
  case TRM_MEASURE_HEADING: return along_axes(sys, measure);
  default:
    s.end[0].body = TRM_GROUND;
    s.end[1] = trm_system_point(sys, &measure->end);
    return s;
  }
}

/* ẍ and Ä of a body, from q̈ */
static void accelerate(const trm_system *sys, int body, trm_reading *r) {
  const trm_motion *m = &sys->motion;
  const trm_coordinates *co = m->coordinates;
  trm_frame *f = &m->frames[body];
  if (r->body == body) return;
  r->body = body;
  memset(r->ddx, 0, sizeof r->ddx);
  memset(r->dda, 0, sizeof r->dda);
  if (body < 0) return;
  const double *a = (sys->spanning ? sys->spanning->motion : sys->a) + body * co->nq;
  for (int i = 0; i < co->dim; i++) r->ddx[i] = a[i];
  trm_axes_rates(co, trm_motion_q(m, body), f->a, a, r->dda);
  for (int k = 0; k < 9; k++) r->dda[k / 3][k % 3] += f->dda[k / 3][k % 3];
}

static void point_measure(const trm_system *sys, const trm_measure *measure, trm_reading *r) {
  const trm_motion *m = &sys->motion;
  int body = measure->end.body;
  trm_frame *f = &m->frames[body];
  double u[3];
  trm_system_arm(sys, &measure->end, u);
  switch (measure->level) {
  case 0:
    trm_carry(m->dim, f->a, u, r->parts);
    trm_add(m->dim, f->x, r->parts);
    return;
  case 1:
    trm_carry(m->dim, f->da, u, r->parts);
    trm_add(m->dim, f->v, r->parts);
    return;
  default:
    accelerate(sys, body, r);
    trm_carry(m->dim, r->dda, u, r->parts);
    trm_add(m->dim, r->ddx, r->parts);
  }
}

/* ω or its derivative */
static void spin_measure(const trm_system *sys, const trm_measure *measure, trm_reading *r) {
  const trm_motion *m = &sys->motion;
  int body = measure->index;
  if (measure->level == 1) {
    trm_spin(m, body, r->parts);
    return;
  }
  accelerate(sys, body, r);
  trm_spin_of(m->dim, m->frames[body].a, r->dda, r->parts);
}

static void angle_measure(const trm_system *sys, const trm_measure *measure, trm_reading *r) {
  if (measure->level > 0) spin_measure(sys, measure, r);
  r->parts[0] = measure->level > 0
                    ? r->parts[2]
                    : trm_scalar_value(&sys->body_angle[measure->index], &sys->motion);
}

/* Velocity or acceleration of the origin and angular velocity along the body's axes. */
static void body_axes_measure(const trm_system *sys, const trm_measure *measure, trm_reading *r) {
  const trm_motion *m = &sys->motion;
  double spin[3], moved[3];
  point_measure(sys, measure, r);
  memcpy(moved, r->parts, sizeof moved);
  trm_spin(m, measure->index, spin);
  for (int k = 0; k < m->dim; k++) {
    const trm_marker axis =
        trm_system_axis(sys, measure->index, (double[3]){k == 0, k == 1, k == 2});
    double d[3];
    trm_direction(m, &axis, d);
    r->parts[k] = trm_dot(m->dim, d, moved);
    r->parts[3 + k] = trm_dot(m->dim, d, spin);
  }
}

static void heading_measure(const trm_system *sys, const trm_measure *measure, trm_reading *r) {
  const trm_marker axis = trm_system_axis(sys, measure->index, (double[3]){1, 0, 0});
  double a[3];
  trm_direction(&sys->motion, &axis, a);
  point_measure(sys, measure, r);
  double x = r->parts[0], y = r->parts[1], length = hypot(a[0], a[1]);
  r->parts[0] = (a[0] * x + a[1] * y) / length;
  r->parts[1] = (a[0] * y - a[1] * x) / length;
}

static double freedom_measure(const trm_system *sys, const trm_measure *measure) {
  const trm_scalar *s = &sys->freedom[2 * measure->index + measure->component];
  return measure->level ? trm_scalar_rate(s, &sys->motion) : trm_scalar_value(s, &sys->motion);
}

/* Force and torque on the second body at its joint point; the primitives of a joint share that
 * point. */
static void reaction(const trm_system *sys, int joint, double parts[8]) {
  if (trm_tree_holds(sys, joint)) trm_tree_reaction(sys, joint, parts);
  for (int i = sys->first_primitive[joint]; i < sys->first_primitive[joint + 1]; i++) {
    const trm_primitive *p = &sys->primitives[i];
    p->type->reaction(p, &sys->motion, sys->lambda + p->row, parts, parts + 3);
  }
  if (sys->model->joints[joint].type == TRM_JOINT_ROLLING)
    for (int k = 3; k < 6; k++) parts[k] = 0;
  parts[6] = trm_norm(3, parts);
  parts[7] = trm_norm(3, parts + 3);
}

/* The relation is a joint's last primitive: all of a driver, the end of a screw. */
static double effort(const trm_system *sys, int joint) {
  if (trm_tree_holds(sys, joint)) return trm_tree_effort(sys, joint);
  return -sys->lambda[sys->primitives[sys->first_primitive[joint + 1] - 1].row];
}

static double element_measure(const trm_system *sys, const trm_measure *measure) {
  const trm_element *e = &sys->elements[measure->index];
  bool torsion = sys->model->forces[measure->index].type == TRM_FORCE_TORSION_SPRING_DAMPER;
  if (measure->level == 0) return trm_element_value(e, &sys->motion);
  if (measure->level == 1) return trm_element_rate(e, &sys->motion);
  return torsion ? -e->effort : e->effort; /* a torsion spring's torque is the one on the second */
}

static void wrench(const trm_system *sys, int force, double parts[6]) {
  const trm_element *e = &sys->elements[force];
  e->type->wrench(e, &sys->motion, sys->slots, parts);
}

/* Of a body at a place that moves with it. */
static void velocity_at(const trm_motion *m, int body, const double r[3], double v[3]) {
  const trm_frame *f = &m->frames[body];
  double w[3], arm[3] = {0};
  trm_spin(m, body, w);
  trm_sub(m->dim, r, f->x, arm);
  trm_cross(w, arm, v);
  trm_add(m->dim, f->v, v);
}

/* What force and torque on the second body, and their opposites at the same place on the first, do
 * to the two. */
static double wrench_power(const trm_system *sys, int force) {
  const trm_element *e = &sys->elements[force];
  const trm_motion *m = &sys->motion;
  bool load = sys->model->forces[force].type == TRM_FORCE_LOAD;
  int first = e->mount ? e->mount->end[0].body : load ? e->from.body : TRM_GROUND;
  const trm_marker *second = e->mount ? &e->mount->end[1] : &e->end;
  double parts[6] = {0}, r[3] = {0}, v[2][3], w[2][3];
  wrench(sys, force, parts);
  trm_position(m, second, r);
  velocity_at(m, first, r, v[0]);
  velocity_at(m, second->body, r, v[1]);
  trm_spin(m, first, w[0]);
  trm_spin(m, second->body, w[1]);
  return trm_dot(m->dim, parts, v[1]) - trm_dot(m->dim, parts, v[0]) + trm_dot(3, parts + 3, w[1]) -
         trm_dot(3, parts + 3, w[0]);
}

/* Power that an element gives to the bodies, and the energy that it stores. */
static void power_measure(const trm_system *sys, int force, double parts[2]) {
  const trm_element *e = &sys->elements[force];
  if (e->type->wrench)
    parts[0] = wrench_power(sys, force);
  else /* an actuator pushes, a spring pulls */
    parts[0] = (e->type == &trm_element_actuator ? e->effort : -e->effort) *
               trm_element_rate(e, &sys->motion);
  parts[1] = e->type->potential ? e->type->potential(e, &sys->motion) : 0;
}

void trm_mechanism_measure(const trm_system *sys, const trm_measure *measure,
                           trm_reading *reading) {
  double *parts = reading->parts, *one = &parts[measure->component];
  switch (measure->kind) {
  case TRM_MEASURE_POINT: point_measure(sys, measure, reading); return;
  case TRM_MEASURE_ANGLE: angle_measure(sys, measure, reading); return;
  case TRM_MEASURE_ORIENTATION:
    if (measure->level == 0)
      trm_system_orientation(sys, measure->index, parts);
    else
      spin_measure(sys, measure, reading);
    return;
  case TRM_MEASURE_FREEDOM: *one = freedom_measure(sys, measure); return;
  case TRM_MEASURE_REACTION: reaction(sys, measure->index, parts); return;
  case TRM_MEASURE_EFFORT: *one = effort(sys, measure->index); return;
  case TRM_MEASURE_ELEMENT: *one = element_measure(sys, measure); return;
  case TRM_MEASURE_CARDAN: trm_system_cardan(sys, measure->index, parts); return;
  case TRM_MEASURE_BODY_AXES: body_axes_measure(sys, measure, reading); return;
  case TRM_MEASURE_HEADING: heading_measure(sys, measure, reading); return;
  case TRM_MEASURE_DEFLECTION:
    trm_bushing_deflection(&sys->elements[measure->index], &sys->motion, parts);
    return;
  case TRM_MEASURE_TIRE:
    memcpy(parts, sys->elements[measure->index].rolling->action.measure,
           TRM_WHEEL_MEASURES * sizeof *parts);
    return;
  case TRM_MEASURE_WRENCH: wrench(sys, measure->index, parts); return;
  case TRM_MEASURE_POWER: power_measure(sys, measure->index, parts); return;
  case TRM_MEASURE_KINETIC: *one = trm_system_body_kinetic(sys, measure->index); return;
  case TRM_MEASURE_SIGNAL: *one = sys->slots[sys->model->signals[measure->index].slot]; return;
  case TRM_MEASURE_STATE_RATE:
    *one = sys->slots[sys->model->signals[measure->index].rate_slot];
    return;
  case TRM_MEASURE_EVENT:
    parts[0] = sys->event_records[measure->index].count;
    parts[1] = sys->event_records[measure->index].time;
    return;
  case TRM_MEASURE_MOMENTUM: trm_system_momentum(sys, parts, parts + 3); return;
  default: return; /* every system has the others; a mechanism has no more */
  }
}
