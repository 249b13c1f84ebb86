/* The linear problem behind a BDF step: with the accelerations a(q, v) of the constrained system,
 *
 *     (1 − γ ∂f/∂y) (dq, dv) = (bq, bv),   f = (v, a)
 *
 * is, by differentiating M a + Cqᵀ λ = Q, Cq a = Qd, and with dq = bq + γ dv,
 *
 *     [M + γD + γ²K      Cqᵀ ] [dv  ]   [M bv − γK bq ]
 *     [Cq + γT + γ²S     −E  ] [γ dλ] = [Cq bv − γS bq]
 *
 * S = ∂(Cq a)/∂q, T = −∂Qd/∂v = 2 ∂(Cq v)/∂q, each with a and v held. ∂Qd/∂q is left out: it is
 * zero in natural coordinates. E is tiny, for singular positions. */
#ifndef TRM_INTEGRATOR_SADDLE_H
#define TRM_INTEGRATOR_SADDLE_H

#include "integrator/dynamics.h"
#include "math/kkt.h"
#include "system/tangent.h"

typedef struct trm_saddle {
  trm_system *system;
  trm_solver *solver;
  trm_tangent *tangent;
  const bool *spare; /* [m] redundant rows: their multipliers are zero */
  trm_kkt *kkt;
  double *J;          /* in K's pattern */
  double *Cq, *S, *T; /* of the last linearization, laid out like Cq; T without its factor of two */
  double *A;          /* Cq + γT + γ²S */
  double *E;          /* [m] */
  double *b;          /* [n + m] */
  double gamma;
} trm_saddle;

/* NULL: out of memory. */
trm_saddle *trm_saddle_create(trm_arena *arena, trm_dynamics *dynamics, bool sparse);

/* At the state whose accelerations have just been found. False: see system->error. */
bool trm_saddle_linearize(trm_saddle *saddle);
/* The same for the first time, with a factorization for γ = 0: only this one allocates. Massless
 * rotations that nothing determines keep their fictitious inertia from here on. The solver has
 * factored this position. */
bool trm_saddle_begin(trm_saddle *saddle);
/* With this γ; false: singular. */
bool trm_saddle_factor(trm_saddle *saddle, double gamma);
/* b = (bq, bv, …) becomes (dq, dv, …). */
void trm_saddle_solve(trm_saddle *saddle, double *b);
/* γ = 0: M a + Cqᵀ λ = f, Cq a = g */
void trm_saddle_accelerations(trm_saddle *saddle, const double *f, const double *g, double *a,
                              double *lambda);

/* e[m], small against Cq M⁻¹ Cqᵀ: what may stand at the multipliers' place in a matrix. */
void trm_regularize(const trm_system *system, const trm_tangent *tangent, const double *Cq,
                    double *e);

#endif
