/* The fictitious inertia of massless rotations, taken out of the tangent: with n the rotation's
 * axis, N = nᵀW and β = n·½ Σ a[k] × dda[k], the torque Nᵀ I (N a + β). */
#include "system/tangent_work.h"

typedef struct rotation {
  int body;
  trm_marker axis; /* n; the ground's z in the plane */
  double n[3];
} rotation;

static rotation find(const trm_system *sys, int i) {
  int body = sys->structure.massless_block[i], k = sys->massless_axis[i];
  rotation r = {.body = body, .n = {0, 0, 1}};
  r.axis = (trm_marker){sys->motion.dim == 2 ? TRM_GROUND : body, {k == 0, k == 1, k == 2}};
  if (sys->motion.dim == 3) trm_direction(&sys->motion, &r.axis, r.n);
  return r;
}

/* B += scale ∂Nᵀ/∂q */
static void curve(const rotation *r, double scale, const trm_curvature *c) {
  trm_lever spin, axis;
  trm_bend_spin(c, r->body, r->n, scale);
  trm_lever_spin(c->motion, r->body, &spin);
  trm_lever_direction(c->motion, &r->axis, &axis);
  trm_curve(c, &spin, NULL, &axis, scale);
}

/* q += ∂β/∂q, v += ∂β/∂v */
static void bias_slope(const trm_system *sys, const rotation *r, trm_row *q, trm_row *v) {
  const trm_motion *m = &sys->motion;
  const trm_coordinates *co = m->coordinates;
  const trm_frame *f = &m->frames[r->body];
  const trm_curvature along_v = {.motion = m, .x = sys->v, .row = v};
  const double *state_v = sys->v + (ptrdiff_t)r->body * m->nq;
  double beta[3];
  if (co->linear) return;
  trm_spin_bias(m, r->body, beta);
  trm_row_direction(m, &r->axis, beta, 1, trm_row_part(q, r->axis.body));
  for (int k = 0; k < m->dim; k++) {
    trm_marker unit = {r->body, {k == 0, k == 1, k == 2}};
    double turned[3], across[3], *row = trm_row_part(q, r->body);
    trm_cross(f->dda[k], r->n, turned);
    trm_cross(r->n, f->a[k], across);
    trm_row_direction(m, &unit, turned, 0.5, row);
    trm_bend(&along_v, &unit, across, 1);
    if (co->bias_slope)
      co->bias_slope(trm_motion_q(m, r->body), m->frames[r->body].a, state_v, unit.u, across, 0.5,
                     row + m->dim);
  }
}

/* −∂Q/∂q and −∂Q/∂v of the torque τ = I (n·ω) ω × n, see evaluate.c */
static void turning_slope(const trm_system *sys, int i, trm_force_tangent *to) {
  const trm_motion *m = &sys->motion;
  const rotation r = find(sys, i);
  const trm_curvature along_v = {.motion = m, .x = sys->v, .row = to->q};
  const trm_curvature D = {.motion = m, .blocks = to->D};
  double w[3], tau[3], by_n[3][3] = {{0}}, by_w[3][3] = {{0}};
  double I = sys->structure.massless_inertia[i];
  trm_lever spin, axis;
  trm_spin(m, r.body, w);
  trm_cross(w, r.n, tau);
  double along = trm_dot(3, r.n, w);
  trm_add_outer(tau, w, I, by_n);
  trm_add_skew(w, I * along, by_n);
  trm_add_outer(tau, r.n, I, by_w);
  trm_add_skew(r.n, -I * along, by_w);
  trm_lever_spin(m, r.body, &spin);
  trm_lever_direction(m, &r.axis, &axis);
  trm_bend_spin(&to->K, r.body, tau, -I * along);
  trm_curve(&to->K, &spin, by_n, &axis, -1);
  trm_curve(&D, &spin, by_w, &spin, -1);
  for (int k = 0; k < 3; k++) { /* ∂ω[k]/∂q */
    const double unit[3] = {k == 0, k == 1, k == 2};
    const double torque[3] = {by_w[0][k], by_w[1][k], by_w[2][k]};
    trm_row_spin(m, r.body, torque, trm_row_part(to->push, r.body));
    trm_bend_spin(&along_v, r.body, unit, 1);
    trm_push_slope(to);
  }
}

static void remove(const trm_system *sys, int i, const double *a, trm_tangent *tangent,
                   trm_force_tangent *to) {
  const trm_motion *m = &sys->motion;
  const double *N = sys->N + sys->structure.massless_value[i];
  const rotation r = find(sys, i);
  const trm_curvature along_a = {.motion = m, .x = a, .row = to->q};
  double I = sys->structure.massless_inertia[i], *push = trm_row_part(to->push, r.body);
  double *M = tangent->M + (ptrdiff_t)r.body * m->nq * m->nq, rate = sys->massless_bias[i];
  for (int k = 0; k < m->nq; k++) {
    rate += N[k] * a[(ptrdiff_t)r.body * m->nq + k];
    push[k] += I * N[k];
    for (int j = 0; j < m->nq; j++) M[k * m->nq + j] -= I * N[k] * N[j];
  }
  curve(&r, -I * rate, &to->K);
  curve(&r, 1, &along_a);
  bias_slope(sys, &r, to->q, to->v);
  trm_push_slope(to);
}

void trm_tangent_remove_massless(const trm_system *sys, const double *a, trm_tangent *tangent,
                                 trm_force_tangent *to) {
  for (int i = 0; i < sys->structure.massless; i++) {
    if (!tangent->kept[i]) remove(sys, i, a, tangent, to);
    if (sys->motion.dim == 3) turning_slope(sys, i, to);
  }
}
