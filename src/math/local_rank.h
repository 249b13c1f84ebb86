/* Rank decisions where the rank is lost and nowhere else: the policy is rank.h's.
 *
 * W has the rows of G scaled to unit norm. Rows with good pivots are factored inside the skyline;
 * the others, the border, are made orthogonal to them and to one another: W_border = C W_factored +
 * T Qᵀ. What is left of a border row dies out with the distance along the mechanism, and is stored
 * only where it has not. */
#ifndef TRM_MATH_LOCAL_RANK_H
#define TRM_MATH_LOCAL_RANK_H

#include "math/rank.h"
#include "math/row_groups.h"
#include "math/skyline.h"

/* Of places, or of coordinates along the line: begin … end − 1. */
typedef struct trm_span {
  int begin, end;
} trm_span;

/* A row that the factored ones leave little or nothing of. */
typedef struct trm_border_row {
  int place;      /* in the skyline */
  bool excluded;  /* not to be believed */
  double size;    /* of what is left of it, its own norm being one; 0: dependent */
  trm_span span;  /* of its q */
  int farthest;   /* end of any span up to this one */
  int first;      /* its row of T begins with this border row */
  long long q, t; /* where they begin among the values */
} trm_border_row;

typedef struct trm_local_rank {
  const trm_structure *structure; /* of a twist */
  trm_skyline K;                  /* of the factored rows */
  double *W;                      /* in the layout of G */
  double *scale;                  /* [m] 1/norm of each row, by place */
  int reach;                      /* columns of the longest profile */
  int rank;
  bool *left_out;    /* [m] rows left out */
  double distance;   /* the least size of a row kept: how far a singular position is */
  int limit;         /* it cannot be higher */
  double cut;        /* TRM_RANK_CUT, or what a model with few decimals asks for */
  const bool *known; /* [m] rows that depend on others of their loop; NULL: none */
  bool known_here;   /* found at this very position */
  bool valid;        /* false: not finite, nothing can be said */
  bool undecidable; /* also without the known rows: K has no digits left although no pivot shows it,
                    or rows reach too far */
  bool too_long;    /* with them it was */
  double work;      /* spent on the border so far */
  trm_row_groups groups; /* which blocks a row touches, and where it begins in W */
  /* the blocks in a line, as the skyline meets them */
  int *block_at;       /* [blocks] */
  int *line_place;     /* [blocks] of each block */
  int *line_start;     /* [blocks + 1] first coordinate of each along the line */
  int *line_at;        /* [blocks] the same of each block */
  int border;          /* rows */
  trm_border_row *row; /* [m] */
  double *values;      /* Q and T */
  long long capacity, used;
  double *y, *free_y, *other;                      /* [n] along the line */
  double *rho;                                     /* [n] along the line, zero between uses */
  double *near;                                    /* [m] by place, zero between uses */
  double *eps, *border_mu;                         /* [m] */
  double *added, *mu, *g, *z, *r, *p, *Ap, *least; /* [m] */
  double *square; /* [m] of the weights of multipliers of rows of unit norm, by place */
} trm_local_rank;

trm_local_rank *trm_local_rank_create(trm_arena *arena, const trm_structure *structure);
void trm_local_rank_decide(trm_local_rank *rank, const double *G);
/* Builds the border again, without the rows that are excluded. */
void trm_local_rank_build(trm_local_rank *rank);
/* Rows in doubt that ask for more than their share of y, what there is without constraints, and of
 * what the rows around them ask for, are left out as well. True: there were such. */
bool trm_local_rank_doubt(trm_local_rank *rank, const double *y, const double *g);

/* Excludes rows in doubt and builds the border without them; in local_solve.c. */
void trm_local_rank_exclude(trm_local_rank *rank, const double *y, const double *g);

/* The least Σ (weight λ)² over lambda plus the null space. */
void trm_local_rank_minimum_norm(trm_local_rank *rank, double *lambda);
/* residual [m], left where rows contradict one another: spread over all rows that do, as least
 * squares of rows of unit norm would. */
void trm_local_rank_contradiction(trm_local_rank *rank, double *residual);

/* z with Gᵀ z = 0, one for each of the first dependent rows */
void trm_local_rank_null_space(trm_local_rank *rank, int columns, double *z);
/* To fewer digits, at half the cost: enough to choose rows by. */
void trm_local_rank_null_space_roughly(trm_local_rank *rank, int columns, double *z);

/* [m] whether a row takes part in a dependency */
void trm_local_rank_dependent(trm_local_rank *rank, bool *dependent);

static inline bool trm_is_factored(const trm_local_rank *rank, int place) {
  return rank->K.pivot_inverse[place] != 0;
}

#endif
