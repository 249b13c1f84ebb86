/* How a bushing's force changes: K −= (∂u/∂q)ᵀ ∂g/∂q, column by column of its matrices, and the
 * slope of (∂u/∂q)ᵀ with g held. */
#include "force/bushing.h"
#include "math/rotation_vector.h"

/* ∂φ/∂q of each side's body, by columns */
typedef struct turning {
  double phi[2][TRM_MOST_NQ][3];
} turning;

static void turn(const trm_element *e, const trm_motion *m, turning *t) {
  const trm_mount *b = e->mount;
  double a[3][3], p[4], d[2][3][3];
  trm_lever lever[2][3];
  trm_bushing_turned(e, m, a, p);
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
      trm_rotation_vector_slope(p, a, da, t->phi[side][j]);
    }
}

/* row += scale ∂φ[k]/∂q */
static void add_turning(const trm_mount *b, const trm_motion *m, const turning *t, int k,
                        double scale, trm_row *row) {
  for (int side = 0; side < 2; side++) {
    double *part = trm_row_part(row, b->end[side].body);
    for (int j = 0; j < m->nq && part; j++) part[j] += scale * t->phi[side][j][k];
  }
}

void trm_bushing_deflection_slope(const trm_element *e, const trm_motion *m, int k, double scale,
                                  trm_row *row) {
  const double unit[3] = {k == 0, k == 1, k == 2};
  const trm_scalar moved = trm_bushing_translation(e->mount, m, unit);
  const trm_scalar *s = k < 3 ? &moved : e->scalar;
  if (k > 2 && s && k < 5) return; /* of a planar model in space: it cannot turn that way */
  if (s) {
    trm_scalar_gradient(s, m, scale, trm_row_part(row, s->end[0].body),
                        trm_row_part(row, s->end[1].body));
    return;
  }
  turning t;
  turn(e, m, &t);
  add_turning(e->mount, m, &t, k - 3, scale, row);
}

/* row += ∂(J⁻¹x)[k]/∂q for sign −1, of J⁻ᵀx for 1: through φ, x held */
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

/* row += ∂u̇[k]/∂q of a translation or of a counted angle */
static void add_rate_slope(const trm_element *e, trm_force_tangent *to, int k, trm_row *row) {
  const trm_motion *m = to->K.motion;
  const trm_curvature along_v = {.motion = m, .x = to->state_v, .row = row};
  const double unit[3] = {k == 0, k == 1, k == 2};
  const trm_scalar moved = trm_bushing_translation(e->mount, m, unit);
  trm_scalar_curvature(k < m->dim ? &moved : e->scalar, 1, &along_v);
}

/* row += ∂φ̇[k]/∂q, φ̇ = J⁻¹ω: through the axes, through ω, through φ */
static void add_turn_rate_slope(const trm_mount *b, trm_force_tangent *to, const turning *t,
                                const double phi[3], int k, trm_row *row) {
  const trm_motion *m = to->K.motion;
  const trm_curvature along_v = {.motion = m, .x = to->state_v, .row = row};
  const double unit[3] = {k == 0, k == 1, k == 2};
  const trm_marker carried = trm_bushing_torque(b, m, phi, unit); /* φ̇[k] = d·(ω1 − ω0) */
  double w[3], local[3], d[3];
  trm_bushing_spin(b, m, w);
  trm_direction(m, &carried, d);
  for (int i = 0; i < 3; i++) {
    double axis[3];
    trm_direction(m, &b->axis[0][i], axis);
    local[i] = trm_dot(3, axis, w);
  }
  trm_row_direction(m, &carried, w, 1, trm_row_part(row, carried.body));
  trm_bend_spin(&along_v, b->end[0].body, d, -1);
  trm_bend_spin(&along_v, b->end[1].body, d, 1);
  add_unrolling(b, m, t, phi, -1, local, k, row);
}

/* to->push = (∂u/∂q)ᵀ g */
static void fill_push(const trm_element *e, const trm_deflection *s, const double *g,
                      trm_force_tangent *to) {
  for (int side = 0; side < 2; side++) trm_row_part(to->push, e->mount->end[side].body);
  trm_bushing_push(e, to->K.motion, s, g, to->push->value);
}

/* −∂Q/∂q of the torque with g held */
static void torque_slope(const trm_mount *b, trm_force_tangent *to, const turning *t,
                         const double phi[3], const double g[3]) {
  const trm_motion *m = to->K.motion;
  const trm_marker carried = trm_bushing_torque(b, m, phi, g);
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
    trm_bushing_push_torque(b, m, d, to->push->value);
    add_unrolling(b, m, t, phi, 1, g, k, to->q);
    trm_push_slope(to);
  }
}

/* to->q = ∂u[j]/∂q, to->v = ∂u̇[j]/∂v */
static void deflection_slope(const trm_element *e, const trm_deflection *s, const turning *t, int j,
                             trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  double unit[6] = {0};
  unit[j] = 1;
  fill_push(e, s, unit, to);
  trm_row_add(to->push, 1, to->v);
  if (t && j >= 3)
    add_turning(e->mount, m, t, j - 3, 1, to->q);
  else
    trm_row_add(to->push, 1, to->q);
  trm_row_clear(to->push);
}

/* Column j of both matrices. */
static void column_slope(const trm_element *e, const trm_deflection *s, const turning *t, int j,
                         trm_force_tangent *to) {
  double stiffness[6], damping[6];
  for (int i = 0; i < s->n; i++) {
    stiffness[i] = -e->mount->K[i * s->n + j];
    damping[i] = -e->mount->D[i * s->n + j];
  }
  deflection_slope(e, s, t, j, to);
  fill_push(e, s, stiffness, to);
  trm_blocks_add_outer(to->K.blocks, -1, to->push, to->q);
  trm_row_clear(to->push);
  trm_row_clear(to->q);
  if (t && j >= 3)
    add_turn_rate_slope(e->mount, to, t, s->u + 3, j - 3, to->q);
  else
    add_rate_slope(e, to, j, to->q);
  fill_push(e, s, damping, to);
  trm_push_slope(to);
}

const char *trm_bushing_tangent(const trm_element *e, trm_force_tangent *to) {
  const trm_motion *m = to->K.motion;
  trm_deflection s;
  turning t;
  double g[6], power = 0;
  trm_bushing_effort(e, m, &s, g, &power);
  bool space = s.angle < 0;
  if (space) turn(e, m, &t);
  for (int j = 0; j < s.n; j++)
    if (space || j < m->dim || j == s.angle) column_slope(e, &s, space ? &t : NULL, j, to);
  const trm_scalar moved = trm_bushing_translation(e->mount, m, g);
  trm_scalar_curvature(&moved, -1, &to->K);
  if (space)
    torque_slope(e->mount, to, &t, s.u + 3, g + 3);
  else
    trm_scalar_curvature(e->scalar, -g[s.angle], &to->K);
  return NULL;
}
