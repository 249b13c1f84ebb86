/* A mechanism in the coordinates of its joints: a spanning tree of them moves the bodies, the other
 * joints are constraints between bodies of the tree. Internal to this room. */
#ifndef TRM_SYSTEM_TREE_H
#define TRM_SYSTEM_TREE_H

#include "math/tree.h"
#include "system/system.h"

typedef struct trm_spanning {
  trm_tree *tree;
  int *link;          /* [bodies] */
  int *holds;         /* [bodies] the joint that holds a body in the tree; −1: none, it is free */
  int *held;          /* [joints] the body that a joint holds; −1: it is not in the tree */
  int *ball;          /* [balls] where each quaternion starts */
  bool slender;       /* some body has no inertia about an axis */
  double *twist;      /* [bodies × 6] v of the centre of mass, ω */
  double *motion;     /* [bodies × 6] their derivatives, of the accelerations at hand */
  double *applied;    /* [bodies × 6] force and torque at the centre of mass */
  double *row;        /* [bodies × 6] zeros: work */
  trm_frame *written; /* [−1 … bodies − 1] frames of the model file */
  /* where turns were counted last */
  double *counted;     /* [n] q */
  double counted_rate; /* at which a body turned there, at most, but for balls */
  double *turned;      /* [links] work */
  signed char *sense; /* [joints] of its angle against its coordinate in the tree; 0: it has none */
} trm_spanning;

static inline bool trm_link_has_angle(const trm_link *l) {
  return l->kind == TRM_LINK_REVOLUTE || l->kind == TRM_LINK_SCREW;
}

/* A system with coordinates of joints; NULL: out of memory. */
trm_system *trm_tree_system_create(const trm_model *model, const trm_coordinates *coordinates,
                                   trm_arena *arena);

/* Of a model in space: coordinates of its joints, quaternions among them, and joints that are not
 * in the tree. */
typedef struct trm_tree_size {
  int coordinates, quaternions, closures;
} trm_tree_size;
/* False: out of memory. */
bool trm_tree_count(const trm_model *model, trm_tree_size *size);
/* Links and their geometry, from frames as written. */
bool trm_tree_span(trm_system *system);
/* Coordinates from frames, and rates from theirs, at the tree's position. */
void trm_tree_read_poses(const trm_system *system, trm_frame *frames, double *q);
void trm_tree_read_rates(const trm_system *system, const trm_motion *motion, double *v);
/* Frames of the bodies from the tree's position, and from its velocity. */
void trm_tree_write_poses(trm_system *system);
void trm_tree_write_rates(trm_system *system);

/* The links of one joint follow one another; the last one is a body's. */
int trm_tree_first_of_joint(const trm_tree *tree, int last);

/* [bodies × nq] rates of the bodies: v, or their twists. */
static inline const double *trm_body_rates(const trm_system *sys) {
  return sys->spanning ? sys->spanning->twist : sys->v;
}
/* The joint is in the tree. */
static inline bool trm_tree_holds(const trm_system *sys, int joint) {
  return sys->spanning && sys->spanning->held[joint] >= 0;
}
/* Force and torque of such a joint on its second body, at its point there; what a screw pushes by.
 */
double trm_tree_effort(const trm_system *system, int joint);
void trm_tree_reaction(const trm_system *system, int joint, double parts[6]);

/* Tangents of the tree, and ∂(Cq x)/∂q, from those over the bodies (tree_tangent.c). */
struct trm_tangent;
bool trm_tree_tangent(trm_system *system, const double *a, const double *lambda,
                      struct trm_tangent *tangent);
void trm_tree_slope(const trm_system *system, struct trm_tangent *tangent, const double *x,
                    double *slope);
/* −Jᵀλ of the joints that are not in the tree is added to what is applied to the bodies. */
void trm_tree_add_reactions(const trm_system *system, const double *lambda, double *applied);
/* What forces and formulas apply to the bodies, at the state at hand. */
const double *trm_tree_applied(const trm_system *system);

#endif
