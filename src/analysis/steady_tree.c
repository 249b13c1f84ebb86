/* A steady motion in coordinates of joints. What the frame does to a body cancels in the joints
 * between bodies, but for their spins: seen from the parent's axes all turns by W, that is −σ of
 * the parent, and on the ground the frame's ω. Rates are linear in the coordinates of a joint:
 *
 *     angles ẋ = n·(W + σ),   quaternions ṗ = (W∘p + p∘σ)/2,   ways ẋ = n·(U + W × D − σ × c)
 *
 * with D the way to the body's reference point and c from there to its centre of mass. */
#include <string.h>

#include "analysis/steady.h"
#include "math/rotation.h"
#include "system/tree.h"

typedef struct joint {
  const trm_link *parent, *child;
  int first, last;
  double W[3], U[3], spin[3], round[3]; /* round: what the spin does to the reference point */
  const double *own;                    /* the spin along the body's axes */
} joint;

static void carry(const trm_link *l, const double *u, double d[3]) {
  memset(d, 0, 3 * sizeof *d);
  for (int k = 0; k < 3; k++) trm_axpy(3, u[k], l->a[k], d);
}

static joint joint_of(const trm_steady *st, const trm_system *sys, int body) {
  static const double none[3];
  const trm_tree *tree = sys->spanning->tree;
  joint j = {.last = sys->spanning->link[body]};
  bool placed = body < trm_model_placed(sys->model); /* shafts have no place */
  j.first = trm_tree_first_of_joint(tree, j.last);
  j.child = &tree->link[j.last];
  j.parent = &tree->link[tree->link[j.first].parent];
  j.own = st->spin[body];
  carry(j.child, j.own, j.spin);
  trm_cross(j.spin, j.child->c, j.round);
  if (j.parent->body >= 0) {
    carry(j.parent, st->spin[j.parent->body], j.W);
    trm_cross(j.W, j.parent->c, j.U);
    for (int k = 0; k < 3; k++) j.W[k] = -j.W[k];
  } else {
    memcpy(j.W, placed ? st->w : none, sizeof j.W);
    memcpy(j.U, placed ? st->u : none, sizeof j.U);
  }
  return j;
}

/* Σ n x of the ways along a joint. */
static void go_along(const trm_tree *tree, const joint *j, const double *x, double way[3]) {
  memset(way, 0, 3 * sizeof *way);
  for (int i = j->first; i <= j->last; i++)
    if (tree->link[i].kind == TRM_LINK_PRISMATIC)
      trm_axpy(3, x[tree->link[i].at], tree->link[i].n, way);
}

/* W × D, and where it counts what does not depend on x. */
static void find_speed(const trm_tree *tree, const joint *j, const double *x, bool constant,
                       double speed[3]) {
  double way[3], now[3], more[3];
  go_along(tree, j, x, way);
  trm_cross(j->W, way, speed);
  if (!constant) return;
  go_along(tree, j, tree->q, now);
  for (int k = 0; k < 3; k++) way[k] = j->child->o[k] - j->parent->o[k] - now[k];
  trm_cross(j->W, way, more);
  for (int k = 0; k < 3; k++) speed[k] += j->U[k] + more[k] - j->round[k];
}

static void turn_ball(const joint *j, const double *p, double *rate) {
  double W[3];
  for (int k = 0; k < 3; k++) W[k] = trm_dot(3, j->parent->a[k], j->W);
  trm_ball_rates(p, W, rate);
  trm_quaternion_spin(p, j->own, rate);
}

void trm_steady_joints(const trm_steady *st, const trm_system *sys, const double *x, bool constant,
                       double *out) {
  const trm_tree *tree = sys->spanning->tree;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const joint j = joint_of(st, sys, b);
    double speed[3], turn[3];
    find_speed(tree, &j, x, constant, speed);
    for (int k = 0; k < 3; k++) turn[k] = constant ? j.W[k] + j.spin[k] : 0;
    for (int i = j.first; i <= j.last; i++) {
      const trm_link *l = &tree->link[i];
      const double *own = x + l->at;
      double *rate = out + l->at;
      switch (l->kind) {
      case TRM_LINK_SCREW:
      case TRM_LINK_REVOLUTE: rate[0] = trm_dot(3, l->n, turn); break;
      case TRM_LINK_PRISMATIC: rate[0] = trm_dot(3, l->n, speed); break;
      case TRM_LINK_BALL: turn_ball(&j, own, rate); break;
      case TRM_LINK_FREE:
        trm_cross(j.W, own, rate);
        if (constant) trm_axpy(3, 1, j.U, rate);
        turn_ball(&j, own + 3, rate + 3);
        break;
      case TRM_LINK_FIXED: break;
      }
    }
  }
}

/* A body that spins beside its reference point in a joint with ways goes to and fro in them. */
static void add_swing(const trm_tree *tree, const joint *j, double *slip) {
  for (int i = j->first; i < j->last; i++)
    if (tree->link[i].kind == TRM_LINK_PRISMATIC)
      trm_axpy(3, trm_dot(3, tree->link[i].n, j->round), tree->link[i].n, slip);
}

void trm_steady_slip(const trm_steady *st, const trm_system *sys, double *slip) {
  if (!sys->spanning) return;
  trm_tree *tree = sys->spanning->tree;
  const double *v = tree->v;
  trm_steady_joints(st, sys, tree->q, true, st->rate);
  trm_tree_velocity(tree, st->rate);
  trm_tree_speeds(tree);
  for (int b = 0; b < sys->motion.bodies; b++, slip += 6) {
    const joint j = joint_of(st, sys, b);
    const trm_link *l = j.child;
    bool placed = b < trm_model_placed(sys->model);
    double x[3], carried[3], own[3];
    trm_cross(l->w, l->c, own);
    for (int k = 0; k < 3; k++) x[k] = l->o[k] + l->c[k];
    trm_cross(st->w, x, carried);
    for (int k = 0; k < 3; k++) {
      slip[k] = placed ? (l->vo[k] + own[k] - carried[k] - st->u[k]) / sys->size : 0;
      slip[3 + k] = l->w[k] - j.spin[k] - (placed ? st->w[k] : 0);
    }
    add_swing(tree, &j, slip);
  }
  trm_tree_velocity(tree, v);
  trm_tree_speeds(tree);
}

void trm_steady_block(const trm_system *sys, int body, int *first, int *width) {
  int nq = sys->generic ? 0 : sys->motion.nq;
  *first = body * nq;
  *width = nq;
  if (!sys->spanning) return;
  const trm_tree *tree = sys->spanning->tree;
  int last = sys->spanning->link[body];
  const trm_link *own = &tree->link[last];
  *first = tree->link[trm_tree_first_of_joint(tree, last)].at;
  *width = own->at + trm_link_coordinates(own) - *first;
}
