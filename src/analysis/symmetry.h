/* Motions of a whole mechanism that its forces and constraints do not notice: moving on across
 * gravity, turning about it, bodies of symmetric inertia that spin about their joints' axes, alone
 * or together where shafts and gears couple them. A steady motion is one of these, and where along
 * them the mechanism stands nothing determines.
 *
 * A candidate moves a state by d = G q + g, G v, G a. Then the unbalanced forces r turn with it:
 *
 *     Zᵀ (K d + D G v + M G a + Gᵀ r) = 0,   Cq d = 0,   ∂(Cq v)/∂q d + Cq G v = 0,   ż as before
 */
#ifndef TRM_ANALYSIS_SYMMETRY_H
#define TRM_ANALYSIS_SYMMETRY_H

#include "analysis/steady.h"

typedef struct trm_symmetry {
  int candidates; /* turns and ways of the world, spins about the axes of bodies */
  int count;      /* motions found */
  double *motion; /* [count × candidates] orthonormal, by coordinates' spans */
  int turns, ways;
  double turn[3][3], way[3][3];
  trm_steady unit;
  double *d, *Gv, *Ga, *change; /* [n + states] of a candidate, and what it does */
  double *pull;                 /* [2 n] work */
  double *A;                    /* [height × candidates] by column: `rows` for each state */
  double *row, *reach, slip;    /* [states], [m]: the largest that there could be */
  double *at;                   /* [candidates] */
  double *tau, *work;
  int *pivot, rows, height, room;
} trm_symmetry;

/* Room for the motions of a manifold's mechanism, to be asked for in so many states. False: out of
 * memory. */
bool trm_symmetry_create(trm_symmetry *symmetry, trm_manifold *manifold, int states);
/* At the state of the manifold, with its tangents; f [n]: −r, the forces that nothing holds.
 * driven: constraints that move with the time count, too. Else only those do that stand. */
void trm_symmetry_find(trm_symmetry *symmetry, trm_manifold *manifold, const double *f,
                       bool driven);
/* The same in steps: in each state, then of all of them. */
void trm_symmetry_ask(trm_symmetry *symmetry, int state, trm_manifold *manifold, const double *f,
                      bool driven);
void trm_symmetry_solve(trm_symmetry *symmetry);
/* The motion k, as a frame. */
void trm_symmetry_get(const trm_symmetry *symmetry, int k, const trm_system *system,
                      trm_steady *unit);
/* Makes a frame one of the motions. Returns how much it was off, as a part of its size. */
double trm_symmetry_take(trm_symmetry *symmetry, const trm_system *system, trm_steady *frame);

#endif
