/* The motion of a tree: axes and arms from its coordinates, ω and biases from their rates, and what
 * forces leave of them. */
#include "math/tree.h"

#include <string.h>

#include "math/tree_link.h"

trm_tree *trm_tree_create(trm_arena *arena, int links) {
  trm_tree *tree = TRM_NEW(arena, trm_tree, 1);
  trm_link *link = tree ? TRM_NEW(arena, trm_link, links + 1) : NULL;
  if (!link) return NULL;
  for (int k = 0; k < 3; k++) link->a[k][k] = 1; /* the ground's */
  link->parent = link->body = -1;
  tree->link = link + 1;
  tree->count = links;
  tree->all.link = TRM_NEW(arena, int, links + 1);
  for (int i = 0; tree->all.link && i < links; i++) tree->all.link[i] = i;
  return tree->all.link ? tree : NULL;
}

/* Rodrigues: e = n (n·e0) + cos (e0 − n (n·e0)) + sin n × e0 */
void trm_link_turn(trm_link *link, const double axis[3], double e0[3][3]) {
  bool turns = link->kind == TRM_LINK_REVOLUTE || link->kind == TRM_LINK_SCREW;
  memcpy(link->axis, axis, 3 * sizeof *axis);
  for (int k = 0; k < 3; k++) {
    double along = turns ? trm_dot3(axis, e0[k]) : 0;
    memcpy(link->still[k], e0[k], sizeof e0[k]);
    if (!turns) continue;
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

/* ---- position and velocity ---- */

void trm_tree_position(trm_tree *tree, const double *q) {
  tree->q = q;
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    trm_link_position(l, &tree->link[l->parent], q + l->at);
  }
}

void trm_tree_velocity(trm_tree *tree, const double *v) {
  tree->v = v;
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    trm_link_velocity(l, &tree->link[l->parent], tree->q + l->at, v + l->at);
  }
}

void trm_tree_load(trm_tree *tree, const double *applied) {
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i];
    if (l->body < 0) continue;
    trm_vector I[3];
    trm_link_turn_inertia(l, I);
    trm_link_load(l, I, applied + 6 * (ptrdiff_t)l->body);
  }
}

void trm_tree_start(trm_tree *tree) {
  for (int i = 0; i < tree->count; i++) {
    trm_vector I[3];
    trm_link_turn_inertia(&tree->link[i], I);
    trm_link_inertia(&tree->link[i], I);
  }
}

void trm_tree_state(trm_tree *tree, const double *q, const double *v, const double *applied) {
  tree->q = q;
  tree->v = v;
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i], *parent = &tree->link[l->parent];
    trm_link_position(l, parent, q + l->at);
    trm_link_velocity(l, parent, q + l->at, v + l->at);
    trm_vector I[3];
    trm_link_turn_inertia(l, I);
    if (l->body >= 0) trm_link_load(l, I, applied + 6 * (ptrdiff_t)l->body);
    trm_link_inertia(l, I);
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
