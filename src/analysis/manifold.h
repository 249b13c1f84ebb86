/* The motions next to a state that the constraints allow, and how they go on:
 *
 *     C(q, z) = 0,   Cq v + Ct = 0        (δq, δv, δz) along these: a basis, and for each of it
 *     M a + Cqᵀ λ = Q,   Cq a = Qd        (δa, δλ, δż)
 *
 * K, D, M and the constraints' second derivatives are the exact tangents of implicit methods. What
 * these leave out, ∂(Cq a − Qd) at a fixed a, is zero at rest; in motion it comes from extrapolated
 * differences along each direction, which are exact where Qd is quadratic.
 * Full matrices: for up to some thousand coordinates. */
#ifndef TRM_ANALYSIS_MANIFOLD_H
#define TRM_ANALYSIS_MANIFOLD_H

#include "analysis/engine.h"
#include "math/null_space.h"
#include "system/tangent.h"

typedef struct trm_manifold {
  trm_engine *engine;
  trm_system *system;
  trm_arena *arena; /* everything below */
  trm_tangent *tangent;
  int n, m, states;                /* coordinates, constraint rows, states */
  int width;                       /* of a direction: 2 n + states */
  int positions, velocities, size; /* freedoms of q and of v; both and the states */
  bool moving;                     /* Qd or Ct are not zero all around */

  double t, *q;     /* [n] */
  double *v;        /* [n + states] with z behind */
  double *a;        /* [n + states] with ż behind */
  double *lambda;   /* [m] */
  double *residual; /* [n + states] M a − Q, and ż − g */

  int place_rows, all_rows;
  int *place_row, *all_row; /* which constraint; −1: a massless rotation stays */
  trm_null_space place_space, rate_space;
  const trm_null_space *place, *rates; /* of rows of position level, of all rows */
  double *S, *T;                       /* ∂(Cq a)/∂q, ∂(Cq v)/∂q, laid out like Cq */
  double *mass;                        /* [velocities²] Zᵀ M Z, factored */
  int *mass_pivot;

  double *direction; /* [size × width] (δq, δv, δz): positions first, then velocities, states */
  double *rate;      /* [size × width] (δv, δa, δż) */
  double *multiplier; /* [size × m] δλ */
  int created;        /* directions that there is room for */

  double *force, *product, *x; /* [n + states] */
  double *row, *row2, *g;      /* [m + massless] */
  double *probe;               /* [2 (n + states)] a state next to this one */
  double away;                 /* so far, in steps of the direction */
  int unit;                    /* so many numbers have differences at a time */
  double *room;
} trm_manifold;

/* At the engine's state. NULL: out of memory. */
trm_manifold *trm_manifold_create(trm_engine *engine);
void trm_manifold_destroy(trm_manifold *manifold); /* accepts NULL */

/* Evaluates the state (q, v) at t, which may be manifold->q and ->v: constraints and forces, their
 * null spaces, but no tangents. False: see system->error. */
bool trm_manifold_evaluate(trm_manifold *manifold, double t, const double *q, const double *v);
/* a and λ there, and the tangents K, D, M. */
bool trm_manifold_accelerate(trm_manifold *manifold);
/* λ for a given a; and the tangents. */
bool trm_manifold_react(trm_manifold *manifold, const double *a);
/* All directions and how they go on. */
bool trm_manifold_directions(trm_manifold *manifold);
/* How a direction goes on, or without one (NULL) an input that moves alone: rate [width],
 * multiplier [m]. */
bool trm_manifold_follow(trm_manifold *manifold, const double *direction, int input, double *rate,
                         double *multiplier);

/* In place of an input, which is a signal. */
enum { TRM_NO_INPUT = -1, TRM_TIME_ITSELF = -2 };

/* A direction and what follows from it; without one an input moves alone. */
typedef struct trm_course_of {
  const double *direction, *rate, *multiplier; /* [width], [width], [m] */
  int input;
} trm_course_of;

/* How C [m] and Cq v + Ct [m] change along the direction, or with the time; NULL: not at all. */
bool trm_manifold_leave(trm_manifold *manifold, const double *direction, bool time, double *place,
                        double *speed);

/* Reads numbers off a system that has been evaluated, a and λ with it. */
typedef void (*trm_reader)(void *context, const trm_system *system, double *out);

/* Their slopes; `count` is manifold->unit at most. */
bool trm_manifold_slopes(trm_manifold *manifold, const trm_course_of *along, trm_reader read,
                         void *context, int count, double *slopes);
/* Brings q onto the constraints of position level, with the null space at hand; ‖C‖ is left. */
bool trm_manifold_close(trm_manifold *manifold, double t, double *q, const double *v,
                        double *violation);
/* Brings v onto the constraints at the state that was evaluated. */
void trm_manifold_allow(trm_manifold *manifold, double *v);
/* Of a state that laws of joints hang on: the change of place that goes with it, into [width]. */
bool trm_manifold_place_of_state(trm_manifold *manifold, int state, double *direction);
/* At rest: a state that stands still in every place is led there by the velocities on the way, as
 * the bristles of a tire bend as far as the wheel moves. of_state [states × width]: the changes of
 * place from above; led [states]; follow [states × n]: its change with each direction of place. */
void trm_manifold_lead(trm_manifold *manifold, const double *of_state, bool *led, double *follow);
/* From a direction to its parts along the basis: c [size]. `left`: the largest part that the basis
 * does not have, by what coordinates are measured by; or NULL. */
void trm_manifold_parts(trm_manifold *manifold, const double *direction, double *c, double *left);

/* y = D x */
void trm_damping_times(const trm_tangent *tangent, const double *x, double *y);

#endif
