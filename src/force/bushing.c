/* Bushings: springs and dampers in every direction, u = (translation, rotation) of the second in
 * axes carried by the first; energy ½ uᵀKu − preload·u. */
#include "force/element.h"
#include "math/rotation.h"

/* The gap r1 − r0, its components along the axes, and the rotation since as written. */
typedef struct deflection {
  int n; /* 3 in the plane, 6 in space */
  double gap[3], u[6], rate[6];
} deflection;

static double along(const trm_motion *m, const trm_marker *axis, const double *e) {
  double d[3];
  trm_direction(m, axis, d);
  return trm_dot(m->dim, d, e);
}

/* --- rotations in space --- */

/* Rotation vector of at most half a turn: beyond it φ jumps to the other side, and the force with
 * it. */
static void rotation_vector(const trm_mount *b, const trm_motion *m, double phi[3]) {
  double a[3][3], d[3], p[4];
  for (int k = 0; k < 3; k++) {
    trm_direction(m, &b->axis[1][k], d);
    for (int i = 0; i < 3; i++) a[k][i] = along(m, &b->axis[0][i], d);
  }
  trm_quaternion_of(a, p);
  double s = trm_norm(3, p + 1), scale = s > 0 ? 2 * atan2(s, p[0]) / s : 2 / p[0];
  for (int i = 0; i < 3; i++) phi[i] = scale * p[1 + i];
}

/* (1 − θ/2 cot θ/2)/θ²; its series where the difference would cancel */
static double curvature(double theta2) {
  if (theta2 < 1e-2)
    return 1.0 / 12 + theta2 * (1.0 / 720 + theta2 * (1.0 / 30240 + theta2 / 1209600));
  double half = sqrt(theta2) / 2;
  return (1 - half * cos(half) / sin(half)) / theta2;
}

/* y = (1 + side/2 φ̃ + c φ̃²) x: J⁻¹ of φ̇ = J⁻¹ω for side −1, J⁻ᵀ for side 1 */
static void unroll(const double phi[3], double side, const double x[3], double y[3]) {
  double once[3], twice[3], c = curvature(trm_dot(3, phi, phi));
  trm_cross(phi, x, once);
  trm_cross(phi, once, twice);
  for (int i = 0; i < 3; i++) y[i] = x[i] + side / 2 * once[i] + c * twice[i];
}

static void rotation_rate(const trm_mount *b, const trm_motion *m, const double phi[3],
                          double rate[3]) {
  double w0[3], w1[3], w[3], local[3];
  trm_spin(m, b->end[0].body, w0);
  trm_spin(m, b->end[1].body, w1);
  trm_sub(3, w1, w0, w);
  for (int k = 0; k < 3; k++) local[k] = along(m, &b->axis[0][k], w);
  unroll(phi, -1, local, rate);
}

/* Q += (∂φ/∂q)ᵀ g: a torque on the second, its opposite on the first */
static void push_rotation(const trm_mount *b, const trm_motion *m, const double phi[3],
                          const double g[3], double *Q) {
  double local[3], d[3], torque[3] = {0, 0, 0}, opposite[3];
  unroll(phi, 1, g, local);
  for (int k = 0; k < 3; k++) {
    trm_direction(m, &b->axis[0][k], d);
    trm_axpy(3, local[k], d, torque);
  }
  for (int i = 0; i < 3; i++) opposite[i] = -torque[i];
  trm_row_spin(m, b->end[0].body, opposite, trm_body_rows(m, Q, b->end[0].body));
  trm_row_spin(m, b->end[1].body, torque, trm_body_rows(m, Q, b->end[1].body));
}

/* --- both --- */

static void deflect(const trm_element *e, const trm_motion *m, deflection *s) {
  const trm_mount *b = e->mount;
  double r0[3], r1[3];
  s->n = m->dim == 2 ? 3 : 6;
  trm_position(m, &b->end[0], r0);
  trm_position(m, &b->end[1], r1);
  trm_sub(m->dim, r1, r0, s->gap);
  for (int k = 0; k < m->dim; k++) s->u[k] = along(m, &b->axis[0][k], s->gap);
  if (m->dim == 2)
    s->u[2] = trm_scalar_value(e->scalar, m);
  else
    rotation_vector(b, m, s->u + 3);
}

static void deflect_rate(const trm_element *e, const trm_motion *m, deflection *s) {
  const trm_mount *b = e->mount;
  double v0[3], v1[3], v[3], dd[3];
  trm_velocity(m, &b->end[0], v0);
  trm_velocity(m, &b->end[1], v1);
  trm_sub(m->dim, v1, v0, v);
  for (int k = 0; k < m->dim; k++) {
    trm_direction_rate(m, &b->axis[0][k], dd);
    s->rate[k] = along(m, &b->axis[0][k], v) + trm_dot(m->dim, dd, s->gap);
  }
  if (m->dim == 2)
    s->rate[2] = trm_scalar_rate(e->scalar, m);
  else
    rotation_rate(b, m, s->u + 3, s->rate + 3);
}

/* Q += (∂u/∂q)ᵀ g of the translations: Σ g_k d_k is one direction carried by the first */
static void push_translation(const trm_mount *b, const trm_motion *m, const double *gap,
                             const double *g, double *Q) {
  double d[3];
  double *row0 = trm_body_rows(m, Q, b->end[0].body), *row1 = trm_body_rows(m, Q, b->end[1].body);
  trm_marker force = {.body = b->end[0].body};
  for (int k = 0; k < m->dim; k++) trm_axpy(m->dim, g[k], b->axis[0][k].u, force.u);
  trm_direction(m, &force, d);
  trm_row_direction(m, &force, gap, 1, row0);
  trm_row_point(m, &b->end[0], d, -1, row0);
  trm_row_point(m, &b->end[1], d, 1, row1);
}

/* g = preload − K u − D u̇ */
static const char *apply_bushing(trm_element *e, const trm_motion *m, const double *slots,
                                 double *Q, double *power) {
  const trm_mount *b = e->mount;
  deflection s;
  double g[6];
  (void)slots;
  deflect(e, m, &s);
  deflect_rate(e, m, &s);
  for (int i = 0; i < s.n; i++) {
    double spring = 0, damper = 0;
    for (int j = 0; j < s.n; j++) {
      spring += b->K[i * s.n + j] * s.u[j];
      damper += b->D[i * s.n + j] * s.rate[j];
    }
    g[i] = b->preload[i] - spring - damper;
    *power -= damper * s.rate[i];
  }
  push_translation(b, m, s.gap, g, Q);
  if (m->dim == 2)
    trm_push_along(e->scalar, m, g[2], Q);
  else
    push_rotation(b, m, s.u + 3, g + 3, Q);
  return NULL;
}

static double bushing_potential(const trm_element *e, const trm_motion *m) {
  const trm_mount *b = e->mount;
  deflection s;
  double V = 0;
  deflect(e, m, &s);
  for (int i = 0; i < s.n; i++) {
    V -= b->preload[i] * s.u[i];
    for (int j = 0; j < s.n; j++) V += s.u[i] * b->K[i * s.n + j] * s.u[j] / 2;
  }
  return V;
}

const trm_element_class trm_element_bushing = {apply_bushing, bushing_potential};
