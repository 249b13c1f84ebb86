/* The Radau IIA method of three stages and order five (Hairer & Wanner, Solving Ordinary
 * Differential Equations II, IV.5 and IV.8), on the accelerations of the constrained system. */
#ifndef TRM_INTEGRATOR_RADAU5_H
#define TRM_INTEGRATOR_RADAU5_H

#include "integrator/integrator.h"
#include "integrator/saddle.h"

/* A⁻¹ = T Λ T⁻¹, Λ = real ⊕ [re −im; im re] */
typedef struct trm_radau_table {
  double c[3], A[3][3], inverse_A[3][3];
  double T[3][3], inverse_T[3][3];
  double real, complex[2]; /* eigenvalues of A⁻¹ */
  double slope[3];         /* h u̇(0) = Σ slope Z of the collocation polynomial u */
} trm_radau_table;

typedef struct trm_radau_reduced trm_radau_reduced;

/* The stages' common linear problem. */
typedef struct trm_radau_stages {
  trm_system *system;
  int n, states;           /* of one stage: coordinates and states, these alone */
  trm_structure structure; /* of three copies; a block's panel has the rows of all stages */
  trm_tangent *tangent[3];
  trm_slopes at[3];
  trm_kkt *kkt;
  double *law;                /* [9 × law slopes] entries beside the panels */
  double *J;                  /* [9 × nonzeros] pairs of stages, each in K's pattern */
  double *A1, *A2;            /* laid out by `structure` */
  double *E;                  /* [3m] */
  double *b, *x;              /* [3 (n + m)], [n + m] */
  double *Mx;                 /* [n] */
  const bool *chosen;         /* [m] the stabilizer's */
  bool *redundant;            /* [3m] at the last factorization */
  trm_radau_reduced *reduced; /* dense alone, else NULL */
  bool is_reduced;            /* the last factorization is that one */
} trm_radau_stages;

/* The same problem without its multipliers, dense: Nᵢᵀ × the first rows, Cqᵢ Nᵢ = 0. */
trm_radau_reduced *trm_radau_reduced_create(trm_arena *arena, const trm_structure *structure,
                                            int states, const bool *redundant);
/* False: constraints are nearly dependent. */
bool trm_radau_reduced_factor(trm_radau_reduced *reduced, const trm_radau_stages *stages,
                              const trm_radau_table *table, double h);
/* b = (f, g) of three stages in, their dv in the first 3n out, stage by stage. */
void trm_radau_reduced_solve(trm_radau_reduced *reduced, double *b);

bool trm_radau_stages_create(trm_radau_stages *stages, trm_arena *arena, trm_dynamics *dynamics,
                             trm_linear linear);
/* With the tangents and slopes that are there; false: singular. */
bool trm_radau_stages_factor(trm_radau_stages *stages, const trm_radau_table *table, double h);
/* r[3] = (ρq, ρv, …) become (dq, dv, …). */
void trm_radau_stages_solve(trm_radau_stages *stages, const trm_radau_table *table, double h,
                            double *const r[3]);

typedef struct trm_radau5 {
  trm_radau_table table;
  trm_saddle *saddle;
  trm_radau_stages stages;
  bool linearizes;     /* the next evaluation of the stages shall */
  bool staged;         /* each stage has its own Jacobian */
  double *Z[3], *W[3]; /* [size] stages less y, and T⁻¹ Z */
  double *F[3];        /* [size] rates at the stages, then the change of W */
  double *weight;      /* [2n + 1] what Newton's changes are measured by */
  double *error;       /* [size] estimate of the step at hand, filtered */
  double *y, *ydot;    /* [size] between the parts of a step that was cut */
  double t, h;         /* the step at hand */
  double factored;     /* the step that the factorizations are for; 0: none */
  bool linearized;     /* there is a Jacobian */
  bool stale;          /* … that the next step shall renew */
  bool doubtful;       /* the first step, or after a rejected one: the estimate may be too large */
  double newton_tolerance; /* of Newton's error, in units of the weights */
  int staged_steps;        /* that go on with Jacobians of the stages once these were needed */
  int staged_left;         /* of them; negative: so many steps since have done without */
  double residual;         /* of Newton's last iteration, and where most of it is */
  int worst;
} trm_radau5;

trm_radau_table trm_radau_coefficients(void);

/* Z at the step (own->t, own->h) from y, from the Z that are there. False: no convergence, or see
 * system->error. */
bool trm_radau_newton(trm_integrator *integrator, trm_dynamics *dynamics, const double *y);

#endif
