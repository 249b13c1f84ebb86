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

/* Vectors have a fourth entry, zero, so that one instruction or two work on all of one. */
typedef struct trm_link {
  trm_link_kind kind;
  int parent;              /* −1: the ground; parents come before their children */
  int at;                  /* its first coordinate */
  int body;                /* −1: none, between two links of one joint */
  double pitch;            /* of a screw: displacement per radian */
  double mass, inertia[3]; /* about its own axes, which are principal ones */
  bool massless;           /* turns that have no inertia got some: F */
  /* its axes along the parent's, as the joint's coordinate turns them */
  double still[3][4], sine[3][4], cosine[3][4];
  double axis[4]; /* in the parent's axes */
  double arm[4];  /* from the parent's reference point to its own, in the parent's axes */
  double com[4];  /* from its reference point to its centre of mass, in its own axes */

  /* position */
  double a[3][4];    /* its axes, and below: */
  double p[4], n[4]; /* from the parent's reference point; the joint's axis */
  double c[4];       /* from its reference point to its centre of mass */
  /* velocity */
  double w[4];         /* ω */
  double bw[4], bv[4]; /* accelerations against the parent's where q̈ = 0 */
  /* the articulated body: (n, f) = (I ω̇ + H a, Hᵀ ω̇ + M a), by rows */
  double I[3][4], H[3][4], M[3][4];
  double Un[4], Uf[4]; /* of one freedom: its column; what its accelerations are found by */
  /* work of one sweep */
  double wn[4], wf[4]; /* wrench */
  double dw[4], dv[4]; /* accelerations */
  double u[6];         /* what the freedoms are left to do */

  double n0[4], f0[4]; /* wrench that bw, bv and the applied forces leave */
  double o[4], vo[4];  /* its reference point, and its velocity: see trm_tree_places */
  double root;         /* of one freedom: 1/√(pivot) */
  double stiff;        /* of a ball */
  double F[6];         /* symmetric: xx xy xz yy yz zz */
  double L[21];        /* of more freedoms: the factor by rows, its diagonal inverted */
  double X[9];         /* of a ball: L \ H */
} trm_link;

/* Some of a tree's links, parents before their children. */
typedef struct trm_path {
  int count;
  int *link; /* [count] */
} trm_path;

typedef struct trm_tree {
  int count;           /* links */
  int n;               /* coordinates */
  int balls;           /* quaternions */
  trm_link *link;      /* [−1 … count − 1]: the ground's stands still */
  trm_path all;        /* of them */
  const double *q, *v; /* of the state at hand */
} trm_tree;

/* Where a link's quaternion starts among the coordinates; −1: it has none. */
static inline int trm_link_quaternion(const trm_link *l) {
  return l->kind == TRM_LINK_BALL ? l->at : l->kind == TRM_LINK_FREE ? l->at + 3 : -1;
}

static inline int trm_link_coordinates(const trm_link *l) {
  int more = l->kind == TRM_LINK_BALL ? 3 : l->kind == TRM_LINK_FREE ? 6 : 0;
  return l->kind == TRM_LINK_FIXED ? 0 : 1 + more;
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
/* z = L \ f, x = Lᵀ \ y, y = M x; the two arrays may be the same. z along a path that f is over,
 * with all links between and the ground: elsewhere it is zero and not written. */
void trm_tree_forward(trm_tree *tree, const trm_path *path, const double *f, double *z);
void trm_tree_backward(trm_tree *tree, const double *y, double *x);
void trm_tree_times(trm_tree *tree, const double *x, double *y);

/* dw, dv of the links that move with q̈ = a; then wn, wf: what each joint transmits to its link. */
void trm_tree_follow(trm_tree *tree, const double *a);
void trm_tree_transmit(trm_tree *tree);

/* Wrenches [bodies × 6] over the coordinates, as trm_tree_load takes them; of bodies on a path. */
void trm_tree_transposed(trm_tree *tree, const trm_path *path, const double *wrench, double *y);

/* Of a quaternion p: ω of rates dp along the axes that p turns from, and the rates of an ω. */
void trm_ball_spin(const double *p, const double *dp, double w[3]);
void trm_ball_rates(const double *p, const double w[3], double *dp);

#endif
