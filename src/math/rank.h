/* Rank-revealing complete orthogonal factorization of W = Cq L⁻ᵀ (M = L Lᵀ): dense, for when the
 * rank is in doubt. */
#ifndef TRM_MATH_RANK_H
#define TRM_MATH_RANK_H

#include "math/mass_root.h"

typedef struct trm_rank {
  const trm_structure *structure;
  trm_mass_root mass;
  int rank;
  int limit;          /* it cannot be higher */
  bool valid;         /* false: M or Cq held a NaN or an infinity, and so will the solutions */
  bool null_ready;    /* null_space is of this factorization */
  double *W;          /* Cq L⁻ᵀ, in the layout of Cq */
  double *B;          /* [n × m] D Wᵀ with unit columns, then Q, T, Z */
  double *scale;      /* [m] D: 1/norm of each row of W, 1 for a zero row */
  int *pivot;         /* [m] of the rows of Cq, from 1 */
  int *free_pivot;    /* [m] of the null space in the minimum norm */
  double *tau_q;      /* [min(n, m)] */
  double *tau_z;      /* [min(n, m)] */
  double *null_space; /* [m × nullity] */
  double *weighted;   /* [m × nullity] for the minimum norm */
  double *u;          /* [max(n, m)] */
  double *y;          /* [n] Lᵀ x */
  double *step;       /* [n] */
  double *Wy;         /* [m] */
  double *work;
  int work_size;
} trm_rank;

/* Doubles it takes, to decide beforehand. */
double trm_rank_storage(const trm_structure *structure);

trm_rank *trm_rank_create(trm_arena *arena, const trm_structure *structure);
void trm_rank_factor(trm_rank *rank, const double *M, const double *Cq);

/* x nearest to M⁻¹ f in the mass norm with Cq x = g (in the least-squares sense of rows of equal
 * norm); lambda the least one of equal rows. f == NULL: zero. */
void trm_rank_solve(trm_rank *rank, const double *f, const double *g, double *x, double *lambda);

/* z with Cqᵀ z = 0: m − rank columns */
const double *trm_rank_null_space(trm_rank *rank);

/* The least Σ (weight λ)² over lambda plus the null space. */
void trm_rank_minimum_norm(trm_rank *rank, double *lambda);

#endif
