/* One link of a tree: its axes and arms, ω and biases, what forces leave, and its own inertia. */
#ifndef TRM_MATH_TREE_LINK_H
#define TRM_MATH_TREE_LINK_H

#include <string.h>

#include "math/tree_small.h"

/* Axes that p has turned from the parent's. */
TRM_INLINE void turn_ball(const double *p, double e[3][3]) {
  double w = p[0], x = p[1], y = p[2], z = p[3], s = 2 / (w * w + x * x + y * y + z * z);
  e[0][0] = 1 - s * (y * y + z * z);
  e[1][1] = 1 - s * (x * x + z * z);
  e[2][2] = 1 - s * (x * x + y * y);
  e[0][1] = s * (x * y + w * z);
  e[1][0] = s * (x * y - w * z);
  e[0][2] = s * (x * z - w * y);
  e[2][0] = s * (x * z + w * y);
  e[1][2] = s * (y * z + w * x);
  e[2][1] = s * (y * z - w * x);
}

TRM_INLINE void turn_axes(double e[3][3], double parent[3][3], double a[3][3]) {
  trm_along(parent, e[0], a[0]);
  trm_along(parent, e[1], a[1]);
  trm_along(parent, e[2], a[2]);
}

TRM_INLINE void turn_by(const trm_link *l, double angle, double e[3][3]) {
  double s = sin(angle), c = cos(angle);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) e[k][i] = l->still[k][i] + s * l->sine[k][i] + c * l->cosine[k][i];
}

TRM_INLINE void trm_link_position(trm_link *restrict l, trm_link *restrict parent,
                                  const double *q) {
  double e[3][3];
  trm_along(parent->a, l->arm, l->p);
  trm_along(parent->a, l->axis, l->n);
  switch (l->kind) {
  case TRM_LINK_REVOLUTE:
    turn_by(l, q[0], e);
    turn_axes(e, parent->a, l->a);
    break;
  case TRM_LINK_SCREW:
    turn_by(l, q[0], e);
    turn_axes(e, parent->a, l->a);
    trm_add_scaled(l->pitch * q[0], l->n, l->p);
    break;
  case TRM_LINK_PRISMATIC:
    turn_axes(l->still, parent->a, l->a);
    trm_add_scaled(q[0], l->n, l->p);
    break;
  case TRM_LINK_BALL:
    turn_ball(q, e);
    turn_axes(e, parent->a, l->a);
    break;
  case TRM_LINK_FREE:
    memcpy(l->p, q, sizeof l->p);
    turn_ball(q + 3, l->a);
    break;
  case TRM_LINK_FIXED: turn_axes(l->still, parent->a, l->a); break;
  }
  trm_along(l->a, l->com, l->c);
}

/* ω̇ of a ball's own turning where p̈ = 0: −2 (p·ṗ/p²) ω, beside what the parent's turning does */
TRM_INLINE void velocity_ball(trm_link *l, trm_link *parent, const double *p, const double *dp) {
  double spin[3], w[3], square = p[0] * p[0] + trm_dot3(p + 1, p + 1);
  double rate = (p[0] * dp[0] + trm_dot3(p + 1, dp + 1)) / square;
  trm_ball_spin(p, dp, spin);
  trm_along(parent->a, spin, w);
  trm_cross(parent->w, w, l->bw);
  for (int i = 0; i < 3; i++) {
    l->w[i] = parent->w[i] + w[i];
    l->bw[i] -= 2 * rate * w[i];
  }
}

TRM_INLINE void trm_link_velocity(trm_link *restrict l, trm_link *restrict parent, const double *q,
                                  const double *v) {
  const double *W = parent->w, *n = l->n;
  double arm[3], slide[3];
  trm_cross(W, l->p, arm);
  trm_cross(W, arm, l->bv);
  memcpy(l->w, W, sizeof l->w);
  memset(l->bw, 0, sizeof l->bw);
  switch (l->kind) {
  case TRM_LINK_SCREW:
    trm_cross(W, n, slide);
    trm_add_scaled(2 * l->pitch * v[0], slide, l->bv);
    trm_add_scaled(v[0], slide, l->bw);
    trm_add_scaled(v[0], n, l->w);
    break;
  case TRM_LINK_REVOLUTE:
    trm_cross(W, n, slide);
    trm_add_scaled(v[0], slide, l->bw);
    trm_add_scaled(v[0], n, l->w);
    break;
  case TRM_LINK_PRISMATIC:
    trm_cross(W, n, slide);
    trm_add_scaled(2 * v[0], slide, l->bv);
    break;
  case TRM_LINK_BALL: velocity_ball(l, parent, q, v); break;
  case TRM_LINK_FREE: velocity_ball(l, parent, q + 3, v + 3); break;
  case TRM_LINK_FIXED: break;
  }
}

/* I ω about the centre of mass, by the principal axes. */
TRM_INLINE void spin_momentum(const trm_link *l, const double *w, double *momentum) {
  momentum[0] = momentum[1] = momentum[2] = 0;
  for (int k = 0; k < 3; k++)
    trm_add_scaled(l->inertia[k] * trm_dot3(l->a[k], w), l->a[k], momentum);
}

/* n0, f0 */
TRM_INLINE void trm_link_load(trm_link *l, const double *force) {
  double momentum[3], arm[3], n[3], f[3];
  spin_momentum(l, l->w, momentum);
  trm_cross(l->w, momentum, n);
  trm_cross(l->w, l->c, arm);
  trm_cross(l->w, arm, f); /* the centre's acceleration about the reference point */
  for (int k = 0; k < 3; k++) {
    f[k] = l->mass * f[k] - force[k];
    n[k] -= force[3 + k];
  }
  trm_add_cross(l->c, f, n);
  memcpy(l->n0, n, sizeof n);
  memcpy(l->f0, f, sizeof f);
}

TRM_INLINE void trm_link_inertia(trm_link *l) {
  l->massless = false;
  memcpy(l->wn, l->n0, sizeof l->wn);
  memcpy(l->wf, l->f0, sizeof l->wf);
  double m = l->mass, x = m * l->c[0], y = m * l->c[1], z = m * l->c[2];
  double xx = x * l->c[0], yy = y * l->c[1], zz = z * l->c[2];
  double *I = l->I, *H = l->H, *M = l->M;
  I[0] = yy + zz;
  I[1] = -x * l->c[1];
  I[2] = -x * l->c[2];
  I[3] = xx + zz;
  I[4] = -y * l->c[2];
  I[5] = xx + yy;
  trm_add_square(l->inertia[0], l->a[0], I);
  trm_add_square(l->inertia[1], l->a[1], I);
  trm_add_square(l->inertia[2], l->a[2], I);
  H[0] = H[4] = H[8] = 0;
  H[1] = -z, H[2] = y, H[3] = z, H[5] = -x, H[6] = -y, H[7] = x;
  M[0] = M[3] = M[5] = m;
  M[1] = M[2] = M[4] = 0;
}

#endif
