/* K = W Wᵀ and its factorization L D Lᵀ with as little fill as a minimum degree ordering leaves:
 * for nets and other mechanisms that are no line, where a skyline fills in. */
#ifndef TRM_MATH_SIMPLICIAL_H
#define TRM_MATH_SIMPLICIAL_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_simplicial {
  int size;
  const int *order;       /* [size] the constraint row in each place */
  const int *panel_place; /* [panel_start[blocks]] place of each panel row */
  const int *position; /* entry of K for each pair (r, s ≤ r) of a panel's rows, panel by panel */
  int *k_start;        /* [size + 1] K's lower part by row, the diagonal last */
  int *k_column;
  double *K;
  int *row_start; /* [size + 1] L's pattern by row, ascending */
  int *row_column;
  int *column_start; /* [size + 1] L by column */
  int *column_row;
  double *L;
  double *pivot_inverse; /* [size] 1/D, 0 where the pivot was lost */
  bool *omitted;         /* [size] rows left out, by place: they get λ = 0 */
  double *x;             /* [size] zero between uses */
  int *next;             /* [size] end of each column so far */
} trm_simplicial;

/* Whether it takes far fewer operations than a skyline of the rows that joints have. */
bool trm_simplicial_is_cheaper(const trm_structure *structure);

/* NULL: out of memory. */
trm_simplicial *trm_simplicial_create(trm_arena *arena, const trm_structure *structure);

/* These rows, by row, are left out. */
void trm_simplicial_omit(trm_simplicial *simplicial, const bool *rows);
/* K = W Wᵀ; W in the layout of Cq */
void trm_simplicial_assemble(trm_simplicial *simplicial, const trm_structure *structure,
                             const double *W);
/* The least pivot of a row that is not omitted, as part of its diagonal. */
double trm_simplicial_factor(trm_simplicial *simplicial);
/* b = K \ b, in the order of the places */
void trm_simplicial_solve(const trm_simplicial *simplicial, double *b);

#endif
