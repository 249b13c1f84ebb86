/* The motion of a tree: axes and arms from its coordinates, ω and biases from their rates, and what
 * forces leave of them. */
#include "math/tree.h"

#include <string.h>

#include "math/tree_small.h"

trm_tree *trm_tree_create(trm_arena *arena, int links) {
  trm_tree *tree = TRM_NEW(arena, trm_tree, 1);
  trm_link *link = tree ? TRM_NEW(arena, trm_link, links + 1) : NULL;
  if (!link) return NULL;
  for (int k = 0; k < 3; k++) link->a[k][k] = 1; /* the ground's */
  link->parent = link->body = -1;
  tree->link = link + 1;
  tree->count = links;
  return tree;
}

/* Rodrigues: e = n (n·e0) + cos (e0 − n (n·e0)) + sin n × e0 */
void trm_link_turn(trm_link *link, const double axis[3], double e0[3][3]) {
  bool turns = link->kind == TRM_LINK_REVOLUTE || link->kind == TRM_LINK_SCREW;
  memcpy(link->axis, axis, sizeof link->axis);
  memcpy(link->still, e0, sizeof link->still);
  for (int k = 0; k < 3 && turns; k++) {
    double along = trm_dot3(axis, e0[k]);
    trm_cross(axis, e0[k], link->sine[k]);
    for (int i = 0; i < 3; i++) {
      link->still[k][i] = axis[i] * along;
      link->cosine[k][i] = e0[k][i] - axis[i] * along;
    }
  }
}

/* ---- quaternions ---- */

void trm_ball_spin(const double *p, const double *dp, double w[3]) {
  const double *e = p + 1, *de = dp + 1;
  double scale = 2 / (p[0] * p[0] + trm_dot3(e, e));
  trm_cross(e, de, w);
  for (int i = 0; i < 3; i++) w[i] = scale * (w[i] + p[0] * de[i] - dp[0] * e[i]);
}

void trm_ball_rates(const double *p, const double w[3], double *dp) {
  const double *e = p + 1;
  double half[3] = {w[0] / 2, w[1] / 2, w[2] / 2};
  trm_cross(half, e, dp + 1);
  dp[0] = -trm_dot3(half, e);
  for (int i = 0; i < 3; i++) dp[1 + i] += p[0] * half[i];
}

/* Axes that p has turned from the parent's. */
static void turn_ball(const double *p, double e[3][3]) {
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

/* ---- position ---- */

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

TRM_INLINE void position_link(trm_link *l, trm_link *parent, const double *q) {
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

void trm_tree_position(trm_tree *tree, const double *q) {
  tree->q = q;
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    position_link(l, &tree->link[l->parent], q + l->at);
  }
}

/* ---- velocity ---- */

/* ω̇ of a ball's own turning where p̈ = 0: −2 (p·ṗ/p²) ω, beside what the parent's turning does */
static void velocity_ball(trm_link *l, trm_link *parent, const double *p, const double *dp) {
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

TRM_INLINE void velocity_link(trm_link *l, trm_link *parent, const double *q, const double *v) {
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

void trm_tree_velocity(trm_tree *tree, const double *v) {
  tree->v = v;
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    velocity_link(l, &tree->link[l->parent], tree->q + l->at, v + l->at);
  }
}

/* I ω about the centre of mass, by the principal axes. */
TRM_INLINE void spin_momentum(const trm_link *l, const double *w, double *momentum) {
  momentum[0] = momentum[1] = momentum[2] = 0;
  for (int k = 0; k < 3; k++)
    trm_add_scaled(l->inertia[k] * trm_dot3(l->a[k], w), l->a[k], momentum);
}

void trm_tree_load(trm_tree *tree, const double *applied) {
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    memset(l->n0, 0, sizeof l->n0);
    memset(l->f0, 0, sizeof l->f0);
    if (l->body < 0) continue;
    const double *force = applied + 6 * (ptrdiff_t)l->body, *torque = force + 3;
    double momentum[3], arm[3];
    spin_momentum(l, l->w, momentum);
    trm_cross(l->w, momentum, l->n0);
    trm_cross(l->w, l->c, arm);
    trm_cross(l->w, arm, l->f0); /* the centre's acceleration about the reference point */
    for (int k = 0; k < 3; k++) {
      l->f0[k] = l->mass * l->f0[k] - force[k];
      l->n0[k] -= torque[k];
    }
    trm_add_cross(l->c, l->f0, l->n0);
  }
}

/* ---- points ---- */

void trm_tree_places(trm_tree *tree) {
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    memcpy(l->o, l->p, sizeof l->o);
    trm_add_scaled(1, tree->link[l->parent].o, l->o);
  }
}

void trm_tree_speeds(trm_tree *tree) {
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    const trm_link *parent = &tree->link[l->parent];
    const double *v = tree->v + l->at;
    memcpy(l->vo, parent->vo, sizeof l->vo);
    trm_add_cross(parent->w, l->p, l->vo);
    if (l->kind == TRM_LINK_PRISMATIC) trm_add_scaled(v[0], l->n, l->vo);
    if (l->kind == TRM_LINK_SCREW) trm_add_scaled(l->pitch * v[0], l->n, l->vo);
    if (l->kind == TRM_LINK_FREE) trm_add_scaled(1, v, l->vo);
  }
}
