/* K = W Wᵀ and its factors in whichever storage takes fewer operations. */
#ifndef TRM_MATH_GRAM_H
#define TRM_MATH_GRAM_H

#include "math/fronts.h"

/* What takes fewer operations, or one of them. */
typedef enum trm_storage { TRM_CHEAPER, TRM_SKYLINE, TRM_FULL_SKYLINE, TRM_FRONTS } trm_storage;

typedef struct trm_gram {
  const trm_structure *structure;
  trm_skyline line;               /* where there are no fronts */
  trm_fronts *fronts;             /* or NULL */
  int places;                     /* of rows, among fronts' unknowns */
  const int *order, *panel_place; /* of the one in use: [places] the row, −1: none */
  const double *pivot_inverse;    /* [places] 0 where the pivot was lost */
} trm_gram;

/* For any W; dense: a skyline from the first row on. False: out of memory. */
bool trm_gram_create(trm_gram *gram, trm_arena *arena, const trm_structure *structure, bool dense);
/* For W of joints, whose blocks may be kept. What is then added to, and where, is the caller's;
 * apart: as for a skyline. */
bool trm_gram_create_joints(trm_gram *gram, trm_arena *arena, const trm_structure *structure,
                            trm_storage storage, const bool *apart);

/* These rows are left out. */
void trm_gram_omit(trm_gram *gram, const bool *rows);
/* W in the layout of Cq, NULL: all has been added; the least pivot of a row that is not left out,
 * as part of its diagonal */
double trm_gram_factor(trm_gram *gram, const double *W);
/* b = K \ b, in the order of the places */
void trm_gram_solve(const trm_gram *gram, double *b);

/* Of the last factorization. */
const trm_pivot_range *trm_gram_pivots(const trm_gram *gram);
/* What blocks have added to the pivot in one place; INFINITY: of a row left out, or none. */
double trm_gram_diagonal(const trm_gram *gram, int place);

#endif
