/* Rotations without inertia: the border that takes M's fictitious inertias I out again.
 *
 * True: (M − Nᵀ I N) x + Cqᵀ λ = f + Nᵀ I bias, that is M x + Cqᵀ λ = f + Nᵀ τ with τ = I (N x +
 * bias). With M X + Cqᵀ Λ = Nᵀ, Cq X = 0 and S = N X: (1/I − S) τ = N x₀ + bias, x = x₀ + X τ, λ =
 * λ₀ + Λ τ. */
#ifndef TRM_SOLVER_MASSLESS_H
#define TRM_SOLVER_MASSLESS_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_massless {
  const trm_structure *structure;
  const double *N;
  double *X;      /* [massless × n] */
  double *Lambda; /* [massless × m] */
  double *T; /* [massless × massless] √I (1/I − S) √I, then its Cholesky factor or eigenvectors */
  double *V;          /* [massless × massless] free eigenvectors */
  double *eigenvalue; /* [massless] */
  double *root;       /* [massless] √I */
  double *tau;        /* [massless] */
  double *scratch;    /* [massless] */
  double *f;          /* [n] */
  double *g;          /* [m] zero */
  double *work;
  int work_size;
  int free_count;  /* at the last accepted state */
  bool determined; /* every rotation: the Cholesky factor holds */
} trm_massless;

/* Solves M x + Cqᵀ λ = f, Cq x = g with the fictitious inertias in place. */
typedef void trm_plain_solve(void *data, const double *f, const double *g, double *x,
                             double *lambda);

trm_massless *trm_massless_create(trm_arena *arena, const trm_structure *structure);
void trm_massless_factor(trm_massless *massless, const double *N, trm_plain_solve *solve,
                         void *data);
/* x and lambda: the plain solution in, the true one out. bias == NULL: zero. */
void trm_massless_correct(trm_massless *massless, const double *bias, double *x, double *lambda);
/* The last factorization is of a state on the constraints: what is free there is free next to it.
 */
void trm_massless_accept(trm_massless *massless);
/* As many rotations as nothing determines: with these held, all others are determined. */
void trm_massless_find_free(trm_massless *massless, bool *free);

#endif
