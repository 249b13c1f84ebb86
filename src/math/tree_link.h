/* One link of a tree: its axes and arms, ω and biases, what forces leave, and its own inertia. */
#ifndef TRM_MATH_TREE_LINK_H
#define TRM_MATH_TREE_LINK_H

#include <string.h>

#include "math/tree_small.h"

/* Axes that p has turned from the parent's. */
TRM_INLINE void turn_ball(const double *p, trm_vector e[3]) {
  double w = p[0], x = p[1], y = p[2], z = p[3], s = 2 / (w * w + x * x + y * y + z * z);
  const double a[3][3] = {
      {1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
      {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
      {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)},
  };
  for (int k = 0; k < 3; k++) e[k] = trm_get3(a[k]);
}

TRM_INLINE void turn_by(const trm_link *l, double angle, trm_vector e[3]) {
  double s = sin(angle), c = cos(angle);
  for (int k = 0; k < 3; k++)
    e[k] = trm_add_times(c, trm_get(l->cosine[k]),
                         trm_add_times(s, trm_get(l->sine[k]), trm_get(l->still[k])));
}

/* e: the axes along the parent's; the arm grows by a slide along the axis. */
TRM_INLINE void place_link(trm_link *restrict l, trm_link *restrict above, const trm_vector e[3],
                           double slide) {
  trm_vector parent[3], a[3];
  trm_get_rows(above->a, parent);
  trm_vector n = trm_combine(parent, l->axis), p = trm_combine(parent, l->arm);
  for (int k = 0; k < 3; k++) a[k] = trm_combine_by(parent, e[k]);
  trm_put_rows(a, l->a);
  trm_put(n, l->n);
  trm_put(slide != 0 ? trm_add_times(slide, n, p) : p, l->p);
  trm_put(trm_combine(a, l->com), l->c);
}

TRM_INLINE void trm_link_position(trm_link *restrict l, trm_link *restrict parent,
                                  const double *q) {
  trm_vector e[3];
  if (l->kind == TRM_LINK_REVOLUTE || l->kind == TRM_LINK_SCREW) {
    turn_by(l, q[0], e);
    place_link(l, parent, e, l->kind == TRM_LINK_SCREW ? l->pitch * q[0] : 0);
  } else if (l->kind == TRM_LINK_PRISMATIC || l->kind == TRM_LINK_FIXED) {
    trm_get_rows(l->still, e);
    place_link(l, parent, e, l->kind == TRM_LINK_PRISMATIC ? q[0] : 0);
  } else {
    turn_ball(l->kind == TRM_LINK_FREE ? q + 3 : q, e);
    place_link(l, parent, e, 0);
    if (l->kind == TRM_LINK_FREE) trm_put(trm_get3(q), l->p);
  }
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
  trm_vector W = trm_get(parent->w), n = trm_get(l->n), slide = trm_product(W, n);
  trm_vector bv = trm_product(W, trm_product(W, trm_get(l->p)));
  double turn = 0, along = 0;
  trm_put(bv, l->bv);
  switch (l->kind) {
  case TRM_LINK_SCREW:
    turn = v[0];
    along = l->pitch * v[0];
    break;
  case TRM_LINK_REVOLUTE: turn = v[0]; break;
  case TRM_LINK_PRISMATIC: along = v[0]; break;
  case TRM_LINK_BALL: velocity_ball(l, parent, q, v); return;
  case TRM_LINK_FREE: velocity_ball(l, parent, q + 3, v + 3); return;
  case TRM_LINK_FIXED: break;
  }
  if (along != 0) trm_put(trm_add_times(2 * along, slide, bv), l->bv);
  trm_put(trm_scaled(turn, slide), l->bw);
  trm_put(trm_add_times(turn, n, W), l->w);
}

/* I ω about the centre of mass, by the principal axes. */
TRM_INLINE void spin_momentum(const trm_link *l, const double *w, double *momentum) {
  momentum[0] = momentum[1] = momentum[2] = 0;
  for (int k = 0; k < 3; k++)
    trm_add_scaled(l->inertia[k] * trm_dot3(l->a[k], w), l->a[k], momentum);
}

/* The inertia about the centre of mass. */
TRM_INLINE void trm_link_turn_inertia(trm_link *l, trm_vector I[3]) {
  trm_vector a[3];
  for (int k = 0; k < 3; k++) a[k] = trm_scaled(l->inertia[k], trm_get(l->a[k]));
  for (int i = 0; i < 3; i++)
    I[i] = trm_combine(a, (const double[]){l->a[0][i], l->a[1][i], l->a[2][i]});
}

/* n0, f0 */
TRM_INLINE void trm_link_load(trm_link *l, const trm_vector I[3], const double *force) {
  trm_vector w = trm_get(l->w), c = trm_get(l->c);
  trm_vector f = trm_product(w, trm_product(w, c)); /* the centre's about the reference point */
  trm_vector n = trm_minus(trm_product(w, trm_combine(I, l->w)), trm_get3(force + 3));
  f = trm_minus(trm_scaled(l->mass, f), trm_get3(force));
  trm_put(f, l->f0);
  trm_put(trm_plus(n, trm_product(c, f)), l->n0);
}

/* From that about the centre of mass; H = m c̃. */
TRM_INLINE void trm_link_inertia(trm_link *l, trm_vector I[3]) {
  trm_vector c = trm_get(l->c), x = trm_scaled(l->mass, c), none = trm_scaled(0, c), H[3];
  trm_vector M[3] = {none, none, none};
  l->massless = false;
  trm_put(trm_get(l->n0), l->wn);
  trm_put(trm_get(l->f0), l->wf);
  for (int k = 0; k < 3; k++) I[k] = trm_add_times(-l->c[k], x, I[k]);
  trm_add_diagonal(trm_inner(x, c), I);
  trm_tilde(x, H);
  trm_add_diagonal(l->mass, M);
  trm_put_rows(I, l->I);
  trm_put_rows(H, l->H);
  trm_put_rows(M, l->M);
}

#endif
