/* The linear problem behind a step of a stiff method: with the accelerations a(q, v) of the
 * constrained system,
 *
 *     (1 − γ ∂f/∂y) (dq, dv) = (bq, bv),   f = (v, a)
 *
 * is, by differentiating M a + Cqᵀ λ = Q, Cq a = Qd, and with dq = bq + γ dv,
 *
 *     [M + γD + γ²K      Cqᵀ ] [dv  ]   [M bv − γK bq ]
 *     [Cq + γT + γ²S     −E  ] [γ dλ] = [Cq bv − γS bq]
 *
 * S = ∂(Cq a)/∂q, T = −∂Qd/∂v = 2 ∂(Cq v)/∂q, each with a and v held. ∂Qd/∂q is left out: it is
 * zero in natural coordinates. E is tiny, for singular positions. γ is complex, too. */
#ifndef TRM_INTEGRATOR_SADDLE_H
#define TRM_INTEGRATOR_SADDLE_H

#include "integrator/dynamics.h"
#include "math/kkt.h"
#include "system/tangent.h"

/* Of a state, laid out like Cq: Cq itself, S, and T without its factor of two. And the rows'
 * entries for the accelerations of states: laws that hang on these have Cq a − slope ż = the rest.
 */
typedef struct trm_slopes {
  double *Cq, *S, *T;
  double *law; /* [law slopes] −slope */
} trm_slopes;

/* For matrices with a tangent and Cq; laws that hang on states have their entries in the columns of
 * these, or of those whose rates enter the accelerations. NULL: out of memory. */
trm_kkt *trm_kkt_of_tangent(trm_arena *arena, const trm_system *system, const trm_tangent *tangent,
                            bool rates, int parts);

bool trm_slopes_create(trm_slopes *slopes, trm_arena *arena, const trm_system *system);
/* y[m] += the laws' entries times x, over coordinates and states */
void trm_laws_times(const trm_slopes *slopes, const trm_system *system, const double *x, double *y);
/* With the tangent, at the state whose accelerations have just been found. False: see
 * system->error. */
bool trm_slopes_find(trm_slopes *slopes, trm_system *system, trm_tangent *tangent);

typedef struct trm_saddle {
  trm_system *system;
  trm_solver *solver;
  int n; /* coordinates and states */
  trm_tangent *tangent;
  const bool *chosen; /* [m] the stabilizer's */
  bool *redundant;    /* [m] redundant rows: their multipliers are zero */
  trm_kkt *kkt;
  trm_kkt *complex_kkt; /* NULL: real alone */
  double *J[2];         /* real and imaginary part, in K's pattern */
  trm_slopes at;        /* of the last linearization */
  double *A[2];         /* real and imaginary part of Cq + γT + γ²S */
  double *E;            /* [m] */
  double *b;            /* [2 (n + m)] */
  double *Mb, *Kb;      /* [n + m] (M, Cq) bv and (K, S) bq */
  double gamma, complex_gamma[2];
} trm_saddle;

/* NULL: out of memory. */
trm_saddle *trm_saddle_create(trm_arena *arena, trm_dynamics *dynamics);
/* Room for complex γ; false: out of memory. */
bool trm_saddle_create_complex(trm_saddle *saddle, trm_arena *arena);

/* Massless rotations that nothing determines keep their fictitious inertia from here on. The solver
 * has factored this position. */
void trm_saddle_begin(trm_saddle *saddle);
/* At the state whose accelerations have just been found. False: see system->error. */
bool trm_saddle_linearize(trm_saddle *saddle);
/* With this γ; false: singular. */
bool trm_saddle_factor(trm_saddle *saddle, double gamma);
bool trm_saddle_factor_complex(trm_saddle *saddle, const double gamma[2]);
/* b = (bq, bv, …) becomes (dq, dv, …). */
void trm_saddle_solve(trm_saddle *saddle, double *b);
/* The same with the complex γ, real and imaginary part. */
void trm_saddle_solve_complex(trm_saddle *saddle, double *re, double *im);
/* γ = 0: M a + Cqᵀ λ = f, Cq a = g */
void trm_saddle_accelerations(trm_saddle *saddle, const double *f, const double *g, double *a,
                              double *lambda);

/* y = K x, y = M x */
void trm_stiffness_times(const trm_tangent *tangent, const double *x, double *y);
void trm_tangent_mass_times(const trm_tangent *tangent, const double *x, double *y);

#define TRM_REGULAR                                                                                \
  1e-10 /* of the multipliers' block: for singular positions, far below what steps see */

/* e[m], small against Cq M⁻¹ Cqᵀ: what may stand at the multipliers' place in a matrix. */
void trm_regularize(const trm_system *system, const trm_tangent *tangent, const double *Cq,
                    double *e);

#endif
