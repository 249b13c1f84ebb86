/* Bushings: springs and dampers in every direction, u = (translation, rotation) of the second in
 * axes carried by the first; energy ½ uᵀKu − preload·u. */
#include "force/bushing.h"

#include <string.h>

#include "math/rotation.h"
#include "math/rotation_vector.h"

#define HALF_A_TURN   3.2
#define NEARLY_A_TURN 6.2 /* radians: from here to 2π the torques grow without bound */

static double along(const trm_motion *m, const trm_marker *axis, const double *e) {
  double d[3];
  trm_direction(m, axis, d);
  return trm_dot(m->dim, d, e);
}

/* --- rotations in space --- */

/* Axes of the second in those of the first. */
/* Axes of the second in those of the first. */
static void axes_of(const trm_mount *b, const trm_motion *m, double a[3][3]) {
  double d[3];
  for (int k = 0; k < 3; k++) {
    trm_direction(m, &b->axis[1][k], d);
    for (int i = 0; i < 3; i++) a[k][i] = along(m, &b->axis[0][i], d);
  }
}

/* ω1 − ω0 */
void trm_bushing_spin(const trm_mount *b, const trm_motion *m, double w[3]) {
  double w0[3], w1[3];
  trm_spin(m, b->end[0].body, w0);
  trm_spin(m, b->end[1].body, w1);
  trm_sub(3, w1, w0, w);
}

/* In the axes of the first. */
static void local_spin(const trm_mount *b, const trm_motion *m, double local[3]) {
  double w[3];
  trm_bushing_spin(b, m, w);
  for (int k = 0; k < 3; k++) local[k] = along(m, &b->axis[0][k], w);
}

static void rotation_rate(const trm_mount *b, const trm_motion *m, const double phi[3],
                          double rate[3]) {
  double local[3];
  local_spin(b, m, local);
  trm_unroll(phi, -1, local, rate);
}

void trm_bushing_turned(const trm_element *e, const trm_motion *m, double a[3][3], double p[4]) {
  double turn[3];
  for (int i = 0; i < 3; i++) turn[i] = m->since * e->turning[i];
  axes_of(e->mount, m, a);
  trm_quaternion_of(a, p);
  trm_quaternion_follow(e->turned, turn, p);
}

void trm_bushing_accept(trm_element *e, const trm_motion *m) {
  double a[3][3], p[4], rate[3], turn[3];
  local_spin(e->mount, m, rate);
  for (int i = 0; i < 3; i++) turn[i] = m->since * (e->turning[i] + rate[i]) / 2;
  axes_of(e->mount, m, a);
  trm_quaternion_of(a, p);
  trm_quaternion_follow(e->turned, turn, p);
  memcpy(e->turned, p, sizeof p);
  memcpy(e->turning, rate, sizeof rate);
}

/* A torque on the second, its opposite on the first */
void trm_bushing_push_torque(const trm_mount *b, const trm_motion *m, const double torque[3],
                             double *Q) {
  const double opposite[3] = {-torque[0], -torque[1], -torque[2]};
  trm_row_spin(m, b->end[0].body, opposite, trm_body_rows(m, Q, b->end[0].body));
  trm_row_spin(m, b->end[1].body, torque, trm_body_rows(m, Q, b->end[1].body));
}

/* Σ g[k] axis[k] of the first: one direction carried by it */
static trm_marker blend(const trm_mount *b, const trm_motion *m, const double *g) {
  trm_marker direction = {.body = b->end[0].body};
  for (int k = 0; k < m->dim; k++) trm_axpy(m->dim, g[k], b->axis[0][k].u, direction.u);
  return direction;
}

/* (∂φ/∂q)ᵀ g is the torque J⁻ᵀg in the first's axes */
trm_marker trm_bushing_torque(const trm_mount *b, const trm_motion *m, const double phi[3],
                              const double g[3]) {
  double local[3];
  trm_unroll(phi, 1, g, local);
  return blend(b, m, local);
}

static void push_rotation(const trm_mount *b, const trm_motion *m, const double phi[3],
                          const double g[3], double *Q) {
  double torque[3];
  trm_marker carried = trm_bushing_torque(b, m, phi, g);
  trm_direction(m, &carried, torque);
  trm_bushing_push_torque(b, m, torque, Q);
}

/* --- both --- */

static void deflect(const trm_element *e, const trm_motion *m, trm_deflection *s) {
  const trm_mount *b = e->mount;
  double r0[3], r1[3];
  s->n = m->dim == 2 ? 3 : 6;
  s->angle = e->scalar ? s->n - 1 : -1;
  trm_position(m, &b->end[0], r0);
  trm_position(m, &b->end[1], r1);
  trm_sub(m->dim, r1, r0, s->gap);
  for (int k = 0; k < m->dim; k++) s->u[k] = along(m, &b->axis[0][k], s->gap);
  if (s->angle < 0) {
    double a[3][3], p[4];
    trm_bushing_turned(e, m, a, p);
    trm_rotation_vector_of(p, s->u + 3);
    return;
  }
  for (int k = m->dim; k < s->angle; k++) s->u[k] = 0;
  s->u[s->angle] = trm_scalar_value(e->scalar, m);
}

