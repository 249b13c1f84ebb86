/* Measures: physical quantities, the same names and values in every formulation. */
#include "system/mechanism.h"

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
  default:
    s.end[0].body = TRM_GROUND;
    s.end[1] = trm_system_point(sys, &measure->end);
    return s;
  }
}

/* ẍ and Ä u of a body, from q̈ */
static void second_rates(const trm_system *sys, int body, double ddx[3], double dda[3][3]) {
  const trm_motion *m = &sys->motion;
  const trm_coordinates *co = m->coordinates;
  trm_frame *f = &m->frames[body];
  for (int i = 0; i < 3; i++) ddx[i] = 0;
  for (int k = 0; k < 9; k++) dda[k / 3][k % 3] = 0;
  if (body < 0) return;
  const double *a = sys->a + body * co->nq;
  for (int i = 0; i < co->dim; i++) ddx[i] = a[i];
  trm_axes_rates(co, trm_motion_q(m, body), f->a, a, dda);
  for (int k = 0; k < 9; k++) dda[k / 3][k % 3] += f->dda[k / 3][k % 3];
}

static double point_measure(const trm_system *sys, const trm_measure *measure) {
  const trm_motion *m = &sys->motion;
  trm_marker p = trm_system_point(sys, &measure->end);
  double x[3] = {0, 0, 0}, ddx[3], dda[3][3];
  if (measure->level == 0) trm_position(m, &p, x);
  if (measure->level == 1) trm_velocity(m, &p, x);
  if (measure->level == 2) {
    second_rates(sys, p.body, ddx, dda);
    trm_carry(m->dim, dda, p.u, x);
    trm_add(m->dim, ddx, x);
  }
  return x[measure->component];
}

/* ω or its derivative */
static void spin_measure(const trm_system *sys, int body, int level, double w[3]) {
  const trm_motion *m = &sys->motion;
  double ddx[3], dda[3][3];
  if (level == 1) {
    trm_spin(m, body, w);
    return;
  }
  second_rates(sys, body, ddx, dda);
  trm_spin_of(m->dim, m->frames[body].a, dda, w);
}

static double angle_measure(const trm_system *sys, const trm_measure *measure) {
  double w[3];
  int b = measure->index;
  if (measure->level == 0) return trm_scalar_value(&sys->body_angle[b], &sys->motion);
  spin_measure(sys, b, measure->level, w);
  return w[2];
}

static double orientation_measure(const trm_system *sys, const trm_measure *measure) {
  double p[4];
  if (measure->level == 0)
    trm_system_orientation(sys, measure->index, p);
  else
    spin_measure(sys, measure->index, measure->level, p);
  return p[measure->component];
}

/* Force and torque on the second body at its joint point; the primitives of a joint share that
 * point. */
static double reaction(const trm_system *sys, int joint, int component) {
  double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
  for (int i = sys->first_primitive[joint]; i < sys->first_primitive[joint + 1]; i++) {
    const trm_primitive *p = &sys->primitives[i];
    p->type->reaction(p, &sys->motion, sys->lambda + p->row, force, torque);
  }
  if (sys->model->joints[joint].type == TRM_JOINT_ROLLING && component >= 3) return 0;
  return component < 3 ? force[component] : torque[component - 3];
}

static double element_measure(const trm_system *sys, const trm_measure *measure) {
  const trm_element *e = &sys->elements[measure->index];
  bool torsion = sys->model->forces[measure->index].type == TRM_FORCE_TORSION_SPRING_DAMPER;
  if (measure->level == 0) return trm_scalar_value(e->scalar, &sys->motion);
  if (measure->level == 1) return trm_scalar_rate(e->scalar, &sys->motion);
  return torsion ? -e->effort : e->effort; /* a torsion spring's torque is the one on the second */
}

static double energy_measure(const trm_system *sys, int component) {
  double T = trm_system_kinetic(sys), V = trm_system_potential(sys);
  const double values[] = {T, V, T + V, sys->work, T + V - sys->energy0 - sys->work};
  return values[component];
}

static double momentum_measure(const trm_system *sys, int component) {
  double p[3], l[3];
  trm_system_momentum(sys, p, l);
  return component < 3 ? p[component] : l[component - 3];
}

double trm_mechanism_measure(const trm_system *sys, const trm_measure *measure) {
  switch (measure->kind) {
  case TRM_MEASURE_TIME: return sys->t;
  case TRM_MEASURE_POINT: return point_measure(sys, measure);
  case TRM_MEASURE_ANGLE: return angle_measure(sys, measure);
  case TRM_MEASURE_ORIENTATION: return orientation_measure(sys, measure);
  case TRM_MEASURE_FREEDOM: {
    const trm_scalar *s = &sys->freedom[2 * measure->index + measure->component];
    return measure->level ? trm_scalar_rate(s, &sys->motion) : trm_scalar_value(s, &sys->motion);
  }
  case TRM_MEASURE_REACTION: return reaction(sys, measure->index, measure->component);
  case TRM_MEASURE_EFFORT: /* the relation is a joint's last primitive: all of a driver, the end of
                              a screw */
    return -sys->lambda[sys->primitives[sys->first_primitive[measure->index + 1] - 1].row];
  case TRM_MEASURE_ELEMENT: return element_measure(sys, measure);
  case TRM_MEASURE_ENERGY: return energy_measure(sys, measure->component);
  case TRM_MEASURE_MOMENTUM: return momentum_measure(sys, measure->component);
  default: break; /* the constraints; a mechanism has no others */
  }
  return measure->component ? sys->velocity_violation : trm_system_violation(sys);
}
