/* Which rows the others determine: all rank decisions, and the policy behind them.
 *
 * A rank is a matter of geometry. It is decided on rows of unit norm over translations and turns in
 * units of the model (twist.h): masses that differ by many orders make the equations hard to solve,
 * they do not make rows dependent. Rows are independent by the least singular value s of those that
 * are kept, found as pivots of a QR factorization with row exchanges. */
#ifndef TRM_MATH_RANK_H
#define TRM_MATH_RANK_H

#include "base/arena.h"
#include "math/structure.h"

/* Below this s, the root of round-off, a row is dependent: what round-off ε in C asks for there,
 * ε/s, is farther away than the linearization reaches, s. Looser ones spoil the double four-bar. */
#define TRM_RANK_CUT 1e-7
/* Below this s a row is in doubt: an error ε of C is an acceleration ε/s³ that nothing but the
 * error asks for; with ε of 1e-16 it is as large as the motion's own from s = 5e-6 on. */
#define TRM_RANK_DOUBT 1e-4
/* Of everything else together: a row in doubt may not ask for more. */
#define TRM_RANK_SHARE 0.5
/* Cheap factorizations have pivots like s². Above the square of TRM_RANK_DOUBT no rank is decided.
 */
#define TRM_PIVOT_DOUBT 1e-8
/* Below this pivot digits are lost, and solutions are refined. */
#define TRM_PIVOT_WEAK 1e-4
/* Below this it is round-off of the elimination: nothing is divided by it. */
#define TRM_PIVOT_LOST 1e-15
/* A row takes part in a dependency where a null vector has more than round-off there. */
#define TRM_RANK_PART 1e-6

typedef struct trm_rank {
  const trm_structure *rows; /* of a twist */
  int rank;                  /* rows kept */
  int limit;                 /* it cannot be higher */
  double cut;                /* TRM_RANK_CUT, or what a model with few decimals asks for */
  double distance;           /* the least s of the rows kept: how far a singular position is */
  bool valid;                /* false: not finite, nothing can be said */
  bool *left_out;            /* [m] rows left out */
  bool null_ready;           /* null_space is of this decision */
  const double *G;           /* of the last decision */
  double *B;                 /* [n × m] Gᵀ with unit columns, then Q, T, Z */
  double *scale;             /* [m] 1/norm of each row, 1 for a zero row */
  int *pivot;                /* [m] of the rows, from 1 */
  int *free_pivot;           /* [m] of the null space in the minimum norm */
  double *tau_q, *tau_z;     /* [min(n, m)] */
  double *null_space;        /* [m × nullity] */
  double *weighted;          /* [m × nullity] for the minimum norm */
  double *u;                 /* [n + m] */
  double *Gy;                /* [m] */
  double *work;
  int work_size;
} trm_rank;

/* Doubles it takes, to decide beforehand. */
double trm_rank_storage(const trm_structure *rows);
/* Dense; NULL: out of memory. */
trm_rank *trm_rank_create(trm_arena *arena, const trm_structure *rows);

void trm_rank_decide(trm_rank *rank, const double *G);
/* Rows in doubt that ask for more than their share of y, what there is without constraints, and of
 * what the other rows ask for, are left out as well. True: there were such. */
bool trm_rank_doubt(trm_rank *rank, const double *y, const double *g);

/* One row for each null vector in Z [m × columns], which is lost, by elimination with the largest
 * entry of all: then the others determine it best, and what is left of them is as independent as it
 * can be. */
void trm_rank_choose(int m, int columns, double *Z, bool *left_out);

/* residual [m], left where rows contradict one another: spread over all rows that do, as least
 * squares of rows of unit norm would. */
void trm_rank_contradiction(trm_rank *rank, double *residual);

/* z with Gᵀ z = 0: m − rank columns */
const double *trm_rank_null_space(trm_rank *rank);
/* The least Σ (weight λ)² over lambda [m] plus the null space. */
void trm_rank_minimum_norm(trm_rank *rank, double *lambda);

#endif
