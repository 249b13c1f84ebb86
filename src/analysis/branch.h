/* A point of a branch of equilibria over a parameter, and Newton's method to the next one.
 *
 *     F(x, p) = (Zᵀ f, ż) = 0,   ⟨τ, (x, p) − (x0, p0)⟩ = s
 *
 * x are places on the constraints and states. With the tangent τ of the branch as the last row the
 * equations stay regular where the branch turns (Keller's arc length); with the parameter's own
 * direction they hold it. */
#ifndef TRM_ANALYSIS_BRANCH_H
#define TRM_ANALYSIS_BRANCH_H

#include "analysis/manifold.h"
#include "analysis/simulation.h"

/* The mechanism with a value of the parameter. */
typedef struct trm_stand {
  trm_model *model;
  trm_simulation *simulation;
  trm_manifold *manifold;
} trm_stand;

typedef struct trm_branch_point {
  double p;      /* as a part of the range: 0 first, 1 last */
  double *x;     /* [n + states] q and z */
  double *ahead; /* [n + states + 1] unit tangent, the parameter last */
} trm_branch_point;

typedef struct trm_branch {
  const trm_simulation *base;
  const char *name;
  double first, range; /* of the parameter */
  trm_arena *arena;
  trm_diagnostics *diagnostics; /* of the mechanism at hand; NULL: quiet */
  int n, states;
  double t;
  double *scale; /* [n + states] what a coordinate is measured by */
  trm_stand at;  /* the mechanism of the last point */
  double *by_p;  /* [n + 2 n + states]: ∂x, ∂f and ∂ż by the part of the range */
  double *f, *next;
  double *A, *b, *work, *move, *row, *of_state, *follow;
  bool *led;
  int *pivot, room;
} trm_branch;

bool trm_branch_create(trm_branch *branch, const trm_simulation *base, const char *name,
                       double first, double last, trm_arena *arena);
void trm_branch_free(trm_branch *branch);
bool trm_branch_point_create(trm_branch_point *point, const trm_branch *branch);
void trm_branch_point_copy(trm_branch_point *to, const trm_branch_point *from,
                           const trm_branch *branch);

/* The parameter's value. */
double trm_branch_value(const trm_branch *branch, double p);

/* Brings the point onto the branch, `s` along `ahead` of `from`; from == NULL: at its own p. Then
 * finds its tangent, that goes on with `ahead` of the point. Iterations taken, 0: none is there. */
int trm_branch_solve(trm_branch *branch, trm_branch_point *point, const trm_branch_point *from,
                     double s);

#endif
