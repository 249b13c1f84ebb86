/* Tangents of the equations of motion, for implicit methods, equilibrium and modes. Exact.
 *
 *     r = M a + Cqᵀ λ − Q,   K = ∂r/∂q,   D = ∂r/∂v,   M = ∂r/∂a
 *
 * These are the equations the solver solves: M with s CᵢᵀCᵢ where it is repaired (K has its
 * derivative), Q with Qv; and the fictitious inertia I of a massless rotation is taken out of M, K
 * and D with its torque Nᵀ I (N a + bias), unless it is kept. */
#ifndef TRM_SYSTEM_TANGENT_H
#define TRM_SYSTEM_TANGENT_H

#include "coordinates/blocks.h"
#include "system/system.h"

typedef struct trm_tangent {
  int n;               /* coordinates and states, which are velocities: D has their columns */
  trm_blocks K, D;     /* one pattern for both; a diagonal block for every body, and for every
                        * `width` states: the last of these may have rows that are none */
  double *M;           /* [bodies × width × width] full diagonal blocks */
  const int *diagonal; /* [bodies] which of K's blocks is (b, b) */
  bool *kept; /* [massless] its fictitious inertia stays: for a rotation that nothing determines */

  /* the same entries by column, for sparse factorizations: entry e is at row[e] and has the value
   * J[from[e]], J in the pattern of K */
  int nonzeros;            /* values of J */
  const int *column_start; /* [n + 1] */
  const int *row;          /* [column_start[n]] increasing in a column */
  const int *from;         /* [column_start[n]] */

  struct trm_tangent_work *work;
} trm_tangent;

/* The pattern is decided here, nothing is allocated later. NULL: out of memory. */
trm_tangent *trm_tangent_create(const trm_system *system, trm_arena *arena);

/* K, D and M at (a, λ), after the velocity stage, whose q and v must still be there. False where a
 * value is not finite: see system->error. */
bool trm_system_tangent(trm_system *system, const double *a, const double *lambda,
                        trm_tangent *tangent);
/* r at (a, λ), after the velocity stage; behind the n coordinates ż − g of the states. */
void trm_system_residual(const trm_system *system, const trm_tangent *tangent, const double *a,
                         const double *lambda, double *r);
/* ∂(Cq x)/∂q for a fixed x[n], laid out like Cq (panels); after the position stage. With x = v it
 * is the velocity equation's derivative, with x = a the acceleration equation's without Qd. */
void trm_system_jacobian_slope(const trm_system *system, trm_tangent *tangent, const double *x,
                               double *slope);

/* J = mass M + damping D + stiffness K, in K's pattern */
void trm_tangent_combine(const trm_tangent *tangent, double mass, double damping, double stiffness,
                         double *J);

#endif
