/* Bodies that hang on one another by joints, as a tree: its motion from the coordinates of the
 * joints, and a root of its mass matrix, M = L Lᵀ, by one sweep from the leaves to the ground
 * (articulated bodies, Featherstone 2008, ch. 7).
 *
 * All vectors are along global axes. A link has a reference point on its joint; wrenches and
 * accelerations (ω̇ and the second derivative of the reference point) are taken there. A joint of
 * several freedoms is a row of links, of which only the last one is a body.
 *
 * A ball has four coordinates, a quaternion p. What turns is p/|p|; along p itself M has the entry
 * `stiff`, which a row p·p = 1 among the constraints answers. */
#ifndef TRM_MATH_TREE_H
#define TRM_MATH_TREE_H

#include <stdbool.h>

#include "base/arena.h"

typedef enum trm_link_kind {
  TRM_LINK_FIXED,
  TRM_LINK_REVOLUTE,
  TRM_LINK_PRISMATIC,
  TRM_LINK_SCREW,
  TRM_LINK_BALL,
  TRM_LINK_FREE /* on the ground: a point and a quaternion */
} trm_link_kind;

typedef struct trm_link {
  trm_link_kind kind;
  int parent; /* −1: the ground; parents come before their children */
  int at;     /* its first coordinate */
  int body;   /* −1: none, between two links of one joint */
  /* its axes along the parent's, as the joint's coordinate turns them */
  double still[3][3], sine[3][3], cosine[3][3];
  double arm[3];           /* from the parent's reference point to its own, in the parent's axes */
  double axis[3];          /* in the parent's axes */
  double com[3];           /* from its reference point to its centre of mass, in its own axes */
  double pitch;            /* of a screw: displacement per radian */
  double mass, inertia[3]; /* about its own axes, which are principal ones */
  double stiff;            /* of a ball */

  /* position */
  double a[3][3];     /* its axes, and below: */
  double p[3], n[3];  /* from the parent's reference point; the joint's axis */
  double c[3];        /* from its reference point to its centre of mass */
  double o[3], vo[3]; /* its reference point, and its velocity: see trm_tree_places */
  /* velocity */
  double w[3];         /* ω */
  double bw[3], bv[3]; /* accelerations against the parent's where q̈ = 0 */
  double n0[3], f0[3]; /* wrench that these accelerations and the applied forces leave */
  /* the articulated body: (n, f) = (I ω̇ + H a, Hᵀ ω̇ + M a), symmetric ones as xx xy xz yy yz zz */
  double I[6], H[9], M[6];
  double Un[3], Uf[3], root; /* of one freedom: its column, 1/√(pivot) */
  double inverse;            /* 1/pivot, of accelerations */
  bool massless;             /* turns that have no inertia got some: */
  double F[6];
  double L[21]; /* of more: the factor by rows, its diagonal inverted */
  double X[9];  /* of a ball: L \ H */
  /* work of one sweep */
  double wn[3], wf[3]; /* wrench */
  double dw[3], dv[3]; /* accelerations */
  double u[6];         /* what the freedoms are left to do */
} trm_link;

typedef struct trm_tree {
  int count;           /* links */
  int n;               /* coordinates */
  int balls;           /* quaternions */
  trm_link *link;      /* [−1 … count − 1]: the ground's stands still */
  const double *q, *v; /* of the state at hand */
} trm_tree;

/* Where a link's quaternion starts among the coordinates; −1: it has none. */
static inline int trm_link_quaternion(const trm_link *l) {
  return l->kind == TRM_LINK_BALL ? l->at : l->kind == TRM_LINK_FREE ? l->at + 3 : -1;
}

/* All memory comes from the arena. NULL: out of memory. */
trm_tree *trm_tree_create(trm_arena *arena, int links);
/* The parts of a link that follow from how its axes stand at zero: e0[k] along the parent's. */
void trm_link_turn(trm_link *link, const double axis[3], double e0[3][3]);

/* Axes and arms; ω and what the accelerations hang on. q and v must stay until the next ones. */
void trm_tree_position(trm_tree *tree, const double *q);
void trm_tree_velocity(trm_tree *tree, const double *v);
/* o of the links at the position at hand; vo. */
void trm_tree_places(trm_tree *tree);
void trm_tree_speeds(trm_tree *tree);
/* n0, f0 of the inertia's and of applied forces: [bodies × 6] force and torque at the centres of
 * mass. */
void trm_tree_load(trm_tree *tree, const double *applied);

/* The links' own inertia and n0, f0, from which sweeps begin. */
void trm_tree_start(trm_tree *tree);
/* All of the above but o and vo. */
void trm_tree_state(trm_tree *tree, const double *q, const double *v, const double *applied);

/* Q: the forces and what velocities ask for, over the coordinates. */
void trm_tree_force(trm_tree *tree, double *Q);
/* q̈ at the state at hand, after trm_tree_start or trm_tree_state. */
void trm_tree_accelerate(trm_tree *tree, double *a);

/* L at the position at hand. */
void trm_tree_factor(trm_tree *tree);
/* How much of M each coordinate has, as far as scales go: the pivots of L. */
void trm_tree_scale(const trm_tree *tree, double *M);
/* z = L \ f, x = Lᵀ \ y, y = M x; the two arrays may be the same */
void trm_tree_forward(trm_tree *tree, const double *f, double *z);
void trm_tree_backward(trm_tree *tree, const double *y, double *x);
void trm_tree_times(trm_tree *tree, const double *x, double *y);

/* dw, dv of the links that move with q̈ = a; then wn, wf: what each joint transmits to its link. */
void trm_tree_follow(trm_tree *tree, const double *a);
void trm_tree_transmit(trm_tree *tree);

/* Wrenches [bodies × 6] over the coordinates, as trm_tree_load takes them. */
void trm_tree_transposed(trm_tree *tree, const double *wrench, double *y);

/* Of a quaternion p: ω of rates dp along the axes that p turns from, and the rates of an ω. */
void trm_ball_spin(const double *p, const double *dp, double w[3]);
void trm_ball_rates(const double *p, const double w[3], double *dp);

#endif
