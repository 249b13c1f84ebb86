/* Bushings: springs and dampers in every direction, u = (translation, rotation) of the second in
 * axes carried by the first; energy ½ uᵀKu − preload·u. */
#include "force/element.h"
#include "math/rotation_vector.h"

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

/* Axes of the second in those of the first. */
static void relative_axes(const trm_mount *b, const trm_motion *m, double a[3][3]) {
  double d[3];
  for (int k = 0; k < 3; k++) {
    trm_direction(m, &b->axis[1][k], d);
    for (int i = 0; i < 3; i++) a[k][i] = along(m, &b->axis[0][i], d);
  }
}

/* At half a turn φ jumps to the other side, and the force with it. */
static void rotation_vector(const trm_mount *b, const trm_motion *m, double phi[3]) {
  double a[3][3];
  relative_axes(b, m, a);
  trm_rotation_vector_of(a, phi);
}

/* ω1 − ω0 */
static void relative_spin(const trm_mount *b, const trm_motion *m, double w[3]) {
  double w0[3], w1[3];
  trm_spin(m, b->end[0].body, w0);
  trm_spin(m, b->end[1].body, w1);
  trm_sub(3, w1, w0, w);
}

static void rotation_rate(const trm_mount *b, const trm_motion *m, const double phi[3],
                          double rate[3]) {
  double w[3], local[3];
  relative_spin(b, m, w);
  for (int k = 0; k < 3; k++) local[k] = along(m, &b->axis[0][k], w);
  trm_unroll(phi, -1, local, rate);
}

