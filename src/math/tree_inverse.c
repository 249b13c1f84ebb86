/* From accelerations to forces: what a tree's joints transmit, forces over its coordinates, and
 * products with M. */
#include <string.h>

#include "math/tree.h"
#include "math/tree_small.h"

/* The acceleration of a ball's own turning along global axes, linear in x. */
static void turning(trm_link *parent, const double *p, const double *x, double *turn) {
  double w[3];
  trm_ball_spin(p, x, w);
  trm_along(parent->a, w, turn);
}

/* Accelerations from x over the coordinates; still: where nothing moves yet. */
static void follow(trm_tree *tree, const double *x, bool still) {
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i], *parent = &tree->link[l->parent];
    const double *q = tree->q + l->at, *xl = x ? x + l->at : NULL;
    double turn[3];
    trm_vector dw = trm_get(parent->dw), dv = trm_get(parent->dv);
    dv = trm_plus(dv, trm_product(dw, trm_get(l->p)));
    trm_put(still ? dw : trm_plus(dw, trm_get(l->bw)), l->dw);
    trm_put(still ? dv : trm_plus(dv, trm_get(l->bv)), l->dv);
    if (!x) continue;
    switch (l->kind) {
    case TRM_LINK_REVOLUTE: trm_add_scaled(xl[0], l->n, l->dw); break;
    case TRM_LINK_PRISMATIC: trm_add_scaled(xl[0], l->n, l->dv); break;
    case TRM_LINK_SCREW:
      trm_add_scaled(xl[0], l->n, l->dw);
      trm_add_scaled(l->pitch * xl[0], l->n, l->dv);
      break;
    case TRM_LINK_BALL:
      turning(parent, q, xl, turn);
      trm_add_scaled(1, turn, l->dw);
      break;
    case TRM_LINK_FREE:
      turning(parent, q + 3, xl + 3, turn);
      trm_add_scaled(1, turn, l->dw);
      trm_add_scaled(1, xl, l->dv);
      break;
    case TRM_LINK_FIXED: break;
    }
  }
}

/* The wrench that a link's own inertia takes, besides what is there. */
static void accelerate_link(trm_link *l, trm_vector n, trm_vector f) {
  trm_vector dw = trm_get(l->dw), c = trm_get(l->c);
  trm_vector own = trm_scaled(l->mass, trm_plus(trm_get(l->dv), trm_product(dw, c)));
  n = trm_plus(n, trm_product(c, own));
  for (int k = 0; k < 3; k++) {
    trm_vector a = trm_get(l->a[k]);
    n = trm_add_times(l->inertia[k] * trm_inner(a, dw), a, n);
  }
  trm_put(n, l->wn);
  trm_put(trm_plus(f, own), l->wf);
  if (!l->massless) return;
  double more[3];
  trm_symmetric_times(l->F, l->dw, more);
  trm_add_scaled(1, more, l->wn);
}

static void gather(trm_tree *tree, bool still) {
  static const double none[4];
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    accelerate_link(l, trm_get(still ? none : l->n0), trm_get(still ? none : l->f0));
  }
  for (int i = tree->count - 1; i >= 0; i--) {
    trm_link *l = &tree->link[i];
    if (l->parent >= 0) trm_link_pass_wrench(l, &tree->link[l->parent]);
  }
}

/* y of a torque: τ·ω = y·ṗ */
static void ball_force(trm_link *parent, const double *p, const double *torque, double *y) {
  double w[3] = {trm_dot3(parent->a[0], torque), trm_dot3(parent->a[1], torque),
                 trm_dot3(parent->a[2], torque)};
  double scale = 4 / (p[0] * p[0] + trm_dot3(p + 1, p + 1));
  trm_ball_rates(p, w, y); /* the transposed of ω = 2 T ṗ/p² is four times ṗ = ½ Tᵀω, over p² */
  for (int i = 0; i < 4; i++) y[i] *= scale;
}

/* y: the wrenches over the coordinates. */
static void collect(const trm_tree *tree, const trm_path *path, double *y) {
  for (int i = 0; i < path->count; i++) {
    trm_link *l = &tree->link[path->link[i]], *parent = &tree->link[l->parent];
    const double *q = tree->q + l->at;
    double *yl = y + l->at;
    switch (l->kind) {
    case TRM_LINK_REVOLUTE: yl[0] = trm_dot3(l->n, l->wn); break;
    case TRM_LINK_PRISMATIC: yl[0] = trm_dot3(l->n, l->wf); break;
    case TRM_LINK_SCREW: yl[0] = trm_dot3(l->n, l->wn) + l->pitch * trm_dot3(l->n, l->wf); break;
    case TRM_LINK_BALL: ball_force(parent, q, l->wn, yl); break;
    case TRM_LINK_FREE:
      memcpy(yl, l->wf, 3 * sizeof *yl);
      ball_force(parent, q + 3, l->wn, yl + 3);
      break;
    case TRM_LINK_FIXED: break;
    }
  }
}

void trm_tree_follow(trm_tree *tree, const double *a) {
  follow(tree, a, false);
}

void trm_tree_transmit(trm_tree *tree) {
  gather(tree, false);
}

void trm_tree_force(trm_tree *tree, double *Q) {
  follow(tree, NULL, false);
  gather(tree, false);
  collect(tree, &tree->all, Q);
  for (int i = 0; i < tree->n; i++) Q[i] = -Q[i];
}

/* What M has along the quaternions. */
static void add_stiff(const trm_link *l, const double *p, const double *x, double *y) {
  double along = l->stiff * trm_dot4(p, x) / trm_dot4(p, p);
  for (int i = 0; i < 4; i++) y[i] += along * p[i];
}

void trm_tree_times(trm_tree *tree, const double *x, double *y) {
  follow(tree, x, true);
  gather(tree, true);
  collect(tree, &tree->all, y);
  for (int i = 0; i < tree->count; i++) {
    const trm_link *l = &tree->link[i];
    int at = trm_link_quaternion(l);
    if (at >= 0) add_stiff(l, tree->q + at, x + at, y + at);
  }
}

void trm_tree_transposed(trm_tree *tree, const trm_path *path, const double *wrench, double *y) {
  static const double none[6];
  for (int i = 0; i < path->count; i++) {
    trm_link *l = &tree->link[path->link[i]];
    const double *force = l->body < 0 ? none : wrench + 6 * (ptrdiff_t)l->body;
    trm_vector f = trm_get3(force);
    trm_put(trm_plus(trm_get3(force + 3), trm_product(trm_get(l->c), f)), l->wn);
    trm_put(f, l->wf);
  }
  for (int i = path->count - 1; i >= 0; i--) {
    trm_link *l = &tree->link[path->link[i]];
    if (l->parent >= 0) trm_link_pass_wrench(l, &tree->link[l->parent]);
  }
  collect(tree, path, y);
}