static void deflect_rate(const trm_element *e, const trm_motion *m, trm_deflection *s) {
  const trm_mount *b = e->mount;
  double v0[3], v1[3], v[3], dd[3];
  trm_velocity(m, &b->end[0], v0);
  trm_velocity(m, &b->end[1], v1);
  trm_sub(m->dim, v1, v0, v);
  for (int k = 0; k < m->dim; k++) {
    trm_direction_rate(m, &b->axis[0][k], dd);
    s->rate[k] = along(m, &b->axis[0][k], v) + trm_dot(m->dim, dd, s->gap);
  }
  if (s->angle < 0) {
    rotation_rate(b, m, s->u + 3, s->rate + 3);
    return;
  }
  for (int k = m->dim; k < s->angle; k++) s->rate[k] = 0;
  s->rate[s->angle] = trm_scalar_rate(e->scalar, m);
}

/* d·gap, d = Σ g[k] axis[k] */
trm_scalar trm_bushing_translation(const trm_mount *b, const trm_motion *m, const double *g) {
  return (trm_scalar){
      .kind = TRM_SCALAR_DISPLACEMENT, .end = {b->end[0], b->end[1]}, .along = blend(b, m, g)};
}

/* Q += (∂u/∂q)ᵀ g */
void trm_bushing_push(const trm_element *e, const trm_motion *m, const trm_deflection *s,
                      const double *g, double *Q) {
  const trm_scalar moved = trm_bushing_translation(e->mount, m, g);
  trm_push_along(&moved, m, 1, Q);
  if (s->angle >= 0)
    trm_push_along(e->scalar, m, g[s->angle], Q);
  else
    push_rotation(e->mount, m, s->u + 3, g + 3, Q);
}

/* g = preload − K u − D u̇ */
void trm_bushing_effort(const trm_element *e, const trm_motion *m, trm_deflection *s, double g[6],
                        double *power) {
  const trm_mount *b = e->mount;
  deflect(e, m, s);
  deflect_rate(e, m, s);
  for (int i = 0; i < s->n; i++) {
    double spring = 0, damper = 0;
    for (int j = 0; j < s->n; j++) {
      spring += b->K[i * s->n + j] * s->u[j];
      damper += b->D[i * s->n + j] * s->rate[j];
    }
    g[i] = b->preload[i] - spring - damper;
    *power -= damper * s->rate[i];
  }
}

/* Close to a full turn, or beyond it since the accepted state: there φ points the other way. */
static bool has_turned(const trm_element *e, const double phi[3]) {
  double angle = trm_norm(3, phi);
  bool beyond = e->turned[0] < 0 && angle > HALF_A_TURN && trm_dot(3, phi, e->turned + 1) < 0;
  return beyond || angle > NEARLY_A_TURN;
}

static const char *apply_bushing(trm_element *e, const trm_motion *m, const double *slots,
                                 double *Q, double *power) {
  trm_deflection s;
  double g[6];
  (void)slots;
  trm_bushing_effort(e, m, &s, g, power);
  trm_bushing_push(e, m, &s, g, Q);
  return s.angle < 0 && has_turned(e, s.u + 3)
             ? "it has turned by a full turn, where its rotation vector is singular: one axis "
               "that turns freely is better left to a joint with a torsion spring"
             : NULL;
}

static double bushing_potential(const trm_element *e, const trm_motion *m) {
  const trm_mount *b = e->mount;
  trm_deflection s;
  double V = 0;
  deflect(e, m, &s);
  for (int i = 0; i < s.n; i++) {
    V -= b->preload[i] * s.u[i];
    for (int j = 0; j < s.n; j++) V += s.u[i] * b->K[i * s.n + j] * s.u[j] / 2;
  }
  return V;
}

static void bushing_wrench(const trm_element *e, const trm_motion *m, const double *slots,
                           double parts[6]) {
  trm_deflection s;
  double g[6], power = 0;
  (void)slots;
  trm_bushing_effort(e, m, &s, g, &power);
  trm_marker carried = blend(e->mount, m, g);
  trm_direction(m, &carried, parts);
  if (s.angle >= 0) {
    parts[5] = g[s.angle];
    return;
  }
  carried = trm_bushing_torque(e->mount, m, s.u + 3, g + 3);
  trm_direction(m, &carried, parts + 3);
}

void trm_bushing_deflection(const trm_element *e, const trm_motion *m, double parts[6]) {
  trm_deflection s;
  deflect(e, m, &s);
  for (int k = 0; k < m->dim; k++) parts[k] = s.u[k];
  for (int k = 3; k < s.n; k++) parts[k] = s.u[k];
  if (s.angle >= 0) parts[5] = s.u[s.angle];
}

const trm_element_class trm_element_bushing = {.apply = apply_bushing,
                                               .potential = bushing_potential,
                                               .tangent = trm_bushing_tangent,
                                               .wrench = bushing_wrench};