/* A torque on the second, its opposite on the first */
static void push_torque(const trm_mount *b, const trm_motion *m, const double torque[3],
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
static trm_marker torque_of(const trm_mount *b, const trm_motion *m, const double phi[3],
                            const double g[3]) {
  double local[3];
  trm_unroll(phi, 1, g, local);
  return blend(b, m, local);
}

static void push_rotation(const trm_mount *b, const trm_motion *m, const double phi[3],
                          const double g[3], double *Q) {
  double torque[3];
  trm_marker carried = torque_of(b, m, phi, g);
  trm_direction(m, &carried, torque);
  push_torque(b, m, torque, Q);
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

/* d·gap, d = Σ g[k] axis[k] */
static trm_scalar translation(const trm_mount *b, const trm_motion *m, const double *g) {
  return (trm_scalar){.kind = TRM_SCALAR_DISPLACEMENT,
                      .end = {b->end[0], b->end[1]},
                      .along = blend(b, m, g)};
}

/* Q += (∂u/∂q)ᵀ g */
static void push(const trm_element *e, const trm_motion *m, const deflection *s, const double *g,
                 double *Q) {
  const trm_scalar moved = translation(e->mount, m, g);
  trm_push_along(&moved, m, 1, Q);
  if (m->dim == 2)
    trm_push_along(e->scalar, m, g[2], Q);
  else
    push_rotation(e->mount, m, s->u + 3, g + 3, Q);
}

/* g = preload − K u − D u̇ */
static void effort(const trm_element *e, const trm_motion *m, deflection *s, double g[6],
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

static const char *apply_bushing(trm_element *e, const trm_motion *m, const double *slots,
                                 double *Q, double *power) {
  deflection s;
  double g[6];
  (void)slots;
  effort(e, m, &s, g, power);
  push(e, m, &s, g, Q);
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

/* --- slopes --- */

/* ∂φ/∂q of each side's body, by columns */
typedef struct turning {
  double phi[2][TRM_MOST_NQ][3];
} turning;

static void turn(const trm_mount *b, const trm_motion *m, turning *t) {
  double a[3][3], d[2][3][3];
  trm_lever lever[2][3];
  relative_axes(b, m, a);
  for (int k = 0; k < 6; k++) {
    trm_direction(m, &b->axis[k / 3][k % 3], d[k / 3][k % 3]);
    trm_lever_direction(m, &b->axis[k / 3][k % 3], &lever[k / 3][k % 3]);
  }
  for (int side = 0; side < 2; side++)
    for (int j = 0; j < m->nq; j++) {
      double da[3][3];
      for (int k = 0; k < 9; k++) {
        const trm_lever *moving = &lever[side][side ? k / 3 : k % 3];
        const double move[3] = {moving->L[0][j], moving->L[1][j], moving->L[2][j]};
        da[k / 3][k % 3] = trm_dot(3, move, side ? d[0][k % 3] : d[1][k / 3]);
      }
      trm_rotation_vector_slope(a, da, t->phi[side][j]);
    }
}

/* row += ∂φ[k]/∂q; with x: row += ∂(J⁻¹x or J⁻ᵀx)[k]/∂q through φ */
static void add_turning(const trm_mount *b, const trm_motion *m, const turning *t, int k,
                        trm_row *row) {
  for (int side = 0; side < 2; side++) {
    double *part = trm_row_part(row, b->end[side].body);
    for (int j = 0; j < m->nq && part; j++) part[j] += t->phi[side][j][k];
  }
}

static void add_unrolling(const trm_mount *b, const trm_motion *m, const turning *t,
                          const double phi[3], double sign, const double x[3], int k,
                          trm_row *row) {
  for (int side = 0; side < 2; side++) {
    double *part = trm_row_part(row, b->end[side].body), dy[3];
    for (int j = 0; j < m->nq && part; j++) {
      trm_unroll_slope(phi, sign, x, t->phi[side][j], dy);
      part[j] += dy[k];
    }
  }
}

/* row += ∂u̇[k]/∂q of a translation or of the angle in the plane */
static void add_rate_slope(const trm_element *e, trm_force_tangent *to, int k, trm_row *row) {
  const trm_motion *m = to->K.motion;
  const trm_curvature along_v = {.motion = m, .x = to->state_v, .row = row};
  const double unit[3] = {k == 0, k == 1, k == 2};
  const trm_scalar moved = translation(e->mount, m, unit);
  trm_scalar_curvature(k < m->dim ? &moved : e->scalar, 1, &along_v);
}

/* row += ∂φ̇[k]/∂q, φ̇ = J⁻¹ω: through the axes, through ω, through φ */
static void add_turn_rate_slope(const trm_mount *b, trm_force_tangent *to, const turning *t,
                                const double phi[3], int k, trm_row *row) {
  const trm_motion *m = to->K.motion;
  const trm_curvature along_v = {.motion = m, .x = to->state_v, .row = row};
  const double unit[3] = {k == 0, k == 1, k == 2};
  const trm_marker carried = torque_of(b, m, phi, unit); /* φ̇[k] = d·(ω1 − ω0) */
  double w[3], local[3], d[3];
  relative_spin(b, m, w);
  trm_direction(m, &carried, d);
  for (int i = 0; i < 3; i++) local[i] = along(m, &b->axis[0][i], w);
  trm_row_direction(m, &carried, w, 1, trm_row_part(row, carried.body));
  trm_bend_spin(&along_v, b->end[0].body, d, -1);
  trm_bend_spin(&along_v, b->end[1].body, d, 1);
  add_unrolling(b, m, t, phi, -1, local, k, row);
}

/* to->push = (∂u/∂q)ᵀ g */
static void fill_push(const trm_element *e, const deflection *s, const double *g,
                      trm_force_tangent *to) {
  for (int side = 0; side < 2; side++) trm_row_part(to->push, e->mount->end[side].body);
  push(e, to->K.motion, s, g, to->push->value);
}

/* −∂Q/∂q of the torque with g held */
static void torque_slope(const trm_mount *b, trm_force_tangent *to, const turning *t,
                         const double phi[3], const double g[3]) {
  const trm_motion *m = to->K.motion;
  const trm_marker carried = torque_of(b, m, phi, g);
  trm_lever torque, spin;
  double tau[3], d[3];
  trm_direction(m, &carried, tau);
  trm_lever_direction(m, &carried, &torque);
  for (int side = 0; side < 2; side++) {
    double sign = side ? -1 : 1;
    trm_lever_spin(m, b->end[side].body, &spin);
    trm_bend_spin(&to->K, b->end[side].body, tau, sign);
    trm_curve(&to->K, &spin, NULL, &torque, sign);
  }
  for (int k = 0; k < 3; k++) {
    for (int side = 0; side < 2; side++) trm_row_part(to->push, b->end[side].body);
    trm_direction(m, &b->axis[0][k], d);
    push_torque(b, m, d, to->push->value);
    add_unrolling(b, m, t, phi, 1, g, k, to->q);
    trm_push_slope(to);
  }
}

/* K: −(∂u/∂q)ᵀ ∂g/∂q column by column of K and D, and (∂u/∂q)ᵀ's own slope */
static const char *bushing_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  const trm_mount *b = e->mount;
  deflection s;
  turning t;
  double g[6], power = 0;
  effort(e, m, &s, g, &power);
  if (m->dim == 3) turn(b, m, &t);
  for (int j = 0; j < s.n; j++) {
    double stiffness[6], damping[6], unit[6] = {0};
    bool turns = m->dim == 3 && j >= 3;
    unit[j] = 1;
    for (int i = 0; i < s.n; i++) {
      stiffness[i] = -b->K[i * s.n + j];
      damping[i] = -b->D[i * s.n + j];
    }
    fill_push(e, &s, unit, to);
    trm_row_add(to->push, 1, to->v); /* ∂u̇/∂v, and ∂u/∂q where it is a scalar */
    if (!turns) trm_row_add(to->push, 1, to->q);
    trm_row_clear(to->push);
    if (turns) add_turning(b, m, &t, j - 3, to->q);
    fill_push(e, &s, stiffness, to);
    trm_blocks_add_outer(to->K.blocks, -1, to->push, to->q);
    trm_row_clear(to->q);
    trm_row_clear(to->push);
    if (turns)
      add_turn_rate_slope(b, to, &t, s.u + 3, j - 3, to->q);
    else
      add_rate_slope(e, to, j, to->q);
    fill_push(e, &s, damping, to);
    trm_push_slope(to);
  }
  const trm_scalar moved = translation(b, m, g);
  trm_scalar_curvature(&moved, -1, &to->K);
  if (m->dim == 2)
    trm_scalar_curvature(e->scalar, -g[2], &to->K);
  else
    torque_slope(b, to, &t, s.u + 3, g + 3);
  return NULL;
}

const trm_element_class trm_element_bushing = {apply_bushing, bushing_potential, bushing_tangent};
